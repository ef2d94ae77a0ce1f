"""What researchers choose for break-downs, weights, regressions and trials, checked."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict

from surveys.questionnaire import Item
from surveys.reports import FIXED, INTERVAL_NAMES, Reading

LEVELS = [("90", "90 %"), ("95", "95 %"), ("99", "99 %")]
NOTHING = ("", "Nothing more")
LONGEST_CHOICE = 70


def numbered(items: Iterable[tuple[int, Item]]) -> list[tuple[str, str]]:
    """Questions as choices: their number, and their number with their words."""
    return [(str(number), f"{number}. {_shortened(item.text)}") for number, item in items]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CHOICE else f"{text[: LONGEST_CHOICE - 1]}…"


def answerable(items: Iterable[Item]) -> list[tuple[int, Item]]:
    """Questions whose answers are levels with one channel, with their numbers."""
    return [
        (number, item)
        for number, item in enumerate(items, start=1)
        if item.levels and not item.is_grouped
    ]


def groupable(items: Iterable[Item]) -> list[tuple[int, Item]]:
    """Questions by which others can be broken down: those, and numbers (cut into ranges)."""
    return [
        (number, item)
        for number, item in enumerate(items, start=1)
        if not item.is_text and not item.is_grouped
    ]


class AddressForm(forms.Form):
    """A form whose answers live in the address, several values of a field too."""

    asks_with: str  # the field that shows that somebody has asked

    @classmethod
    def was_asked(cls, query: QueryDict) -> bool:
        """Whether the address asks for something; an address without it shows the empty form."""
        return cls.asks_with in query

    @property
    def permalink(self) -> str:
        """A query string that asks the same again."""
        query = QueryDict(mutable=True)
        for name in self.fields:
            value = self[name].value()
            chosen = value if isinstance(value, list | tuple) else [value]
            query.setlist(name, [str(one) for one in chosen if one not in (None, "")])
        return query.urlencode()

    def with_defaults(self, query: QueryDict) -> QueryDict:
        """What was asked, completed with every field's initial value."""
        whole = query.copy()
        for name, field in self.fields.items():
            initial = field.initial
            if name not in whole and initial not in (None, "", []):
                whole[name] = str(initial() if callable(initial) else initial)
        return whole


class BreakdownForm(AddressForm):
    """Which question, by which others, read how."""

    asks_with = "question"

    question = forms.ChoiceField(label="Question")
    by = forms.ChoiceField(label="Broken down by")
    also_by = forms.ChoiceField(label="And by", required=False)
    method = forms.ChoiceField(label="Interval", choices=list(INTERVAL_NAMES.items()))
    level = forms.ChoiceField(label="Level", choices=LEVELS, initial="95")
    hold = forms.ChoiceField(
        label="The intervals hold",
        choices=[("together", "together (wider)"), ("each", "each on its own")],
        initial="together",
    )

    def __init__(self, query: QueryDict, *, items: tuple[Item, ...], method: str = FIXED) -> None:
        super().__init__()
        questions, groups = answerable(items), groupable(items)
        self.items = items
        _offer(self, "question", numbered(questions))
        _offer(self, "by", numbered(groups))
        _offer(self, "also_by", [NOTHING, *numbered(groups)])
        self.fields["method"].initial = self._method(query, method)
        self.is_bound = self.was_asked(query)
        self.data = self.with_defaults(query) if self.is_bound else query

    def _method(self, query: QueryDict, method: str) -> str:
        """By a hidden grouping the guaranteed box of a closed survey is nearly always useless."""
        chosen = {query.get("by"), query.get("also_by")}
        hidden = {str(n) for n, item in enumerate(self.items, start=1) if item.is_randomized}
        return "wald" if method == FIXED and chosen & hidden else method

    def clean(self) -> dict[str, Any]:
        """The same question twice says nothing."""
        chosen = [self.cleaned_data.get(name) for name in ("question", "by", "also_by")]
        given = [number for number in chosen if number]
        if len(set(given)) < len(given):
            self.add_error("by", "Choose different questions: the same one twice says nothing.")
        return self.cleaned_data

    @property
    def numbers(self) -> list[int]:
        """The questions, the one that is broken down first."""
        chosen = (self.cleaned_data[name] for name in ("question", "by", "also_by"))
        return [int(number) for number in chosen if number]

    @property
    def reading(self) -> Reading:
        return Reading(self.cleaned_data["method"], int(self.cleaned_data["level"]) / 100)

    @property
    def together(self) -> bool:
        return bool(self.cleaned_data["hold"] == "together")


def _offer(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    field: Any = form.fields[name]
    field.choices = choices
