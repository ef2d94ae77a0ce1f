"""GroupedPages: a survey's admin page begins with five fields and has groups for all others."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from surveys.authoring.grouping.groups import fieldsets, shown_groups
from surveys.authoring.grouping.surveys import FIRST, GROUPS, needed_fields, offered_fields
from surveys.models import Survey


class GroupedPages(admin.ModelAdmin):
    """A new survey asks for its first fields alone; everything else has a usual value.

    A form that sends more fields with a new survey, such as a program's, has these as well.
    """

    class Media:
        js = (forms.Script("surveys/authoring/unsaved.js", defer=True),)

    def get_fieldsets(self, request: HttpRequest, obj: Survey | None = None) -> Any:
        names = self.get_fields(request, obj)
        if obj is None:
            names = [name for name in names if name in FIRST or name in request.POST]
        else:
            names = offered_fields(obj, names)
        return fieldsets(names, GROUPS)

    def get_inlines(self, request: HttpRequest, obj: Survey | None) -> Any:
        rows = super().get_inlines(request, obj)
        are_sent = any(name.endswith("-TOTAL_FORMS") for name in request.POST)
        return rows if obj or are_sent else ()

    def response_add(
        self, request: HttpRequest, obj: Survey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """An author who goes on editing a new survey wants more than its first fields."""
        change = reverse("admin:surveys_survey_change", args=[obj.pk])
        return super().response_add(request, obj, post_url_continue or f"{change}?groups=open")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        page, inlines = context["adminform"], context["inline_admin_formsets"]
        needed = needed_fields(page.form.instance)
        context["groups"] = tuple(shown_groups(page, inlines, GROUPS, needed=needed))
        context["are_all_open"] = request.GET.get("groups") == "open"
        return super().render_change_form(request, context, *args, **kwargs)
