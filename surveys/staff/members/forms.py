"""Forms of the pages about who works on a survey and what they did."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms

from surveys.models import Membership
from surveys.staff.audit import rows
from surveys.staff.queries import account_names, audit_actions, audit_actors

# The page explains the roles; the list of choices has to fit a small screen.
ROLES = [(role.value, role.label.partition(":")[0]) for role in Membership.Role]


class UserNameField(forms.CharField):
    """The name of an account, exactly as it is written."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=150, label="User name", **kwargs)
        self.widget.attrs.update({"autocomplete": "off", "autocapitalize": "none"})


class MemberForm(forms.Form):
    """A user and a role."""

    username = UserNameField()
    role = forms.ChoiceField(choices=ROLES, initial=Membership.Role.ANALYST)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=ROLES)


class OwnerForm(forms.Form):
    """Who owns the survey next."""

    username = UserNameField()


class AuditForm(forms.Form):
    """Which entries to show: everything, unless something is chosen."""

    action = forms.ChoiceField(required=False)
    person = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, survey_id: UUID | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("action", [(name, name) for name in audit_actions(survey_id)])
        actors = audit_actors(survey_id)
        names = account_names(key for key in actors if key is not None)
        people = [(str(key or 0), rows.person(key, names)) for key in actors]
        self._offer("person", sorted(people, key=lambda choice: choice[1]))

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        self.fields[name].choices = [("", "All"), *choices]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> dict[str, str]:
        """What to ask the log for; everything while something is wrong."""
        if not self.is_valid():
            return {}
        return {"action": self.cleaned_data["action"], "actor": self.cleaned_data["person"]}
