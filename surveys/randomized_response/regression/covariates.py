"""Columns: covariates and intercept of a regression: names, rank, made orthogonal, predictions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray
from ..errors import CollinearityError, RegressionError
from ..labels import column_labels, index_of
from ..messages import sentence
from .factors import SAME_FOR_ALL, Factor, as_array, as_floats, columns_in, factors_of, names_in

INTERCEPT = "intercept"
# What is left of a column of length 1 when the columns before it are taken out.
_SMALLEST_REMAINDER = 1e-10
# The square of a variance must still be a float.
_LARGEST_SCALE = 1e75


@dataclass(frozen=True)
class Columns:
    """``values`` (n, p) with the intercept, if any, first; ``names`` has one name per column.

    ``factors``: the covariates that they were made of, one column each or several.
    ``orthogonal`` (p, n) spans the same space with rows of mean square 1, and
    ``values @ coefficients == orthogonal.T @ (coefficients before transform)`` where
    ``coefficients = transform @ theirs``. Fitting there makes scales irrelevant.
    """

    names: tuple[str, ...]
    values: FloatArray
    orthogonal: FloatArray
    transform: FloatArray
    factors: tuple[Factor, ...] = ()

    @property
    def n(self) -> int:
        return int(self.values.shape[0])

    @property
    def count(self) -> int:
        return len(self.names)

    def without(self, index: int) -> "Columns":
        """The same people without one column."""
        names = self.names[:index] + self.names[index + 1 :]
        return columns_of(np.delete(self.values, index, axis=1), names)

    def influence_of(self, direction: FloatArray) -> FloatArray:
        """How much each column moves the linear predictor along an orthogonal direction: (p,)."""
        size = np.sqrt(np.mean(self.values**2, axis=0))
        return np.asarray(np.abs(self.transform @ direction) * size)


SAME = "same"  # in the place of a trait's covariates: those of the outcome


def trait_columns(
    covariates: Any, n: int, names: Sequence[str] | None, outcome: Columns
) -> Columns:
    """Columns of a trait with its own covariates (n, r), those of the outcome, or None: no one's.

    Raises RegressionError.
    """
    if isinstance(covariates, str) and covariates == SAME:
        return outcome
    return columns_from(covariates, n, names, intercept=True)


def columns_from(
    covariates: ArrayLike | None, n: int, names: Sequence[str] | None, *, intercept: bool
) -> Columns:
    """Check covariates of shape (n, p), or (n,) for one, or None for none, and name them.

    Without ``names``, columns of a pandas frame keep theirs, and columns of categories become one
    0/1 column per level but the first. Raises RegressionError for shapes, names and values,
    CollinearityError for columns that determine each other.
    """
    factors, values = _read(covariates, n, names)
    labels = _checked_names(_columns_of(factors), values.shape[1])
    _check_finite(values, labels)
    if intercept:
        values = np.column_stack([np.ones(n), values])
        labels = (INTERCEPT, *labels)
    elif categories := [factor.name for factor in factors if factor.levels]:
        remedy = "without an intercept no category is the reference: give 0/1 columns"
        raise RegressionError(f"column {categories[0]}", "categories", remedy)
    return columns_of(values, labels, factors)


def columns_of(
    values: FloatArray, names: tuple[str, ...], factors: tuple[Factor, ...] = ()
) -> Columns:
    """Columns whose values are known to be finite. Raises CollinearityError."""
    n, count = values.shape
    if count > n:
        remedy = sentence(
            "{count} coefficients need at least {count} answers, but there are only {n} "
            "answers. Use fewer coefficients, or wait for more answers",
            count=count,
            n=n,
        )
        raise RegressionError("covariates", values.shape, remedy)
    scales = np.abs(values).max(axis=0, initial=0.0)
    for name, scale in zip(names, scales, strict=True):
        if scale > 0 and not 1 / _LARGEST_SCALE < scale < _LARGEST_SCALE:
            remedy = sentence("use another unit of measurement")
            raise RegressionError(f"column {name}", float(scale), remedy)
        if scale == 0:
            remedy = sentence("this column is 0 for all people. Leave the column out")
            raise CollinearityError(f"column {name}", 0.0, remedy)
    # By the largest first: squares of large numbers leave the range of a float.
    lengths = scales * np.linalg.norm(values / scales, axis=0)
    q, r = np.linalg.qr(values / lengths)
    _check_rank(r, names)
    root = np.sqrt(n)
    transform = scipy.linalg.solve_triangular(r, np.eye(count)) * root / lengths[:, None]
    return Columns(names, values, np.ascontiguousarray(q.T) * root, transform, factors)


def _read(
    covariates: ArrayLike | None, n: int, names: Sequence[str] | None
) -> tuple[tuple[Factor, ...], FloatArray]:
    """The factors, and their columns as floats (n, p)."""
    if index_of(covariates) is None:
        values = _table(covariates, n)
        return tuple(map(Factor, _checked_names(names, values.shape[1]))), values
    columns = columns_in(covariates)
    labels = _checked_names(names_in(covariates) if names is None else names, len(columns))
    factors = factors_of(covariates, labels)
    return factors, _table(_coded(factors, columns, n), n)


def _coded(factors: Sequence[Factor], columns: Iterable[Any], n: int) -> FloatArray:
    """The values of each factor side by side: (n, p)."""
    values = [factor.coded(column) for factor, column in zip(factors, columns, strict=True)]
    return np.column_stack(values) if values else np.empty((n, 0))


def _columns_of(factors: Sequence[Factor]) -> tuple[str, ...]:
    return tuple(name for factor in factors for name in factor.columns)


def _table(covariates: ArrayLike | None, n: int) -> FloatArray:
    """Floats of shape (n, p)."""
    if covariates is None:
        return np.empty((n, 0))
    values = as_floats("covariates", covariates)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[0] != n:
        remedy = f"give one row per answer: {n} rows, one column per covariate"
        raise RegressionError("covariates", values.shape, remedy)
    # In one order, as sums in another one differ in their last digits.
    return np.ascontiguousarray(values)


def _check_finite(values: FloatArray, names: tuple[str, ...]) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        remedy = f"it is not finite ({len(bad)} such values): leave those people out or impute"
        argument = f"column {names[column]}, row {row}"
        raise RegressionError(argument, float(values[row, column]), remedy)


def prediction_rows(
    covariates: ArrayLike | None, factors: Sequence[Factor], *, intercept: bool
) -> FloatArray:
    """Rows (rows, columns) for predictions, with a column of ones if there is an intercept.

    ``covariates`` (rows, p), or (p,) for one row; (rows,) if there is one covariate; None for one
    row of a model without covariates. Columns with names are taken by their names. Raises
    RegressionError.
    """
    wanted, columns = _columns_of(factors), _by_name(covariates, factors)
    if columns is not None:
        rows = _coded(factors, columns, 0)
    else:
        raw = np.empty((1, 0)) if covariates is None else as_array("covariates", covariates)
        if raw.ndim == 1:
            raw = raw[:, None] if len(wanted) == 1 else raw[None, :]
        if raw.ndim != 2 or raw.shape[1] != len(wanted):
            remedy = f"give columns for: {', '.join(wanted) or 'none'}"
            raise RegressionError("covariates", raw.shape, remedy)
        rows = _table(raw, raw.shape[0])
    _check_finite(rows, wanted)
    return np.column_stack([np.ones(len(rows)), rows]) if intercept else rows


def _by_name(covariates: Any, factors: Sequence[Factor]) -> list[Any] | None:
    """The columns of a pandas table, or the values of one of its rows, in the model's order.

    Names that the model gave itself (x1, x2) say nothing, so a table is then read by position.
    None where there are no columns to tell apart.
    """
    labels, wanted = column_labels(covariates), [factor.name for factor in factors]
    if index_of(covariates) is None or not wanted:
        return None
    if labels is None and len(wanted) == 1:
        return [covariates]
    if labels is None:  # a row of a table
        labels = tuple(covariates.index)
        names = labels if all(isinstance(label, str) for label in labels) else None
        columns = [covariates.iloc[i : i + 1] for i in range(len(labels))]
    else:
        names, columns = names_in(covariates), columns_in(covariates)
    if names is None or wanted == list(_numbered_names(len(wanted))):
        return columns if len(columns) == len(wanted) else None
    if set(wanted) <= set(names):
        return [columns[names.index(name)] for name in wanted]
    remedy = f"the model has these: {', '.join(wanted)}"
    raise RegressionError("columns of covariates", list(labels), remedy)


def _numbered_names(count: int) -> tuple[str, ...]:
    return tuple(f"x{i + 1}" for i in range(count))


def per_person(
    argument: str, values: ArrayLike, n: int | None, kinds: str, remedy: str
) -> NDArray[Any]:
    """An array of the shape (n,), of numpy's ``kinds``. Raises RegressionError."""
    raw = as_array(argument, values)
    if raw.shape != (raw.size if n is None else n,) or raw.dtype.kind not in kinds:
        raise RegressionError(argument, f"{raw.dtype} of shape {raw.shape}", remedy)
    return raw


def _checked_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return _numbered_names(count)
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != count:
        raise RegressionError("names", names, f"give {count} names, one per covariate")
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise RegressionError(f"names[{i}]", name, "give a name that is not empty")
        if name == INTERCEPT or name in names[:i]:
            remedy = sentence("this name is already used. Give another name")
            raise RegressionError(f"names[{i}]", name, remedy)
    return tuple(names)


def _check_rank(r: FloatArray, names: tuple[str, ...]) -> None:
    for j, name in enumerate(names):
        if abs(r[j, j]) > _SMALLEST_REMAINDER:
            continue
        weights = np.linalg.solve(r[:j, :j], r[:j, j])
        others = [names[i] for i in range(j) if abs(weights[i]) > np.sqrt(_SMALLEST_REMAINDER)]
        remedy = SAME_FOR_ALL
        if others != [INTERCEPT]:
            remedy = sentence(
                "this column is determined by {columns}. Leave out this column or one that "
                "determines it",
                columns=", ".join(others),
            )
        raise CollinearityError(f"column {name}", "redundant", remedy)
