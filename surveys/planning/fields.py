"""Form fields: fractions, epsilon (ln 3), shares, answers, counts, and what they refuse."""

import math
import re
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from surveys.web.forms import read_parts, split_parts

NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,15}|/[0-9]{1,12})?|\.[0-9]{1,15}")
LOGARITHM = re.compile(r"ln ?([0-9]{1,6}(?:\.[0-9]{1,6})?)")
HOW_TO_WRITE = gettext_lazy(
    "Write a number such as 0.25 or 1/4, in plain digits with a decimal point."
)
MOST_LEVELS = 50
# Below this a failure probability can no longer be told from certainty in double precision.
SMALLEST_FAILURE = Fraction(1, 10**9)


def fraction_of(text: str) -> Fraction:
    """The number that a person typed, exactly. Raises ValidationError."""
    written = text.strip()
    if not NUMBER.fullmatch(written) or written.endswith("/0"):
        raise forms.ValidationError(HOW_TO_WRITE)
    whole, slash, below = written.partition("/")
    if slash and int(below) == 0:
        raise forms.ValidationError(
            gettext("Nothing can be divided by 0: write a fraction such as 1/4.")
        )
    return Fraction(whole) / (int(below) if slash else 1)


def strictly_inside(share: Fraction) -> Fraction:
    """A number above 0 and below 1. Raises ValidationError."""
    if not 0 < share < 1:
        raise forms.ValidationError(gettext("Write a number between 0 and 1, both excluded."))
    return share


def checked_failure(failure: Fraction) -> Fraction:
    """A failure probability that is no smaller than 10^-9. Raises ValidationError."""
    if failure < SMALLEST_FAILURE:
        raise forms.ValidationError(
            gettext("Allow at least one failure in 1,000,000,000: 0.000000001.")
        )
    return failure


class FractionField(forms.CharField):
    """A number as a person types it, kept exact: 0.25 or 1/4."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, **kwargs)
        self.widget.attrs.update({"inputmode": "decimal", "autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        written = super().clean(value)
        return fraction_of(written) if written else None


class DrawnField(FractionField):
    """How many of all people are asked a question: above 0 and at most 1, such as 2/10."""

    def clean(self, value: Any) -> Any:
        share = super().clean(value)
        if share is not None and not 0 < share <= 1:
            raise forms.ValidationError(
                gettext("Write how many of how many, such as 2/10; 1 is all.")
            )
        return share


class FractionsField(forms.CharField):
    """Several such numbers: 1/4, 1/4."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=400, **kwargs)
        self.widget.attrs.update({"autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        parts = read_parts(super().clean(value))
        if not 2 <= len(parts) <= MOST_LEVELS:
            raise forms.ValidationError(
                gettext(
                    "Write one probability for each answer, 2 to {most} of them: 1/6, 1/6."
                ).format(most=MOST_LEVELS)
            )
        return tuple(fraction_of(part) for part in parts)


class EpsilonField(forms.CharField):
    """A local epsilon: 1.1, or ln 3."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, **kwargs)
        self.widget.attrs.update({"autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        written = super().clean(value).strip().lower().replace("(", " ").replace(")", "")
        if not written:
            return None
        found = LOGARITHM.fullmatch(" ".join(written.split()))
        if found and float(found[1]) > 0:
            return math.log(float(found[1]))
        return float(fraction_of(written))


class ShareField(FractionField):
    """A share of people, 0 and 1 included."""

    def clean(self, value: Any) -> Any:
        share = super().clean(value)
        if share is not None and share > 1:
            raise forms.ValidationError(gettext("A share is at most 1: write 0.2 for 20 percent."))
        return share


class AnswersField(forms.CharField):
    """How many answers each of several questions has: 2, 2, 5."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=400, **kwargs)
        self.widget.attrs.update({"autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        parts = split_parts(super().clean(value))
        valid = (re.fullmatch("[0-9]{1,4}", part) and int(part) >= 2 for part in parts)
        if not all(valid) or len(parts) > MOST_LEVELS:
            raise forms.ValidationError(
                gettext(
                    "Write how many answers each question has, up to {most} questions: 2, 2, 5."
                ).format(most=MOST_LEVELS)
            )
        return tuple(int(part) for part in parts)


class ProbabilityField(FractionField):
    """A probability, strictly within (0, 1)."""

    def clean(self, value: Any) -> Any:
        share = super().clean(value)
        return None if share is None else strictly_inside(share)


class FailureField(ProbabilityField):
    """A probability of being wrong, far enough from 0 to compute with."""

    def clean(self, value: Any) -> Any:
        return checked_failure(super().clean(value))


class LevelsField(forms.CharField):
    """How many answers one question has, or parts, or numbers."""

    def __init__(self, *, least: int = 2, most: int = MOST_LEVELS, **kwargs: Any) -> None:
        super().__init__(max_length=12, **kwargs)
        self.least, self.most = least, most
        self.widget.attrs.update({"inputmode": "numeric", "autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        written = super().clean(value)
        if not re.fullmatch("[0-9]{1,12}", written) or not self.least <= int(written) <= self.most:
            words = gettext("Write a whole number from {least} to {most}.")
            if self.least == 2:
                words = gettext(
                    "Write a whole number from {least} to {most}; one answer asks nothing."
                )
            raise forms.ValidationError(words.format(least=self.least, most=self.most))
        return int(written)
