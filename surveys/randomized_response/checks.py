"""Validation of numbers, probabilities, levels, counts: a refusal names value and remedy."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import CountsError, DesignError, EstimationError, SamplingError, StatisticsError
from .labels import in_order_of_levels
from .messages import sentence

Probability = Fraction | float
FloatArray = NDArray[np.float64]
Counts = Sequence[int] | Sequence[float] | NDArray[Any]

# Above 2^53 a float no longer holds every integer, so shares would be computed from other counts.
LARGEST_TOTAL = 2**53
LARGEST_FLOAT = 10**300
_LARGEST_ALPHA = 0.5  # above it a level is meant


def read_only(array: FloatArray) -> FloatArray:
    """The same array, which no one who is handed it can change: results are kept and shared."""
    array.setflags(write=False)
    return array


def checked_number(
    argument: str, value: object, error: type[StatisticsError] = DesignError
) -> Probability:
    """A finite real number: rationals stay exact, everything else becomes a float.

    Formulas check their arguments again and again: Fraction and float are looked for first, as an
    abstract class takes twenty times as long.
    """
    if type(value) is Fraction:
        return value
    # A truth value is an int for Python, and hardly ever meant as a number.
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (float, Real)):
        raise error(argument, value, "give a number (Fraction, float or int)")
    if not isinstance(value, float) and isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    number = float(value)
    if not math.isfinite(number):
        raise error(argument, value, "give a finite number")
    return number


def checked_probability(argument: str, value: object) -> Probability:
    """A probability in [0, 1], exact when it is rational."""
    number = checked_number(argument, value)
    if not 0 <= number <= 1:
        raise DesignError(argument, value, sentence("give a probability between 0 and 1"))
    return number


def checked_probabilities(argument: str, values: object, remedy: str) -> tuple[Probability, ...]:
    """Several probabilities; anything but a sequence of them is refused with ``remedy``."""
    entries = checked_entries(argument, values, remedy, DesignError)
    return tuple(checked_probability(f"{argument}[{i}]", p) for i, p in enumerate(entries))


def store_probabilities(instance: object, *names: str) -> None:
    """Check fields that are probabilities and store them; ``instance`` is a frozen dataclass."""
    for name in names:
        object.__setattr__(instance, name, checked_probability(name, getattr(instance, name)))


def require_kind(
    argument: str,
    value: object,
    kind: type,
    remedy: str,
    error: type[StatisticsError] = EstimationError,
) -> None:
    """Raise ``error`` with ``remedy`` for what is no object of that class."""
    if not isinstance(value, kind):
        raise error(argument, value, remedy)


def checked_float(argument: str, value: object, error: type[StatisticsError]) -> float:
    """The same as a float; whole numbers and fractions may be larger than any."""
    number = checked_number(argument, value, error)
    if not -LARGEST_FLOAT <= number <= LARGEST_FLOAT:
        raise error(argument, value, "use another unit of measurement: it is too large")
    return float(number)


def require_generator(rng: object) -> None:
    """Raise SamplingError for what is no generator of random numbers."""
    remedy = "give a generator: numpy.random.default_rng(seed)"
    require_kind("rng", rng, np.random.Generator, remedy, SamplingError)


def checked_entries(
    argument: str, values: object, remedy: str, error: type[StatisticsError]
) -> tuple[Any, ...]:
    """The entries of a list or of what else can be gone through, but not of a text."""
    # An array without a shape has no entries, though its class says so.
    is_number = getattr(values, "ndim", 1) == 0
    if is_number or isinstance(values, str) or not isinstance(values, Iterable):
        raise error(argument, values, remedy)
    return tuple(values)


def checked_options(value: object) -> int:
    """A number of answer options, at least 2."""
    options = checked_whole_number("options", value, DesignError)
    if options < 2:
        raise DesignError(
            "options",
            value,
            sentence("give at least 2 options. A question with one option asks nothing"),
        )
    return options


def checked_whole_number(argument: str, value: object, error: type[StatisticsError]) -> int:
    """An integer (numpy integers and integral floats included, booleans not)."""
    if type(value) is int or isinstance(value, np.integer):
        return int(value)
    number = checked_number(argument, value, error)
    if number != int(number):
        raise error(argument, value, "give a whole number")
    return int(number)


def checked_between(
    argument: str,
    value: object,
    least: int,
    most: float,
    remedy: str,
    error: type[StatisticsError] = DesignError,
) -> int:
    """A whole number from ``least`` to ``most``; another one is refused with ``remedy``."""
    number = checked_whole_number(argument, value, error)
    if not least <= number <= most:
        raise error(argument, value, remedy)
    return number


def checked_positive_number(
    argument: str, value: object, error: type[StatisticsError] = EstimationError
) -> int:
    """A whole number of at least 1."""
    return checked_between(argument, value, 1, math.inf, "give a whole number of at least 1", error)


def checked_level(level: object) -> float:
    """A confidence level strictly between 0 and 1."""
    number = checked_number("level", level, EstimationError)
    if not 0 < number < 1:
        raise EstimationError("level", level, "give a confidence level such as 0.95")
    return float(number)


def checked_index(argument: str, value: object, size: int) -> int:
    """The number of an option, counted from 0."""
    remedy = f"options are numbered 0 to {size - 1}"
    return checked_between(argument, value, 0, size - 1, remedy, EstimationError)


def checked_counts(counts: Counts, levels: int, argument: str = "counts") -> tuple[int, ...]:
    """One count of at least 0 per reported level, and at least one answer in all.

    Counts with labels are those of the levels that their labels name.
    """
    counts = in_order_of_levels(argument, counts, levels)
    if isinstance(counts, str) or not hasattr(counts, "__len__"):
        raise CountsError(argument, counts, "give a sequence with one count per reported level")
    if len(counts) != levels:
        raise CountsError(argument, counts, f"give {levels} counts, one per reported level")
    remedy = "a count is 0 or more"
    checked = tuple(
        checked_between(f"{argument}[{i}]", count, 0, math.inf, remedy, CountsError)
        for i, count in enumerate(counts)
    )
    if sum(checked) == 0:
        raise CountsError(argument, checked, "there are no answers yet: collect at least one")
    if sum(checked) > LARGEST_TOTAL:
        raise CountsError(argument, checked, "more than 2^53 answers cannot be handled exactly")
    return checked


def level_of(alpha: object) -> float:
    """The confidence level 1 - alpha. Raises EstimationError, also for an alpha above 1/2."""
    number = float(checked_number("alpha", alpha, EstimationError))
    if not 0 < number <= _LARGEST_ALPHA:
        remedy = "give a failure probability such as 0.05, for intervals at level 0.95"
        raise EstimationError("alpha", alpha, remedy)
    return 1 - number
