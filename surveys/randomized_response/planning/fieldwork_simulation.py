"""FieldworkTrial: simulated respondents, inattentive or cheating, in many runs: bias, coverage.

Every respondent is honest, inattentive (gives each answer equally often) or cheating (always gives
the answer that looks safe), the same in all questions; true answers to different questions are
drawn independently. With a device that cannot be ignored (a browser draws), an answer that is not
the truth still passes through the channel M; a person who tosses coins can ignore them, and then
the given answer is the report. So for shares pi the reports of one question are multinomial with

    q = (1 - i - c) M pi + i u + c e_safe,      u and e_safe multiplied by M where a browser draws,

and the estimate's bias is M^-1 q - pi exactly; the simulated one must agree with it. Only counts
are drawn, so a run costs the same for ten people as for a million. Cheating as a latent class:
Clark and Desharnais (1998); false positives of those who answer carelessly: Höglinger and
Diekmann (2017).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..checks import (
    FloatArray,
    checked_entries,
    checked_index,
    checked_level,
    checked_number,
    checked_positive_number,
    require_generator,
    require_kind,
)
from ..designs.channel import Channel, affine_row
from ..designs.design import DesignLike, channel_of, scores_of
from ..errors import SamplingError
from ..estimates.estimation import estimate_distribution
from ..intervals.intervals import EXACT, Interval
from ..messages import figure, sentence
from ..printing import Cell, cell, report, table

LARGEST_SAMPLE = 10**9
# About two seconds of one core, mostly spent on the ends of Clopper-Pearson intervals.
MOST_INTERVALS = 12_000
_SUM_TOLERANCE = 1e-9
_OPTION_HEAD = (
    "share",
    "expected bias",
    "bias",
    "spread",
    "std. error",
    "coverage",
    "width",
    "power",
)


@dataclass(frozen=True)
class SimulatedQuestion:
    """A design, the shares assumed to be true, and the level that a cheating respondent gives.

    ``shares`` has one entry per true level and sums to 1. ``has_device`` is False where nothing is
    tossed that a person could ignore: two compared answers (crosswise) are the channel themselves.
    ``asked`` is the share of people who are asked it at all, drawn by chance, above 0.
    Raises SamplingError, DesignError.
    """

    design: DesignLike
    shares: tuple[float, ...]
    safe: int = 0
    has_device: bool = True
    asked: float = 1.0

    def __post_init__(self) -> None:
        _ = scores_of(self.design)
        levels = self.channel.true_levels
        remedy = f"give {levels} shares, one per level"
        entries = checked_entries("shares", self.shares, remedy, SamplingError)
        shares = tuple(_checked_share(f"shares[{x}]", p) for x, p in enumerate(entries))
        if len(shares) != levels:
            raise SamplingError("shares", self.shares, remedy)
        if abs(math.fsum(shares) - 1) > _SUM_TOLERANCE:
            raise SamplingError("shares", self.shares, "the assumed shares must sum to 1")
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "safe", checked_index("safe", self.safe, levels))
        if not _checked_share("asked", self.asked):
            raise SamplingError("asked", self.asked, "ask some people: give a share above 0")

    @property
    def channel(self) -> Channel:
        return channel_of(self.design)

    def alternative(self, option: int, difference: float) -> float:
        """The share that is to be told apart: lower by ``difference``, or higher where it fits.

        Of two options the first gets what the second leaves, so both say the same.
        """
        if len(self.shares) == 2 and option == 0:
            return 1 - self.alternative(1, difference)
        lower = self.shares[option] - difference
        return lower if lower >= 0 else self.shares[option] + difference


@dataclass(frozen=True)
class Fieldwork:
    """How many people answer, and how. ``ignores_device``: a coin of their own can be ignored.

    ``inattentive`` and ``cheating`` are shares of the respondents. Raises SamplingError.
    """

    n: int
    inattentive: float = 0.0
    cheating: float = 0.0
    ignores_device: bool = False

    def __post_init__(self) -> None:
        n = checked_positive_number("n", self.n, SamplingError)
        if n > LARGEST_SAMPLE:
            raise SamplingError(
                "n",
                self.n,
                sentence("simulate at most {most} respondents", most=figure(LARGEST_SAMPLE)),
            )
        object.__setattr__(self, "n", n)
        for name in ("inattentive", "cheating"):
            object.__setattr__(self, name, _checked_share(name, getattr(self, name)))
        if self.inattentive + self.cheating > 1:
            remedy = sentence(
                "inattentive and cheating people together are more than 100 % of the "
                "respondents. Give smaller numbers"
            )
            raise SamplingError("cheating", self.cheating, remedy)

    @property
    def kinds(self) -> tuple[float, float, float]:
        """Shares of honest, inattentive and cheating respondents; they sum to 1."""
        return (max(0.0, 1 - self.inattentive - self.cheating), self.inattentive, self.cheating)

    def __str__(self) -> str:
        """The respondents as a table of one line."""
        head = ("n", "honest", "inattentive", "cheating", "ignores device")
        return table(head, [(self.n, *self.kinds, "yes" if self.ignores_device else "no")])


@dataclass(frozen=True)
class OptionTrial:
    """What the runs say about one share. Errors named ``*_error`` are of the simulation itself.

    ``expected_bias`` is the exact one; ``power`` is how often the interval excluded
    ``alternative``, a share that is not true.
    """

    share: float
    alternative: float
    expected_bias: float
    bias: float
    bias_error: float
    spread: float
    mean_standard_error: float | None
    coverage: float
    mean_width: float
    power: float
    runs: int

    @property
    def coverage_error(self) -> float:
        """Standard error of the coverage, from the number of runs."""
        return math.sqrt(self.coverage * (1 - self.coverage) / self.runs)

    @property
    def power_error(self) -> float:
        """Standard error of the power, from the number of runs."""
        return math.sqrt(self.power * (1 - self.power) / self.runs)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What a table says of the option."""
        errors = (self.share, self.expected_bias, self.bias, self.spread, self.mean_standard_error)
        return (*errors, self.coverage, self.mean_width, self.power)

    def __str__(self) -> str:
        """The option as a table of one line, with the number of runs above it."""
        return report(f"{self.runs} runs", _OPTION_HEAD, [self.cells])


@dataclass(frozen=True)
class FieldworkTrial:
    """All questions of one simulated survey: ``questions[i][option]``.

    ``all_covered``: how often every interval of the survey held its true share;
    ``all_detected``: how often in every question at least one share was told from its alternative.
    """

    fieldwork: Fieldwork
    questions: tuple[tuple[OptionTrial, ...], ...]
    all_covered: float
    all_detected: float
    runs: int
    difference: float
    level: float
    method: str

    def __str__(self) -> str:
        """One line per option of every question, numbered from 0, and the respondents above."""
        rows = [
            (f"{number}: {option}", *trial.cells)
            for number, options in enumerate(self.questions)
            for option, trial in enumerate(options)
        ]
        title = f"{self.runs} runs, method {self.method}, intervals at level {self.level:g}"
        notes = (
            f"Part of the runs whose intervals all held their shares: {cell(self.all_covered)}",
            f"Part of the runs that saw a difference of {self.difference:g} in every question: "
            f"{cell(self.all_detected)}",
        )
        shown = report(title, ("question: option", *_OPTION_HEAD), rows, notes)
        return f"{self.fieldwork}\n{shown}"


@dataclass(frozen=True)
class _Runs:
    """Estimates and interval ends of one question over all runs: shape (runs, options) each."""

    question: SimulatedQuestion
    fieldwork: Fieldwork
    difference: float
    estimates: FloatArray
    errors: FloatArray
    lows: FloatArray
    highs: FloatArray

    @cached_property
    def covered(self) -> NDArray[np.bool_]:
        return self._contains(np.array(self.question.shares))

    @cached_property
    def detected(self) -> NDArray[np.bool_]:
        return ~self._contains(self.alternatives)

    @property
    def alternatives(self) -> FloatArray:
        options = range(len(self.question.shares))
        return np.array([self.question.alternative(x, self.difference) for x in options])

    def _contains(self, shares: FloatArray) -> NDArray[np.bool_]:
        return np.asarray((self.lows <= shares) & (shares <= self.highs))

    def options(self) -> tuple[OptionTrial, ...]:
        expected = expected_estimates(self.question, self.fieldwork)
        return tuple(self._option(x, float(expected[x])) for x in range(len(expected)))

    def _option(self, x: int, expected: float) -> OptionTrial:
        estimates, share = self.estimates[:, x], self.question.shares[x]
        runs = len(estimates)
        spread = float(estimates.std(ddof=1)) if runs > 1 else 0.0
        error = float(self.errors[:, x].mean())
        return OptionTrial(
            share=share,
            alternative=float(self.alternatives[x]),
            expected_bias=expected - share,
            bias=float(estimates.mean()) - share,
            bias_error=spread / math.sqrt(runs),
            spread=spread,
            mean_standard_error=None if math.isnan(error) else error,
            coverage=float(self.covered[:, x].mean()),
            mean_width=float((self.highs[:, x] - self.lows[:, x]).mean()),
            power=float(self.detected[:, x].mean()),
            runs=runs,
        )


def expected_estimates(question: SimulatedQuestion, fieldwork: Fieldwork) -> FloatArray:
    """S q: the exact mean of the estimated shares, shape (options,), from the reports' law q.

    S are the design's scores: M^-1, or ``Channel.scores`` where reports outnumber options.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.planning import Fieldwork, SimulatedQuestion, expected_estimates
    >>> question = SimulatedQuestion(TwoCoins(2), shares=(0.8, 0.2))
    >>> expected_estimates(question, Fieldwork(n=400, cheating=0.25)).round(3).tolist()
    [0.85, 0.15]
    """
    kinds = _reported(question, fieldwork)
    return np.asarray(scores_of(question.design) @ (np.array(fieldwork.kinds) @ kinds))


def most_runs(questions: Sequence[SimulatedQuestion]) -> int:
    """The largest number of runs that stays within ``MOST_INTERVALS`` intervals; at least 1.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.planning import SimulatedQuestion, most_runs
    >>> most_runs([SimulatedQuestion(TwoCoins(2), shares=(0.8, 0.2))])
    6000
    """
    return max(1, MOST_INTERVALS // sum(_cost(question) for question in questions))


def simulate_fieldwork(
    questions: Sequence[SimulatedQuestion],
    fieldwork: Fieldwork,
    *,
    runs: int,
    rng: np.random.Generator,
    difference: float = 0.1,
    level: float = 0.95,
    method: str = EXACT,
) -> FieldworkTrial:
    """Run the survey ``runs`` times and say what its estimates and intervals are worth.

    ``difference`` in (0, 1] is what each interval should tell from the truth; up to 1/2 every
    share has another one that far away. Raises SamplingError for what cannot be simulated, or
    takes too long; EstimationError for the reading.

    >>> import numpy as np
    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.planning import Fieldwork, SimulatedQuestion, simulate_fieldwork
    >>> question = SimulatedQuestion(TwoCoins(2), shares=(0.8, 0.2))
    >>> effort = {"runs": 200, "rng": np.random.default_rng(1)}
    >>> simulate_fieldwork([question], Fieldwork(n=400), **effort).questions[0][1].coverage
    0.97
    """
    _checked_questions(questions, runs)
    remedy = "give a Fieldwork: how many people answer, and how"
    require_kind("fieldwork", fieldwork, Fieldwork, remedy, SamplingError)
    require_generator(rng)
    step, confidence = _checked_difference(difference, questions), checked_level(level)
    people = rng.multinomial(fieldwork.n, fieldwork.kinds, size=runs)
    simulated = [
        _runs(q, fieldwork, _counts(q, fieldwork, people, rng), step, confidence, method)
        for q in questions
    ]
    covered = np.all([run.covered.all(axis=1) for run in simulated], axis=0)
    detected = np.all([run.detected.any(axis=1) for run in simulated], axis=0)
    return FieldworkTrial(
        fieldwork=fieldwork,
        questions=tuple(run.options() for run in simulated),
        all_covered=float(covered.mean()),
        all_detected=float(detected.mean()),
        runs=runs,
        difference=step,
        level=confidence,
        method=method,
    )


def _reported(question: SimulatedQuestion, fieldwork: Fieldwork) -> FloatArray:
    """What honest, inattentive and cheating respondents report: shape (3, reported levels)."""
    levels = question.channel.true_levels
    answered = np.array(
        [question.shares, np.full(levels, 1 / levels), np.eye(levels)[question.safe]], dtype=float
    )
    reported = answered @ question.channel.matrix.T
    if fieldwork.ignores_device and question.has_device:
        reported[1:] = answered[1:]
    return np.asarray(reported / reported.sum(axis=1, keepdims=True))


def _counts(
    question: SimulatedQuestion,
    fieldwork: Fieldwork,
    people: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Counts of reports, shape (runs, reported levels), from how many of each kind there are.

    Raises SamplingError if in some run no person is asked the question.
    """
    reported = _reported(question, fieldwork)
    if question.asked < 1:
        people = rng.binomial(people, question.asked)
    if not people.sum(axis=1).all():
        remedy = sentence(
            "in some of the simulated surveys, one of the questions has no respondents. Simulate "
            "more people"
        )
        raise SamplingError("n", fieldwork.n, remedy)
    drawn = [rng.multinomial(people[:, kind], reported[kind]) for kind in range(len(reported))]
    return np.asarray(sum(drawn), dtype=np.int64)


def _runs(
    question: SimulatedQuestion,
    fieldwork: Fieldwork,
    counts: NDArray[np.int64],
    difference: float,
    level: float,
    method: str,
) -> _Runs:
    """Each different table of counts is estimated from once."""
    distinct, row_of_run = np.unique(counts, axis=0, return_inverse=True)
    parts = [_estimated(question.design, tuple(row), level, method) for row in distinct.tolist()]
    table = np.array(parts)[row_of_run.ravel()]
    return _Runs(question, fieldwork, difference, *(table[:, part] for part in range(4)))


def _estimated(
    design: DesignLike, counts: tuple[int, ...], level: float, method: str
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    estimate = estimate_distribution(design, counts)
    options = channel_of(design).true_levels
    intervals: list[Interval] = [
        estimate.interval(option, level, method) for option in range(options)
    ]
    errors = estimate.standard_errors
    return (
        estimate.shares,
        np.full(options, math.nan) if errors is None else errors,
        np.array([interval.low for interval in intervals]),
        np.array([interval.high for interval in intervals]),
    )


def _cost(question: SimulatedQuestion) -> int:
    """Intervals for one run: a matrix whose rows are not affine needs one per reported level."""
    channel = question.channel
    options = range(channel.true_levels)
    return sum(1 if affine_row(channel, x) else channel.reported_levels for x in options)


def _checked_questions(questions: Sequence[SimulatedQuestion], runs: int) -> None:
    remedy = "give at least one question with levels"
    if not checked_entries("questions", questions, remedy, SamplingError):
        raise SamplingError("questions", questions, remedy)
    for question in questions:
        remedy = "give a SimulatedQuestion(design, shares) for each"
        require_kind("questions", question, SimulatedQuestion, remedy, SamplingError)
    most = most_runs(questions)
    if checked_positive_number("runs", runs, SamplingError) > most:
        remedy = sentence(
            "with these questions, at most {most} surveys can be simulated", most=figure(most)
        )
        raise SamplingError("runs", runs, remedy)


def _checked_difference(value: object, questions: Sequence[SimulatedQuestion]) -> float:
    """Above 0, and so small that every share has another one that far away."""
    number = float(checked_number("difference", value, SamplingError))
    if not 0 < number <= 1:
        raise SamplingError("difference", value, sentence("give a difference above 0 and up to 1"))
    for share in (share for question in questions for share in question.shares):
        if number > max(share, 1 - share) + _SUM_TOLERANCE:
            remedy = sentence(
                "no share is that far from the assumed share of {share} %. Give a difference of "
                "at most half of all people (50 percentage points)",
                share=figure(100 * share, ".4g"),
            )
            raise SamplingError("difference", value, remedy)
    return number


def _checked_share(argument: str, value: object) -> float:
    share = float(checked_number(argument, value, SamplingError))
    if not 0 <= share <= 1:
        raise SamplingError(argument, value, "give a share from 0 to 1")
    return share
