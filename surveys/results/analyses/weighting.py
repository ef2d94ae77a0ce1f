"""WeightedReport: people weighted by margins, and their shares beside the unweighted ones."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext, gettext_lazy

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
from surveys.results.analyses.grouping import HAS_NUMBER, asked_by, cells_by, numbers_of
from surveys.results.analyses.queries import CrossCounts, Grouping
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
UNREACHABLE = gettext_lazy(
    "No weights reach the shares of all these questions. Either no one gave one of the answers, or "
    "no one gave some answers together. Use fewer questions, or enter 0 for answers that no one "
    "gave."
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
    counts: CrossCounts, reading: Reading, margins: Sequence[Mapping[str, float]]
) -> WeightedReport:
    """The first question, weighted by the others: a number, or levels with known shares.

    ``margins``: of each of the others the share of the population by level code; without any, the
    second question's number is the weight.
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
        if len(margins) > 1 and isinstance(problem, WeightsError):
            return without(str(UNREACHABLE))
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

    ``sizes``: of each question the share of the population by the name of its group, where a group
    here is named by one of each; without any the names are weights.
    """

    groups: tuple[tuple[tuple[str, ...] | float, Answers], ...] = ()
    sizes: Sequence[Mapping[str, float]] = ()
    notes: tuple[str, ...] = ()
    withheld: bool = False


def _people(counts: CrossCounts, margins: Sequence[Mapping[str, float]]) -> _People:
    """All who were asked all questions, through the gate for groups."""
    known = known_places([counts.item])
    return _by_margins(counts, margins, known) if margins else _by_number(counts, known)


def _by_margins(
    counts: CrossCounts, margins: Sequence[Mapping[str, float]], known: Known
) -> _People:
    """Groups by all questions, as break-downs show them, which stand for the shares together.

    A group that makes up nothing of the population weighs nothing, so its people are left out,
    after the gate: whether a combination has people at all would tell the answers of one.
    """
    places = range(1, len(counts.items))
    cells = asked_by(counts, *places)
    if not cells:
        return _People()
    parts = partition(cells_by(counts, *places), known=known)
    if parts.withheld:
        return _People(withheld=True)
    each = list(zip(counts.by, margins, parts.pools, strict=True))
    sizes = [dict(_sizes(*grouping)) for grouping in each]
    groups: dict[tuple[str, ...], Answers] = {}
    for key, answers in cells.items():
        names = tuple(
            str(POOLED) if code in pool else by.label(code) if code else ""
            for code, (by, _, pool) in zip(key, each, strict=True)
        )
        if all(name in shares for name, shares in zip(names, sizes, strict=True)):
            groups[names] = groups.get(names, Answers()) + answers
    pooled = dict.fromkeys(
        counts.group_name(x, by.label(code))
        for x, (by, _, pool) in enumerate(each, start=1)
        for code in (key[x - 1] for key in cells)
        if code and code in pool
    )
    return _People(tuple(groups.items()), sizes, tuple(pooled_words(list(pooled))))


def _sizes(
    by: Grouping, margins: Mapping[str, float], pool: Collection[str | None]
) -> Iterator[tuple[str, float]]:
    """Of one question the share of each group by its name, and of those that are pooled.

    An answer that no person gave stays as it is: then there is no estimate.
    """
    for code, size in margins.items():
        if size and code not in pool:
            yield by.label(code), size
    if pooled := sum(margins.get(code or "", 0.0) for code in pool):
        yield str(POOLED), pooled


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
    groups: dict[tuple[str, ...] | float, Answers] = {}
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
    reports = np.repeat(levels, sizes)
    if not people.sizes:
        return estimate_weighted_distribution(item.channel, reports, np.repeat(names, sizes))
    labels = [np.repeat(column, sizes) for column in zip(*names, strict=True)]
    if len(people.sizes) == 1:
        weights = poststratification_weights(labels[0].tolist(), people.sizes[0])
        return estimate_weighted_distribution(item.channel, reports, weights, poststrata=labels[0])
    # Of one population, so that the margins agree: shares may have been typed in different units.
    margins = [
        Margin(column, {name: size / sum(shares.values()) for name, size in shares.items()})
        for column, shares in zip(labels, people.sizes, strict=True)
    ]
    sample = rake(survey_sample(np.ones(len(reports))), margins)
    return estimate_weighted_distribution(item.channel, reports, sample)


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
