"""MemberForm, RoleForm, OwnerForm: a user name and a role, for who works on a survey."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.models import Membership

# The page explains the roles; the list of choices has to fit a small screen.
ROLES = [
    (Membership.Role.EDITOR, gettext_lazy("Editor")),
    (Membership.Role.ANALYST, gettext_lazy("Analyst")),
]


class UserNameField(forms.CharField):
    """The name of an account, exactly as it is written."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=150, label=gettext_lazy("User name"), **kwargs)
        self.widget.attrs.update({"autocomplete": "off", "autocapitalize": "none"})


class MemberForm(forms.Form):
    """A user and a role."""

    username = UserNameField()
    role = forms.ChoiceField(
        choices=ROLES, initial=Membership.Role.ANALYST, label=gettext_lazy("Role")
    )


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=ROLES, label=gettext_lazy("Role"))


class OwnerForm(forms.Form):
    """Who owns the survey next."""

    username = UserNameField()
