"""AuditForm: which entries of the audit log to show: of one action, of one person."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext, gettext_lazy

from surveys.staff.audit import rows, words
from surveys.staff.queries import account_names, audit_actions, audit_actors


class AuditForm(forms.Form):
    """Which entries to show: everything, unless something is chosen."""

    action = forms.ChoiceField(required=False, label=gettext_lazy("Action"))
    person = forms.ChoiceField(required=False, label=gettext_lazy("Person"))

    def __init__(self, *args: Any, survey_id: UUID | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("action", [(name, words.action(name)) for name in audit_actions(survey_id)])
        actors = audit_actors(survey_id)
        names = account_names(key for key in actors if key is not None)
        people = [(str(key or 0), rows.person(key, names)) for key in actors]
        self._offer("person", sorted(people, key=lambda choice: choice[1]))

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        self.fields[name].choices = [("", gettext("All")), *choices]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> dict[str, str]:
        """What to ask the log for; everything while something is wrong."""
        if not self.is_valid():
            return {}
        return {"action": self.cleaned_data["action"], "actor": self.cleaned_data["person"]}
