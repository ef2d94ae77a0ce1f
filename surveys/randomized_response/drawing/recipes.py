"""Recipe: a channel's weights as forced and true outcomes of a coin, die or number list (Device).

Pure data; the wording lives with the pages. A recipe exists when the channel is a mixture:
with some probability the truth, otherwise a level that does not depend on the truth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..checks import checked_entries, checked_number
from ..designs.channel import IntegerChannel
from ..designs.design import DesignLike, integer_channel_of
from ..errors import DesignError

Assignment = tuple[int | None, tuple[tuple[int, int], ...]]


class Device(Enum):
    """Things with equally likely outcomes, from the handiest on; the value is their number."""

    COIN = 2
    TWO_COINS = 4
    DIE = 6
    THREE_COINS = 8
    DIGIT = 10
    TWO_DICE = 36
    TWO_DIGITS = 100
    THREE_DIGITS = 1000


@dataclass(frozen=True)
class Recipe:
    """What to do with each outcome 1..size of the device.

    ``first_coin``: heads means the truth, tails means use the device. ``assignments`` pairs a
    forced level (None = the truth) with inclusive ranges of outcomes. No device: the truth.
    """

    first_coin: bool
    device: Device | None
    assignments: tuple[Assignment, ...]


def recipe_for(design: DesignLike, order: Sequence[int] | None = None) -> Recipe | None:
    """The handiest recipe that draws exactly from the design, or None if there is none.

    ``order`` lists all levels in the order they are shown. Raises DesignError for another order,
    and for what is no design.

    >>> from fractions import Fraction
    >>> from randomized_response.designs import ForcedResponse
    >>> from randomized_response.drawing import recipe_for
    >>> recipe = recipe_for(ForcedResponse(Fraction(1, 6), Fraction(1, 6)))
    >>> recipe.device, recipe.assignments
    (<Device.DIE: 6>, ((None, ((1, 4),)), (0, ((5, 5),)), (1, ((6, 6),))))
    """
    forced = _forced_probabilities(integer_channel_of(design))
    if forced is None:
        return None
    truth = 1 - sum(forced, Fraction(0))
    if truth == 1:
        return Recipe(first_coin=False, device=None, assignments=((None, ()),))
    levels = list(range(len(forced)))
    remedy = f"list every level from 0 to {levels[-1]} once"
    order = checked_entries("order", levels if order is None else order, remedy, DesignError)
    if len(order) != len(levels) or any(level not in order for level in levels):
        raise DesignError("order", order, remedy)
    some: dict[int | None, Fraction] = {y: forced[y] for y in order if forced[y] > 0}
    # Half of all tell the truth: a first coin decides that, the device among forced levels alone.
    if truth == Fraction(1, 2) and len(some) > 1:
        return _on_device({level: 2 * p for level, p in some.items()}, first_coin=True)
    return _on_device({None: truth, **some}, first_coin=False)


def recipe_for_questions(p_sensitive: Fraction) -> Recipe | None:
    """The handiest device that picks one of two questions, or None if there is none.

    In its assignments None stands for the sensitive question, picked with this probability, and
    level 0 for the other one. Raises DesignError for a probability that is not above 0 and below 1.

    >>> from fractions import Fraction
    >>> from randomized_response.drawing import recipe_for_questions
    >>> recipe = recipe_for_questions(Fraction(2, 3))
    >>> recipe.device, recipe.assignments
    (<Device.DIE: 6>, ((None, ((1, 4),)), (0, ((5, 6),))))
    """
    chance = Fraction(checked_number("p_sensitive", p_sensitive))
    if not 0 < chance < 1:
        remedy = "give a probability between 0 and 1, both excluded, such as 2/3"
        raise DesignError("p_sensitive", p_sensitive, remedy)
    return _on_device({None: chance, 0: 1 - chance}, first_coin=False)


def _on_device(shares: Mapping[int | None, Fraction], *, first_coin: bool) -> Recipe | None:
    for device in Device:
        if all((p * device.value).denominator == 1 for p in shares.values()):
            return Recipe(first_coin, device, _assignments(shares, device.value))
    return None


def _assignments(shares: Mapping[int | None, Fraction], size: int) -> tuple[Assignment, ...]:
    assignments: list[Assignment] = []
    last = 0
    for level, p in shares.items():
        first, last = last + 1, last + int(p * size)
        assignments.append((level, ((first, last),)))
    return tuple(assignments)


def _forced_probabilities(channel: IntegerChannel) -> list[Fraction] | None:
    """f with P[y][x] = t * [y == x] + f[y] and t > 0, or None if the channel is no mixture."""
    rows = list(zip(*channel.weights, strict=True))
    if len(rows) != len(channel.weights):
        return None
    forced = [row[1 if y == 0 else 0] for y, row in enumerate(rows)]
    truth = channel.denominator - sum(forced)
    is_mixture = all(
        weight == forced[y] + (truth if x == y else 0)
        for y, row in enumerate(rows)
        for x, weight in enumerate(row)
    )
    return [Fraction(f, channel.denominator) for f in forced] if truth > 0 and is_mixture else None
