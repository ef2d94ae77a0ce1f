"""Means, totals and ratios of a sample, of all people or of groups.

Values are numbers as people gave them, or transformed reports of a randomized answer, whose mean is
a share or the mean of true numbers. A mean is the ratio of two totals, as the size of a group, and
mostly that of the population, is estimated too: its slope by the weight of person i is
(r_i - mean) / (sum of w) within the group and 0 outside (Woodruff 1971; Sarndal, Swensson and
Wretman 1992, section 5.8). Groups of one table keep their covariances, so that differences between
them have their right error. The numbers are those of ``svymean``, ``svytotal``, ``svyratio`` and
``svyby`` of the R package survey.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_entries, read_only
from ..columns import checked_floats, checked_labels, require_aligned, require_moderate
from ..designs.transform import TransformedReports
from ..errors import EstimationError, WeightsError
from ..labels import column_labels
from .survey_estimates import SurveyEstimates
from .survey_samples import Sample, Smooth, require_sample

Values = ArrayLike | TransformedReports


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of the columns of a table (n, k)."""

    columns: FloatArray

    def value(self, weights: FloatArray) -> FloatArray:
        """(k,)"""
        return np.asarray(weights @ self.columns)

    def slope(self, weights: FloatArray) -> FloatArray:
        """(n, k)"""
        return self.columns


@dataclass(frozen=True, eq=False)
class Ratios:
    """Sums of the columns of a table over those of another one, (n, k) both."""

    columns: FloatArray
    bases: FloatArray

    def value(self, weights: FloatArray) -> FloatArray:
        """(k,); not a number where a replicate lacks the people of a group."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((weights @ self.columns) / (weights @ self.bases))

    def slope(self, weights: FloatArray) -> FloatArray:
        """(n, k)"""
        ratios, sums = self.value(weights), weights @ self.bases
        return np.asarray((self.columns - self.bases * ratios) / sums)


@dataclass(frozen=True, eq=False)
class Asked:
    """Columns of values times ``members``, 1 in the group of the column and 0 outside: (n, k).

    ``variances``: of what a device added to the values, (n,); None of numbers as they were given.
    ``width``: columns of one group.
    """

    names: tuple[str, ...]
    columns: FloatArray
    members: FloatArray
    variances: FloatArray | None
    width: int

    def counts(self, weights: FloatArray) -> NDArray[np.intp]:
        """People with a weight in the group of each column, (k,)."""
        return np.asarray(((self.members > 0) & (weights != 0)[:, None]).sum(axis=0))


@checked_call
def estimate_means(
    sample: Sample,
    values: Values,
    *,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> SurveyEstimates:
    """Means of all people, or of each group.

    ``values``: transformed reports, whose mean is a share or a mean of true numbers; or numbers as
    they were given, (n,) or a table (n, k) with one column per question. ``groups``: one label per
    person. ``names``: of the columns; those of a frame have their own. Raises EstimationError,
    WeightsError.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_means, survey_sample
    >>> sample = survey_sample([1, 2, 1, 1] * 50, clusters=[n // 10 for n in range(200)])
    >>> reports = transform_reports(Warner(0.9), [0, 0, 1, 0, 1, 1, 0] * 28 + [0] * 4)
    >>> print(estimate_means(sample, reports, groups=["a", "b"] * 100))
    Sample, n = 200
    mean  estimate  std. error  low 0.95  high 0.95   method
    a          0.4   0.0401478   0.31597    0.48403  student
    b          0.4   0.0460517  0.303613   0.496387  student
    """
    asked = _asked(sample, values, groups, names)
    means = Ratios(asked.columns, asked.members)
    factors = 1 / (sample.weights @ asked.members)
    return _estimates("mean", sample, asked, means, factors, _simple(sample, asked, means))


@checked_call
def estimate_totals(
    sample: Sample,
    values: Values,
    *,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> SurveyEstimates:
    """Totals over the population, or over each group; the arguments are those of means.

    Raises EstimationError, WeightsError.

    >>> from randomized_response.samples import estimate_totals, survey_sample
    >>> sample = survey_sample(clusters=[1, 1, 2, 2, 3, 3], population=30)
    >>> print(estimate_totals(sample, [4, 6, 5, 3, 7, 5], names=["income"]))
    Sample, n = 6
    total   estimate  std. error  low 0.95  high 0.95   method
    income       300     32.8634     158.6      441.4  student
    """
    asked = _asked(sample, values, groups, names)
    factors = np.ones(len(asked.names))
    return _estimates("total", sample, asked, Totals(asked.columns), factors)


@checked_call
def estimate_ratios(
    sample: Sample,
    values: Values,
    bases: Values,
    *,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> SurveyEstimates:
    """The total of ``values`` over that of ``bases``, of all people or of each group.

    ``bases``: (n,), numbers, or transformed reports of another answer of these people, whose total
    is above 0. Raises EstimationError, WeightsError.

    >>> from randomized_response.samples import estimate_ratios, survey_sample
    >>> sample = survey_sample([10, 20, 20, 10])
    >>> print(estimate_ratios(sample, [4, 6, 5, 3], [8, 10, 12, 6], names=["rent"]))
    Sample, n = 4
    ratio  estimate  std. error  low 0.95  high 0.95   method
    rent        0.5   0.0563101  0.320796   0.679204  student
    """
    asked, below = _asked(sample, values, groups, names), _asked(sample, bases, groups, None)
    require_aligned(EstimationError, values=values, bases=bases)
    if below.width != 1:
        raise EstimationError("bases", (len(below.columns), below.width), "give one column")
    each = np.repeat(below.columns, asked.width, axis=1)
    sums, ratios = sample.weights @ each, Ratios(asked.columns, each)
    if not (sums > 0).all():
        remedy = "the total of the bases has to be above 0, in each group"
        raise EstimationError("bases", float(sums.min()), remedy)
    added = _noise(sample, asked.members, below.variances, ratios.value(sample.weights) / sums)
    return _estimates("ratio", sample, asked, ratios, 1 / sums, added=added)


def _estimates(
    kind: str,
    sample: Sample,
    asked: Asked,
    statistic: Smooth,
    factors: FloatArray,
    simple: FloatArray | None = None,
    added: FloatArray | float = 0.0,
) -> SurveyEstimates:
    """``factors``: how much a value counts in the estimate beside its weight, (k,)."""
    noise = _noise(sample, asked.members, asked.variances, factors) + added
    covariance = sample.covariance(statistic) + np.diag(np.broadcast_to(noise, factors.shape))
    if not np.isfinite(covariance).all():
        missing = int(np.argmin(np.isfinite(np.diag(covariance))))
        remedy = "in a replicate it is no number, as none of its people has a weight: merge groups"
        raise EstimationError(kind, asked.names[missing], remedy)
    inside = asked.members > 0
    return SurveyEstimates(
        kind,
        asked.names,
        read_only(statistic.value(sample.weights)),
        read_only(covariance),
        tuple(sample.degrees_within(column) for column in inside.T),
        tuple(asked.counts(sample.weights).tolist()),
        sample.n,
        simple,
    )


def _noise(
    sample: Sample, members: FloatArray, variances: FloatArray | None, factors: FloatArray
) -> FloatArray | float:
    """What devices add that the covariance of the sample leaves out, (k,)."""
    if variances is None:
        return 0.0
    left_out = sample.fixed_parts()
    # Without populations nothing is left out, and a device may keep its variances to itself.
    if not left_out.any():
        return 0.0
    if np.isnan(variances).any():
        remedy = (
            "the design does not say how much its device scatters, which a sample of a finite "
            "population has to know: leave the populations out"
        )
        raise EstimationError("values.variances", None, remedy)
    slopes = sample.weights[:, None] * members * factors
    return np.asarray((left_out * variances) @ slopes**2)


def _simple(sample: Sample, asked: Asked, means: Ratios) -> FloatArray:
    """s^2 / n of each group with weighted s^2: what svymean's ``deff="replace"`` divides by."""
    counts = asked.counts(sample.weights)
    deviations = asked.members * (asked.columns - means.value(sample.weights)) ** 2
    spread = Ratios(deviations, asked.members).value(sample.weights)
    return np.asarray(np.where(counts > 1, spread / np.maximum(counts - 1, 1), np.nan))


def _asked(
    sample: Sample, values: Values, groups: ArrayLike | None, names: Sequence[str] | None
) -> Asked:
    """Checked values by question and group. Raises EstimationError, WeightsError."""
    require_sample(sample)
    require_aligned(EstimationError, sample=sample, values=values, groups=groups)
    n = len(sample.weights)
    table, variances = _columns(values, n)
    questions = _names(values, table.shape[1], names)
    members, titles = np.ones((n, 1)), list[str | None]([None])
    if groups is not None:
        labels, numbers = np.unique(checked_labels("groups", groups, n), return_inverse=True)
        members = (numbers[:, None] == np.arange(len(labels))).astype(np.float64)
        titles = [str(label) for label in labels.tolist()]
        for title, weight in zip(titles, sample.weights @ members, strict=True):
            if weight <= 0:
                raise WeightsError("groups", title, "none of its people has a weight")
    each = np.repeat(members, table.shape[1], axis=1)
    columns = np.tile(table, members.shape[1]) * each
    full = [_title(title, name, len(questions)) for title in titles for name in questions]
    if len(set(full)) < len(full):
        twice = next(name for i, name in enumerate(full) if name in full[:i])
        raise EstimationError("names", twice, "two estimates have this name: rename one")
    return Asked(tuple(full), columns, each, variances, len(questions))


def _columns(values: Values, n: int) -> tuple[FloatArray, FloatArray | None]:
    """A table (n, k), and the variances of devices, not numbers where they are not known."""
    if isinstance(values, TransformedReports):
        table = values.values
        variances = np.full(len(table), np.nan) if values.variances is None else values.variances
    else:
        table, variances = checked_floats("values", values, EstimationError), None
    if table.ndim not in (1, 2) or len(table) != n or table.size == 0:
        remedy = f"give {n} numbers, one per person, or a table with {n} rows"
        raise EstimationError("values", table.shape, remedy)
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table.reshape(n, -1)).all(axis=1)))
        remedy = "not a number: give those who answered, or group the others apart"
        raise EstimationError(f"values[{row}]", table[row].tolist(), remedy)
    require_moderate("values", table, EstimationError)
    return table.reshape(n, -1), variances


def _names(values: Values, width: int, names: Sequence[str] | None) -> list[str]:
    if names is None:
        labels = column_labels(values)
        numbered = ["value"] if width == 1 else [f"value {i + 1}" for i in range(width)]
        return numbered if labels is None else [str(label) for label in labels]
    remedy = f"give {width} texts, one per column"
    entries = [names] if isinstance(names, str) else names
    texts = list(checked_entries("names", entries, remedy, EstimationError))
    if len(texts) != width or not all(isinstance(text, str) for text in texts):
        raise EstimationError("names", texts, remedy)
    return texts


def _title(group: str | None, question: str, questions: int) -> str:
    if group is None:
        return question
    return group if questions == 1 else f"{group}: {question}"
