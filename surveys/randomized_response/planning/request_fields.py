"""Fields of a request for a plan: their words, how a person types each, and what is refused.

A field is written once, here and in ``requests``: forms and commands ask by it. ``usual`` is the
text that a field holds before a person types, so that an empty one may stay empty.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ..checks import checked_number, checked_whole_number
from ..errors import PlanError
from ..messages import figure, sentence
from .design_effects import LARGEST_CLUSTER, LARGEST_VARIATION

_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,15}|/[0-9]{1,12})?|\.[0-9]{1,15}")
_LOGARITHM = re.compile(r"ln ?([0-9]{1,6}(?:\.[0-9]{1,6})?)")
_BETWEEN = re.compile(r"[\s,;]+")
_HOW_TO_WRITE = sentence(
    "Write a number such as 0.25 or 1/4, in plain digits with a decimal point."
)
_RANGE = sentence("Write a whole number from {least} to {most}.")
MOST_LEVELS = 50
MOST_PEOPLE = 10**9
# Those of a survey's arms; a test holds the numbers together.
MOST_ARMS, MOST_WEIGHT = 6, 99
# Below this a failure probability can no longer be told from certainty in double precision.
_SMALLEST_FAILURE = Fraction(1, 10**9)


class RequestError(PlanError):
    """A field that cannot be used as it is; the remedy is a whole sentence for its writer."""


@dataclass(frozen=True)
class RequestField(ABC):
    """What a field is called, what it holds before a person types, and a sentence of help."""

    label: str
    usual: str = ""
    help: str = ""

    @abstractmethod
    def read(self, name: str, text: str) -> Any:
        """The value that a person typed. Raises RequestError, which names the field."""

    @abstractmethod
    def checked(self, name: str, value: Any) -> Any:
        """A value that the field may have. Raises PlanError, which names the field."""


@dataclass(frozen=True)
class TypedField(RequestField):
    """A field that a person types, of at most ``longest`` characters."""

    longest: ClassVar[int] = 40


@dataclass(frozen=True)
class TypedNumber(TypedField):
    """A number, kept exact: 0.25 or 1/4. A float is read as the decimal that it prints as."""

    def read(self, name: str, text: str) -> Fraction:
        return self.checked(name, read_fraction(name, text))

    def checked(self, name: str, value: Any) -> Fraction:
        number = checked_number(name, value, PlanError)
        exact = number if isinstance(number, Fraction) else Fraction(repr(number))
        if remedy := self.remedy(exact):
            raise RequestError(name, value, remedy)
        return exact

    def remedy(self, number: Fraction) -> str:
        """What to write in place of a number; empty where it can be used."""
        return ""


@dataclass(frozen=True)
class TypedShare(TypedNumber):
    """A share of people, 0 and 1 included."""

    def remedy(self, number: Fraction) -> str:
        words = sentence("A share is at most 1. For 20 percent, write 0.2.")
        return "" if 0 <= number <= 1 else words


@dataclass(frozen=True)
class TypedDraw(TypedNumber):
    """How many of all people are asked a question: above 0 and at most 1, such as 2/10."""

    def remedy(self, number: Fraction) -> str:
        words = sentence(
            "Write a number above 0 and below 1, such as 2/10. For all people, write 1."
        )
        return "" if 0 < number <= 1 else words


@dataclass(frozen=True)
class TypedVariation(TypedNumber):
    """A coefficient of variation: the standard deviation divided by the mean."""

    def remedy(self, number: Fraction) -> str:
        words = sentence(
            "Write a number from 0 to {most}: the standard deviation divided by the mean."
        )
        return "" if 0 <= number <= LARGEST_VARIATION else words.format(most=LARGEST_VARIATION)


@dataclass(frozen=True)
class TypedClusterSize(TypedNumber):
    """A mean number of people, from 1."""

    def remedy(self, number: Fraction) -> str:
        words = sentence("Write an average number of people from 1 to {most}, such as 25 or 2.3.")
        return "" if 1 <= number <= LARGEST_CLUSTER else words.format(most=figure(LARGEST_CLUSTER))


@dataclass(frozen=True)
class TypedCorrelation(TypedNumber):
    """An intraclass correlation: from 0 to below 1."""

    def remedy(self, number: Fraction) -> str:
        words = sentence("Write a correlation of at least 0 and below 1, such as 0.05.")
        return "" if 0 <= number < 1 else words


@dataclass(frozen=True)
class TypedChance(TypedNumber):
    """A probability, strictly within (0, 1)."""

    def remedy(self, number: Fraction) -> str:
        words = sentence("Write a number above 0 and below 1.")
        return "" if 0 < number < 1 else words


@dataclass(frozen=True)
class TypedFailure(TypedChance):
    """A probability of being wrong, far enough from 0 to compute with."""

    def remedy(self, number: Fraction) -> str:
        words = sentence("Write at least 0.000000001 (one failure in 1,000,000,000).")
        return super().remedy(number) or ("" if number >= _SMALLEST_FAILURE else words)


@dataclass(frozen=True)
class TypedEpsilon(TypedField):
    """A local epsilon: 1.1, or ln 3."""

    def read(self, name: str, text: str) -> float:
        spaced = text.strip().lower().replace("(", " ").replace(")", "")
        logarithm = _LOGARITHM.fullmatch(" ".join(spaced.split()))
        if logarithm and float(logarithm[1]) > 0:
            return math.log(float(logarithm[1]))
        return float(read_fraction(name, spaced))

    def checked(self, name: str, value: Any) -> float:
        return float(checked_number(name, value, PlanError))


@dataclass(frozen=True)
class TypedCount(TypedField):
    """A whole number, from ``least`` to ``most``."""

    least: int = 1
    most: int = MOST_PEOPLE

    def read(self, name: str, text: str) -> int:
        if not re.fullmatch("[0-9]{1,12}", text):
            raise RequestError(name, text, self.remedy)
        return self.checked(name, int(text))

    def checked(self, name: str, value: Any) -> int:
        count = checked_whole_number(name, value, PlanError)
        if not self.least <= count <= self.most:
            raise RequestError(name, value, self.remedy)
        return count

    @property
    def remedy(self) -> str:
        """Which numbers the field may have."""
        return _RANGE.format(least=self.least, most=self.most)


@dataclass(frozen=True)
class TypedLevels(TypedCount):
    """How many answers one question has, or parts, or numbers."""

    least: int = 2
    most: int = MOST_LEVELS
    longest: ClassVar[int] = 12

    @property
    def remedy(self) -> str:
        if self.least != 2:
            return super().remedy
        return sentence(
            "Write a whole number from {least} to {most}. A question with one answer asks nothing.",
            least=self.least,
            most=self.most,
        )


@dataclass(frozen=True)
class TypedList(TypedField):
    """Several numbers, parted by commas, semicolons or blanks."""

    longest: ClassVar[int] = 400


@dataclass(frozen=True)
class TypedChances(TypedList):
    """A probability for each answer: 1/4, 1/4."""

    def read(self, name: str, text: str) -> tuple[Fraction, ...]:
        parts = _parts(text)
        if not 2 <= len(parts) <= MOST_LEVELS:
            raise RequestError(name, text, _one_for_each())
        return tuple(read_fraction(name, part) for part in parts)

    def checked(self, name: str, value: Any) -> tuple[Fraction, ...]:
        if not isinstance(value, tuple) or not 2 <= len(value) <= MOST_LEVELS:
            raise RequestError(name, value, _one_for_each())
        return value


@dataclass(frozen=True)
class TypedLevelCounts(TypedList):
    """How many answers each of several questions has: 2, 2, 5."""

    def read(self, name: str, text: str) -> tuple[int, ...]:
        parts = _parts(text)
        if not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
            raise RequestError(name, text, _one_for_each_question())
        return self.checked(name, tuple(map(int, parts)))

    def checked(self, name: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, tuple) or len(value) > MOST_LEVELS or min(value, default=2) < 2:
            raise RequestError(name, value, _one_for_each_question())
        return value


@dataclass(frozen=True)
class TypedWeights(TypedList):
    """The whole weights of arms: 1, 1, or 2, 1, 1."""

    def read(self, name: str, text: str) -> tuple[int, ...]:
        parts = _parts(text)
        if not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
            raise RequestError(name, text, self._remedy)
        return self.checked(name, tuple(map(int, parts)))

    def checked(self, name: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, tuple) or not 2 <= len(value) <= MOST_ARMS:
            raise RequestError(name, value, self._remedy)
        weights = tuple(checked_whole_number(name, weight, PlanError) for weight in value)
        if not 1 <= min(weights) <= max(weights) <= MOST_WEIGHT:
            raise RequestError(name, value, self._remedy)
        return weights

    @property
    def _remedy(self) -> str:
        return sentence(
            "Write 2 to {arms} weights, one for each arm, from 1 to {weight}, such as 2, 1.",
            arms=MOST_ARMS,
            weight=MOST_WEIGHT,
        )


@dataclass(frozen=True)
class OfferedNames(RequestField):
    """One of several names, each with its label; ``read_name`` turns a name into the value.

    A program may write a name with underscores.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    read_name: Callable[[str], Any] = str

    def read(self, name: str, text: str) -> Any:
        if text not in self.labels:
            raise RequestError(name, text, self._remedy)
        return self.read_name(text)

    def checked(self, name: str, value: Any) -> Any:
        offered = list(map(self.read_name, self.labels))
        if isinstance(value, str) and value not in offered:
            value = value.lower().replace("_", "-")
        if value not in offered:
            raise RequestError(name, value, self._remedy)
        return value

    @property
    def _remedy(self) -> str:
        return f"choose one of {', '.join(self.labels)}"


def asked_field(asked: RequestField) -> Any:
    """A field of a dataclass with its usual value; None where its usual text is empty."""
    usual = asked.read("", asked.usual) if asked.usual else None
    return field(default=usual, metadata={"asked": asked})


def check_fields(request: object, asked: Mapping[str, RequestField]) -> None:
    """Keep the value of each field as it is checked. Raises StatisticsError, which names one."""
    for name, own in asked.items():
        value = getattr(request, name)
        if value is not None or own.usual:
            object.__setattr__(request, name, own.checked(name, value))


def read_fraction(name: str, text: str) -> Fraction:
    """The number that a person typed, exactly. Raises RequestError, which names the field.

    >>> from randomized_response.planning.request_fields import read_fraction
    >>> read_fraction("error", "1/20"), read_fraction("error", "0.05")
    (Fraction(1, 20), Fraction(1, 20))
    """
    number = text.strip()
    if not _NUMBER.fullmatch(number) or number.endswith("/0"):
        raise RequestError(name, text, _HOW_TO_WRITE)
    top, slash, bottom = number.partition("/")
    if slash and int(bottom) == 0:
        remedy = sentence("A number cannot be divided by 0. Write a fraction such as 1/4.")
        raise RequestError(name, text, remedy)
    return Fraction(top) / (int(bottom) if slash else 1)


def _parts(text: str) -> list[str]:
    return [part for part in _BETWEEN.split(text) if part]


def _one_for_each() -> str:
    return sentence(
        "Write 2 to {most} probabilities, one for each answer, such as 1/6, 1/6.", most=MOST_LEVELS
    )


def _one_for_each_question() -> str:
    return sentence(
        "Write how many options each question has, for up to {most} questions, such as 2, 2, 5.",
        most=MOST_LEVELS,
    )
