"""DebiasedColumn: a number for each person from reported codes, whose mean is an estimate.

With L a left inverse of the channel P (L P = I), the number of a report y for a true answer x is
L[x, y]. Its expectation given the true answer t is 1 if t is x and 0 if not, so that sums of such
numbers are unbiased for the same sums of the truth, person by person, and the mean of the column
over n people is L f, the estimate from the shares f of the reports. Products of the numbers of
independent reports are unbiased for products. "Debiasing columns" in docs/statistics.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

Number = Fraction | float
Read = TypeVar("Read")
BETWEEN = " "  # stands between codes that are looked up together


@dataclass(frozen=True)
class LookUp:
    """``values``: the number of what stands in the columns ``of``, codes joined by a space.

    None where a code says that the person was not asked.
    """

    of: tuple[str, ...]
    values: Mapping[str, Number | None]


@dataclass(frozen=True)
class DebiasedColumn:
    """The sum of ``start`` and of the numbers of all look-ups that have one; None if none has.

    ``label`` says what the mean of the column estimates.
    """

    name: str
    label: str
    look_ups: tuple[LookUp, ...]
    start: Number = 0

    @property
    def of(self) -> tuple[str, ...]:
        """The columns of reports that are read, each once."""
        return tuple(dict.fromkeys(name for one in self.look_ups for name in one.of))

    def number(self, cells: Mapping[str, str]) -> float | None:
        """The number of one person, by the codes in the columns. Raises KeyError for other codes.

        >>> from randomized_response.files import DebiasedColumn, LookUp
        >>> yes = LookUp(("smoked_rep",), {"00": -0.5, "01": 1.5, "--": None})
        >>> column = DebiasedColumn("smoked_yes", "the share of Yes", (yes,))
        >>> column.number({"smoked_rep": "01"}), column.number({"smoked_rep": "--"})
        (1.5, None)
        """
        names = list(cells)
        return self.reader(names, lambda number: number)([cells[name] for name in names])

    def reader(
        self, names: Sequence[str], shown: Callable[[float | None], Read]
    ) -> Callable[[Sequence[str]], Read]:
        """A function of the codes in the columns ``names`` that returns the number as ``shown``.

        It raises KeyError for a code that has no number.
        """
        tables = [
            ([names.index(name) for name in one.of], _floats(one.values)) for one in self.look_ups
        ]
        if len(tables) == 1:  # by far the most: the number is made ready once
            places, values = tables[0]
            start = float(self.start)
            ready = {
                codes: shown(None if number is None else start + number)
                for codes, number in values.items()
            }
            if len(places) == 1:
                place = places[0]
                return lambda cells: ready[cells[place]]
            return lambda cells: ready[BETWEEN.join([cells[place] for place in places])]
        return lambda cells: shown(self._sum(tables, cells))

    def _sum(
        self,
        tables: Iterable[tuple[Sequence[int], Mapping[str, float | None]]],
        cells: Sequence[str],
    ) -> float | None:
        numbers = [
            values[BETWEEN.join([cells[place] for place in places])] for places, values in tables
        ]
        sent = [number for number in numbers if number is not None]
        return sum(sent, float(self.start)) if sent else None

    def to_entry(self) -> dict[str, Any]:
        """As a codebook has it, in numbers of JSON."""
        look_ups = [{"of": list(one.of), "values": _floats(one.values)} for one in self.look_ups]
        start = {"start": float(self.start)} if self.start else {}
        return {"column": self.name, "label": self.label, **start, "look_ups": look_ups}


def number_text(number: float | None) -> str:
    """A number as files have it, so that it is read as the same number; empty if there is none."""
    return "" if number is None else repr(number)


def looked_up(of: str, scores: Mapping[str, Number], not_asked: Iterable[str]) -> LookUp:
    """The look-up of one column, where some codes say that the person was not asked."""
    return LookUp((of,), {**scores, **dict.fromkeys(not_asked)})


def multiplied(look_ups: Sequence[LookUp]) -> LookUp:
    """The product of look-ups of different reports; None where one of them is.

    For independent reports it is unbiased for the product of what they are unbiased for.
    """
    values: dict[str, Number | None] = {}
    for combination in product(*(one.values.items() for one in look_ups)):
        numbers = [number for _, number in combination]
        codes = BETWEEN.join(code for code, _ in combination)
        values[codes] = None if None in numbers else _product(numbers)
    return LookUp(tuple(name for one in look_ups for name in one.of), values)


def _product(numbers: Iterable[Number | None]) -> Number:
    result: Number = Fraction(1)
    for number in numbers:
        result *= number or 0
    return result


def added(look_ups: Sequence[LookUp]) -> LookUp:
    """The sum of look-ups of the same columns, which have the same codes."""
    first = look_ups[0]
    values: dict[str, Number | None] = {}
    for codes in first.values:
        numbers = [one.values[codes] for one in look_ups]
        values[codes] = None if None in numbers else sum(n for n in numbers if n is not None)
    return LookUp(first.of, values)


def _floats(values: Mapping[str, Number | None]) -> dict[str, float | None]:
    return {code: None if n is None else float(n) for code, n in values.items()}
