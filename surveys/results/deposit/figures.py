"""Figure: a number of the dashboard, and how it is worked out from published rows alone.

A figure is the mean of what each report counts, a sum of such means over different reports, or a
ratio of two, whose standard error is linearised (Cochran 1977, chapter 6). Where a debiased column
has the same look-ups, the figure names it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.number.promise import RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion
from surveys.kinds.ticks.promise import TICKED, TicksQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, of_kind
from surveys.randomized_response.files.debiased import (
    BETWEEN,
    DebiasedColumn,
    LookUp,
    looked_up,
)
from surveys.results.columns import FileColumns
from surveys.results.debiasing.columns import (
    PART_MARKS,
    Place,
    among_asked,
    look_up,
    other_first,
)
from surveys.results.debiasing.events import Counts, counted
from surveys.results.queries import JointReports
from surveys.results.questions import Report, all_reports
from surveys.results.reading import Reading
from surveys.results.rows.anchors import AnchorLine, anchors_of, expected_share
from surveys.results.rows.families import FamilyReport, answers_through
from surveys.results.rows.parts import PartsReport
from surveys.results.rows.ranks import RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.rows.scales import ScaleReport
from surveys.results.shares import ShareReport, ShareRow

CORRECTED = "Yes to the question before, corrected for people who did not attend"


@dataclass(frozen=True)
class Mark:
    """What an option of a long list counts in a report: ``option`` counts from 0."""

    of: str
    option: int
    if_marked: Fraction
    if_not: Fraction

    def to_entry(self) -> dict[str, Any]:
        """As the file of figures has it."""
        numbers = {"if_marked": float(self.if_marked), "if_not": float(self.if_not)}
        return {"of": [self.of], "option": self.option, **numbers}


Term = LookUp | Mark  # what each report counts


@dataclass(frozen=True)
class Figure:
    """``value`` and ``error`` as the dashboard has them, None where it has none.

    The value is ``start`` and the means of the ``terms``; with a ``base`` the one mean is divided
    by that of the base.
    """

    label: str
    value: float | None
    error: float | None
    terms: tuple[Term, ...]
    start: int = 0
    base: Term | None = None

    def to_entry(self, columns: Iterable[DebiasedColumn]) -> dict[str, Any]:
        """As the file of figures has it; a term with the look-ups of a column names the column."""
        names = [(one.look_ups, one.name) for one in columns if not one.start]
        terms = [_term_entry(term, names) for term in self.terms]
        base = {"divided_by": _term_entry(self.base, names)} if self.base else {}
        start = {"start": self.start} if self.start else {}
        stated = {"estimate": self.value, "standard_error": self.error}
        return {"label": self.label, **stated, **start, "means_of": terms, **base}


Named = Sequence[tuple[tuple[LookUp, ...], str]]


def _term_entry(term: Term, names: Named) -> dict[str, Any]:
    if isinstance(term, Mark):
        return term.to_entry()
    for look_ups, name in names:
        if look_ups == (term,):
            return {"column": name}
    values = {code: None if n is None else float(n) for code, n in term.values.items()}
    return {"of": list(term.of), "values": values}


def figures_of(revision: Revision, reading: Reading) -> Iterator[dict[str, Any]]:
    """The figures of each randomized question of which the dashboard shows some."""
    questionnaire = questionnaire_of(revision)
    files = FileColumns(questionnaire)
    headings = {
        number: [column.heading for column in columns]
        for number, columns in files.of_questions.items()
    }
    anchors = {line.number: line for line in anchors_of(revision, reading)}
    for report, route in all_reports(revision, reading):
        number = _sent_with(questionnaire, report)
        is_sent = questionnaire.items[number - 1].is_randomized and number in headings
        if is_sent and not route.hides_estimates:
            place = Place(questionnaire, number, headings)
            figures = list(FIGURES(report.item, report, place))
            if anchor := anchors.get(report.number):
                figures += _of_anchor(report.item, anchor, place)
            columns = files.debiased[number]
            entries = [one.to_entry(columns) for one in figures if one.value is not None]
            about = {"number": report.number, "question": files.names[report.number - 1]}
            if entries:
                yield {**about, "text": report.item.text, "figures": entries}


def _sent_with(questionnaire: Questionnaire, report: Report) -> int:
    """The question whose report tells of this one: its own, or the first of its family."""
    for number, family in of_kind(FamilyQuestion, questionnaire.items):
        if report.number in family.members:
            return number
    return report.number


def _of_levels(item: LevelQuestion, report: ShareReport, place: Place) -> Iterator[Figure]:
    """Shares in the order shown, then those among the people who answered or were asked."""
    size, of = len(item.levels), place.own[0]

    def counts(*levels: int) -> LookUp:
        return look_up(item, of, counted(size, levels))

    for level, row in zip(item.display, report.rows, strict=False):
        yield _figure(row, counts(level))
    if report.among_answered:
        yield _figure(report.among_answered, counts(1), base=counts(0, 1))
    shown = [level for level in item.display if level in item.answerable]
    for level, row in zip(shown, report.among_asked, strict=False):
        top, asked = (_among(item, place, counted(size, one)) for one in ((level,), shown))
        yield _figure(row, top, base=asked)


def _among(item: LevelQuestion, place: Place, counts: Counts) -> LookUp:
    """What counts of people who were asked: a level of its own says it, or other reports do."""
    rule_and_sources = place.questionnaire.routes.told_by_others.get(place.number)
    if rule_and_sources is None:
        return look_up(item, place.own[0], counts)
    return among_asked(item, place, JointReports(*rule_and_sources, Counter()), counts)


def _of_scale(item: ScaleQuestion, report: ScaleReport, place: Place) -> Iterator[Figure]:
    """Shares, the sums of the first of them, and the mean, where the scale is asked for these."""
    yield from _of_levels(item, report, place)
    size, of = len(item.levels), place.own[0]
    for end, row in enumerate(report.sums, start=1):
        yield _figure(row, look_up(item, of, counted(size, item.display[:end])))
    if report.mean is not None:
        steps = {level: step for step, level in enumerate(item.display, start=1)}
        counts = tuple(Fraction(steps[level]) for level in range(size))
        yield Figure("Mean", report.mean, None, (look_up(item, of, counts),))


def _of_family(item: FamilyQuestion, report: FamilyReport, place: Place) -> Iterator[Figure]:
    """The answers to its first question, then each way through all of them."""
    size, of = len(item.levels), place.own[0]
    answers = answers_through(item, report.number, item.answers)
    ways = [levels for _, levels in answers] + [(level,) for level in item.display]
    for levels, row in zip(ways, (*report.rows, *report.ways), strict=False):
        yield _figure(row, look_up(item, of, counted(size, levels)))


def _of_follow_up(item: FollowUpQuestion, report: ShareReport, place: Place) -> Iterator[Figure]:
    """Shares among the people who were asked, by the reports of the family."""
    family = place.questionnaire.items[place.number - 1]
    if not isinstance(family, FamilyQuestion):
        return
    size, of = len(family.levels), place.own[0]
    answers = [levels for _, levels in answers_through(family, report.number, item.levels)]
    asked = look_up(family, of, counted(size, [level for levels in answers for level in levels]))
    for levels, row in zip(answers, report.among_asked, strict=False):
        yield _figure(row, look_up(family, of, counted(size, levels)), base=asked)


def _of_parts(item: PartsQuestion, report: PartsReport, place: Place) -> Iterator[Figure]:
    """Each level of each part that was sent of some people."""
    levels = (TICKED,) if isinstance(item, TicksQuestion) else item.display
    parts = [of for of, text in zip(place.own, item.parts, strict=True) if text not in report.empty]
    pairs = [(of, level) for of in parts for level in levels]
    for (of, level), row in zip(pairs, report.rows, strict=False):
        counts = counted(len(item.levels), (level,))
        yield _figure(row, look_up(item, of, counts, *PART_MARKS))


def _of_points(item: RoundedQuestion, report: RoundedReport, place: Place) -> Iterator[Figure]:
    """The mean; with answers beside the number it is a ratio, and each of these has a share."""
    codes = [level.code for level in item.levels]

    def scored(scores: Sequence[Fraction]) -> LookUp:
        by_code = dict(zip(codes, scores, strict=True))
        return looked_up(place.own[0], by_code, (item.not_asked,))

    base = scored(item.answered_scores) if item.special else None
    terms = (scored(item.scores),)
    yield Figure("Mean", report.mean, report.standard_error, terms, base=base)
    for position, row in enumerate(report.special):
        yield _figure(row, scored(item.special_scores(position)))


def _of_groups(item: GroupedQuestion, report: ShareReport, place: Place) -> Iterator[Figure]:
    """Both shares solve p a + (1 - p) b = f of the two groups, with f the share of yes in each.

    Source: Greenberg et al. (1969), unknown pi_Y.
    """
    first, second = item.group_probabilities
    apart = first - second
    yes = ((1 - second) / apart, -(1 - first) / apart)
    no = (-yes[0], -yes[1])
    other = (-second / apart, first / apart)
    for slopes, start, row in zip((yes, no, other), (0, 1, 0), report.rows, strict=False):
        terms = (_of_group(item, place.own[0], at, slope) for at, slope in enumerate(slopes))
        yield _figure(row, *terms, start=start)


def _of_group(item: GroupedQuestion, of: str, group: int, slope: Fraction) -> LookUp:
    """What a yes counts in one group; reports of the other group are left out."""
    codes = [level.code for level in item.reports]
    no, yes = codes[2 * group : 2 * group + 2]
    others = [code for code in codes if code not in (no, yes)]
    return looked_up(of, {no: Fraction(0), yes: slope}, (*others, item.not_asked))


def _of_pairs(item: RankedPairQuestion, report: RankReport, place: Place) -> Iterator[Figure]:
    """A mean rank: 1, and the share of people with each other thing before this one."""
    pairs = list(zip(place.own, item.pairs, strict=True))
    for row in report.rows:
        thing = item.ranked.index(row.label)
        terms = tuple(other_first(item, of, thing, pair) for of, pair in pairs if thing in pair)
        yield Figure(row.label, row.mean, row.standard_error, terms, start=1)


def _of_marks(item: ListQuestion, report: ShareReport, place: Place) -> Iterator[Figure]:
    """(f - q) / (p - q), with f the share of reports that mark an option.

    Source: Wang, Blocki, Li and Jha (2017), "pure" protocols.
    """
    p, q = Fraction(item.marks.p_true), Fraction(item.marks.p_other)
    options = {level.text: at for at, level in enumerate(item.levels)}
    for row in report.rows:
        option, apart = options[row.label], p - q
        mark = Mark(place.own[0], option, (1 - q) / apart, -q / apart)
        yield _figure(row, mark)


def _of_anchor(item: Any, line: AnchorLine, place: Place) -> Iterator[Figure]:
    """How many attended, and the question before, corrected for the people who did not.

    With f and g in {0, 1} the reports to the question and its anchor, p and q their harmless
    shares and e what attentive people report to the anchor, the means of (g - 1/2) / (e - 1/2),
    and of (g - 1/2)(p - 1/2) + (f - 1/2)(1/2 - q) divided by that of 2 (p - 1/2)(g - 1/2).
    Source: Atsusaka and Stevenson (2023), equations 5 and 6.
    """
    half, own = Fraction(1, 2), place.own[0]
    if line.attentive is not None:
        attended = _of_second(item, own, 1 / (expected_share(item) - half))
        yield Figure("Attended", line.attentive, None, (attended,))
    if line.correction is not None:
        p, q = line.correction.harmless
        before: Any = place.questionnaire.items[place.number - 2]
        asked = _of_second(before, place.headings[place.number - 1][0], half - q)
        top = _together(asked, _of_second(item, own, p - half))
        base = _of_second(item, own, 2 * (p - half))
        yield Figure(CORRECTED, line.correction.prevalence, None, (top,), base=base)


def _of_second(item: LevelQuestion, of: str, unit: Fraction) -> LookUp:
    """Half a unit for the second report, and less by a unit for the first."""
    codes = [level.code for level in item.reported_levels]
    scores = {code: (at - Fraction(1, 2)) * unit for at, code in enumerate(codes)}
    return looked_up(of, scores, (item.not_asked,))


def _together(first: LookUp, second: LookUp) -> LookUp:
    """The sum of what two columns count in a row; None where one of them counts nothing."""
    values = {
        f"{code}{BETWEEN}{other}": None if a is None or b is None else a + b
        for code, a in first.values.items()
        for other, b in second.values.items()
    }
    return LookUp(first.of + second.of, values)


def _figure(row: ShareRow, *terms: Term, start: int = 0, base: Term | None = None) -> Figure:
    return Figure(row.label, row.share, row.standard_error, terms, start, base)


def _nothing(item: Question, report: Report, place: Place) -> Iterator[Figure]:
    """Of direct answers nothing; of ratings the page shows how many there are."""
    return iter(())


FIGURES: Table[[Any, Place], Iterator[Figure]] = Table.with_levels(
    _of_levels,
    _nothing,
    long_scale=_of_scale,
    family=_of_family,
    follow_up=_of_follow_up,
    grouped=_of_groups,
    long_list=_of_marks,
    rounded=_of_points,
    ticks=_of_parts,
    matrix=_of_parts,
    ranked_pair=_of_pairs,
)
