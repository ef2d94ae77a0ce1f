"""OnceForm, AskForm, REFUSALS: forms that ask for a report, what they share, what refuses them."""

from typing import cast
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy

from analytics.kinds.settings import SettingsError
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.errors import StatisticsError
from surveys.wording.language.messages import said_by

KEY_LOST = gettext_lazy("This form arrived incomplete. Reload the page and fill in the form again.")
LONGEST_QUESTION = 80
# What asking for a report, or changing one, may be refused with.
REFUSALS = (NotAllowed, NotPossible, StatisticsError)
OFF = forms.NumberInput(attrs={"autocomplete": "off"})


class OnceForm(forms.Form):
    """A form as it was shown, named by its key: what is sent twice has the same one."""

    key = forms.UUIDField(
        widget=forms.HiddenInput,
        initial=uuid4,
        error_messages=dict.fromkeys(("required", "invalid"), KEY_LOST),
    )


class AskForm(OnceForm):
    """A form whose valid data are ``settings``; ``can_ask``: there is something to choose."""

    can_ask: bool


def refuse(form: forms.Form, problem: SettingsError) -> None:
    """Say beside its field what is wrong with the settings, or above the form."""
    form.add_error(problem.argument if problem.argument in form.fields else None, said_by(problem))


def choose(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    cast(forms.ChoiceField, form.fields[name]).choices = choices


def question_words(number: int, item: Question) -> str:
    text = item.text
    short = text if len(text) <= LONGEST_QUESTION else f"{text[: LONGEST_QUESTION - 1]}…"
    return f"{number}. {short}"
