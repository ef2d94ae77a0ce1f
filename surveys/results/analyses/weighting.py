"""WeightedReport: people weighted by margins, and their shares beside the unweighted ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.samples import (
    WeightedDistributionEstimate,
    estimate_weighted_distribution,
    poststratification_weights,
)
from surveys.results.analyses.grouping import HAS_NUMBER, asked_by, cells_by, numbers_of
from surveys.results.analyses.queries import CrossCounts
from surveys.results.disclosure import (
    LARGEST_SHARE,
    LEAST_GROUP,
    POOLED,
    Answers,
    Known,
    known_places,
    partition,
)
from surveys.results.reading import INTERVAL_NAMES, Reading
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import percent

WITHHELD = gettext_lazy("Withheld: with too few answers, a weight would reveal whose answer it is.")
NO_WEIGHTS = gettext_lazy(
    "No one who was asked this question has a weight. Check the question that the weights come "
    "from, or wait for more answers."
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


def weighted_report(
    counts: CrossCounts, reading: Reading, margins: Mapping[str, float] | None
) -> WeightedReport:
    """The first question, weighted by the second: a number, or levels with known shares.

    ``margins``: share of the population by level code of the second question; None takes the
    second question's number as the weight.
    """
    item, number = counts.item, counts.numbers[0]
    people = _people(counts, margins)
    n = sum(answers.total() for _, answers in people.groups)
    left_out = counts.n - n

    def without(problem: str) -> WeightedReport:
        return WeightedReport(number, item, reading, n, left_out, problem=problem)

    if people.withheld:
        return without(str(WITHHELD))
    if not n:
        return without(str(NO_WEIGHTS) if left_out else gettext("No answers yet."))
    try:
        estimate = _estimate(item, people)
    except StatisticsError as problem:
        words = gettext("No weighted estimate: {problem}.")
        return without(words.format(problem=said_by(problem)))
    # Of many people too: a few with nearly all the weight would be shown by themselves.
    if estimate.effective_n < LEAST_GROUP:
        return without(str(WITHHELD))
    rows = tuple(_rows(item, people, estimate, reading))
    notes = map(translated, [*estimate.notes, *(row.interval.clipped().note for row in rows)])
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


def cap_words() -> str:
    """How much one person can count."""
    return gettext(
        "Each weight is shared by at least {least} people, so no person has more than {share} "
        "of the total weight."
    ).format(least=LEAST_GROUP, share=percent(LARGEST_SHARE, 0))


@dataclass(frozen=True)
class _People:
    """Groups of people who count alike, by the weight of each person or by the group's size.

    ``sizes``: the share of the population that each group stands for, by its name, where the names
    are those of groups; without it the names are weights.
    """

    groups: tuple[tuple[str | float, Answers], ...] = ()
    sizes: Mapping[str, float] | None = None
    notes: tuple[str, ...] = ()
    withheld: bool = False


def _people(counts: CrossCounts, margins: Mapping[str, float] | None) -> _People:
    """All who were asked both questions, through the gate for groups."""
    known = known_places([counts.item])
    return _by_number(counts, known) if margins is None else _by_margins(counts, margins, known)


def _by_margins(counts: CrossCounts, margins: Mapping[str, float], known: Known) -> _People:
    """The groups that break-downs show, each for its share of the population.

    A group that makes up nothing of the population weighs nothing, so its people are left out.
    """
    by, cells = counts.by[0], asked_by(counts, 1)
    if not any(label and margins.get(label) for (label,) in cells):
        return _People()
    parts = partition(cells_by(counts, 1), known=known)
    if parts.withheld:
        return _People(withheld=True)
    (pool,) = parts.pools
    # An answer that no person gave stays as it is: then there is no estimate.
    sizes = {by.label(code): size for code, size in margins.items() if size and code not in pool}
    if pooled := sum(margins.get(code or "", 0.0) for code in pool):
        sizes[str(POOLED)] = pooled
    groups: dict[str | float, Answers] = {}
    for (code,), answers in cells.items():
        name = str(POOLED) if code in pool else by.label(code) if code else ""
        if name in sizes:
            groups[name] = groups.get(name, Answers()) + answers
    names = [by.label(code) for (code,) in cells if code and code in pool]
    return _People(tuple(groups.items()), sizes, tuple(pooled_words(names)))


def pooled_words(names: Sequence[str]) -> Iterator[str]:
    """That groups are taken together, if any are."""
    if names:
        yield gettext(
            "Combined into one group, so that no number describes only a few people: {groups}."
        ).format(groups="; ".join(names))


def _by_number(counts: CrossCounts, known: Known) -> _People:
    """People with neighbouring weights, each with the mean of these."""
    cells = asked_by(counts, 1)
    written = {code for (code,) in cells if code and HAS_NUMBER(counts.by[0], code)}
    # The estimate refuses these by name, which pooled with others they would not be.
    if any(float(code) < 0 for code in written):
        return _People(tuple((float(code), cells[code,]) for code in written))
    weights = numbers_of(counts, 1, known)
    if weights is None:
        return _People(withheld=True)
    groups: dict[str | float, Answers] = {}
    for code, weight in weights.items():
        groups[weight] = groups.get(weight, Answers()) + cells.get((code,), Answers())
    groups.pop(0.0, None)  # who counts for nothing
    notes = [neighbours_words()] if len(set(weights.values())) < len(weights) else []
    return _People(tuple(groups.items()), notes=tuple(notes))


def neighbours_words() -> str:
    """That numbers are not told apart one by one."""
    return gettext(
        "People with neighbouring numbers get the mean of these numbers in place of their own "
        "number. If only a few people entered no number, these people also get a mean. So no "
        "figure describes only a few people."
    )


def _estimate(item: LevelQuestion, people: _People) -> WeightedDistributionEstimate:
    rows = [(name, level, n) for name, answers in people.groups for (level,), n in answers.items()]
    names, levels, sizes = ([*column] for column in zip(*rows, strict=True))
    labels = np.repeat(np.array(names), sizes)
    reports = np.repeat(levels, sizes)
    if people.sizes is None:
        return estimate_weighted_distribution(item.channel, reports, labels.astype(np.float64))
    weights = poststratification_weights(labels.tolist(), people.sizes)
    return estimate_weighted_distribution(item.channel, reports, weights, poststrata=labels)


def _rows(
    item: LevelQuestion,
    people: _People,
    estimate: WeightedDistributionEstimate,
    reading: Reading,
) -> Iterator[WeightedRow]:
    totals = sum((answers for _, answers in people.groups), Answers())
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
