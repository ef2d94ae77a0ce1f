"""WeightedReport: people weighted by margins, and their shares beside the unweighted ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext, gettext_lazy
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.errors import StatisticsError, WeightsError
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.samples import (
    Margin,
    WeightedDistributionEstimate,
    estimate_weighted_distribution,
    poststratification_weights,
    rake,
    survey_sample,
)
from surveys.randomized_response.samples.survey_samples import Sample
from surveys.results.analyses.queries import CrossCounts
from surveys.results.analyses.weighted_people import SampleDesign, WeightedPeople, weighted_people
from surveys.results.disclosure import LARGEST_SHARE, LEAST_GROUP, Answers
from surveys.results.reading import INTERVAL_NAMES, Reading
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import count_words, percent

WITHHELD = gettext_lazy("Withheld: with too few answers, a weight would reveal whose answer it is.")
NO_WEIGHTS = gettext_lazy(
    "No one who was asked this question has a weight. Check the question that the weights come "
    "from, or wait for more answers."
)
UNREACHABLE = gettext_lazy(
    "No weights reach the shares of all these questions. Either no one gave one of the answers, or "
    "no one gave some answers together. Use fewer questions, or enter 0 for answers that no one "
    "gave."
)
TOO_FEW_UNITS = gettext_lazy(
    "Too few clusters for a standard error: at least two are needed, and one more for each further "
    "stratum. Clusters of few people count as one. Leave out the clusters, or the strata."
)
WEIGHTED_NAMES = {
    "korn-graubard": gettext_lazy("Korn and Graubard (Beta)"),
    "square-and-add": gettext_lazy("Square-and-add, by group"),
    "wilson": "Wilson",
    "score": INTERVAL_NAMES["score"],
    "wald": gettext_lazy("Wald (Student)"),
}


@dataclass(frozen=True)
class WeightedRow:
    """One answer: its share among people who count alike, and by weight."""

    label: str
    plain: float
    share: float
    standard_error: float | None
    interval: Interval
    effective_n: float

    @property
    def method_name(self) -> str:
        return str(WEIGHTED_NAMES[self.interval.method])


@dataclass(frozen=True)
class WeightedReport:
    """One question; ``problem`` says why it has no rows. ``effective_n`` is Kish's."""

    number: int
    item: LevelQuestion
    reading: Reading
    n: int
    left_out: int
    effective_n: float | None = None
    rows: tuple[WeightedRow, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""


def weighted_report(counts: CrossCounts, reading: Reading, design: SampleDesign) -> WeightedReport:
    """The first question by what the others say of the sample."""
    item, number = counts.item, counts.numbers[0]
    people = weighted_people(counts, design)
    n = sum(group.answers.total() for group in people.groups)
    left_out = counts.n - n

    def without(problem: str) -> WeightedReport:
        return WeightedReport(number, item, reading, n, left_out, problem=problem)

    if people.problem:
        return without(people.problem)
    if people.withheld:
        return without(str(WITHHELD))
    if not n:
        return without(str(NO_WEIGHTS) if left_out else gettext("No answers yet."))
    if people.units is not None and people.units.degrees < 1:
        return without(str(TOO_FEW_UNITS))
    try:
        estimate = _estimate(item, people)
    except StatisticsError as problem:
        if people.sizes and design.is_sample and isinstance(problem, WeightsError):
            return without(str(UNREACHABLE))
        words = gettext("No weighted estimate: {problem}.")
        return without(words.format(problem=said_by(problem)))
    # Of many people too: a few with nearly all the weight would be shown by themselves.
    if estimate.effective_n < LEAST_GROUP:
        return without(str(WITHHELD))
    rows = tuple(_rows(item, people, estimate, reading))
    notes = map(translated, [*estimate.notes, *_interval_notes(rows, estimate, design)])
    return WeightedReport(
        number,
        item,
        reading,
        estimate.n,
        left_out,
        estimate.effective_n,
        rows,
        tuple(dict.fromkeys(filter(None, [counts.as_of, cap_words(), *people.notes, *notes]))),
    )


def _interval_notes(
    rows: Sequence[WeightedRow], estimate: WeightedDistributionEstimate, design: SampleDesign
) -> list[str]:
    """What to know of the intervals; of a sample one note for all, as they say the same in each."""
    if not design.is_sample:
        return [row.interval.clipped().note for row in rows]
    words = gettext(
        "Effective n: the number of independent answers that would be as precise, by the "
        "linearised variance. Intervals use {degrees} degrees of freedom: the number of sampling "
        "units minus the number of strata."
    )
    return [words.format(degrees=count_words(estimate.degrees_of_freedom))]


def cap_words() -> str:
    """How much one person can count."""
    return gettext(
        "Each weight is shared by at least {least} people, so no person has more than {share} "
        "of the total weight."
    ).format(least=LEAST_GROUP, share=percent(LARGEST_SHARE, 0))


def _estimate(item: LevelQuestion, people: WeightedPeople) -> WeightedDistributionEstimate:
    rows = [(x, level, n) for x, g in enumerate(people.groups) for (level,), n in g.answers.items()]
    # In one order, so that not even rounding follows what was pooled.
    rows.sort()
    group, levels, sizes = (np.array(column) for column in zip(*rows, strict=True))
    reports, of_group = np.repeat(levels, sizes), np.repeat(group, sizes)
    names = [each.name for each in people.groups]
    if not people.sizes and people.units is None:
        return estimate_weighted_distribution(item.channel, reports, np.array(names)[of_group])
    if len(people.sizes) == 1 and people.units is None:
        (labels,) = _labels(names, of_group)
        weights = poststratification_weights(labels.tolist(), people.sizes[0])
        return estimate_weighted_distribution(item.channel, reports, weights, poststrata=labels)
    return estimate_weighted_distribution(item.channel, reports, _sample(people, of_group))


def _sample(people: WeightedPeople, of_group: NDArray[np.int64]) -> Sample:
    """People as they were drawn, with the weights of their groups or raked to their shares."""
    names, units = [each.name for each in people.groups], people.units
    sample: Sample = survey_sample(
        np.ones(len(of_group)) if people.sizes or () in names else np.array(names)[of_group],
        strata=_numbered(units.strata, of_group) if units else None,
        clusters=_numbered(units.clusters, of_group) if units else None,
        # A cluster alone in its stratum differs from the mean of all: never too small an error.
        single_units="centre",
    )
    if not people.sizes:
        return sample
    # Of one population, so that the margins agree: shares may have been typed in different units.
    margins = [
        Margin(column, {name: size / sum(shares.values()) for name, size in shares.items()})
        for column, shares in zip(_labels(names, of_group), people.sizes, strict=True)
    ]
    return rake(sample, margins)


def _numbered(names: Sequence[str] | None, of_group: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of each person's stratum or cluster."""
    if names is None:
        return None
    return np.unique(names, return_inverse=True)[1].ravel()[of_group]


def _labels(
    names: Sequence[tuple[str, ...] | float], of_group: NDArray[np.int64]
) -> list[NDArray[np.str_]]:
    """Of each question the name of each person's group."""
    return [np.array(column)[of_group] for column in zip(*names, strict=True)]


def _rows(
    item: LevelQuestion,
    people: WeightedPeople,
    estimate: WeightedDistributionEstimate,
    reading: Reading,
) -> Iterator[WeightedRow]:
    totals = sum((group.answers for group in people.groups), Answers())
    levels = range(len(item.reported_levels))
    plain = estimate_distribution(item.channel, [totals[level,] for level in levels])
    errors = estimate.standard_errors
    # A method for equal answers, which other pages read by, has none for weights but the usual.
    method = reading.method if reading.method in estimate.methods else None
    for position in item.display:
        yield WeightedRow(
            item.levels[position].text,
            float(plain.shares[position]),
            float(estimate.shares[position]),
            None if errors is None else float(errors[position]),
            estimate.interval(position, reading.level, method),
            estimate.effective_number(position, reading.level),
        )
