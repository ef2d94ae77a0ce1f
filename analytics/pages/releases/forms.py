"""BuilderForm: which questions a release tabulates, in which tables, for how much of the budget."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.sources.survey_scales import has_scale
from analytics.sources.survey_tables import Tabulated
from analytics.workloads.asks import Ask
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.questionnaire.kinds.registry import Table
from surveys.web.forms import AddressForm, read_parts, refuse_thousands, split_parts
from surveys.wording.language.messages import said_by

LEAVE_OUT = ("", gettext_lazy("Leave question out"))
COUNTS = (str(Ask.COUNTS), gettext_lazy("Count each answer"))
IN_ORDER = (
    (str(Ask.CDF), gettext_lazy("Count people up to each answer (CDF)")),
    (str(Ask.RANGES), gettext_lazy("Count all ranges of answers")),
)
ALONE, PAIRS, LISTED = "alone", "pairs", "listed"
OFF = {"autocomplete": "off", "spellcheck": "false"}
LONGEST = 2_000


class BudgetShareField(forms.DecimalField):
    """A percentage with a point or a comma, as other fields of percentages take it."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)


class BuilderForm(AddressForm):
    """A release as it is planned. Every choice is public, and made before an answer is read."""

    asks_with = "percent"

    which = forms.ChoiceField(
        label=gettext_lazy("Tables"),
        choices=[
            (ALONE, gettext_lazy("One table for each question")),
            (PAIRS, gettext_lazy("One table for each question and each pair")),
            (LISTED, gettext_lazy("Only further tables")),
        ],
        initial=ALONE,
    )
    listed = forms.CharField(
        label=gettext_lazy("Further tables"),
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={**OFF, "rows": 2}),
        help_text=gettext_lazy(
            "Write the numbers of the questions that are counted together, such as 2, 5, 6. Use "
            "one line for each table."
        ),
    )
    percent = BudgetShareField(
        label=gettext_lazy("Percent of the budget"),
        min_value=0,
        max_value=100,
        max_digits=6,
        decimal_places=3,
        initial=10,
        widget=forms.TextInput(attrs={**OFF, "inputmode": "decimal"}),
        help_text=gettext_lazy(
            "A larger share means less noise. Budget that is spent cannot be recovered."
        ),
    )
    audience = forms.ChoiceField(
        label=gettext_lazy("Who can open the release page"),
        help_text=gettext_lazy("Staff can pass on the files of the release."),
        choices=[
            ("link", gettext_lazy("All people with the address")),
            ("staff", gettext_lazy("Only staff of this survey")),
        ],
        initial="link",
    )

    def __init__(
        self,
        data: Any = None,
        *,
        items: Sequence[tuple[int, Tabulated]],
        randomized: Sequence[tuple[int, LevelQuestion]] = (),
    ) -> None:
        """``randomized`` are the questions whose totals can be published, none if they cannot."""
        super().__init__(data)
        self.items = dict(items)
        for number, item in items:
            self.fields[f"ask{number}"] = _ask(number, item)
            self.fields |= {f"cuts{number}": field for field in CUTS(item)}
        if randomized:
            self.fields["totals"] = _totals(randomized)
        self.order_fields([*list(self.fields)[4:], "which", "listed", "percent", "audience"])

    @property
    def questions(self) -> list[forms.BoundField]:
        """The fields of the questions."""
        return [field for field in self if field.name.startswith(("ask", "cuts"))]

    @property
    def choices(self) -> list[forms.BoundField]:
        """All other fields."""
        names = ("totals", "which", "listed", "percent", "audience")
        return [self[name] for name in names if name in self.fields]

    def clean_percent(self) -> Any:
        """More than nothing: noise without end shows nothing."""
        percent = self.cleaned_data["percent"]
        if not percent:
            raise forms.ValidationError(
                gettext(
                    "Give more than 0, because without any budget the noise is infinite and the "
                    "tables show nothing."
                )
            )
        return percent

    def clean_listed(self) -> list[tuple[int, ...]]:
        """Tables as numbers of questions, ascending."""
        return [_numbers(line) for line in self.cleaned_data["listed"].splitlines() if line.strip()]

    def clean(self) -> dict[str, Any]:
        """The settings of the release, or what is wrong with them."""
        values = self.cleaned_data
        try:
            asked = tuple(self._asked(values))
            if {"which", "listed", "percent", "audience"} <= set(values) and not self.errors:
                values["settings"] = _settings(asked, values)
        except SettingsError as problem:
            self.add_error(None, said_by(problem))
        return values

    @property
    def settings(self) -> TableSettings:
        """What a valid form asks for."""
        settings: TableSettings = self.cleaned_data["settings"]
        return settings

    @property
    def share(self) -> Fraction:
        """The part of the budget, of a valid form."""
        return Fraction(self.cleaned_data["percent"]) / 100

    def _asked(self, values: dict[str, Any]) -> Iterator[TableQuestion]:
        for number in self.items:
            if ask := values.get(f"ask{number}"):
                yield TableQuestion(number, Ask(ask), values.get(f"cuts{number}", ()))


def _settings(asked: tuple[TableQuestion, ...], values: dict[str, Any]) -> TableSettings:
    numbers = [question.number for question in asked]
    tables: list[tuple[int, ...]] = []
    if values["which"] != LISTED:
        tables += [(number,) for number in numbers]
    if values["which"] == PAIRS:
        tables += combinations(numbers, 2)
    tables += values["listed"]
    unique = tuple(dict.fromkeys(tables))
    totals = tuple(map(int, values.get("totals", ())))
    return TableSettings(asked, unique, values["audience"] == "link", totals)


def _numbers(line: str) -> tuple[int, ...]:
    # Questions have no decimals: a comma parts them in every language.
    parts = split_parts(line)
    if not all(re.fullmatch("[0-9]{1,3}", part) for part in parts):
        raise forms.ValidationError(
            gettext(
                "Write numbers of questions, such as 2, 5. “{line}” is not a list of numbers."
            ).format(line=line[:40])
        )
    return tuple(sorted(map(int, parts)))


def _ask(number: int, item: Tabulated) -> forms.ChoiceField:
    ordered = IN_ORDER if has_scale(item) else ()
    return forms.ChoiceField(
        label=f"{number}. {item.text}", required=False, choices=[LEAVE_OUT, COUNTS, *ordered]
    )


def _totals(randomized: Sequence[tuple[int, LevelQuestion]]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=gettext("Count reported answers to randomized questions"),
        required=False,
        choices=[(str(number), f"{number}. {item.text}") for number, item in randomized],
        widget=forms.SelectMultiple(attrs={"size": min(len(randomized), 6)}),
        help_text=gettext(
            "The reported answers are counted exactly, at no cost, because each answer was "
            "randomized before it was sent. The release page says what all these counts together "
            "reveal. These counts can be published only once for a survey."
        ),
    )


class CutsField(forms.CharField):
    """Numbers where groups begin, as they are written."""

    def clean(self, value: Any) -> Any:
        cuts = tuple(read_parts(super().clean(value)))
        refuse_thousands(cuts)
        return cuts


def _cuts(item: NumberQuestion) -> Sequence[forms.CharField]:
    least, most = item.number.bounds
    field = CutsField(
        label=gettext("New groups begin at"),
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(attrs=OFF),
        help_text=gettext(
            "Write the numbers from {least} to {most} at which a new group begins, such as 30, 45."
        ).format(least=least, most=most),
    )
    return (field,)


CUTS: Table[[], Sequence[forms.CharField]] = Table.mostly(lambda item: (), number=_cuts)
