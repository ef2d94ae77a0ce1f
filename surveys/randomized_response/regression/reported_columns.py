"""Columns of traits that were reported at random: indicators whose products are unbiased, too.

With S the scores of a design, u = (S[1, z], ..., S[k-1, z]) is unbiased for the indicators e of a
person's true level above 0, given that level. As e e' = diag(e), diag(u) is unbiased for the square
of a trait's own columns, where u u' is not; columns of different traits, and covariates, multiply
as they are, for devices draw independently. So least squares on these products are unbiased
estimating equations for any distribution of the outcome: the corrected score of Nakamura (1990),
for misclassified columns as in Akazawa, Kinukawa and Nakamura (1998).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray
from ..designs.design import DesignLike, scores_of
from ..errors import RegressionError
from ..messages import sentence
from ..printing import cell
from .covariates import Columns
from .devices import checked_reports, level_likelihoods
from .factors import Factor
from .least_squares import Products

Reported = tuple[DesignLike | Sequence[DesignLike], ArrayLike]
# Standard errors by which columns must differ between people, and not by their noise alone.
_LEAST_ERRORS = 2.0


def checked_predictors(predictors: object) -> Iterable[tuple[str, Reported]]:
    """Each trait's name with its design and reports; none of None. Raises RegressionError."""
    if predictors is None:
        return ()
    remedy = "give a mapping of names to (design, reports)"
    if not isinstance(predictors, Mapping) or not predictors:
        raise RegressionError("predictors", type(predictors).__name__, remedy)
    for name, each in predictors.items():
        if not isinstance(name, str) or not name.strip():
            raise RegressionError("predictors", name, "give each trait a name that is not empty")
        if not isinstance(each, tuple | list) or len(each) != 2:
            raise RegressionError(f"predictors[{name}]", type(each).__name__, remedy)
    return predictors.items()


def level_names(trait: str, levels: int) -> tuple[str, ...]:
    """The trait's name, or for more than two levels one name per level above 0."""
    return (trait,) if levels == 2 else tuple(f"{trait}[{t}]" for t in range(1, levels))


def with_traits(
    columns: Columns, predictors: Mapping[str, Reported], counts: FloatArray | None
) -> tuple[Columns, Products]:
    """The columns (n, p) with those of the traits, and unbiased products of them.

    ``counts`` (n,): how many people each row is. Raises DesignError, RegressionError.
    """
    values, names, traits = [columns.values], list(columns.names), list[slice]()
    for trait, (designs, reports) in predictors.items():
        indicators = _indicators(trait, designs, reports, columns.n)
        traits.append(slice(len(names), len(names) + indicators.shape[1]))
        names += level_names(trait, indicators.shape[1] + 1)
        values.append(indicators)
    if len(set(names)) < len(names):
        raise RegressionError("predictors", names[columns.count :], "give names of their own")
    products = Products(np.hstack(values), tuple(traits))
    _check_scatter(products, np.ones(columns.n) if counts is None else counts)
    factors = (*columns.factors, *map(Factor, names[columns.count :]))
    joined = replace(columns, names=tuple(names), values=products.rows, factors=factors)
    return joined, products


def _indicators(
    trait: str, designs: DesignLike | Sequence[DesignLike], reports: ArrayLike, n: int
) -> FloatArray:
    """u, shape (n, k - 1)."""
    codes = checked_reports(reports)
    if len(codes) != n:
        raise RegressionError(f"reports of {trait}", len(codes), f"give {n} reports")
    level_likelihoods(designs, codes)  # refuses what a design does not have
    if isinstance(designs, Sequence):
        each = zip(designs, codes, strict=True)
        return np.array([scores_of(design)[1:, code] for design, code in each])
    return np.asarray(scores_of(designs)[1:, codes].T)


def _check_scatter(products: Products, counts: FloatArray) -> None:
    """Refuse traits whose scatter between people might be that of their devices alone.

    At equal other columns, in the direction in which people differ least, by more than two standard
    errors: closer to it the equations are nearly singular, and intervals are not normal. Raises
    RegressionError.
    """
    people, first = counts.sum(), products.traits[0].start
    mean = products.total(counts) / people
    others, across = mean[:first, :first], mean[:first, first:]
    # What the other columns say of the traits is taken out: any linear map of them does the same.
    explained = np.linalg.lstsq(others, across, rcond=None)[0]
    within = mean[first:, first:] - across.T @ explained
    scale = 1 / np.sqrt((products.rows[:, first:] ** 2).mean(axis=0))
    vectors = np.linalg.eigh(within * np.outer(scale, scale))[1]
    trait = vectors[:, 0] * scale
    along = np.concatenate([-explained @ trait, trait])
    each = products.times(along) @ along
    smallest = float(counts @ each / people)
    error = float(np.sqrt(counts @ (each - smallest) ** 2 / people / people))
    if not smallest > _LEAST_ERRORS * error:
        remedy = sentence(
            "the noise of the reports hides how people differ in these predictors. Collect more "
            "answers, or leave predictors out"
        )
        value = f"variance {cell(smallest)} with standard error {cell(error)}"
        raise RegressionError("predictors", value, remedy)
