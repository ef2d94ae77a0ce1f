"""BreakdownKind: break-downs as asked, shown and taken away: form, page, charts and files."""

from collections.abc import Collection, Iterator
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.counts.looks import planned_look_size
from surveys.kinds.picked.promise import PickedQuestion
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.kinds.question import Question
from surveys.reports.documents import (
    Block,
    Card,
    Document,
    Items,
    Part,
    Picture,
    ResultColumn,
    ResultTable,
    Row,
    SideBySide,
    Text,
)
from surveys.results.analyses.breakdowns import AnswerFindings, Breakdown, breakdown
from surveys.results.analyses.findings import (
    GroupFinding,
    GroupPairs,
    finding_row,
    interval_columns,
)
from surveys.results.analyses.forms import (
    AnalysisForm,
    answerable,
    groupable,
    numbered,
    told_by_few,
)
from surveys.results.analyses.kind import AnalysisKind, counted
from surveys.results.analyses.queries import CrossCounts, cross_counts
from surveys.results.disclosure import LEAST_CELL, LEAST_GROUP
from surveys.results.figures import charts
from surveys.results.figures.charts import Bar
from surveys.results.queries import reading_now, response_count
from surveys.results.reading import Reading, interval_words, methods_for
from surveys.web.drawing.figures import Figure
from surveys.web.forms import LEVELS
from surveys.wording.language.numbers import count_words, percent

if TYPE_CHECKING:
    from surveys.models import Revision

NOTHING = ("", gettext_lazy("No other question"))
EVERY_PAIR = "pairs"
COMPARED = [
    ("", gettext_lazy("each group with the largest group")),
    (EVERY_PAIR, gettext_lazy("every pair of groups")),
]
# Of more answers there are too many pairs to choose one from a list.
MOST_PAIRED = 12


class BreakdownForm(AnalysisForm):
    """Which question, by which others, read how."""

    asks_with = "question"
    needed = ("question",)

    question = forms.ChoiceField(label=gettext_lazy("Question"))
    by = forms.ChoiceField(label=gettext_lazy("Broken down by"))
    also_by = forms.ChoiceField(label=gettext_lazy("Also broken down by"), required=False)
    compare = forms.ChoiceField(label=gettext_lazy("Compare"), required=False)
    method = forms.ChoiceField(label=gettext_lazy("Interval"))
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")
    hold = forms.ChoiceField(
        label=gettext_lazy("Intervals are valid"),
        choices=[
            ("together", gettext_lazy("all together (wider)")),
            ("each", gettext_lazy("each separately")),
        ],
        initial="together",
    )

    def offer_questions(self, query: QueryDict, hidden: Collection[Question]) -> None:
        """Fill the fields that name questions, groups and intervals."""
        questions = told_by_few(self.items, hidden)
        grouped = groupable(self.items, hidden)
        groups = numbered(grouped)
        # Groups of two lists would be tens of thousands.
        further = [pair for pair in grouped if not isinstance(pair[1], PickedQuestion)]
        # An arm is drawn, so that only others are broken down by it.
        self.offer("question", numbered(pair for pair in questions if pair[1].id != FIELD))
        self.offer("by", groups)
        self.offer("also_by", [NOTHING, *numbered(further)])
        self.offer("method", methods_for(self.usual.looks))
        self.fields["method"].initial = self.usual.method
        self.offer("compare", [*COMPARED, *self._pairs(query)])

    def _pairs(self, query: QueryDict) -> list[tuple[str, str]]:
        """Pairs of the groups, by the positions of their answers, if these are few."""
        by = {str(n): item for n, item in answerable(self.items)}.get(query.get("by", ""))
        if by is None or query.get("also_by") or len(by.display) > MOST_PAIRED:
            return []
        words = gettext("“{group}” with “{other}”")
        texts = [level.text for level in by.levels]
        return [
            (f"{group}-{other}", words.format(group=texts[group], other=texts[other]))
            for other, group in combinations(by.display, 2)
        ]

    @property
    def comparison(self) -> GroupPairs:
        """What is set against what; a pair by the names of its groups."""
        chosen = self.cleaned_data["compare"]
        if chosen in dict(COMPARED):
            return GroupPairs(every_pair=chosen == EVERY_PAIR)
        by = dict(answerable(self.items))[int(self.cleaned_data["by"])]
        group, other = (by.levels[int(position)].text for position in chosen.split("-"))
        return GroupPairs(pair=(group, other))

    def clean(self) -> dict[str, Any]:
        """The same question twice says nothing."""
        fields = (self.cleaned_data.get(name) for name in ("question", "by", "also_by"))
        numbers = [number for number in fields if number]
        if len(set(numbers)) < len(numbers):
            self.add_error(
                "by", gettext("The same question is chosen twice. Choose different questions.")
            )
        self.refuse_sharing("by", numbers)
        return self.cleaned_data

    @property
    def numbers(self) -> list[int]:
        """The questions, the one that is broken down first."""
        chosen = (self.cleaned_data[name] for name in ("question", "by", "also_by"))
        return [int(number) for number in chosen if number]

    @property
    def reading(self) -> Reading:
        return Reading.chosen(self.cleaned_data, self.usual.looks)

    @property
    def together(self) -> bool:
        return bool(self.cleaned_data["hold"] == "together")


class LookStanding(NamedTuple):
    """The survey's planned look: at how many responses, if it was kept, and whether that is now."""

    size: int | None
    is_now: bool


class BreakdownKind(AnalysisKind):
    """One question by others."""

    name = path = download = "break-down"
    picture = "break-down/<int:number>.svg"
    title = gettext_lazy("Break-downs")
    heading = gettext_lazy("Break-downs of “{survey}”")
    button = gettext_lazy("Break down")
    nothing = gettext_lazy("Nothing to break down")
    why_nothing = gettext_lazy("This survey has no question with answers to choose from.")
    refusal = gettext_lazy("This break-down cannot be estimated: {problem}.")
    files = gettext_lazy("This break-down (CSV)")
    asked_with = BreakdownForm
    least_group, largest_cell = LEAST_GROUP, LEAST_CELL - 1  # as its help says them

    def form(self, revision: "Revision", query: QueryDict) -> BreakdownForm:
        """What the address asks for, of arms too; read as the survey is unless it says how."""
        row = questionnaire_of(revision).row
        usual = reading_now(revision.survey, revision)
        return BreakdownForm(query, items=row.variables, hidden=row.hidden, usual=usual)

    def read(self, revision: "Revision", form: BreakdownForm) -> tuple[CrossCounts, LookStanding]:
        """The counts of all questions together, and how the planned look stands to them."""
        (counts,) = counted(revision, [form.numbers], cross_counts)
        size = planned_look_size(revision.pk)
        return counts, LookStanding(size, size == response_count(revision))

    def compute(
        self, data: tuple[CrossCounts, LookStanding], form: BreakdownForm
    ) -> tuple[Breakdown, LookStanding]:
        """Shares in each group, and their differences. Raises StatisticsError."""
        counts, look = data
        report = breakdown(counts, form.reading, together=form.together, comparison=form.comparison)
        return report, look

    def show(self, result: tuple[Breakdown, LookStanding], source: str) -> Document:
        """What it is about and what is left out; then each answer in all groups."""
        report, look = result
        about = (*_about(report, look), Items(report.notes, are_notes=True))
        if report.answers:
            about += (Part("surveys/results/analyses/files.html", str(self.files)),)
        heading = gettext("“{question}” by {groups}")
        title = heading.format(question=report.item.text, groups=by_words(report))
        cards = (_answer_card(report, answer, source) for answer in report.answers)
        return Document((Card("found", title, about), *cards), _all_rows(report))

    def facts(self, result: tuple[Breakdown, LookStanding]) -> dict[str, Any]:
        """What was asked, and how to read it."""
        report, _ = result
        withheld = (
            "A value that is empty was withheld; the reason is beside it. Shares are cut off at 0 "
            "and 1."
        )
        return {
            "question": report.item.text,
            "by": [item.text for item in report.by],
            "n": report.n,
            "left_out_because_not_asked": report.left_out,
            "method": report.reading.method_name,
            "level": report.reading.stated,
            "intervals_hold": hold_words(report),
            "pooled_groups": list(report.pooled),
            "withheld": report.withheld,
            "notes": [*report.notes, withheld],
        }


def _about(report: Breakdown, look: LookStanding) -> Iterator[Block]:
    """How many answers, how they are read, and what is not shown of them."""
    words = ngettext(
        "{n} answer. Method of the intervals: {method}.",
        "{n} answers. Method of the intervals: {method}.",
        report.n,
    ).format(n=count_words(report.n), method=report.reading.method_name)
    yield Text(f"{words} {correction_words(report)}")
    if look.is_now and not report.reading.is_live:
        yield Text(
            gettext(
                "This is the survey’s planned look at the results, with {n} responses. The "
                "planned look happens once. When more responses arrive, the dashboard keeps the "
                "results of the planned look, and break-downs use the confidence sequence."
            ).format(n=count_words(look.size or 0))
        )
    elif look.size and not look.is_now and report.reading.is_live:
        yield Text(
            gettext(
                "The planned look, with {n} responses, is over. The dashboard keeps the results "
                "of the planned look. Later numbers have intervals that stay valid together, "
                "however often you look."
            ).format(n=count_words(look.size))
        )
    if report.left_out:
        words = gettext(
            "People left out because they were not asked all of these questions: {count}."
        )
        yield Text(words.format(count=count_words(report.left_out)))
    if not report.n and report.left_out:
        yield Text(gettext("So far, no one has been asked all of these questions."))
    elif not report.n:
        yield Text(gettext("No answers yet. Shares appear with the first answers."))
    elif report.withheld:
        yield Text(withheld_words(), is_warning=True)
    elif report.pooled:
        words = gettext(
            "Combined into one group, so that no number describes only a few people: {groups}."
        )
        yield Text(words.format(groups="; ".join(report.pooled)), is_warning=True)


def by_words(report: Breakdown) -> str:
    """What the question is broken down by."""
    first, *others = (gettext("“{words}”").format(words=item.text) for item in report.by)
    return gettext("{one} and {other}").format(one=first, other=others[0]) if others else first


def correction_words(report: Breakdown) -> str:
    """Whether the intervals hold together."""
    return _correction(report).format(
        level=report.reading.level_name,
        groups=report.groups,
        failure=percent(1 - report.reading.stated, 0),
    )


def _correction(report: Breakdown) -> str:
    if report.groups < 2:
        return gettext("Each interval has a confidence level of {level}.")
    if not report.together:
        return gettext(
            "The confidence level of {level} applies to each interval separately. Among "
            "{groups} groups, some intervals may miss the true share."
        )
    if report.comparison.pair:
        return gettext(
            "The {groups} intervals of one option are widened (Bonferroni). The confidence "
            "level of {level} applies to all of them together. The interval of the difference "
            "has its own confidence level of {level}."
        )
    if report.reading.is_live and report.comparison.every_pair:
        return gettext(
            "The {groups} intervals of one option are widened (Bonferroni). The confidence "
            "level of {level} applies to all of them together. E-values (Benjamini and Hochberg) "
            "decide which group of a pair is called higher or lower. At any look, at most "
            "{failure} of the pairs that are called higher or lower are wrong on average. If no "
            "groups differ, the chance that any pair is ever called higher or lower is at most "
            "{failure}."
        )
    if report.reading.is_live and report.groups > 2:
        return gettext(
            "All intervals of one option are widened (Bonferroni). The {groups} intervals of "
            "the shares together have a confidence level of {level}. The intervals of the "
            "differences together also have a confidence level of {level}."
        )
    if report.reading.is_live:
        return gettext(
            "The {groups} intervals of one option are widened (Bonferroni). The confidence "
            "level of {level} applies to all of them together."
        )
    return gettext(
        "The {groups} intervals of one option are widened (Bonferroni). The confidence level of "
        "{level} applies to all of them together. Differences are tested by Holm's method. For "
        "each option, the chance that any difference is wrongly called higher or lower is at "
        "most {failure}."
    )


def hold_words(report: Breakdown) -> str:
    """The same in a few words, for files."""
    if not report.together:
        return "each on its own"
    if not report.reading.is_live:
        return "together (Bonferroni; Holm)"
    is_called = report.comparison.every_pair
    return "together (Bonferroni; e-BH)" if is_called else "together (Bonferroni)"


def withheld_words() -> str:
    """Why a break-down shows nothing at all."""
    return gettext(
        "No results are shown: even all groups together break the rule that protects small "
        "groups. A group must have at least {people} people. If answers were given directly, "
        "each count in a group must also be 0 or higher than {largest}."
    ).format(people=LEAST_GROUP, largest=LEAST_CELL - 1)


def _answer_card(report: Breakdown, answer: AnswerFindings, source: str) -> Card:
    """One answer in every group: the chart beside the shares and their differences."""
    blocks: list[Block] = [_share_table(report, answer)]
    if answer.differences:
        blocks.append(_difference_table(report, answer))
        if report.comparison.every_pair:
            blocks.append(Text(called_words(answer), is_note=True))
    elif report.comparison.pair:
        words = gettext(
            "These two groups are not compared: one group has too few people and is shown "
            "together with other groups."
        )
        blocks.append(Text(words, is_note=True))
    blocks += [Text(note, is_note=True) for note in _notes(answer)]
    columns: tuple[tuple[Block, ...], ...] = (tuple(blocks),)
    if any(finding.interval for finding in answer.shares):
        chart = Picture(group_figure(report, answer).of(source), answer.position)
        columns = ((chart,), *columns)
    return Card(f"answer-{answer.position}", answer.label, (SideBySide(columns),))


def _share_table(report: Breakdown, answer: AnswerFindings) -> ResultTable:
    has_reasons = any(finding.reason for finding in answer.shares)
    remark = ResultColumn("", gettext("Remark"), lambda row: str(row["why"]), is_remark=True)
    columns = (
        ResultColumn("group", gettext("Group")),
        ResultColumn("", gettext("People"), people_words, is_number=True),
        *interval_columns(gettext("Estimate")),
        *((remark,) if has_reasons else ()),
    )
    label = gettext("{answer}: shares by group").format(answer=answer.label)
    rows = tuple(map(partial(_row, report, answer, "share"), answer.shares))
    return ResultTable(gettext("Share in each group"), columns, rows, label)


def _difference_table(report: Breakdown, answer: AnswerFindings) -> ResultTable:
    columns = (
        ResultColumn("group", gettext("Group")),
        ResultColumn("reference", gettext("Compared with")),
        *interval_columns(gettext("Difference")),
        ResultColumn("verdict", gettext("Result")),
    )
    caption = gettext(
        "Differences between two groups, in percentage points; each interval has a confidence "
        "level of {level}"
    ).format(level=percent(answer.difference_level))
    label = gettext("{answer}: differences between groups").format(answer=answer.label)
    rows = tuple(map(partial(_row, report, answer, "difference"), answer.differences))
    return ResultTable(caption, columns, rows, label)


IN_FILES = (
    *("answer", "what", "group", "reference", "people", "estimate", "low", "high", "reason"),
    *("method", "level", "hold"),
)


def _all_rows(report: Breakdown) -> ResultTable:
    """For files: a row for each share and each difference; withheld values are empty."""
    rows = (
        _row(report, answer, kind, finding)
        for answer in report.answers
        for kind, findings in (("share", answer.shares), ("difference", answer.differences))
        for finding in findings
    )
    return ResultTable("", tuple(map(ResultColumn, IN_FILES)), tuple(rows))


def _row(report: Breakdown, answer: AnswerFindings, kind: str, finding: GroupFinding) -> Row:
    return {
        **finding_row(finding),
        "answer": answer.label,
        "what": kind,
        "method": report.reading.method_name,
        "level": report.reading.stated,
        "hold": "together" if report.together else "each",
    }


def people_words(row: Row) -> str:
    """How many there are; an estimate where it is unknown who belongs to the group."""
    if row["people"] is not None:
        return count_words(row["people"])
    if row["size"] is None:
        return "–"
    share = percent(min(max(row["size"], 0.0), 1.0), 0)
    return gettext("about {share}").format(share=share)


def called_words(answer: AnswerFindings) -> str:
    """The pairs that differ clearly."""
    pair = gettext("“{group}” {verdict} than “{other}”")
    clear = [
        pair.format(group=finding.group, verdict=finding.verdict, other=finding.than)
        for finding in answer.differences
        if finding.is_clear
    ]
    if not clear:
        return gettext("No clear differences between groups.")
    return gettext("Clear differences: {pairs}.").format(pairs="; ".join(clear))


def _notes(answer: AnswerFindings) -> tuple[str, ...]:
    """Why differences are a dash, and how intervals were made: each reason and way once."""
    why = (f"–: {finding.reason}" for finding in answer.differences if finding.reason)
    how = (finding.note for finding in (*answer.shares, *answer.differences) if finding.note)
    return tuple(dict.fromkeys((*why, *how)))


def group_figure(report: Breakdown, answer: AnswerFindings) -> Figure:
    """One answer's share in every group that can be told, as points on their intervals."""
    bars = tuple(
        Bar(finding.group, finding.value, interval.low, interval.high, percent(finding.value))
        for finding in answer.shares
        if (interval := finding.interval)
    )
    shares = "; ".join(
        f"{bar.label} {interval_words(percent(bar.low), percent(bar.high))}" for bar in bars
    )
    method = gettext("Method of the intervals: {method}.").format(method=report.reading.method_name)
    return Figure(
        f"groups-{answer.position}",
        gettext("“{question}”: {answer}, by {groups}").format(
            question=report.item.text, answer=answer.label, groups=by_words(report)
        ),
        gettext("{answer}, by group: {shares}.").format(answer=answer.label, shares=shares),
        partial(charts.shares, bars),
        gettext("Estimated share in each group, with intervals."),
        f"{method} {correction_words(report)}",
    )
