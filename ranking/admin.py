"""Catalogues and their items in the admin: forms, owners, frozen ones, import of items from a file.

A catalogue belongs to the person who made it. Once a survey that uses it is launched, it stays as
it is.
"""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from ranking import services
from ranking.methods.histograms import HistogramsUnreadable
from ranking.queries import catalogues_for, pending_import
from surveys.models import Catalogue, CatalogueItem
from surveys.questionnaire.ratings import starting_problem, tidy_name
from surveys.staff.admin import REFUSALS, RefusalsAdmin, by_whom
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import grouped


class OwnersAdmin(RefusalsAdmin):
    """What belongs to one person; superusers may do everything."""

    changed_meanwhile = gettext_lazy(
        "Your changes were not saved: another person made a change at the same moment. Look at "
        "the page again and repeat your changes if they are still needed."
    )

    def has_module_permission(self, request: HttpRequest) -> bool:
        return by_whom(request).is_active and by_whom(request).is_staff

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request) and not _is_frozen(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return redirect("..")

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        try:
            return super().response_action(request, queryset, *args, **kwargs)
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return None


class CatalogueForm(forms.ModelForm):
    """A name that its owner has not given to another catalogue."""

    class Meta:
        model = Catalogue
        fields = ("name",)

    owner: Any = None

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        owner = self.owner if self.instance._state.adding else self.instance.owner
        others = Catalogue.objects.filter(owner=owner, name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise ValidationError(
                gettext("A catalogue with this name exists already. Choose another name.")
            )
        return name


class ItemForm(forms.ModelForm):
    """An item whose name no other item of its catalogue has, which the form may not show."""

    class Meta:
        model = CatalogueItem
        fields = ("catalogue", "name", "starting")

    def clean_name(self) -> str:
        try:
            return tidy_name(self.cleaned_data["name"])
        except ValueError as problem:
            raise ValidationError(said_by(problem)) from None

    def clean_starting(self) -> object:
        if reason := starting_problem(self.cleaned_data["starting"]):
            raise ValidationError(translated(reason))
        return self.cleaned_data["starting"]

    def clean(self) -> dict[str, Any]:
        name, catalogue = self.cleaned_data.get("name"), self.instance.catalogue_id
        others = CatalogueItem.objects.filter(catalogue=catalogue).exclude(pk=self.instance.pk)
        if name and others.filter(name=name).exists():
            self.add_error(
                "name",
                gettext(
                    "Another item in this catalogue already has this name. Choose another name."
                ),
            )
        return self.cleaned_data


class ImportForm(forms.Form):
    """A file of items."""

    file = forms.FileField(
        label=gettext_lazy("File (.csv or .json, UTF-8)"),
        help_text=gettext_lazy(
            "Each line has one item and begins with its name. If the item was rated before, the "
            "numbers of its ratings follow: one number for each level of the scale, lowest level "
            "first."
        ),
    )

    def clean_file(self) -> Any:
        """Only the name's ending says what it is."""
        file = self.cleaned_data["file"]
        if file.name.rpartition(".")[2].lower() not in ("csv", "json"):
            raise ValidationError(gettext("Choose a file whose name ends in .csv or .json."))
        if file.size > services.LARGEST_FILE:
            raise ValidationError(services.too_large())
        return file


@admin.register(Catalogue)
class CatalogueAdmin(OwnersAdmin):
    form = CatalogueForm
    list_display = ("name", "owner", "size", "frozen")
    search_fields = ("name",)
    fields = ("name", "items")
    readonly_fields = ("items",)
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Catalogue]:
        visible = catalogues_for(by_whom(request))
        return visible.select_related("owner").annotate(item_count=Count("items"))

    def get_form(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        form = super().get_form(request, *args, **kwargs)
        return type("OwnedForm", (form,), {"owner": by_whom(request)})

    def save_model(self, request: HttpRequest, obj: Catalogue, form: Any, change: bool) -> None:
        services.keep_catalogue(catalogue=obj, by=by_whom(request))

    def delete_model(self, request: HttpRequest, obj: Catalogue) -> None:
        services.remove_catalogue(catalogue=obj, by=by_whom(request))

    @admin.display(description=gettext_lazy("items"))
    def size(self, catalogue: Any) -> int:
        return int(catalogue.item_count)

    @admin.display(description=gettext_lazy("frozen"), boolean=True)
    def frozen(self, catalogue: Catalogue) -> bool:
        return catalogue.is_frozen

    @admin.display(description=gettext_lazy("items"))
    def items(self, catalogue: Catalogue) -> str | SafeString:
        """How many, and the ways to them."""
        if catalogue._state.adding:
            return gettext("Save the catalogue first. After that, you can import items.")
        listed = reverse("admin:surveys_catalogueitem_changelist")
        look = format_html(
            '{} · <a href="{}?catalogue__id__exact={}">{}</a>',
            grouped(catalogue.items.count()),
            listed,
            catalogue.pk,
            gettext("Show items"),
        )
        if catalogue.is_frozen:
            return format_html(
                "{} · {}", look, gettext("frozen: a survey that uses these items was launched")
            )
        address = reverse("admin:surveys_catalogue_import", args=[catalogue.pk])
        words = gettext("Import items from a file")
        return format_html('{} · <a href="{}">{}</a>', look, address, words)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.import_view)
        own = [path("<uuid:catalogue_id>/import/", view, name="surveys_catalogue_import")]
        return own + super().get_urls()

    def import_view(self, request: HttpRequest, catalogue_id: UUID) -> HttpResponse:
        """Choose a file, look at what it would make, and make it: all of it or nothing."""
        catalogue = self.get_object(request, str(catalogue_id))
        if not self.has_change_permission(request, catalogue):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None)
        problems: list[str] = []
        if request.method == "POST":
            try:
                if reply := self._act(request, catalogue, form):
                    return reply
            except HistogramsUnreadable as problem:
                problems = list(map(translated, problem.lines))
            except REFUSALS as problem:
                problems = [str(problem)]
        return self._import_page(request, catalogue, form, problems)

    def _act(
        self, request: HttpRequest, catalogue: Catalogue, form: ImportForm
    ) -> HttpResponse | None:
        by = by_whom(request)
        if "_import" in request.POST:
            made = services.import_items(catalogue=catalogue, by=by)
            words = ngettext("{n} item imported.", "{n} items imported.", made)
            self.message_user(request, words.format(n=grouped(made)))
            return redirect("admin:surveys_catalogue_change", catalogue.pk)
        if "_drop" in request.POST:
            services.drop_import(catalogue=catalogue, by=by)
            self.message_user(request, gettext("The file was discarded. Nothing was imported."))
            return redirect(request.path)
        if form.is_valid():
            file = form.cleaned_data["file"]
            kind = file.name.rpartition(".")[2].lower()
            services.put_up_import(catalogue=catalogue, content=file.read(), form=kind, by=by)
            return redirect(request.path)
        return None

    def _import_page(
        self, request: HttpRequest, catalogue: Catalogue, form: ImportForm, problems: list[str]
    ) -> HttpResponse:
        pending = pending_import(catalogue)
        rows, waiting = (pending.preview, pending.items) if pending else ([], 0)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Import items into {catalogue}").format(catalogue=catalogue),
            "opts": self.opts,
            "catalogue": catalogue,
            "form": form,
            "problems": problems,
            "waiting": waiting,
            "rows": rows,
            "imported": pending.imported if pending else 0,
            "more": waiting - len(rows),
            "there": catalogue.items.count(),
        }
        return render(request, "admin/surveys/catalogue/import.html", context)


class OwnCatalogues(admin.RelatedFieldListFilter):
    """Other people's catalogues are not named."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        visible = catalogues_for(by_whom(request))
        return field.get_choices(include_blank=False, limit_choices_to={"pk__in": visible})


@admin.register(CatalogueItem)
class CatalogueItemAdmin(OwnersAdmin):
    list_display = ("number", "name", "catalogue", "starting")
    list_display_links = ("name",)
    form = ItemForm
    list_filter = ("catalogue",)
    search_fields = ("name",)
    fields = ("catalogue", "name", "starting")
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[CatalogueItem]:
        visible = catalogues_for(by_whom(request))
        items = super().get_queryset(request).select_related("catalogue")
        return items.filter(catalogue__in=visible)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return (("catalogue", OwnCatalogues),)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """An item stays in its catalogue."""
        return ["catalogue"] if obj else []

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        kwargs["queryset"] = catalogues_for(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: CatalogueItem, form: Any, change: bool) -> None:
        services.keep_item(item=obj, by=by_whom(request))

    def delete_model(self, request: HttpRequest, obj: CatalogueItem) -> None:
        services.remove_item(item=obj, by=by_whom(request))


def _is_frozen(obj: Any) -> bool:
    catalogue = obj.catalogue if isinstance(obj, CatalogueItem) else obj
    return catalogue is not None and catalogue.is_frozen
