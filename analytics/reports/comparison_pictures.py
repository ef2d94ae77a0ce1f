"""Pictures of a comparison: shares at or below each answer, and who moves where."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate

from django.utils.translation import gettext

from analytics.kinds.comparisons import (
    ComparedPair,
    ComparisonReport,
)
from analytics.reports import charts
from analytics.reports.charts import Step
from surveys.web.drawing import figures
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import localized, per_cent

# Points of a curve over many numbers: more cannot be told apart.
MOST_POINTS = 200


def pictures_of(result: ComparisonReport) -> Iterator[Figure]:
    """The pictures in the order of the page."""
    if result.unit != "metric":  # without an order nothing is below
        ticks: Iterable[tuple[float, str]] = ()
        if result.unit != "units":  # numbers name themselves on an axis
            ticks = zip(result.positions, result.levels, strict=True)
        yield Figure(
            "cumulative",
            gettext("Share of people at or below each answer"),
            _cumulative_words(result),
            partial(charts.cumulative, tuple(_steps(result)), tuple(ticks)),
            gettext("Share of people at or below each answer, with one line for each group."),
            table=_cumulative_table(result),
        )
    pair = max(result.pairs, key=lambda pair: pair.distance)
    if pair.plan:
        cells = tuple(
            (result.levels[row], result.levels[column], mass)
            for row, masses in enumerate(pair.plan)
            for column, mass in enumerate(masses)
        )
        title = gettext(
            "Answers that would have to change, from “{first}” (rows) to “{second}” (columns)"
        ).format(first=pair.first, second=pair.second)
        yield Figure(
            "plan",
            title,
            _plan_words(result, pair),
            partial(charts.plan, cells, result.levels),
            gettext(
                "Shares of people whose answer would have to change, if answers change as little "
                "as possible."
            ),
            table=_plan_table(cells),
        )


def _steps(result: ComparisonReport) -> Iterator[Step]:
    """(group, position, share at or below), thinned where there are many positions."""
    every = max(1, len(result.positions) // MOST_POINTS)
    last = len(result.positions) - 1
    for name, law in zip(result.names, result.shown, strict=True):
        reached = 0.0
        for rank, (position, share) in enumerate(zip(result.positions, law, strict=True)):
            reached += share
            if rank % every == 0 or rank == last:
                yield name, position, min(reached, 1.0)
    if len(result.names) > 2:
        yield from _average_steps(result)


def _average_steps(result: ComparisonReport) -> Iterator[Step]:
    """The average pattern between the levels, thinned like the groups."""
    every = max(1, len(result.average) // MOST_POINTS)
    reached = 0.0
    for rank, (point, mass) in enumerate(result.average):
        reached += mass
        if rank % every == 0 or rank == len(result.average) - 1:
            yield gettext("Average pattern"), point, min(reached, 1.0)


def _cumulative_words(result: ComparisonReport) -> str:
    means = []
    for name, law in zip(result.names, result.laws, strict=True):
        mean = sum(share * position for share, position in zip(law, result.positions, strict=True))
        means.append(
            gettext("{name}: mean {mean}").format(name=name, mean=localized(f"{mean:.3g}"))
        )
    return gettext("Share of people at or below each answer to “{question}”. {means}.").format(
        question=result.question, means="; ".join(means)
    )


def _cumulative_table(result: ComparisonReport) -> figures.FigureTable:
    """Shares at or below each answer, a column for each group, thinned like the picture."""
    every = max(1, len(result.positions) // MOST_POINTS)
    columns = [list(accumulate(law)) for law in result.shown]
    rows = (
        (level, *(per_cent(min(column[number], 1.0)) for column in columns))
        for number, level in enumerate(result.levels)
        if number % every == 0 or number == len(result.levels) - 1
    )
    return figures.FigureTable((gettext("At or below"), *result.names), tuple(rows))


def _plan_table(cells: tuple[tuple[str, str, float], ...]) -> figures.FigureTable:
    rows = ((row, column, per_cent(mass)) for row, column, mass in cells if mass)
    # "From" and "To" with a capital are those of days elsewhere.
    ways = gettext("from").capitalize(), gettext("to").capitalize()
    return figures.FigureTable((*ways, gettext("Share of people")), tuple(rows))


def _plan_words(result: ComparisonReport, pair: ComparedPair) -> str:
    moves = [
        gettext("{share} from {one} to {other}").format(
            share=per_cent(mass), one=result.levels[row], other=result.levels[column]
        )
        for row, masses in enumerate(pair.plan)
        for column, mass in enumerate(masses)
        if mass and row != column
    ]
    if not moves:
        return gettext("No answer has to change.")
    return gettext("Share of people whose answer would have to change: {moves}.").format(
        moves="; ".join(moves)
    )
