"""TrialForm: a trial's assumed shares in %, inattentive and cheating people, device; checked."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.simulation.fields import PercentField, SharesField, usual_shares
from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.errors import SamplingError, StatisticsError
from surveys.randomized_response.planning import (
    Fieldwork,
    FieldworkTrial,
    SimulatedQuestion,
    most_runs,
    simulate_fieldwork,
)
from surveys.results.reading import methods_for
from surveys.web.forms import LEVELS, LONGEST_COUNT, AddressForm, read_count
from surveys.wording.language.messages import said_by
from surveys.wording.language.numbers import count_words

USUAL_RUNS = 1000
MOST_RESPONDENTS = 10**9
LARGEST_SEED = 2**32 - 1


class TrialForm(AddressForm):
    """One share field and one safe answer per question; then who answers, and how often."""

    asks_with = "n"

    n = forms.CharField(label=gettext_lazy("Respondents"), initial="400", max_length=LONGEST_COUNT)
    inattentive = PercentField(
        label=gettext_lazy("Inattentive people, in %"),
        initial="0",
        help_text=gettext_lazy("Inattentive people choose each answer equally often."),
    )
    cheating = PercentField(
        label=gettext_lazy("Cheating people, in %"),
        initial="0",
        help_text=gettext_lazy("Cheating people always choose the safe answer."),
    )
    device = forms.ChoiceField(
        label=gettext_lazy("How answers are randomized"),
        choices=[
            ("browser", gettext_lazy("by the browser")),
            ("coin", gettext_lazy("by an own coin")),
        ],
        initial="browser",
        help_text=gettext_lazy(
            "If the browser randomizes, it also randomizes what inattentive and cheating people "
            "choose. People who use their own coin can ignore what the coin shows."
        ),
    )
    difference = PercentField(
        label=gettext_lazy("Difference to detect, in points"),
        initial="10",
        help_text=gettext_lazy(
            "Power is how often the interval excludes a share that is this far from the true share."
        ),
    )
    method = forms.ChoiceField(label=gettext_lazy("Interval"), initial="clopper-pearson")
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")
    runs = forms.CharField(label=gettext_lazy("Simulated surveys"), max_length=LONGEST_COUNT)
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        initial="1",
        max_length=LONGEST_COUNT,
        help_text=gettext_lazy("The same seed gives the same results."),
    )

    def __init__(
        self,
        query: QueryDict,
        *,
        items: list[tuple[int, LevelQuestion]],
        shares_asked: Mapping[int, float] | None = None,
    ) -> None:
        """``shares_asked``: how many of all people chance asks each question; all unless said."""
        super().__init__()
        self.items, self.shares_asked = items, shares_asked or {}
        for number, item in items:
            self.fields[f"shares{number}"] = self._shares(number, item)
            self.fields[f"safe{number}"] = self._safe(number, item)
        method: Any = self.fields["method"]
        method.choices = methods_for(None)
        most = self._most_runs()
        self.fields["runs"].initial = str(min(USUAL_RUNS, most))
        self.fields["runs"].help_text = gettext(
            "With these questions, at most {most} surveys can be simulated."
        ).format(most=count_words(most))
        self.read_address(query)

    @staticmethod
    def _shares(number: int, item: LevelQuestion) -> SharesField:
        answers = ", ".join(level.text for level in item.shown_levels)
        return SharesField(
            item,
            label=f"{number}. {item.text}",
            initial=usual_shares(len(item.levels)),
            help_text=gettext("Assumed true shares in %, in this order: {answers}").format(
                answers=answers
            ),
        )

    @staticmethod
    def _safe(number: int, item: LevelQuestion) -> forms.ChoiceField:
        choices = [(str(level), item.levels[level].text) for level in item.display]
        safe = str(item.safe_level)
        return forms.ChoiceField(
            label=gettext("Safe answer to question {number}").format(number=number),
            choices=choices,
            initial=safe,
        )

    @property
    def general(self) -> list[forms.BoundField]:
        """The fields about respondents and runs."""
        return [field for field in self if field.name in self.base_fields]

    @property
    def questions(self) -> Iterator[tuple[forms.BoundField, forms.BoundField]]:
        """Shares and safe answer of each question."""
        for number, _ in self.items:
            yield self[f"shares{number}"], self[f"safe{number}"]

    def clean_n(self) -> int:
        """How many people answer."""
        return _whole(self.cleaned_data["n"], 1, MOST_RESPONDENTS)

    def clean_runs(self) -> int:
        """How often the survey is simulated."""
        return _whole(self.cleaned_data["runs"], 1, self._most_runs())

    def clean_seed(self) -> int:
        """What the generator starts from."""
        return _whole(self.cleaned_data["seed"], 0, LARGEST_SEED)

    def clean(self) -> dict[str, Any]:
        """Simulate; what statistics refuses is said at the top."""
        if not self.errors:
            try:
                self.trial = self._simulated()
            except StatisticsError as problem:
                words = gettext("The survey cannot be simulated: {problem}.")
                self.add_error(None, words.format(problem=said_by(problem)))
        return self.cleaned_data

    trial: FieldworkTrial

    def _simulated(self) -> FieldworkTrial:
        chosen = self.cleaned_data
        return simulate_fieldwork(
            [self._question(number, item) for number, item in self.asked],
            Fieldwork(
                chosen["n"], chosen["inattentive"], chosen["cheating"], chosen["device"] == "coin"
            ),
            runs=chosen["runs"],
            rng=np.random.default_rng(chosen["seed"]),
            difference=chosen["difference"],
            level=int(chosen["level"]) / 100,
            method=chosen["method"],
        )

    @property
    def asked(self) -> list[tuple[int, LevelQuestion]]:
        """With a coin of one's own, only what is asked on that path."""
        if self.cleaned_data["device"] == "browser":
            return self.items
        asked = [(n, item) for n, item in self.items if item.is_offered_with_own_coin]
        if not asked:
            remedy = gettext(
                "none of these questions can be answered with a person's own coin. Choose the "
                "browser"
            )
            raise SamplingError("device", "coin", remedy)
        return asked

    def _question(self, number: int, item: LevelQuestion) -> SimulatedQuestion:
        shares, safe = self.cleaned_data[f"shares{number}"], self.cleaned_data[f"safe{number}"]
        return SimulatedQuestion(
            item.channel,
            shares,
            int(safe),
            item.is_drawn or not item.is_randomized,
            self.shares_asked.get(number, 1.0),
        )

    def _most_runs(self) -> int:
        levels = [(item, (1.0, *[0.0] * (len(item.levels) - 1))) for _, item in self.items]
        questions = [SimulatedQuestion(item.channel, shares) for item, shares in levels]
        return most_runs(questions) if questions else 1


def _whole(text: str, least: int, most: int) -> int:
    count = read_count(text)
    if count is None or not least <= count <= most:
        words = gettext("Write a whole number from {least} to {most}.")
        raise forms.ValidationError(words.format(least=least, most=count_words(most)))
    return count
