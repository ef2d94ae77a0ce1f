"""A comparison's or a tree's page in words: sentences, pairs, groups, plans, branches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from analytics.comparison.people import CloudComparison
from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import SHOWN_LEVELS, ComparisonReport, Pair
from analytics.kinds.tree_reports import Branch, TreeReport
from analytics.pages.answers.pictures import pictures_of_answers
from analytics.pages.answers.stored import path_words, splits_words
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import decimal, grouped, localized, per_cent


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
    return gettext("{amount} ({low} to {high}), p = {p}").format(
        amount=_amount(report, pair.distance), low=low, high=high, p=_p(pair.corrected)
    )


def moved_words(report: ComparisonReport, distance: float) -> str:
    """A distance in the question's own units."""
    if report.unit == "answers":
        return gettext("{amount} of 100 people must change their answer").format(
            amount=decimal(100 * distance, 1)
        )
    if report.unit == "metric":
        return gettext("an answer must move by {amount} on average, by the distances given").format(
            amount=_number(distance)
        )
    if report.unit == "units":
        return gettext("an answer must move by {amount} on average").format(
            amount=_number(distance)
        )
    return gettext("on average an answer must move {amount} steps of the scale").format(
        amount=decimal(distance, 2)
    )


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
    return "–" if report.unit == "metric" else gettext("none that the scale allows")


def _pair_sentence(report: ComparisonReport, pair: Pair) -> str:
    moved = moved_words(report, pair.distance)
    is_clear = pair.corrected <= 0.05
    chance = (
        gettext("Chance alone would rarely do so much.")
        if is_clear
        else gettext("Chance alone may do as much: no difference was found.")
    )
    return gettext(
        "To turn the answers of “{first}” into those of “{second}”, {moved}. {chance}"
    ).format(first=pair.first, second=pair.second, moved=moved, chance=chance)


def _tests(pairs: Sequence[Pair] | Sequence[CloudComparison]) -> Iterator[str]:
    """How p-values were found: some pairs may be tested exactly, beside others that are not."""
    tests = list(dict.fromkeys(pair.test for pair in pairs))
    if len(tests) == 1:
        yield gettext("The p-value comes from {test}.").format(test=tests[0])
        return
    for test in tests:
        names = ", ".join(f"{p.first} – {p.second}" for p in pairs if p.test == test)
        yield gettext("The p-value of {names} comes from {test}.").format(names=names, test=test)


def _plan(report: ComparisonReport, pair: Pair) -> Iterator[tuple[str, tuple[str, ...]]]:
    for level, row in zip(report.levels, pair.plan, strict=False):
        yield level, tuple(_share(mass) if mass else "–" for mass in row)


def _declined(pair: Pair) -> str:
    if pair.declined is None:
        return ""
    found = pair.declined
    return gettext(
        "“Prefer not to say”: {share} of “{first}”, {other_share} of “{second}”; difference "
        "{difference} points ({low} to {high})."
    ).format(
        share=_share(found.first),
        first=pair.first,
        other_share=_share(found.second),
        second=pair.second,
        difference=_points(found.difference),
        low=_points(found.low),
        high=_points(found.high),
    )


def _groups(report: ComparisonReport) -> Iterator[GroupRow]:
    to_average = report.to_average or (None,) * len(report.names)
    rows = zip(report.names, report.sizes, report.shown, report.laws, to_average, strict=True)
    has_few = len(report.levels) <= SHOWN_LEVELS
    for name, size, shown, law, apart in rows:
        yield GroupRow(
            name,
            gettext("about {count}").format(count=grouped(size))
            if report.are_hidden
            else grouped(size),
            tuple(_share(share) for share in shown) if has_few else (),
            ", ".join(localized(f"{share:.4f}") for share in law) if has_few else "",
            "–" if apart is None else _amount(report, apart),
        )


def _average(report: ComparisonReport) -> str:
    if not report.average:
        return gettext("Answers without an order have no average pattern.")
    mean = sum(point * mass for point, mass in report.average)
    return gettext("The average pattern has {count} points and the mean {mean}.").format(
        count=len(report.average), mean=_number(mean)
    )


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
    sentence = gettext(
        "To turn “{first}” into “{second}”, a person must move by {distance} spreads on average "
        "({method})."
    ).format(
        first=first.first,
        second=first.second,
        distance=decimal(first.distance, 2),
        method=first.method,
    )
    means = zip(report.names, report.sizes, report.means, strict=True)
    return CloudsPage(
        report,
        sentence,
        tuple(_cloud_row(pair) for pair in ordered),
        tuple(_tests(ordered)),
        tuple((n, grouped(size), tuple(_number(m) for m in row)) for n, size, row in means),
        pictures_of_answers(report),
    )


def _cloud_row(pair: CloudComparison) -> CloudRow:
    error = f" ± {decimal(pair.standard_error, 3)}" if pair.standard_error else ""
    return CloudRow(
        f"{pair.first} – {pair.second}",
        f"{decimal(pair.distance, 3)}{error}",
        decimal(pair.low, 3),
        decimal(pair.high, 3),
        pair.method,
        decimal(pair.null_median, 3),
        _p(pair.p_value),
        _p(pair.corrected),
    )


def tree_page(report: TreeReport) -> TreePage:
    """The page of a tree."""
    splits = sum(1 for _, branch in _walk(report.root) if branch.question)
    sentence = (
        splits_words(splits)
        if splits
        else gettext("No other answer goes with this one, as far as these people can tell.")
    )
    accuracy = gettext(
        "For people whom the tree has not seen it names the true answer of {share} (standard error "
        "{error} points). Always naming the most frequent answer is right for {baseline}."
    ).format(
        share=_share(report.accuracy),
        error=decimal(100 * report.accuracy_error, 1),
        baseline=_share(report.baseline),
    )
    return TreePage(
        report, sentence, accuracy, tuple(_branch_rows(report)), pictures_of_answers(report)
    )


def _branch_rows(report: TreeReport) -> Iterator[BranchRow]:
    for path, branch in _walk(report.root):
        shares = "; ".join(
            gettext("{answer} {share} ({low} to {high})").format(
                answer=one.level,
                share=_share(one.share),
                low=_share(one.low),
                high=_share(one.high),
            )
            for one in branch.shares
        )
        yield BranchRow(
            len(path),
            path_words(path),
            localized(f"{branch.size:,.0f}"),
            shares,
            branch.question,
            _test_words(branch),
        )


def _test_words(branch: Branch) -> str:
    if branch.p_value is None:
        return ""
    return gettext("p = {p}, {gain} bits").format(
        p=_p(branch.p_value), gain=decimal(branch.gain, 3)
    )


def _walk(branch: Branch, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Branch]]:
    yield path, branch
    for below in branch.branches:
        yield from _walk(below, (*path, f"{branch.question}: {below.answer}"))


def _amount(report: ComparisonReport, distance: float) -> str:
    if report.unit == "answers":
        return gettext("{number} points").format(number=decimal(100 * distance, 1))
    return _number(distance)


def _number(value: float) -> str:
    return localized(f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}")


def _share(share: float) -> str:
    return per_cent(min(max(share, 0.0), 1.0))


def _points(difference: float) -> str:
    return localized(f"{100 * difference:+.1f}")


def _p(value: float) -> str:
    return gettext("below 0.001") if value < 0.001 else decimal(value, 3)
