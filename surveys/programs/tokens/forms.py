"""TokenForm: what a new token reaches, what it may do, and for how many days."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.programs.tokens.scopes import LABELS, Scope
from surveys.programs.tokens.services import MOST_DAYS, USUAL_DAYS
from surveys.staff.access import surveys_for
from surveys.web.forms import CountField

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class TokenForm(forms.Form):
    """One survey or the person's drafts, scopes, a name and days."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy(
            "The name helps you to recognise later which program has the token."
        ),
    )
    survey: Any = forms.ModelChoiceField(
        queryset=None,
        required=False,
        label=gettext_lazy("Access to"),
        empty_label=gettext_lazy("Your own drafts and new drafts"),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What the program may do"),
        help_text=gettext_lazy(
            "The program can do this only as far as your role in the survey allows it."
        ),
        choices=list(LABELS.items()),
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    days = CountField(
        label=gettext_lazy("Days until the token ends"),
        most=MOST_DAYS,
        initial=USUAL_DAYS,
    )

    def __init__(self, *args: Any, person: "User", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["survey"]
        chosen.queryset = surveys_for(person).defer("revision__document")

    def clean_scopes(self) -> list[Scope]:
        """The scopes that were ticked."""
        return [Scope(name) for name in self.cleaned_data["scopes"]]
