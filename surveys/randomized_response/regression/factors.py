"""Factor: one covariate as columns of numbers; of categories a 0/1 column per level but the first.

Columns of a pandas frame are looked at one by one, so that numbers, truth values and categories may
stand side by side. The levels of categories are those that people have, in the order of pandas'
type for them, and else of the alphabet; the first one is the reference (treatment coding).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray
from ..errors import CollinearityError, RegressionError
from ..frames import categories_of, is_missing, plain_array
from ..labels import column_labels, index_of
from ..messages import sentence

_NO_NUMBERS = "give numbers; code categories as 0/1 columns, leaving one category out"
_NO_DATES = "give numbers; of dates and durations for example days since the first one"
SAME_FOR_ALL = sentence(
    "this column is the same for all people, like the intercept. Leave the column out"
)


@dataclass(frozen=True)
class Factor:
    """A covariate by its name; ``levels`` are those of categories, and none of numbers."""

    name: str
    levels: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns: ``age``, or ``town[b]`` and ``town[c]``."""
        return tuple(f"{self.name}[{level}]" for level in self.levels[1:]) or (self.name,)

    def coded(self, values: Any) -> FloatArray:
        """(n,) values as (n, columns). Raises RegressionError, naming the first bad row."""
        if not self.levels:
            return as_floats(f"column {self.name}", values)[:, None]
        texts = _texts(self.name, values)
        unknown = ~np.isin(texts, self.levels)
        if unknown.any():
            row = int(np.argmax(unknown))
            remedy = f"the model has these: {', '.join(self.levels)}"
            raise RegressionError(f"column {self.name}, row {row}", str(texts[row]), remedy)
        return np.column_stack([texts == level for level in self.levels[1:]]).astype(np.float64)


def factors_of(covariates: Any, names: Sequence[str]) -> tuple[Factor, ...]:
    """The factors of a frame, or of one of its columns, by these names: one for each column.

    Raises RegressionError for texts that are numbers and for missing values, CollinearityError
    where all people have the same category.
    """
    return tuple(map(_factor_of, names, columns_in(covariates)))


def columns_in(covariates: Any) -> list[Any]:
    """The columns of a frame, one after the other; a column alone is the only one."""
    labels = column_labels(covariates)
    if labels is None:
        return [covariates]
    # By number: two columns may have the same name.
    return [covariates.iloc[:, i] for i in range(len(labels))]


def names_in(covariates: Any) -> tuple[str, ...] | None:
    """What a frame or a column of one calls its columns; None where numbers only count them."""
    labels = column_labels(covariates)
    if labels is None:
        name = getattr(covariates, "name", None) if index_of(covariates) is not None else None
        return (name,) if isinstance(name, str) else None
    return None if labels == tuple(range(len(labels))) else tuple(map(str, labels))


def as_array(argument: str, values: ArrayLike) -> NDArray[Any]:
    """Any rectangular array. Raises RegressionError for rows of unequal lengths."""
    try:
        return plain_array(values)
    except ValueError as reason:
        raise RegressionError(argument, "ragged", "give rows of equal lengths") from reason


def as_floats(argument: str, values: ArrayLike) -> FloatArray:
    """Floats of any shape. Raises RegressionError for what is not numbers."""
    raw = as_array(argument, values)
    if raw.dtype.kind not in "biuf":
        remedy = _NO_DATES if raw.dtype.kind in "mM" else _NO_NUMBERS
        raise RegressionError(argument, str(raw.dtype), remedy)
    return raw.astype(np.float64)


def _factor_of(name: str, column: Any) -> Factor:
    categories = categories_of(column)
    if categories is None:
        raw = as_array(f"column {name}", column)
        if raw.dtype.kind not in "OU":
            return Factor(name)
        categories = _categories_of_texts(name, raw.tolist())
    present = set(_texts(name, column).tolist())
    levels = tuple(category for category in categories if category in present)
    if len(levels) == 1:
        raise CollinearityError(f"column {name}", levels[0], SAME_FOR_ALL)
    return Factor(name, levels)


def _categories_of_texts(name: str, entries: Sequence[object]) -> tuple[str, ...]:
    """The different texts, sorted. Raises RegressionError for other objects, and for numbers."""
    for row, entry in enumerate(entries):
        if not isinstance(entry, str) and not is_missing(entry):
            raise RegressionError(f"column {name}, row {row}", entry, _NO_NUMBERS)
    categories = tuple(sorted({entry for entry in entries if isinstance(entry, str)}))
    if categories and all(map(_is_number, categories)):
        remedy = "these texts are numbers: turn them into some with .astype(float)"
        raise RegressionError(f"column {name}", list(categories[:3]), remedy)
    return categories


def _texts(name: str, column: Any) -> NDArray[np.str_]:
    """The category of each person as a text. Raises RegressionError where one has none."""
    entries = as_array(f"column {name}", column).tolist()
    # Of categories that are numbers the texts are those of the categories, not 1.0 for 1.
    numbers = getattr(getattr(column, "cat", None), "codes", None)
    if numbers is not None:
        known = (*(categories_of(column) or ()), None)  # the number of none is -1
        entries = [known[number] for number in np.asarray(numbers).tolist()]
    for row, entry in enumerate(entries):
        if is_missing(entry):
            remedy = "no category is known of this person: leave them out, or make it a category"
            raise RegressionError(f"column {name}, row {row}", None, remedy)
    return np.array([str(entry) for entry in entries])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
