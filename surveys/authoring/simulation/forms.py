"""SimulationForm: how many simulated people answer a draft, and what is true of them."""

from collections.abc import Callable

import numpy as np
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.simulation.fields import shares_field
from surveys.authoring.simulation.outcome import SimulatedOutcome, outcome_of
from surveys.authoring.simulation.people import simulated
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders, standing_on
from surveys.web.forms import AddressForm

# The page waits for them: 60 questions of 500 people take less than a second.
MOST_PEOPLE = 500
FEWEST_PEOPLE = 20  # below, every interval reaches from 0 to 100 %


class SimulationForm(AddressForm):
    """A field for each question whose answers are compared; the others are drawn evenly."""

    asks_with = "people"

    people = forms.CharField(
        label=gettext_lazy("Simulated people"), initial=str(MOST_PEOPLE), max_length=6
    )

    def __init__(self, query: QueryDict, *, questionnaire: Questionnaire) -> None:
        super().__init__()
        self.questionnaire = questionnaire
        for number, item in enumerate(questionnaire.items, start=1):
            if field := FIELDS(item, number):
                self.fields[f"shares{number}"] = field
        self.read_address(query)

    def clean_people(self) -> int:
        """How many people answer."""
        written = self.cleaned_data["people"].strip()
        is_number = written.isascii() and written.isdigit()
        if not is_number or not FEWEST_PEOPLE <= int(written) <= MOST_PEOPLE:
            refusal = gettext(
                "Enter a whole number from {least} to {most}. To simulate more people, or many "
                "surveys at the same time, use the trial."
            )
            raise forms.ValidationError(refusal.format(least=FEWEST_PEOPLE, most=MOST_PEOPLE))
        return int(written)

    def outcome(self) -> SimulatedOutcome:
        """Another one at each look: chance comes from the system. For a form without errors."""
        shares = {
            int(name.removeprefix("shares")): value
            for name, value in self.cleaned_data.items()
            if name.startswith("shares")
        }
        rng = np.random.default_rng()
        people = simulated(self.questionnaire, shares, self.cleaned_data["people"], rng)
        return outcome_of(self.questionnaire, people)


def _levels(item: LevelQuestion, number: int) -> forms.Field:
    return shares_field(item, number, item.answerable)


def _none(item: Question, number: int) -> None:
    return None


_OF_KINDS: dict[str, Callable[..., forms.Field | None]] = {
    **standing_on(LevelQuestion, _levels),
    "picked": _none,  # hundreds of shares are no form
    **in_folders("draft", "SHARE_FIELDS"),
}
FIELDS: Table[[int], forms.Field | None] = Table.mostly(_none, **_OF_KINDS)
