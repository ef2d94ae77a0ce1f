"""Accounts and groups in the admin; what all admin pages share: refusals, one log, who changed."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from surveys.models import AccessToken
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.accounts.changes import (
    described,
    record_change,
    record_creation,
    record_deletion,
)
from surveys.staff.accounts.services import end_other_sessions
from surveys.staff.accounts.tokens import SWITCHED_OFF, revoke

FILTERS = ("", "exact", "id__exact", "isnull")
LARGEST_KEY = 2**63 - 1
REFUSALS = (NotAllowed, NotPossible)
CHANGED_MEANWHILE = gettext_lazy(
    "Nothing was saved, because another person made a change at the same moment. Look at the "
    "current version, and try again."
)
# Words of Django's pages of accounts that its own German catalogue leaves in English.
WITHOUT_GERMAN = (
    gettext_noop("After you’ve created a user, you’ll be able to edit more user options."),
    gettext_noop("Conflicting form data submitted. Please try again."),
    gettext_noop("Disable password-based authentication"),
    gettext_noop("Disabled"),
    gettext_noop("Enable password-based authentication"),
    gettext_noop("Enable password-based authentication for this user by setting a password."),
    gettext_noop("Enabled"),
    gettext_noop("Password-based authentication"),
    gettext_noop("Password-based authentication was disabled."),
    gettext_noop("Raw passwords are not stored, so there is no way to see the user’s password."),
    gettext_noop("Reset password"),
    gettext_noop("Set password"),
    gettext_noop("Set password: %s"),
    gettext_noop(
        "This action will <strong>enable</strong> password-based authentication for this user."
    ),
    gettext_noop(
        "Whether the user will be able to authenticate using a password or not. If disabled, they "
        "may still be able to authenticate using other backends, such as Single Sign-On or LDAP."
    ),
)
# Roles decide what may be done to surveys: Django's permissions count on these pages alone.
PERMISSIONS = {
    "add_group": gettext_lazy("Add groups"),
    "change_group": gettext_lazy("Change groups"),
    "delete_group": gettext_lazy("Delete groups"),
    "view_group": gettext_lazy("View groups"),
    "add_user": gettext_lazy("Add users"),
    "change_user": gettext_lazy("Change users"),
    "delete_user": gettext_lazy("Delete users"),
    "view_user": gettext_lazy("View users"),
}


def _require_key(key: Any) -> None:
    """Raise ValidationError for numbers that no database takes for a key."""
    if isinstance(key, int) and abs(key) > LARGEST_KEY:
        raise ValidationError("no key")


def by_whom(request: HttpRequest) -> Any:
    """The user; the admin lets in only those who are logged in."""
    return request.user


class OneLog(admin.ModelAdmin):
    """Lists that refuse garbage; and the audit log instead of the admin's own history.

    That history keeps people's names for good and can be changed; the audit log does neither.
    """

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                _require_key(self.model._meta.pk.to_python(key))
        except ValidationError:
            self.message_user(
                request, gettext("Nothing was done. Choose from this list."), messages.ERROR
            )
            return None
        return super().response_action(request, queryset, *args, **kwargs)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the lists' own filters ask; others fail on values that they cannot read."""
        field, _, kind = lookup.partition("__")
        is_ours = field in self.list_filter and kind in FILTERS
        return is_ours and super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Written to the audit log where the object is saved."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Written to the audit log where the object is saved."""

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Any]) -> Any:
        """Written to the audit log where the objects are deleted."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The audit log is the history."""
        return redirect("surveys:audit-all")


class RefusalsAdmin(OneLog):
    """Pages whose services may refuse, and lists that show a person only their own."""

    changed_meanwhile: str | Promise = CHANGED_MEANWHILE

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        """Raises Http404 for what is not there and for what this person may not see."""
        row = super().get_object(request, object_id, from_field)
        if row is None:
            raise Http404
        return row

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """What a service refuses is said on the page, and nothing is changed."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
        except IntegrityError:
            self.message_user(request, str(self.changed_meanwhile), messages.ERROR)
        return HttpResponseRedirect(request.path)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """All of them or none."""
        for obj in queryset:
            self.delete_model(request, obj)


class PasswordForm(AdminPasswordChangeForm):
    """Django puts its help together while it starts, when no page has a language."""

    usable_password_help_text = format_lazy(  # type: ignore[assignment]
        '{help} <ul id="{warning}" class="messagelist"><li class="warning">{loss}</li></ul>',
        help=gettext_lazy("Disabled: this account has no password to log in with."),
        warning="id_unusable_warning",  # for Django's script
        loss=gettext_lazy("If disabled, the current password for this user will be lost."),
    )


class PermissionField(forms.ModelMultipleChoiceField):
    """Permissions in the language of the page; their names in the database are English."""

    def label_from_instance(self, permission: Any) -> str:
        return str(PERMISSIONS[permission.codename])


class AccountLog(OneLog):
    """Writes down every change to an account or a group, in the transaction that makes it."""

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        if db_field.remote_field.model is Permission:
            accounts = Permission.objects.filter(content_type__app_label="auth")
            kwargs["queryset"] = accounts.filter(codename__in=PERMISSIONS)
            kwargs["form_class"] = PermissionField
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        form.before = described(obj) if change else None
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if change:
            record_change(form.instance, before=form.before, by=by_whom(request))
        else:
            record_creation(form.instance, by=by_whom(request))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        record_deletion(obj, by=by_whom(request))
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            record_deletion(obj, by=by_whom(request))
        super().delete_queryset(request, queryset)


admin.site.index_title = gettext_lazy("Surveys and staff")
admin.site.unregister([User, Group])


@admin.register(User)
class StaffAdmin(AccountLog, UserAdmin):
    """Django's own, written down, and without its fields that have no name for who listens.

    These are two lists side by side, and days with times, which no person needs to write.
    """

    change_password_form = PasswordForm
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Who is switched off has no session or token left: these would wake with the account."""
        super().save_related(request, form, formsets, change)
        if not form.instance.is_active:
            end_other_sessions(account=form.instance, kept=None)
            tokens = AccessToken.objects.filter(person=form.instance)
            revoke(tokens, by=by_whom(request), reason=SWITCHED_OFF)

    @transaction.atomic
    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        user = self.get_object(request, id)
        before = described(user) if user else {}
        reply = super().user_change_password(request, id, form_url)
        if user:
            record_change(user, before=before, by=by_whom(request))
            if before["password"] != described(user)["password"]:
                kept = request.session.session_key if user.pk == by_whom(request).pk else None
                end_other_sessions(account=user, kept=kept)
        return reply


@admin.register(Group)
class StaffGroupAdmin(AccountLog, GroupAdmin):
    """The same for groups."""

    filter_horizontal = ()
