"""PercentField, SharesField: shares as people write them, in percent; usual ones to begin with."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import localize
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import Leveled
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.web.forms import read_parts
from surveys.wording.language.numbers import parted

PERCENT = re.compile(r"[0-9]{1,3}([.,][0-9]{1,6})?")
ROUNDING = 0.0101  # twenty answers, each rounded to a tenth of a percent, make 100 %
LONGEST = 400
EACH = gettext_lazy(
    "How many of 100 people tick each option? Enter the numbers in this order: {names}."
)
ORDER = gettext_lazy(
    "Enter the true shares in %, in this order: {names}. All shares together must be 100."
)


class PercentField(forms.CharField):
    """A share as people write it: 12.5 means 12.5 %."""

    def __init__(self, **kwargs: Any) -> None:
        attributes = {"inputmode": "decimal", "autocomplete": "off"}
        super().__init__(max_length=12, widget=forms.TextInput(attrs=attributes), **kwargs)

    def clean(self, value: Any) -> Any:
        return percent_of(super().clean(value))


class PercentsField(forms.CharField):
    """So many percentages; with semicolons between them where they have commas."""

    def __init__(self, count: int, example: str, **kwargs: Any) -> None:
        super().__init__(max_length=LONGEST, **kwargs)
        self.count, self.example = count, example
        self.widget.attrs.update({"autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        parts = read_parts(super().clean(value), takes_commas=True)
        if len(parts) != self.count:
            refusal = gettext("Enter {count} percentages, one for each option, such as {example}.")
            raise forms.ValidationError(refusal.format(count=self.count, example=self.example))
        return tuple(percent_of(part) for part in parts)


class SharesField(PercentsField):
    """One percentage for each answer of a question, in the order shown; they make 100 %.

    ``places`` are the levels that can be chosen; all of them unless said.
    """

    def __init__(self, item: Leveled, places: Sequence[int] = (), **kwargs: Any) -> None:
        self.places = [level for level in item.display if not places or level in places]
        super().__init__(len(self.places), usual_shares(len(self.places)), **kwargs)

    def clean(self, value: Any) -> Any:
        """Shares in the order of the levels; they are typed in the order shown."""
        shown = super().clean(value)
        total = sum(shown)
        if abs(total - 1) > ROUNDING:
            refusal = gettext(
                "The percentages add up to {total} %. Change the percentages so that they add up "
                "to 100 %."
            )
            raise forms.ValidationError(
                refusal.format(total=localize(Decimal(f"{100 * total:.4g}")))
            )
        by_place = dict(zip(self.places, shown, strict=True))
        return tuple(by_place[level] / total for level in sorted(by_place))


def percent_of(text: str) -> float:
    """A share from 0 to 1. Raises ValidationError."""
    written = text.strip().removesuffix("%").strip().replace(",", ".")
    if not PERCENT.fullmatch(written) or float(written) > 100:
        raise forms.ValidationError(gettext("Enter a percentage from 0 to 100, such as 12.5."))
    return float(written) / 100


def usual_shares(answers: int) -> str:
    """A start: 20 % say the first answer shown, the others share the rest; 100 in all."""
    if answers < 2:
        return "100"
    each, left = divmod(80, answers - 1)
    return parted([20, *[each + (answer < left) for answer in range(answers - 1)]])


def shares_field(item: Leveled, number: int, places: Sequence[int]) -> forms.Field:
    """How the true answers to a question with levels are shared, of those at these places."""
    names = ", ".join(item.levels[level].text for level in item.display if level in places)
    return SharesField(
        item,
        tuple(places),
        label=f"{number}. {item.text}",
        initial=usual_shares(len(places)),
        help_text=ORDER.format(names=names),
    )


def percents_field(item: PartsQuestion, number: int) -> forms.Field:
    """Of 100 people, how many choose each part."""
    start = parted([20] * item.size)
    return PercentsField(
        item.size,
        start,
        label=f"{number}. {item.text}",
        initial=start,
        help_text=EACH.format(names=", ".join(item.parts)),
    )
