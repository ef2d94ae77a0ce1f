"""WeightsKind: weighted estimates as asked, shown and taken away: form, page and files."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from django import forms
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.reports.documents import (
    Block,
    Card,
    Document,
    Items,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
    number_column,
)
from surveys.results.analyses.forms import AnalysisForm, answerable, shortened, told_by_few
from surveys.results.analyses.kind import AnalysisKind, counted
from surveys.results.analyses.queries import CrossCounts, cross_counts
from surveys.results.analyses.weighted_people import SampleDesign
from surveys.results.analyses.weighting import (
    WEIGHTED_NAMES,
    WeightedReport,
    WeightedRow,
    weighted_report,
)
from surveys.results.reading import Reading
from surveys.results.shares import TOO_WIDE
from surveys.web.forms import LEVELS, refuse_thousands
from surveys.wording.language.numbers import count_words, number_words, percent

if TYPE_CHECKING:
    from surveys.models import Revision

# The fields of questions, each with that of the shares of its answers.
QUESTIONS = {"by": "margins", "by_2": "margins_2", "by_3": "margins_3"}
MORE_QUESTIONS = tuple(QUESTIONS)[1:]
UNITS = ("strata", "clusters")
NO_WEIGHTS = "none"
EQUAL = gettext_lazy("No weights: all people count alike")
# Empty is the default of the weights. By group is none for numbers, which have no groups.
WEIGHTED_METHODS = {
    "": gettext_lazy("Usual method for these weights"),
    **{name: WEIGHTED_NAMES[name] for name in ("korn-graubard", "wilson", "wald")},
}


def _shares_field(label: Any, help_text: Any = "", longest: int = 4000) -> forms.CharField:
    """Where the shares of a question's answers are typed."""
    return forms.CharField(
        label=label,
        required=False,
        max_length=longest,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=help_text,
    )


class WeightsForm(AnalysisForm):
    """Where the weights come from: a number, or the known shares of answers to some questions."""

    asks_with = "by"
    needed = ("by",)
    layout = "pairs"

    by = forms.ChoiceField(
        label=gettext_lazy("Weights come from"),
        help_text=gettext_lazy(
            "If the question asks for a number, this number is the person's weight. For other "
            "questions, enter the share of each answer option."
        ),
    )
    margins = _shares_field(
        gettext_lazy("Shares in the population"),
        gettext_lazy(
            "Enter one line for each answer option, such as “North: 32.5”. Use percentages or "
            "numbers of people."
        ),
    )
    by_2 = forms.ChoiceField(
        label=gettext_lazy("And from"),
        required=False,
        help_text=gettext_lazy(
            "Optional. With several questions, the weights reach the shares of each question "
            "(raking)."
        ),
    )
    # All three stand in one address, whose length servers limit.
    margins_2 = _shares_field(gettext_lazy("Shares of these answers"), longest=1000)
    by_3 = forms.ChoiceField(label=gettext_lazy("And from a third question"), required=False)
    margins_3 = _shares_field(gettext_lazy("Shares of the third question’s answers"), longest=1000)
    strata = forms.ChoiceField(
        label=gettext_lazy("Strata"),
        required=False,
        help_text=gettext_lazy(
            "Optional: the question that says which part of the population a person was drawn "
            "from, such as a region."
        ),
    )
    clusters = forms.ChoiceField(
        label=gettext_lazy("Clusters"),
        required=False,
        help_text=gettext_lazy(
            "Optional: the question that says with which group, such as a school, a person was "
            "drawn."
        ),
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Interval"), choices=list(WEIGHTED_METHODS.items()), required=False
    )
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")

    def offer_questions(self, query: QueryDict, hidden: Collection[Question]) -> None:
        """Fill the field that names questions."""
        self.hidden = hidden
        leveled = dict(answerable(self.items, hidden))
        offered = [each for each in self.direct_questions(hidden) if int(each[0]) in leveled]
        none = [(NO_WEIGHTS, EQUAL)] if offered else []
        self.offer("by", [*self.direct_questions(hidden), *none])
        for name in (*MORE_QUESTIONS, *UNITS):
            self.offer(name, [("", "–"), *offered])
        # As many questions as there are to choose from.
        for name, shares in list(QUESTIONS.items())[max(1, len(offered)) :]:
            del self.fields[name], self.fields[shares]
        if not offered:
            for name in UNITS:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """Shares belong to questions with answers; every answer has one."""
        self.population: list[dict[str, float]] = []
        for name, shares in QUESTIONS.items():
            if name in self.cleaned_data and shares in self.cleaned_data:
                self._clean_question(name, shares)
        for by in self.chosen:
            for number, _ in answerable(self.items):
                self.refuse_sharing("by", {str(number), by})
        if self.cleaned_data.get("by") == NO_WEIGHTS and not self.units:
            words = gettext("Choose where weights come from, or strata, or clusters.")
            self.add_error("by", words)
        if len(self.units) == 2 and len(set(self.units.values())) == 1:
            words = gettext("Strata and clusters come from different questions.")
            self.add_error("clusters", words)
        return self.cleaned_data

    def _clean_question(self, name: str, shares: str) -> None:
        """One question and the shares of its answers."""
        number, written = self.cleaned_data[name], self.cleaned_data[shares].strip()
        if number in ("", NO_WEIGHTS):
            if written:
                self.add_error(name, gettext("Choose the question that these shares belong to."))
            return
        if number in map(self.cleaned_data.get, takewhile(lambda each: each != name, QUESTIONS)):
            self.add_error(name, gettext("This question is already chosen."))
            return
        levels = dict(answerable(self.items)).get(int(number))
        if levels is None:
            self._clean_number(written)
            return
        try:
            self.population.append(_margins(levels, written))
        except forms.ValidationError as problem:
            self.add_error(shares, problem)

    def _clean_number(self, written: str) -> None:
        """A number is a weight by itself."""
        if written:
            words = gettext(
                "Leave this field empty: the question asks for a number, and this number is the "
                "weight."
            )
            self.add_error("margins", words)
        if len(self.chosen) > 1:
            words = gettext(
                "The number is the weight, so no other question can be added. Leave “And from” "
                "empty, or choose questions with answer options."
            )
            self.add_error("by", words)

    @property
    def chosen(self) -> list[str]:
        """The numbers of the questions that the weights come from, as they were typed."""
        numbers = (self.cleaned_data.get(name) for name in QUESTIONS)
        return [number for number in numbers if number and number != NO_WEIGHTS]

    @property
    def units(self) -> dict[str, int]:
        """The questions of strata and clusters."""
        return {name: int(number) for name in UNITS if (number := self.cleaned_data.get(name))}

    @property
    def numbers(self) -> list[int]:
        """All questions, each once, those that the weights come from first."""
        return list(dict.fromkeys([*map(int, self.chosen), *self.units.values()]))

    @property
    def design(self) -> SampleDesign:
        """What these questions say of the sample; the places are those after the first."""
        places = {name: self.numbers.index(number) + 1 for name, number in self.units.items()}
        has_weight = bool(self.chosen) and not self.population
        return SampleDesign(self.population, has_weight, **places)

    @property
    def written(self) -> list[str]:
        """The shares as they were typed, line by line."""
        return [
            line
            for shares in QUESTIONS.values()
            for line in self.cleaned_data.get(shares, "").splitlines()
        ]

    @property
    def reading(self) -> Reading:
        return Reading.chosen(self.cleaned_data)


SHARE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")


def _read_margin(line: str) -> tuple[str, str] | None:
    """An answer and its share, which stands behind the last colon, semicolon, = or tab.

    Read from the end, so that no part of a long line is looked at twice.
    """
    written = line.removesuffix("%").rstrip()
    before = written.rstrip("0123456789.")
    share, answer = written[len(before) :], before.rstrip()
    if answer.endswith((":", ";", "=")):
        answer = answer[:-1].rstrip()
    elif "\t" not in before[len(answer) :]:
        return None
    return (answer, share) if answer and SHARE.fullmatch(share) else None


def _margins(item: LevelQuestion, written: str) -> dict[str, float]:
    """Share of the population by code of the answer. Raises ValidationError."""
    codes = {level.text.casefold(): level.code for level in item.levels}
    shares: dict[str, float] = {}
    for line in filter(None, map(str.strip, written.splitlines())):
        read = _read_margin(line)
        code = codes.get(read[0].casefold()) if read else None
        if read is None or code is None:
            raise forms.ValidationError(
                gettext(
                    "The line “{line}” cannot be read. Write an answer option, a colon and a "
                    "number, such as “{answer}: 32.5”."
                ).format(line=shortened(line), answer=item.levels[0].text)
            )
        if code in shares:
            raise forms.ValidationError(
                gettext("“{answer}” is listed twice. Remove one of the two lines.").format(
                    answer=read[0]
                )
            )
        refuse_thousands([read[1]])
        shares[code] = float(read[1])
    # Who declined is in no census, so that answer may go without a share.
    asked = [level for level in item.levels if level.code not in shares and not level.declines]
    if asked:
        missing = ", ".join(level.text for level in asked)
        raise forms.ValidationError(
            gettext("Enter a share for each answer option. Missing: {answers}.").format(
                answers=missing
            )
        )
    if sum(shares.values()) <= 0:
        raise forms.ValidationError(gettext("At least one share must be above 0."))
    return shares


@dataclass(frozen=True)
class WeightedSurvey:
    """All questions, each weighted; ``margins`` are the shares as they were written.

    ``units``: the questions of strata and clusters.
    """

    weights_from: str
    margins: tuple[str, ...]
    units: dict[str, str]
    reports: tuple[WeightedReport, ...]


class WeightsKind(AnalysisKind):
    """Estimates in which people count by a weight."""

    name = "weighted"
    path = "weights"
    download = "weighted estimates"
    is_linked = False
    title = gettext_lazy("Weights")
    heading = gettext_lazy("Weighted estimates of “{survey}”")
    button = gettext_lazy("Show weighted estimates")
    nothing = gettext_lazy("No question to weight by")
    why_nothing = gettext_lazy(
        "Weights come from a question that is asked directly. The question asks for a number, "
        "or the shares of its answer options in the population are known. This survey has no "
        "such question."
    )
    refusal = gettext_lazy("No weighted estimate: {problem}.")
    files = gettext_lazy("These estimates (CSV)")
    asked_with = WeightsForm

    def read(self, revision: "Revision", form: WeightsForm) -> list[CrossCounts]:
        """The counts of each question with the weights."""
        numbers = [number for number, _ in told_by_few(form.items, form.hidden)]
        by = form.numbers
        choices = [[number, *by] for number in numbers if number not in by]
        return counted(revision, choices, cross_counts)

    def compute(self, data: list[CrossCounts], form: WeightsForm) -> WeightedSurvey | None:
        """Every question by these weights; None where there is no other question."""
        reports = tuple(weighted_report(counts, form.reading, form.design) for counts in data)
        weights_from = "; ".join(form.items[int(number) - 1].text for number in form.chosen)
        units = {name: form.items[number - 1].text for name, number in form.units.items()}
        made = WeightedSurvey(weights_from, tuple(form.written), units, reports)
        return made if reports else None

    def show(self, result: WeightedSurvey, source: str) -> Document:
        """A card for each question."""
        links = Part("surveys/results/analyses/files.html", str(self.files))
        rows = tuple(_row(report, row) for report in result.reports for row in report.rows)
        columns = tuple(map(ResultColumn, IN_FILES))
        return Document((links, *map(_card, result.reports)), ResultTable("", columns, rows))

    def facts(self, result: WeightedSurvey) -> dict[str, Any]:
        """Where the weights come from, and why a question has no estimate."""
        return {
            "weights_from": result.weights_from,
            **{name: result.units.get(name, "") for name in UNITS},
            "population_shares": list(result.margins),
            "notes": ["Shares are as computed: they may lie below 0 or above 1."],
            "problems": {
                report.item.text: report.problem for report in result.reports if report.problem
            },
        }


def _card(report: WeightedReport) -> Card:
    heading = format_html('<span class="place">{}.</span> {}', report.number, report.item.text)
    return Card(f"question-{report.number}", heading, blocks_of(report))


def blocks_of(report: WeightedReport) -> tuple[Block, ...]:
    """What is shown of one question: why it has no estimate, or its estimates."""
    if report.problem:
        return (Text(report.problem, is_warning=True),)
    words = gettext("Too few answers to say anything: the interval spans more than 50 points.")
    is_too_wide = any(row.interval.width > TOO_WIDE for row in report.rows)
    warning = (Text(words, is_warning=True),) if is_too_wide else ()
    notes = Items(report.notes, are_notes=True)
    return (*warning, Text(_worth(report)), _table(report), notes)


def _worth(report: WeightedReport) -> str:
    """How much the answers are worth by the weights alone, and who is left out."""
    words = ngettext(
        "{n} answer. Judged by its weight alone, this answer is as precise as "
        "<strong>{effective}</strong> answers of equal weight (Kish’s effective sample size).",
        "{n} answers. Judged by their weights alone, these answers are as precise as "
        "<strong>{effective}</strong> answers of equal weight (Kish’s effective sample size).",
        report.n,
    )
    effective = number_words(report.effective_n, 1)
    worth = format_html(words, n=count_words(report.n), effective=effective)
    if not report.left_out:
        return worth
    words = gettext("People left out because they have no weight or were not asked: {count}.")
    return format_html("{} {}", worth, words.format(count=count_words(report.left_out)))


def _table(report: WeightedReport) -> ResultTable:
    methods = dict.fromkeys(row.method_name for row in report.rows)
    caption = gettext("{level} intervals; method: {method}").format(
        level=report.reading.level_name, method="; ".join(methods)
    )
    columns = (
        ResultColumn("answer", gettext("Answer")),
        number_column("unweighted", gettext("Unweighted"), _clipped),
        number_column("weighted", gettext("Weighted"), _clipped, is_strong=True),
        number_column("standard_error", gettext("Standard error"), percent),
        number_column("interval", gettext("Low"), lambda interval: percent(interval.low)),
        number_column("interval", gettext("High"), lambda interval: percent(interval.high)),
        number_column("effective_n", gettext("Effective n"), lambda n: number_words(n, 1)),
    )
    return ResultTable(caption, columns, tuple(_row(report, row) for row in report.rows))


IN_FILES = (
    *("question", "answer", "n", "effective_n", "unweighted", "weighted", "standard_error"),
    *("low", "high", "method", "level"),
)


def _row(report: WeightedReport, row: WeightedRow) -> Row:
    """One answer; files have its shares as computed, pages within 0 and 1."""
    return {
        "question": report.item.text,
        "answer": row.label,
        "n": report.n,
        "effective_n": row.effective_n,
        "unweighted": row.plain,
        "weighted": row.share,
        "standard_error": row.standard_error,
        "low": row.interval.low,
        "high": row.interval.high,
        "interval": row.interval.clipped(),
        "method": f"weighted, {row.method_name}",
        "level": report.reading.stated,
    }


def _clipped(share: float) -> str:
    return percent(min(max(share, 0.0), 1.0))
