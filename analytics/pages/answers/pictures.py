"""Which pictures a comparison or a tree has, with their titles and words."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate

from django.utils.translation import gettext

from analytics.kinds.answers import AnswerReport
from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import ComparisonReport, Pair
from analytics.kinds.tree_reports import Branch, TreeReport
from analytics.pages.answers import charts
from analytics.pages.answers.charts import Box, Line, Step
from surveys.web.drawing.figures import Figure, Table
from surveys.wording.language.numbers import decimal, localized, per_cent

# Points of a curve over many numbers: more cannot be told apart.
MOST_POINTS = 200


def pictures_of_answers(report: AnswerReport) -> tuple[Figure, ...]:
    """All pictures of a report on answers, in the order of its page."""
    if isinstance(report, TreeReport):
        return (_tree_picture(report),)
    if isinstance(report, CloudReport):
        return (_cloud_picture(report),)
    return tuple(_comparison_pictures(report))


def answer_picture(report: AnswerReport, name: str) -> Figure | None:
    """The picture with this name, or None."""
    return next((one for one in pictures_of_answers(report) if one.name == name), None)


def _comparison_pictures(report: ComparisonReport) -> Iterator[Figure]:
    if report.unit != "metric":  # without an order nothing is below
        yield Figure(
            "cumulative",
            gettext("Share of people at or below each answer"),
            _cumulative_words(report),
            partial(charts.cumulative, tuple(_steps(report)), _ticks(report)),
            gettext("Share of people at or below each answer, a line for each group."),
            table=_cumulative_table(report),
        )
    pair = max(report.pairs, key=lambda one: one.distance)
    if pair.plan:
        cells = tuple(
            (report.levels[row], report.levels[column], mass)
            for row, masses in enumerate(pair.plan)
            for column, mass in enumerate(masses)
        )
        title = gettext("Who moves where, from “{first}” (rows) to “{second}” (columns)").format(
            first=pair.first, second=pair.second
        )
        yield Figure(
            "plan",
            title,
            _plan_words(report, pair),
            partial(charts.plan, cells, report.levels),
            gettext("Shares of people who move, by the plan with the shortest moves."),
            table=_plan_table(cells),
        )


def _steps(report: ComparisonReport) -> Iterator[Step]:
    """(group, position, share at or below), thinned where there are many positions."""
    every = max(1, len(report.positions) // MOST_POINTS)
    last = len(report.positions) - 1
    for name, law in zip(report.names, report.shown, strict=True):
        reached = 0.0
        for place, (position, share) in enumerate(zip(report.positions, law, strict=True)):
            reached += share
            if place % every == 0 or place == last:
                yield name, position, min(reached, 1.0)
    if len(report.names) > 2:
        yield from _average_steps(report)


def _average_steps(report: ComparisonReport) -> Iterator[Step]:
    """The average pattern between the levels, thinned like the groups."""
    every = max(1, len(report.average) // MOST_POINTS)
    reached = 0.0
    for place, (point, mass) in enumerate(report.average):
        reached += mass
        if place % every == 0 or place == len(report.average) - 1:
            yield gettext("Average pattern"), point, min(reached, 1.0)


def _ticks(report: ComparisonReport) -> tuple[tuple[float, str], ...]:
    """The levels' names at their positions; none for numbers, which name themselves."""
    if report.unit == "units":
        return ()
    return tuple(zip(report.positions, report.levels, strict=True))


def _cumulative_words(report: ComparisonReport) -> str:
    means = (
        gettext("{name}: mean {mean}").format(
            name=name, mean=localized(f"{_mean(report, law):.3g}")
        )
        for name, law in zip(report.names, report.laws, strict=True)
    )
    return gettext("Cumulative shares on the scale of “{question}”. {means}.").format(
        question=report.question, means="; ".join(means)
    )


def _mean(report: ComparisonReport, law: tuple[float, ...]) -> float:
    return sum(p * s for p, s in zip(report.positions, law, strict=True))


def _cumulative_table(report: ComparisonReport) -> Table:
    """Shares at or below each answer, a column for each group, thinned like the picture."""
    every = max(1, len(report.positions) // MOST_POINTS)
    columns = [list(accumulate(law)) for law in report.shown]
    rows = (
        (level, *(per_cent(min(column[place], 1.0)) for column in columns))
        for place, level in enumerate(report.levels)
        if place % every == 0 or place == len(report.levels) - 1
    )
    return Table((gettext("At or below"), *report.names), tuple(rows))


def _plan_table(cells: tuple[tuple[str, str, float], ...]) -> Table:
    rows = ((row, column, per_cent(mass)) for row, column, mass in cells if mass)
    # "From" and "To" with a capital are those of days elsewhere.
    ways = gettext("from").capitalize(), gettext("to").capitalize()
    return Table((*ways, gettext("Share of people")), tuple(rows))


def _plan_words(report: ComparisonReport, pair: Pair) -> str:
    moves = [
        gettext("{share} from {one} to {other}").format(
            share=per_cent(mass), one=report.levels[row], other=report.levels[column]
        )
        for row, masses in enumerate(pair.plan)
        for column, mass in enumerate(masses)
        if mass and row != column
    ]
    if not moves:
        return gettext("No one has to move.")
    return gettext("People who move: {moves}.").format(moves="; ".join(moves))


def _cloud_picture(report: CloudReport) -> Figure:
    """The distances as bars, each beside what chance alone usually shows."""
    rows = tuple(
        (f"{pair.first} – {pair.second}", pair.distance, pair.null_median) for pair in report.pairs
    )
    words = "; ".join(
        gettext("{name}: {found}, by chance {null}").format(
            name=name, found=decimal(found, 2), null=decimal(null, 2)
        )
        for name, found, null in rows
    )
    unit = (
        gettext("spreads, of randomized questions in half their range")
        if report.are_randomized
        else gettext("spreads")
    )
    return Figure(
        "distances",
        gettext("Distances, and what chance alone usually shows"),
        gettext("Distances in {unit}. {words}.").format(unit=unit, words=words),
        partial(charts.distances, rows, None),
        gettext("Distances in {unit}; the line is what chance alone usually shows.").format(
            unit=unit
        ),
        table=Table(
            (gettext("Groups"), gettext("Distance"), gettext("By chance")),
            tuple((name, decimal(found, 2), decimal(null, 2)) for name, found, null in rows),
        ),
    )


def _tree_picture(report: TreeReport) -> Figure:
    boxes: list[Box] = []
    lines: list[Line] = []
    _place(report.root, 0, 0.0, boxes, lines)
    splits = [box[2] for box in boxes if not box[3]]
    words = (
        gettext("A tree for “{question}”. It asks: {splits}.").format(
            question=report.question, splits="; ".join(splits)
        )
        if splits
        else gettext("A tree for “{question}”. It asks nothing: one leaf.").format(
            question=report.question
        )
    )
    units = gettext("Questions from left to right, answers at the lines, shares at the leaves.")
    chart = partial(charts.tree, tuple(boxes), tuple(lines))
    table = Table(
        (gettext("Answers on the way"), gettext("At the end")), tuple(_leaves(report.root, ()))
    )
    return Figure("tree", gettext("The tree"), words, chart, units, table=table)


def _leaves(branch: Branch, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each leaf: the answers that lead to it, and its largest share."""
    if not branch.branches:
        yield ", ".join(path) or gettext("All"), _leaf_words(branch)
    for below in branch.branches:
        yield from _leaves(below, (*path, f"{branch.question} {below.answer}"))


def _leaf_words(branch: Branch) -> str:
    largest = max(branch.shares, key=lambda one: one.share)
    share = 100 * min(max(largest.share, 0.0), 1.0)
    return gettext("{answer} {share} % of {people}").format(
        answer=largest.level, share=f"{share:.0f}", people=localized(f"{branch.size:,.0f}")
    )


def _place(
    branch: Branch, depth: int, row: float, boxes: list[Box], lines: list[Line]
) -> tuple[float, float]:
    """Put a branch into the picture below ``row``; its middle, and the next free row."""
    if not branch.branches:
        boxes.append((depth, row, _leaf_words(branch), True))
        return row, row + 1
    middles = []
    free = row
    for below in branch.branches:
        middle, free = _place(below, depth + 1, free, boxes, lines)
        middles.append((middle, below.answer))
    own = (middles[0][0] + middles[-1][0]) / 2
    boxes.append((depth, own, branch.question, False))
    lines.extend((depth, own, depth + 1, middle, answer) for middle, answer in middles)
    return own, free
