"""A comparison's or a tree's page in words: sentences, pairs, groups, plans, branches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.comparison.people import CloudComparison
from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import SHOWN_LEVELS, ComparisonReport, Pair
from analytics.kinds.tree_reports import Branch, TreeReport
from analytics.pages.answers.pictures import pictures_of_answers
from surveys.web.drawing.figures import Figure

NOT_SEEN = "none that the scale allows"


@dataclass(frozen=True)
class PairRow:
    """Two groups in words, and the plan of who moves where, as (from, shares) rows."""

    first: str
    second: str
    sentence: str
    distance: str
    low: str
    high: str
    null_median: str
    p_value: str
    corrected: str
    detectable: str
    declined: str
    plan: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class GroupRow:
    """A group: its size, shares as shown and as computed, distance to the average."""

    name: str
    people: str
    shares: tuple[str, ...]
    computed: str
    to_average: str


@dataclass(frozen=True)
class ComparisonPage:
    """Everything that a comparison's page shows, the most different pair first.

    ``tests`` say how p-values were found.
    """

    report: ComparisonReport
    sentence: str
    pairs: tuple[PairRow, ...]
    tests: tuple[str, ...]
    groups: tuple[GroupRow, ...]
    levels: tuple[str, ...]
    average: str
    pictures: tuple[Figure, ...]
    level: str
    is_corrected: bool


@dataclass(frozen=True)
class BranchRow:
    """A node of a tree as a line: how deep, what leads there, how many, their shares."""

    depth: int
    path: str
    people: str
    shares: str
    question: str
    test: str


@dataclass(frozen=True)
class TreePage:
    """Everything that a tree's page shows."""

    report: TreeReport
    sentence: str
    accuracy: str
    branches: tuple[BranchRow, ...]
    pictures: tuple[Figure, ...]


def comparison_page(report: ComparisonReport) -> ComparisonPage:
    """The page of a comparison."""
    ordered = sorted(report.pairs, key=lambda pair: -pair.distance)
    pairs = tuple(_pair_row(report, pair) for pair in ordered)
    has_few = len(report.levels) <= SHOWN_LEVELS
    return ComparisonPage(
        report,
        pairs[0].sentence,
        pairs,
        tuple(_tests(ordered)),
        tuple(_groups(report)),
        report.levels if has_few else (),
        _average(report),
        pictures_of_answers(report),
        f"{float(report.settings['level']):.0%}".replace("%", " %"),
        len(pairs) > 1,
    )


@dataclass(frozen=True)
class BesideRow:
    """A pair of groups in two comparisons; a dash where one of them does not have it."""

    pair: str
    first: str
    second: str


def beside(first: ComparisonReport, second: ComparisonReport) -> list[BesideRow]:
    """Every pair of either comparison, with its distance and interval in both."""
    found = [{frozenset((p.first, p.second)): p for p in r.pairs} for r in (first, second)]
    rows = []
    for names in dict.fromkeys([*found[0], *found[1]]):
        told = [
            _distance_words(report, pairs[names]) if names in pairs else "–"
            for report, pairs in zip((first, second), found, strict=True)
        ]
        rows.append(BesideRow(" – ".join(sorted(names)), *told))
    return rows


def _distance_words(report: ComparisonReport, pair: Pair) -> str:
    low, high = _amount(report, pair.low), _amount(report, pair.high)
    return f"{_amount(report, pair.distance)} ({low} to {high}), p = {_p(pair.corrected)}"


def moved_words(report: ComparisonReport, distance: float) -> str:
    """A distance in the question's own units."""
    if report.unit == "answers":
        return f"{100 * distance:.1f} of 100 people must change their answer"
    if report.unit == "metric":
        return f"an answer must move by {_number(distance)} on average, by the distances given"
    if report.unit == "units":
        return f"an answer must move by {_number(distance)} on average"
    return f"on average an answer must move {distance:.2f} steps of the scale"


def _pair_row(report: ComparisonReport, pair: Pair) -> PairRow:
    return PairRow(
        pair.first,
        pair.second,
        _pair_sentence(report, pair),
        _amount(report, pair.distance),
        _amount(report, pair.low),
        _amount(report, pair.high),
        _amount(report, pair.null_median),
        _p(pair.p_value),
        _p(pair.corrected),
        _detectable(report, pair),
        _declined(pair),
        tuple(_plan(report, pair)),
    )


def _detectable(report: ComparisonReport, pair: Pair) -> str:
    if pair.detectable is not None:
        return _amount(report, pair.detectable)
    return "–" if report.unit == "metric" else NOT_SEEN


def _pair_sentence(report: ComparisonReport, pair: Pair) -> str:
    moved = moved_words(report, pair.distance)
    is_clear = pair.corrected <= 0.05
    chance = (
        "Chance alone would rarely do so much."
        if is_clear
        else "Chance alone may do as much: no difference was found."
    )
    return f"To turn the answers of “{pair.first}” into those of “{pair.second}”, {moved}. {chance}"


def _tests(pairs: Sequence[Pair] | Sequence[CloudComparison]) -> Iterator[str]:
    """How p-values were found: some pairs may be tested exactly, beside others that are not."""
    tests = list(dict.fromkeys(pair.test for pair in pairs))
    if len(tests) == 1:
        yield f"The p-value comes from {tests[0]}."
        return
    for test in tests:
        names = ", ".join(f"{p.first} – {p.second}" for p in pairs if p.test == test)
        yield f"The p-value of {names} comes from {test}."


def _plan(report: ComparisonReport, pair: Pair) -> Iterator[tuple[str, tuple[str, ...]]]:
    for level, row in zip(report.levels, pair.plan, strict=False):
        yield level, tuple(_share(mass) if mass else "–" for mass in row)


def _declined(pair: Pair) -> str:
    if pair.declined is None:
        return ""
    found = pair.declined
    return (
        f"“Prefer not to say”: {_share(found.first)} of “{pair.first}”, {_share(found.second)} of "
        f"“{pair.second}”; difference {_points(found.difference)} points "
        f"({_points(found.low)} to {_points(found.high)})."
    )


def _groups(report: ComparisonReport) -> Iterator[GroupRow]:
    to_average = report.to_average or (None,) * len(report.names)
    rows = zip(report.names, report.sizes, report.shown, report.laws, to_average, strict=True)
    has_few = len(report.levels) <= SHOWN_LEVELS
    for name, size, shown, law, apart in rows:
        yield GroupRow(
            name,
            f"about {size:,}" if report.are_hidden else f"{size:,}",
            tuple(_share(share) for share in shown) if has_few else (),
            ", ".join(f"{share:.4f}" for share in law) if has_few else "",
            "–" if apart is None else _amount(report, apart),
        )


def _average(report: ComparisonReport) -> str:
    if not report.average:
        return "Answers without an order have no average pattern."
    mean = sum(point * mass for point, mass in report.average)
    return f"The average pattern has {len(report.average)} points and the mean {_number(mean)}."


@dataclass(frozen=True)
class CloudRow:
    """Two groups on several numbers, in words."""

    groups: str
    distance: str
    low: str
    high: str
    method: str
    null_median: str
    p_value: str
    corrected: str


@dataclass(frozen=True)
class CloudsPage:
    """Everything that a page on several numbers shows, the most different pair first.

    ``tests`` say how p-values were found.
    """

    report: CloudReport
    sentence: str
    pairs: tuple[CloudRow, ...]
    tests: tuple[str, ...]
    groups: tuple[tuple[str, str, tuple[str, ...]], ...]
    pictures: tuple[Figure, ...]


def clouds_page(report: CloudReport) -> CloudsPage:
    """The page of a comparison on several numbers."""
    ordered = sorted(report.pairs, key=lambda pair: -pair.distance)
    first = ordered[0]
    sentence = (
        f"To turn “{first.first}” into “{first.second}”, a person must move by "
        f"{first.distance:.2f} spreads on average ({first.method})."
    )
    means = zip(report.names, report.sizes, report.means, strict=True)
    return CloudsPage(
        report,
        sentence,
        tuple(_cloud_row(pair) for pair in ordered),
        tuple(_tests(ordered)),
        tuple((n, f"{size:,}", tuple(_number(m) for m in row)) for n, size, row in means),
        pictures_of_answers(report),
    )


def _cloud_row(pair: CloudComparison) -> CloudRow:
    error = f" ± {pair.standard_error:.3f}" if pair.standard_error else ""
    return CloudRow(
        f"{pair.first} – {pair.second}",
        f"{pair.distance:.3f}{error}",
        f"{pair.low:.3f}",
        f"{pair.high:.3f}",
        pair.method,
        f"{pair.null_median:.3f}",
        _p(pair.p_value),
        _p(pair.corrected),
    )


def tree_page(report: TreeReport) -> TreePage:
    """The page of a tree."""
    splits = sum(1 for _, branch in _walk(report.root) if branch.question)
    sentence = (
        f"{splits} {'question goes' if splits == 1 else 'questions go'} with the answer."
        if splits
        else "No other answer goes with this one, as far as these people can tell."
    )
    accuracy = (
        "For people whom the tree has not seen it names the true answer of "
        f"{_share(report.accuracy)} (standard error {100 * report.accuracy_error:.1f} points). "
        f"Always naming the most frequent answer is right for {_share(report.baseline)}."
    )
    return TreePage(
        report, sentence, accuracy, tuple(_branch_rows(report)), pictures_of_answers(report)
    )


def _branch_rows(report: TreeReport) -> Iterator[BranchRow]:
    for path, branch in _walk(report.root):
        shares = "; ".join(
            f"{one.level} {_share(one.share)} ({_share(one.low)} to {_share(one.high)})"
            for one in branch.shares
        )
        test = "" if branch.p_value is None else f"p = {_p(branch.p_value)}, {branch.gain:.3f} bits"
        yield BranchRow(
            len(path),
            " and ".join(path) or "All people",
            f"{branch.size:,.0f}",
            shares,
            branch.question,
            test,
        )


def _walk(branch: Branch, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Branch]]:
    yield path, branch
    for below in branch.branches:
        yield from _walk(below, (*path, f"{branch.question}: {below.answer}"))


def _amount(report: ComparisonReport, distance: float) -> str:
    if report.unit == "answers":
        return f"{100 * distance:.1f} points"
    return _number(distance)


def _number(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _share(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.1f} %"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else f"{value:.3f}"
