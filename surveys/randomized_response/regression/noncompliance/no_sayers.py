"""NoSayerModel: a class of people who give the safe report to each question against their devices.

Such self-protective people look like people without any of the traits, only more so than devices
allow: their pattern of reports is too frequent. How many they are follows from several questions
together, if the truths of all others have no more structure than a log-linear model with pairs.
Source: Cruyff, van den Hout, van der Heijden and Boeckenholt (2007); Boeckenholt and van der
Heijden (2007) for the same class beside a model of item response.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...checks import FloatArray, read_only
from ...columns import require_aligned
from ...designs.channel import Channel, IntegerChannel
from ...designs.design import Design, DesignLike, channel_of
from ...errors import ConvergenceError, DesignError, RegressionError, SeparationError
from ...intervals.profiles import chi_squared_tail
from ...printing import Cell, known, table
from ...samples.survey_samples import Sample
from ...threads import on_one_thread
from ..covariances import Drawn
from ..devices import IntArray, checked_codes
from ..factors import as_array, names_in
from ..links import link_called
from ..predictions import Predictions
from ..results import Auxiliary, FittedModel, LikelihoodRatioTest
from ..scoring import Box, Flat, Unsettled, highest_maximum, maximise, part_within
from .no_sayers_likelihood import PatternData, PatternPoint, all_patterns

# Of 11 questions the patterns' table of 2^11 by 2^11 numbers would need seconds for each step.
_MOST_QUESTIONS = 10
# Shares of the class: the likelihood may have several maxima along it.
_STARTING_SHARES = (0.02, 0.2, 0.5)
# How far a log-linear term may move at once.
_LONGEST_MOVE = 3.0
# Of the largest part of the expected information: below, the observed one is none.
_UNIDENTIFIED = 1e-8
# Terms that have grown a tenth as far as the first are named beside it.
_NAMED_PART = 0.1
_HEAD = ("prevalence", "estimate", "std. error", "low", "high")


@dataclass(frozen=True)
class NoSayerModel(FittedModel):
    """``names``: one log-linear term per question, then one, "a & b", per pair: a log odds ratio.

    ``no_sayers``: the share of people who give the safe report to each question; held at 0 it has
    no standard error. ``no_sayer_test``: the likelihood ratio of no such class; its p value is that
    of half a chi-squared law, because 0 is the end of the range; None where people have weights.
    ``prevalences`` (questions,) with their covariance: shares of true yes among **the others**. Of
    the class itself nothing is known, so that a share of all people lies between
    prevalence (1 - no-sayers) and that plus no-sayers.
    """

    questions: tuple[str, ...]
    prevalences: FloatArray
    prevalence_covariance: FloatArray = field(repr=False)
    no_sayers: Auxiliary
    no_sayer_test: LikelihoodRatioTest | None

    @property
    def parameter_count(self) -> int:
        """The log-linear terms and the share of the class."""
        return len(self.names) + 1

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """The prevalences, a row per question, with intervals on the logit scale.

        Raises RegressionError for covariates, which this model does not have; EstimationError.
        """
        if covariates is not None:
            remedy = "this model has none: leave them out"
            raise RegressionError("covariates", "rows", remedy)
        shares = self.prevalences
        errors = np.sqrt(np.diag(self.prevalence_covariance)) / (shares * (1 - shares))
        quantity = "Prevalence among people who follow their devices"
        logits, link = scipy.special.logit(shares), link_called("logit")
        return Predictions(logits, errors, link, level, quantity, self.degrees)

    @property
    def _below(self) -> list[str]:
        shares = self.get_prediction()
        columns = (shares.probabilities, shares.standard_errors, shares.low, shares.high)
        rows: list[tuple[Cell, ...]] = [
            (name, *map(known, row))
            for name, row in zip(self.questions, np.column_stack(columns).tolist(), strict=True)
        ]
        test = [] if self.no_sayer_test is None else [str(self.no_sayer_test)]
        return [table(_HEAD, rows), str(self.no_sayers), *test]


@on_one_thread
def fit_no_sayer_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    pairs: bool = True,
    safe_reports: Sequence[int] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> NoSayerModel:
    """Fit the share of people who always give the safe report, and the prevalences of the others.

    ``designs``: one yes/no design for all questions, or one per question. ``reports`` (n, k): a
    column of 0 and 1 per question, 2 to 10 of them; columns of a frame keep their names, unless
    ``names`` has others. ``pairs``: whether two truths of a person may go together; without, they
    are independent, and only then two questions are enough. ``safe_reports`` (k,): what the class
    reports, by default 0 to each question. ``weights`` (n,) of a sample, or a ``survey_sample`` or
    ``replicated_sample``, weight the likelihood, and then errors are those of how people were
    drawn.

    Raises DesignError, RegressionError for invalid input and for questions too few to tell the
    class apart, WeightsError, SeparationError and ConvergenceError.

    >>> from randomized_response.designs import ForcedResponse
    >>> from randomized_response.regression import fit_no_sayer_model
    >>> patterns = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> people = [416, 114, 114, 64, 114, 64, 64, 52]
    >>> reports = [row for row, n in zip(patterns, people) for _ in range(n)]
    >>> print(fit_no_sayer_model(ForcedResponse(1 / 6, 1 / 6), reports, names=["a", "b", "c"]))
    n = 1002, log likelihood = -1791.06, link logit, covariance observed
    name   estimate  std. error         z            p        low       high
    a      -1.49403    0.433107  -3.44955  0.000561519    -2.3429  -0.645151
    b      -1.49403    0.433107  -3.44955  0.000561519    -2.3429  -0.645151
    c      -1.49403    0.433107  -3.44955  0.000561519    -2.3429  -0.645151
    a & b  0.795287    0.554517    1.4342     0.151516  -0.291547    1.88212
    a & c  0.795287    0.554517    1.4342     0.151516  -0.291547    1.88212
    b & c  0.795287    0.554517    1.4342     0.151516  -0.291547    1.88212
    prevalence  estimate  std. error       low      high
    a           0.267745   0.0424124  0.193085  0.358449
    b           0.267745   0.0424124  0.193085  0.358449
    c           0.267745   0.0424124  0.193085  0.358449
    name       estimate  std. error
    no-sayers  0.149929   0.0587561
    dropped    chi-squared  degrees of freedom           p
    no-sayers      6.08514                   1  0.00681619
    """
    require_aligned(RegressionError, reports=reports, weights=weights)
    questions, codes = _read(reports, names)
    _check_identified(len(questions), pairs=pairs)
    safe = _checked_safe(safe_reports, len(questions))
    tables = _tables(designs, len(questions))
    drawn = None if weights is None else Drawn.of(weights, len(codes))
    patterns = all_patterns(len(questions))
    together = list(combinations(range(len(questions)), 2)) if pairs else []
    products = [patterns[:, i] * patterns[:, j] for i, j in together]
    numbers = _numbers(codes)
    data = PatternData(
        reduce(lambda first, second: np.asarray(np.kron(first, second)), tables),
        np.column_stack([patterns, *products]).astype(np.float64),
        np.bincount(numbers, minlength=len(patterns)).astype(np.float64),
        int(_numbers(safe)),
    )
    if data.people[data.safe] == len(codes):
        remedy = "all people gave the safe report to each question: nothing can be estimated"
        raise SeparationError("no-sayers", 1.0, remedy)
    names_of_pairs = (f"{questions[i]} & {questions[j]}" for i, j in together)
    terms, starts = (*questions, *names_of_pairs), _starts(tables, codes, safe, len(together))
    return _Task(questions, terms, _People(numbers, data), starts).model(drawn)


@dataclass(frozen=True)
class _People:
    """Who reported which pattern: ``numbers`` (n,)."""

    numbers: IntArray
    data: PatternData

    def counted(self, weights: FloatArray | None) -> PatternData:
        """The data with people counted by their weights."""
        people = np.bincount(self.numbers, weights, len(self.data.devices))
        return replace(self.data, people=people.astype(np.float64))


@dataclass(frozen=True)
class _PeoplePoint:
    """A maximum with the scores of single people, as covariances of samples need them."""

    point: PatternPoint
    numbers: IntArray

    @property
    def parameters(self) -> FloatArray:
        return self.point.parameters

    @property
    def person_scores(self) -> FloatArray:
        return np.asarray(self.point.pattern_scores[:, self.numbers])

    @property
    def observed(self) -> FloatArray:
        return self.point.observed


@dataclass(frozen=True)
class _Task:
    questions: tuple[str, ...]
    terms: tuple[str, ...]
    people: _People
    starts: list[FloatArray]

    def model(self, drawn: Drawn | None) -> NoSayerModel:
        """The fitted model, with the test of no such class where people count once."""
        data = self.people.counted(None if drawn is None else drawn.weights)
        point, iterations = self._fit(data, self.starts)
        used = _inside(point, _box(data))
        covariance, degrees = self._covariance(point, used, drawn)
        test = self._test(point) if drawn is None else None
        share, error = float(point.parameters[-1]), float(np.sqrt(covariance[-1, -1]))
        slopes = point.mean_slopes[: len(self.questions)]
        of_terms = covariance[:-1, :-1]
        return NoSayerModel(
            names=self.terms,
            coefficients=read_only(point.parameters[:-1].copy()),
            covariance=read_only(of_terms.copy()),
            link="logit",
            log_likelihood=point.log_likelihood * (1.0 if drawn is None else drawn.unit),
            n=len(self.people.numbers),
            iterations=iterations,
            factors=(),
            questions=self.questions,
            prevalences=read_only(point.truths @ data.terms[:, : len(self.questions)]),
            prevalence_covariance=read_only(slopes @ of_terms @ slopes.T),
            no_sayers=Auxiliary("no-sayers", share, None if np.isnan(error) else error),
            no_sayer_test=test,
            degrees=degrees,
            covariance_kind="observed" if drawn is None else "sandwich",
        )

    def _fit(self, data: PatternData, starts: list[FloatArray]) -> tuple[PatternPoint, int]:
        """The highest of the maxima. Raises SeparationError, ConvergenceError."""
        try:
            return highest_maximum(data.at, partial(_climb, data, _box(data)), starts)
        except Flat as flat:
            raise self._separation(flat) from flat
        except Unsettled as unsettled:
            raise self._refusal(unsettled) from unsettled

    def _refusal(self, unsettled: Unsettled) -> ConvergenceError:
        remedy = "the likelihood did not settle: leave this question out"
        return unsettled.refusal(self.terms, remedy)

    def _test(self, point: PatternPoint) -> LikelihoodRatioTest:
        """Half a chi-squared law: else the share is 0 half of the time, and nothing is lost."""
        if point.parameters[-1] == 0:
            return LikelihoodRatioTest("no-sayers", 0.0, 1, 1.0)
        none = Box.of(len(self.terms), [0.0], [0.0])
        starts = [np.append(start[:-1], 0.0) for start in (self.starts[0], point.parameters)]
        try:
            highest, _ = highest_maximum(point.data.at, partial(_climb, point.data, none), starts)
            without = highest.log_likelihood
        except Flat as flat:
            # The prevalence of a trait goes to 0 or 1: the likelihood hardly rises from here.
            without = point.data.at(flat.parameters).log_likelihood
        except Unsettled as unsettled:
            raise self._refusal(unsettled) from unsettled
        lost = max(0.0, 2 * (point.log_likelihood - without))
        return LikelihoodRatioTest("no-sayers", lost, 1, chi_squared_tail(lost, 1) / 2)

    def _covariance(
        self, point: PatternPoint, used: IntArray, drawn: Drawn | None
    ) -> tuple[FloatArray, float]:
        """Of all parameters, NaN for a share that is held, and its degrees of freedom."""
        covariance, degrees = np.full((len(self.terms) + 1,) * 2, np.nan), np.inf
        if drawn is None:
            covariance[np.ix_(used, used)] = np.linalg.inv(point.observed[np.ix_(used, used)])
            return covariance, degrees

        def refitted(weights: FloatArray) -> FloatArray:
            return self._fit(self.people.counted(weights), [point.parameters])[0].parameters

        scored = _PeoplePoint(point, self.people.numbers)
        covariance[np.ix_(used, used)] = drawn.covariance(scored, refitted, used)
        return covariance, drawn.degrees(len(used))

    def _separation(self, flat: Flat) -> SeparationError:
        """Names the terms that have grown furthest."""
        sizes = np.abs(flat.parameters[:-1])
        value = [round(float(each), 3) for each in flat.parameters]
        large = sizes >= _NAMED_PART * sizes.max()
        grown = [name for name, big in zip(self.terms, large, strict=True) if big]
        remedy = (
            "it grows without end (a trait that no one or everyone seems to have, or two that "
            "never or always go together): leave the question out, or fit with pairs=False"
        )
        return SeparationError(f"term {', '.join(grown)}", value, remedy)


def _box(data: PatternData) -> Box:
    return Box.of(data.terms.shape[1], [0.0], [1.0])


def _inside(point: PatternPoint, box: Box) -> IntArray:
    """The numbers of the parameters that are not at an end of their range."""
    return np.flatnonzero((point.parameters > box.lower) & (point.parameters < box.upper))


def _climb(data: PatternData, box: Box, start: FloatArray) -> tuple[PatternPoint, int]:
    point, iterations = maximise(data.at, start, box, _safe_part)
    used = _inside(point, box)
    values, vectors = np.linalg.eigh(point.observed[np.ix_(used, used)])
    if not values[0] > _UNIDENTIFIED * point.expected.diagonal()[used].max():
        direction = np.zeros_like(point.parameters)
        direction[used] = vectors[:, 0]
        raise Flat(direction, point.parameters)
    return point, iterations


def _safe_part(point: PatternPoint, step: FloatArray) -> float:
    del point
    return part_within(_LONGEST_MOVE, float(np.abs(step[:-1]).max()))


def _starts(
    tables: list[FloatArray], codes: IntArray, safe: IntArray, pairs: int
) -> list[FloatArray]:
    """Independent prevalences by the moments of each question, at several shares of the class."""
    lines, starts = np.array([table[1] for table in tables]), []
    for share in _STARTING_SHARES:
        yes = (codes.mean(axis=0) - share * safe) / (1 - share)
        prevalence = (yes - lines[:, 0]) / (lines[:, 1] - lines[:, 0])
        # Not from the ends of the range, where the likelihood is flat.
        logits = scipy.special.logit(np.clip(prevalence, 0.05, 0.95))
        starts.append(np.concatenate([logits, np.zeros(pairs), [share]]))
    return starts


def _numbers(patterns: IntArray) -> IntArray:
    """The number of each pattern (..., k) among all, the last question changing fastest."""
    return np.asarray(patterns @ (1 << np.arange(patterns.shape[-1])[::-1]))


def _read(reports: ArrayLike, names: Sequence[str] | None) -> tuple[tuple[str, ...], IntArray]:
    """Names of the questions, and reports (n, k) of 0 and 1. Raises RegressionError."""
    raw = as_array("reports", reports)
    if raw.ndim != 2:
        raise RegressionError("reports", raw.shape, "give a column per question, a row per person")
    count = raw.shape[1]
    labels = names_in(reports) if names is None else names
    if labels is None:
        labels = [f"q{j + 1}" for j in range(count)]
    is_usable = not isinstance(labels, str) and hasattr(labels, "__len__") and len(labels) == count
    if not is_usable or not all(isinstance(label, str) and label.strip() for label in labels):
        raise RegressionError("names", names, f"give {count} names, one per question")
    if len(set(labels)) < count:
        raise RegressionError("names", list(labels), "two questions have one name: rename one")
    columns = [
        checked_codes(f"reports of {label}", raw[:, j], len(raw), (0, 1))
        for j, label in enumerate(labels)
    ]
    return tuple(labels), np.column_stack(columns) if columns else np.empty((0, 0), np.int64)


def _check_identified(questions: int, *, pairs: bool) -> None:
    if not isinstance(pairs, bool | np.bool_):
        raise RegressionError("pairs", pairs, "give True or False")
    if questions > _MOST_QUESTIONS:
        remedy = f"at most {_MOST_QUESTIONS} questions are fitted together: choose some"
        raise RegressionError("reports", f"{questions} questions", remedy)
    if questions < 2:
        remedy = (
            "one question cannot tell people who always say no from people without the trait: "
            "give the reports to three questions or more"
        )
        raise RegressionError("reports", f"{questions} questions", remedy)
    if questions == 2 and pairs:
        remedy = (
            "two questions cannot tell people who always say no from people who have neither "
            "trait: give three questions, or pairs=False if the traits are independent"
        )
        raise RegressionError("reports", "2 questions", remedy)


def _checked_safe(safe_reports: Sequence[int] | None, questions: int) -> IntArray:
    if safe_reports is None:
        return np.zeros(questions, dtype=np.int64)
    return checked_codes("safe_reports", safe_reports, questions, (0, 1))


def _tables(designs: DesignLike | Sequence[DesignLike], questions: int) -> list[FloatArray]:
    """P(report | truth) of each question: (2, 2) each. Raises DesignError, RegressionError."""
    if isinstance(designs, Design | Channel | IntegerChannel):
        designs = [designs] * questions
    if isinstance(designs, str) or not hasattr(designs, "__len__") or len(designs) != questions:
        remedy = f"give one design, or one for each of the {questions} questions"
        raise RegressionError("designs", type(designs).__name__, remedy)
    tables = [channel_of(design).matrix for design in designs]
    for number, matrix in enumerate(tables):
        if matrix.shape != (2, 2):
            remedy = "this model is for yes/no questions with two reports"
            raise DesignError(f"designs[{number}]", matrix.shape, remedy)
        if abs(matrix[1, 1] - matrix[1, 0]) < 1e-9:
            remedy = "its reports do not depend on the truth"
            raise DesignError(f"designs[{number}]", matrix.tolist(), remedy)
    return tables
