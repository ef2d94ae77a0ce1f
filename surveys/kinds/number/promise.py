"""NumberQuestion and RoundedQuestion: a number as it is typed, or rounded by chance.

Beside the field of a number there may be special answers, such as “Do not know”. The script sends
one as a letter that fills the width of a number: no number has a letter, and all bodies stay
equally long. The codes of their author are for people: they write one into the field where there
is no script, and find it in files.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import Level, ThroughChannel, level_fields, weights_of
from surveys.questionnaire.kinds.question import (
    DECLINED_LABEL,
    NOT_ASKED_LABEL,
    InRules,
    Question,
    common_document,
    common_fields,
    plain_bytes,
    refusal_of,
)
from surveys.questionnaire.logic.rules import Given
from surveys.questionnaire.messages import counted, message
from surveys.questionnaire.numerals import ANY_DIGIT, ascii_number
from surveys.questionnaire.refusals import BadNumber
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.messages import Message

LETTERS = "abc"  # of which one, as often as a number is wide, is sent for each special answer


@dataclass(frozen=True)
class Special:
    """Words beside the field of a number; ``code`` is the author's, a number outside the bounds."""

    code: str
    text: str


@dataclass(frozen=True)
class NumberRange:
    """A bounded decimal number, sent with leading zeros so that every value is equally wide.

    ``special`` are at most as many answers beside the field as there are ``LETTERS``.
    """

    minimum: str
    maximum: str
    decimal_places: int
    special: tuple[Special, ...] = ()

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        special = tuple(Special(**each) for each in entry.get("special", ()))
        return cls(**{**entry, "special": special})

    def to_document(self) -> dict[str, Any]:
        """Without ``special`` where there is none, as in documents of before."""
        bounds = {name: getattr(self, name) for name in ("minimum", "maximum", "decimal_places")}
        special = [{"code": each.code, "text": each.text} for each in self.special]
        return {**bounds, "special": special} if special else bounds

    @cached_property
    def special_by_sent(self) -> dict[str, Special]:
        """The special answers by what is sent of them."""
        return {
            letter * self.width: each for letter, each in zip(LETTERS, self.special, strict=False)
        }

    @cached_property
    def width(self) -> int:
        return max(len(f"{Decimal(bound):.{self.decimal_places}f}") for bound in self.bounds)

    @property
    def bounds(self) -> tuple[str, str]:
        return self.minimum, self.maximum

    @cached_property
    def decimals(self) -> tuple[Decimal, Decimal]:
        """The bounds as numbers."""
        return Decimal(self.minimum), Decimal(self.maximum)

    @property
    def has_no_sign(self) -> bool:
        return Decimal(self.minimum) >= 0

    @cached_property
    def declined(self) -> str:
        return "-" * self.width

    @cached_property
    def by_hand(self) -> "ByHand":
        return ByHand(self)

    @cached_property
    def pattern(self) -> str:
        """A regular expression of the canonical form, without the bounds."""
        fraction = rf"\.[0-9]{{{self.decimal_places}}}" if self.decimal_places else ""
        digits = self.width - (self.decimal_places + 1 if self.decimal_places else 0)
        signed = rf"|-[0-9]{{{digits - 1}}}" if Decimal(self.minimum) < 0 and digits > 1 else ""
        return rf"(?:[0-9]{{{digits}}}{signed}){fraction}"

    def encode(self, value: Decimal) -> str:
        """The canonical code of a value on the grid."""
        return f"{value + 0:0{self.width}.{self.decimal_places}f}"  # + 0: minus zero is zero

    def accepts(self, code: str) -> bool:
        """Whether a code is canonical and inside the bounds."""
        if not re.fullmatch(self.pattern, code):
            return False
        value, (low, high) = Decimal(code), self.decimals
        return low <= value <= high and self.encode(value) == code

    @property
    def fineness(self) -> Message:
        """How many decimal places a number may have, in words."""
        if not self.decimal_places:
            return message("Whole numbers only")
        return counted(
            "At most {count} digit after the decimal point",
            "At most {count} digits after the decimal point",
            self.decimal_places,
        )


@dataclass(frozen=True)
class ByHand:
    """A number as a person writes it into a form without the script.

    Its field is as wide as the widest number or code of a special answer.
    """

    number: NumberRange

    @cached_property
    def width(self) -> int:
        """How many characters a person writes at most."""
        return max([self.number.width, *(len(each.code) for each in self.number.special)])

    @property
    def special(self) -> dict[str, str]:
        """The code to write for each special answer, as long as any number with all its digits."""
        return {each.code.zfill(self.width): each.text for each in self.number.special}

    @cached_property
    def blank(self) -> str:
        """The dashes that fill the field."""
        return "-" * self.width

    @cached_property
    def typed_pattern(self) -> str:
        """A regular expression of a number as people write it, without the bounds.

        Where no number is below zero it may stand before or behind the dashes of the empty field.
        """
        decimals = self.number.decimal_places
        fraction = rf"(?:[.,\u066b]{ANY_DIGIT}{{1,{decimals}}})?" if decimals else ""
        number, minus = f"{ANY_DIGIT}+{fraction}", "(?:-|\u2212)"
        if not self.number.has_no_sign:
            return f" *{minus}?{number} *"
        filled = f"(?:{self.blank})?{number}(?:{self.blank})?"
        if any(each.code.startswith("-") for each in self.number.special):
            return f" *(?:{filled}|{minus}{number}) *"
        return f" *{filled} *"

    def code_of(self, typed: str) -> str:
        """The code of a number as people write it: 7.5, 7,5, ٧٫٥ or 07.50. Raises BadNumber.

        The author's code of a special answer is read as that answer.
        """
        text = ascii_number(typed)
        if re.fullmatch(self.typed_pattern, text):
            value = self._value(text)
            for sent, special in self.number.special_by_sent.items():
                if value == Decimal(special.code):
                    return sent
            code = self.number.encode(value)
            if self.number.accepts(code):
                return code
        raise BadNumber(
            message(
                "Write a number from {low} to {high}. {fineness}.",
                low=self.number.minimum,
                high=self.number.maximum,
                fineness=self.number.fineness,
            )
        )

    def _value(self, text: str) -> Decimal:
        """What is written, without the dashes of the empty field."""
        if self.number.has_no_sign:
            text = text.removeprefix(self.blank).removesuffix(self.blank)
        return Decimal(text)


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(Question):
    """A number, asked directly on both paths."""

    number: NumberRange

    @cached_property
    def width(self) -> int:
        return self.number.width

    @cached_property
    def not_asked(self) -> str:
        """Dots: dashes say that a number was declined."""
        return "." * self.width

    @cached_property
    def in_rules(self) -> "NumberInRules":
        return NumberInRules(self)

    @property
    def decimals(self) -> tuple[Decimal, Decimal]:
        """The bounds as numbers."""
        return self.number.decimals

    def leaves_out(self, values: Sequence[str], *, own_coin: bool) -> list[bool]:
        """A form that is sent without the script may leave the field empty."""
        return [value == self.not_asked or (own_coin and not value) for value in values]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The script sends a number in its one form; a person's own hand is read as it is meant."""
        (value,) = values
        code = self._typed(value) if own_coin else value
        is_declined = not self.required and self.is_declined(code)
        is_answer = code in self.number.special_by_sent or self.number.accepts(code)
        if not is_declined and not is_answer:
            raise refusal_of(code)
        return code

    def _typed(self, value: str) -> str:
        """The code of what was typed into a form; dashes decline, however many."""
        text = plain_bytes(value).decode(errors="replace")
        if not self.required and re.fullmatch(" *-+ *", text):
            return self.number.declined
        return self.number.by_hand.code_of(text)

    def is_declined(self, code: str) -> bool:
        """Whether a code says that the respondent would rather not answer."""
        return code == self.number.declined

    def has_number(self, code: str) -> bool:
        """Whether a code is a number: no special answer, not declined, and not left out."""
        return code not in self._words

    @property
    def always_has_number(self) -> bool:
        """Whether all who are asked give a number."""
        return self.required and not self.number.special

    def label(self, code: str) -> str:
        return self._words[code] if code in self._words else str(Decimal(code))

    @cached_property
    def _words(self) -> dict[str, str]:
        """What each code says that is no number."""
        special = {code: each.text for code, each in self.number.special_by_sent.items()}
        return {self.not_asked: NOT_ASKED_LABEL, self.number.declined: DECLINED_LABEL, **special}

    def to_document(self) -> dict[str, Any]:
        return {**common_document(self), "number": self.number.to_document()}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry), number=NumberRange.from_document(entry["number"]))


@dataclass(frozen=True, eq=False)
class NumberInRules(InRules[NumberQuestion]):
    """Rules compare the number, in units of its last decimal place, or name a special answer."""

    @property
    def is_quotable(self) -> bool:
        return True

    @property
    def readable(self) -> frozenset[str]:
        named = {"is"} if self.nameable else set()
        return frozenset({"less", "most", "answered"} | named)

    @property
    def nameable(self) -> Mapping[str, str]:
        special = self.question.number.special_by_sent
        return {code: each.text for code, each in special.items()}

    def given(self, code: str) -> Given | None:
        """A special answer is an answer, and neither less nor more than any number."""
        if code in self.nameable:
            return Given((code,))
        has_number = self.question.has_number(code)
        return Given(number=int(code.replace(".", ""))) if has_number else None

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        """One number of each interval between the limits, each special answer, none if declined."""
        encode = self.question.number.encode
        low, high = (int(encode(bound).replace(".", "")) for bound in self.question.decimals)
        ends = {low, high, *(limit + step for limit in limits for step in (-1, 0, 1))}
        numbers = (Given(number=end) for end in sorted(ends) if low <= end <= high)
        answers = (*numbers, *(Given((code,)) for code in self.nameable))
        return answers if self.question.required else (*answers, None)


@dataclass(frozen=True, kw_only=True)
class RoundedQuestion(ThroughChannel):
    """True answers are the numbers of a grid; ``levels`` are the few points that are reported.

    Each special answer beside the number is one true answer and one report more, behind these.
    """

    number: NumberRange

    @cached_property
    def grid(self) -> tuple[Decimal, ...]:
        """Every number that can be typed, ascending."""
        return grid_of(self.number)

    @property
    def columns(self) -> tuple[str, ...]:
        numbers = (self.number.encode(value) for value in self.grid)
        return (*numbers, *self.number.special_by_sent)

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        return self.shown_levels

    @cached_property
    def truth(self) -> Fraction:
        """How often the point or special answer is kept: the least number is never rounded."""
        kept, other = self.weights[0][0], self.weights[0][-1]
        return Fraction(kept - other, self.denominator)

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """For each report the number whose mean is unbiased for that of the true answers.

        Special answers count 0 there: with them it is the mean of numbers times the share of
        people who gave one, whose scores are ``answered_scores``.
        """
        return self._scored([point or Fraction(0) for point in self.points])

    @cached_property
    def answered_scores(self) -> tuple[Fraction, ...]:
        """For each report what is unbiased for the share of people who gave a number."""
        return self._scored([Fraction(at < self.rungs) for at in range(len(self.levels))])

    def special_scores(self, position: int) -> tuple[Fraction, ...]:
        """For each report what is unbiased for the share of this special answer, from 0."""
        return self._scored(
            [Fraction(at == self.rungs + position) for at in range(len(self.levels))]
        )

    def _scored(self, values: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """For each report what is unbiased for the value of the report before it was drawn."""
        drawn = (1 - self.truth) * sum(values, Fraction(0)) / len(values)
        return tuple((value - drawn) / self.truth for value in values)

    @property
    def special(self) -> int:
        """How many special answers there are."""
        return len(self.number.special)

    @property
    def rungs(self) -> int:
        """How many points there are."""
        return len(self.levels) - self.special

    @cached_property
    def points(self) -> tuple[Fraction | None, ...]:
        """The number of each report; None of special answers."""
        low, high = (Fraction(Decimal(bound)) for bound in self.number.bounds)
        steps = (Fraction(rung, self.rungs - 1) for rung in range(self.rungs))
        return (*(low + (high - low) * step for step in steps), *[None] * self.special)

    @property
    def points_as_floats(self) -> list[float | None]:
        return [None if point is None else float(point) for point in self.points]

    @cached_property
    def drawn_channel(self) -> Channel:
        """From the point to which a number is rounded, or a special answer, to what is sent."""
        size = len(self.levels)
        even = (1 - self.truth) / size
        rows = (tuple(even + self.truth * (y == x) for x in range(size)) for y in range(size))
        return Channel(tuple(rows))

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "number": self.number.to_document()}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        number = NumberRange.from_document(entry["number"])
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"), number=number)


def grid_of(number: NumberRange) -> tuple[Decimal, ...]:
    """The numbers of a range, ascending."""
    low, high = map(Decimal, number.bounds)
    step = Decimal(1).scaleb(-number.decimal_places)
    return tuple(low + step * count for count in range(int((high - low) / step) + 1))


def rung_texts(number: NumberRange, rungs: int) -> tuple[Message, ...]:
    """What each reported point says: the numbers near it, in words."""
    low, high = (Fraction(Decimal(bound)) for bound in number.bounds)
    points = [low + (high - low) * Fraction(rung, rungs - 1) for rung in range(rungs)]
    return tuple(message("around {number}", number=_plain(point)) for point in points)


def _plain(point: Fraction) -> str:
    """A decimal without zeros at its end, with at most five places."""
    return f"{Decimal(round(point * 10**5)).scaleb(-5).normalize():f}"
