"""WeightedReport: people weighted by margins, and their shares beside the unweighted ones."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext, gettext_lazy
from numpy.typing import NDArray

from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.question import was_asked
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.samples import (
    WeightedDistributionEstimate,
    estimate_weighted_distribution,
    poststratification_weights,
)
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import LEAST_GROUP, Group, pooled
from surveys.results.reading import Reading
from surveys.results.shares import TOO_WIDE
from surveys.wording.language.numbers import number_words, percent
from surveys.wording.statistics import said

WITHHELD = gettext_lazy("Withheld: with these few answers a weight would say whose answer it is.")
NO_WEIGHTS = gettext_lazy(
    "No one who was asked this has a weight: see what is counted as one, or wait for answers."
)
WEIGHTED_METHODS = ("clopper-pearson", "wilson", "wald")


@dataclass(frozen=True)
class WeightedRow:
    """One answer: its share among people who count alike, and by weight."""

    label: str
    plain: float
    share: float
    standard_error: float | None
    interval: Interval

    @property
    def plain_words(self) -> str:
        return percent(_clipped(self.plain))

    @property
    def share_words(self) -> str:
        return percent(_clipped(self.share))

    @property
    def error_words(self) -> str:
        return percent(self.standard_error)

    @property
    def low_words(self) -> str:
        return percent(self.interval.clipped().low)

    @property
    def high_words(self) -> str:
        return percent(self.interval.clipped().high)


@dataclass(frozen=True)
class WeightedReport:
    """One question; ``problem`` says why it has no rows."""

    number: int
    item: LevelQuestion
    reading: Reading
    n: int
    left_out: int
    effective_n: float | None = None
    rows: tuple[WeightedRow, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_too_wide(self) -> bool:
        return any(row.interval.width > TOO_WIDE for row in self.rows)

    @property
    def effective_words(self) -> str:
        return number_words(self.effective_n, 1)


def weighted_report(
    counts: CrossCounts, reading: Reading, margins: Mapping[str, float] | None
) -> WeightedReport:
    """The first question, weighted by the second: a number, or levels with known shares.

    ``margins``: share of the population by level code of the second question; None takes the
    second question's number as the weight.
    """
    item, (by,) = counts.item, counts.by
    people = _people(counts, margins)
    left_out = counts.n - people.total()
    number = counts.numbers[0]
    if not people:
        why = str(NO_WEIGHTS) if left_out else gettext("No answers yet.")
        return WeightedReport(number, item, reading, 0, left_out, problem=why)
    try:
        estimate = _estimate(item, by, people, margins)
    except StatisticsError as problem:
        why = gettext("No weighted estimate: {problem}.").format(problem=said(str(problem)))
        return WeightedReport(number, item, reading, people.total(), left_out, problem=why)
    if _is_about_a_few(item, people) or estimate.effective_n < LEAST_GROUP:
        return WeightedReport(
            number, item, reading, people.total(), left_out, problem=str(WITHHELD)
        )
    rows = tuple(_rows(item, people, estimate, reading))
    notes = map(said, [*estimate.notes, *(row.interval.clipped().note for row in rows)])
    return WeightedReport(
        number,
        item,
        reading,
        estimate.n,
        left_out + people.total() - estimate.n,
        estimate.effective_n,
        rows,
        tuple(dict.fromkeys(note for note in notes if note)),
    )


def _people(counts: CrossCounts, margins: Mapping[str, float] | None) -> Counter[tuple[int, str]]:
    """(reported level, code of the weight) of all who were asked both and have a weight.

    A group that makes up nothing of the population weighs nothing, so its people have none.
    """
    item, (by,) = counts.item, counts.by
    levels = {level.code: place for place, level in enumerate(item.reported_levels)}
    found: Counter[tuple[int, str]] = Counter()
    for (code, weight), count in counts.by_codes.items():
        declined = margins is None and by.is_declined(weight)
        unknown = margins is not None and not margins.get(weight)
        if was_asked(item, code) and was_asked(by, weight) and not declined and not unknown:
            found[levels[code], weight] += count
    return found


def _estimate(
    item: LevelQuestion,
    by: Grouping,
    people: Counter[tuple[int, str]],
    margins: Mapping[str, float] | None,
) -> WeightedDistributionEstimate:
    sizes = np.array(list(people.values()))
    reports = np.repeat([level for level, _ in people], sizes)
    codes = np.repeat([code for _, code in people], sizes)
    return estimate_weighted_distribution(item.channel, reports, _weights(by, codes, margins))


def _weights(
    by: Grouping, codes: NDArray[Any], margins: Mapping[str, float] | None
) -> NDArray[np.float64]:
    if margins is None:
        return codes.astype(np.float64)
    sizes = {by.label(code): share for code, share in margins.items() if share}
    return poststratification_weights([by.label(code) for code in codes.tolist()], sizes)


def _is_about_a_few(item: LevelQuestion, people: Counter[tuple[int, str]]) -> bool:
    """All together are one group here, so the rule for small groups decides all or nothing."""
    levels: Counter[tuple[int, ...]] = Counter()
    for (level, _), count in people.items():
        levels[level,] += count
    return pooled([Group("", levels)], answers_are_known=not item.is_randomized).withheld


def _rows(
    item: LevelQuestion,
    people: Counter[tuple[int, str]],
    estimate: WeightedDistributionEstimate,
    reading: Reading,
) -> Iterator[WeightedRow]:
    totals = [sum(n for (y, _), n in people.items() if y == place) for place in _places(item)]
    plain = estimate_distribution(item.channel, totals)
    errors = estimate.standard_errors
    for place in item.display:
        yield WeightedRow(
            item.levels[place].text,
            float(plain.shares[place]),
            float(estimate.shares[place]),
            None if errors is None else float(errors[place]),
            estimate.interval(place, reading.level, reading.method),
        )


def _places(item: LevelQuestion) -> Iterable[int]:
    return range(len(item.reported_levels))


def _clipped(share: float) -> float:
    return min(max(share, 0.0), 1.0)
