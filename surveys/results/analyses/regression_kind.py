"""RegressionKind: regressions as asked, shown and taken away: form, page, chart and files."""

import math
from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.reports.documents import (
    Card,
    Document,
    Items,
    Part,
    Picture,
    ResultColumn,
    ResultTable,
    Row,
    Text,
    number_column,
)
from surveys.results.analyses.forms import (
    AnalysisForm,
    groupable,
    numbered,
    shortened,
    told_by_few,
)
from surveys.results.analyses.kind import AnalysisKind, counted
from surveys.results.analyses.queries import OutcomeCounts, outcome_counts
from surveys.results.analyses.regression_fits import IDENTITY
from surveys.results.analyses.regressions import (
    Choice,
    CoefficientRow,
    RegressionReport,
    regression,
)
from surveys.results.figures import charts
from surveys.results.figures.charts import Bar
from surveys.results.reading import Reading, with_interval
from surveys.web.drawing.figures import Figure
from surveys.web.forms import LEVELS
from surveys.wording.language.numbers import count_words, number_words

if TYPE_CHECKING:
    from surveys.models import Revision

LINK_NAMES = {
    "logit": gettext_lazy("logit (odds ratios)"),
    "probit": "probit",
    "cloglog": gettext_lazy("complementary log-log"),
    "cauchit": "cauchit",
}
MOST_PREDICTORS = 8
NUMBER = "number"  # in the place of an answer


class RegressionForm(AnalysisForm):
    """One answer of one question, explained by others."""

    asks_with = "outcome"
    needed = wide = ("outcome", "predictors")
    layout = ""

    outcome = forms.ChoiceField(
        label=gettext_lazy("Outcome"),
        help_text=gettext_lazy(
            "The answer to explain, compared with all other answers, or the number to explain."
        ),
    )
    predictors = forms.MultipleChoiceField(
        label=gettext_lazy("Predictors"),
        widget=forms.CheckboxSelectMultiple,
        help_text=format_lazy(
            gettext_lazy("Choose up to {most} questions."),
            most=MOST_PREDICTORS,
        ),
    )
    link = forms.ChoiceField(
        label=gettext_lazy("Link function (for answers)"),
        choices=list(LINK_NAMES.items()),
        initial="logit",
    )
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")

    def offer_questions(self, query: QueryDict, hidden: Collection[Question]) -> None:
        """Fill the fields that name questions and answers."""
        self.offer("outcome", list(_outcomes(self.items, hidden)))
        offered = groupable(self.items, hidden)
        self.offer("predictors", numbered((n, item) for n, item in offered))

    @property
    def has_choices(self) -> bool:
        """Whether there are an outcome and another question."""
        offered = [getattr(self.fields[name], "choices", ()) for name in self.needed]
        outcomes, predictors = ({value.partition("-")[0] for value, _ in each} for each in offered)
        return bool(outcomes) and len(outcomes | predictors) > 1

    def clean_predictors(self) -> list[str]:
        """Not too many: each takes a number of coefficients."""
        chosen = list(dict.fromkeys(self.cleaned_data["predictors"]))
        if len(chosen) > MOST_PREDICTORS:
            raise forms.ValidationError(
                gettext("Choose at most {most} questions.").format(most=MOST_PREDICTORS)
            )
        return chosen

    def clean(self) -> dict[str, Any]:
        """A question cannot explain itself."""
        outcome = str(self.cleaned_data.get("outcome", "")).partition("-")[0]
        if outcome in self.cleaned_data.get("predictors", []):
            self.add_error(
                "predictors",
                gettext(
                    "The outcome question cannot also be a predictor. Choose other predictors."
                ),
            )
        chosen = [outcome, *self.cleaned_data.get("predictors", [])]
        self.refuse_sharing("predictors", filter(None, chosen))
        if outcome and any(self._item(each).is_randomized for each in chosen[1:]):
            self._clean_link(self._item(outcome))
        return self.cleaned_data

    def _item(self, number: str) -> Question:
        return self.items[int(number) - 1]

    def _clean_link(self, outcome: Question) -> None:
        """An answer has one model with protected predictors."""
        if not IS_NUMBER(outcome) and self.cleaned_data.get("link", "logit") != "logit":
            words = gettext("With protected predictors, choose the logit link.")
            self.add_error("link", words)

    @property
    def numbers(self) -> list[int]:
        """The questions, the outcome first."""
        outcome = self.cleaned_data["outcome"].partition("-")[0]
        return [int(number) for number in (outcome, *self.cleaned_data["predictors"])]

    @property
    def choice(self) -> Choice:
        written = self.cleaned_data["outcome"].partition("-")[2]
        answer = None if written == NUMBER else int(written)
        reading = Reading("wald", int(self.cleaned_data["level"]) / 100)
        return Choice(answer, self.cleaned_data["link"], reading)


def _outcomes(
    items: tuple[Question, ...], hidden: Collection[Question]
) -> Iterator[tuple[str, str]]:
    """Every answer of every question, yes alone where no says the same; and every number."""
    leveled = dict(told_by_few(items, hidden))
    for number, item in enumerate(items, start=1):
        if number in leveled:
            yield from _answers_of(number, leveled[number])
        elif item not in hidden and IS_NUMBER(item):
            words = gettext("{number}. {question} (the number)")
            yield f"{number}-{NUMBER}", words.format(number=number, question=shortened(item.text))


def _answers_of(number: int, item: LevelQuestion) -> Iterator[tuple[str, str]]:
    for answer in (1,) if item.is_binary else item.display:
        words = f"{number}. {shortened(item.text)}: {shortened(item.levels[answer].text)}"
        yield f"{number}-{answer}", words


# Whether it can be explained as a number: of answers beside it no score is known.
IS_NUMBER: Table[[], bool] = Table.mostly(
    lambda item: False, number=lambda item: True, rounded=lambda item: not item.special
)


class RegressionKind(AnalysisKind):
    """One answer explained by other questions."""

    name = path = download = "regression"
    picture = "regression.svg"
    rows = "coefficients"
    title = gettext_lazy("Regression")
    heading = gettext_lazy("Regression in “{survey}”")
    button = gettext_lazy("Fit model")
    nothing = gettext_lazy("No questions for a regression")
    why_nothing = gettext_lazy(
        "A regression needs two questions with answers to choose from, or with numbers."
    )
    refusal = gettext_lazy("This model cannot be fitted: {problem}.")
    files = gettext_lazy("This model (CSV)")
    asked_with = RegressionForm

    def read(self, revision: "Revision", form: RegressionForm) -> OutcomeCounts:
        """The counts of the outcome with all predictors."""
        (counts,) = counted(revision, [form.numbers], outcome_counts)
        return counts

    def compute(self, data: OutcomeCounts, form: RegressionForm) -> RegressionReport:
        """Fit the model. Raises StatisticsError."""
        return regression(data, form.choice)

    def show(self, result: RegressionReport, source: str) -> Document:
        """Who is in it, the coefficients as a chart and as a table, and what to know of them."""
        blocks = (
            Text(_people(result)),
            Picture(coefficient_figure(result).of(source)),
            _table(result),
            Items(result.notes, are_notes=True),
            Part("surveys/results/analyses/files.html", str(self.files)),
        )
        return Document((Card("fitted", result.outcome, blocks),))

    def facts(self, result: RegressionReport) -> dict[str, Any]:
        """How well it fits, and who was left out."""
        return {
            "outcome": result.outcome,
            "predictors": list(result.predictors),
            "link": result.link,
            "method": result.method,
            "level": result.reading.stated,
            "n": result.n,
            "left_out": result.left_out,
            "log_likelihood": result.log_likelihood,
            "aic": result.aic,
            "notes": list(result.notes),
        }


def _people(report: RegressionReport) -> str:
    """How many there are, who was left out, and how well the model fits."""
    words = (
        gettext(
            "{n} people. People left out because they declined one of these questions or were "
            "not asked it: {count}."
        )
        if report.left_out
        else gettext("{n} people.")
    )
    people = words.format(n=count_words(report.n), count=count_words(report.left_out))
    if report.log_likelihood is None:
        return people
    fit = gettext("Log likelihood {likelihood}, AIC {aic}.").format(
        likelihood=number_words(report.log_likelihood, 2), aic=number_words(report.aic, 2)
    )
    return f"{people} {fit}"


def _table(report: RegressionReport) -> ResultTable:
    """Odds and likelihood ratios where the model has any."""
    odds = [ResultColumn("", gettext("Odds ratio"), odds_words, is_number=True)]
    odds = odds if report.link == "logit" else []
    ratio = gettext("Chi-squared") if report.is_tested_by_ratio else ""
    columns = (
        ResultColumn("outcome"),
        ResultColumn("column", gettext("Column"), _shown_name),
        ResultColumn("compared_with"),
        ResultColumn("", gettext("In words"), meaning),
        *odds,
        number_column("coefficient", gettext("Coefficient"), three_places),
        number_column("standard_error", gettext("Standard error"), three_places),
        number_column("low", gettext("Low"), three_places),
        number_column("high", gettext("High"), three_places),
        number_column("likelihood_ratio", ratio, number_words),
        number_column("p_value", gettext("p"), _p_words),
        *map(ResultColumn, ("link", "level", "method")),
    )
    caption = (
        gettext("Coefficients with {level} intervals (Wald) and likelihood-ratio tests")
        if report.is_tested_by_ratio
        else gettext("Coefficients with {level} intervals and tests (Wald)")
    )
    rows = tuple(row_of(report, row) for row in report.rows)
    return ResultTable(caption.format(level=report.reading.level_name), columns, rows)


def row_of(report: RegressionReport, row: CoefficientRow) -> Row:
    """One coefficient, for the page and its files."""
    return {
        "outcome": report.outcome,
        "column": row.name,
        "is_intercept": row.is_intercept,
        "compared_with": row.reference,
        "coefficient": row.value,
        "standard_error": row.standard_error,
        "low": row.low,
        "high": row.high,
        "likelihood_ratio": row.statistic,
        "p_value": row.p_value,
        "link": report.link,
        "level": report.reading.stated,
        "method": report.method,
    }


def three_places(value: float) -> str:
    """A coefficient, its error or an end of its interval, in words."""
    return number_words(value, 3)


def _shown_name(row: Row) -> str:
    """The name on a page; files have that of the statistics package."""
    return gettext("intercept") if row["is_intercept"] else str(row["column"])


def meaning(row: Row) -> str:
    """What a coefficient says, in plain words; nothing of the intercept."""
    if row["is_intercept"]:
        return "–"
    if row["low"] <= 0 <= row["high"]:
        return gettext("No clear difference.")
    if row["link"] == IDENTITY:
        return _more_or_less(row)
    if row["compared_with"]:
        more = gettext("More often yes than with “{reference}”.")
        less = gettext("Less often yes than with “{reference}”.")
    else:
        more = gettext("Each additional unit goes with more “Yes”.")
        less = gettext("Each additional unit goes with fewer “Yes”.")
    return (more if row["low"] > 0 else less).format(reference=row["compared_with"])


def _more_or_less(row: Row) -> str:
    """The same of an outcome that is a number."""
    if row["compared_with"]:
        more = gettext("Higher than with “{reference}”.")
        less = gettext("Lower than with “{reference}”.")
    else:
        more = gettext("Each additional unit goes with a higher outcome.")
        less = gettext("Each additional unit goes with a lower outcome.")
    return (more if row["low"] > 0 else less).format(reference=row["compared_with"])


def odds_words(row: Row) -> str:
    """The odds ratio with its interval; a dash where the link has none."""
    if row["link"] != "logit" or row["is_intercept"]:
        return "–"
    return with_interval(*(_odds(row[name]) for name in ("coefficient", "low", "high")))


def _odds(value: float) -> str:
    # Above a million a ratio says no more than that it is huge, and exp soon overflows.
    return gettext("above 1 million") if value > math.log(1e6) else number_words(math.exp(value), 2)


def _p_words(p_value: float | None) -> str:
    if p_value is not None and p_value < 1e-4:
        return f"< {number_words(1e-4, 4)}"
    return number_words(p_value, 4)


def coefficient_figure(report: RegressionReport) -> Figure:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    bars = tuple(
        Bar(row.name, row.value, row.low, row.high, three_places(row.value))
        for row in report.drawn_rows
    )
    coefficients = "; ".join(
        f"{bar.label} {with_interval(bar.words, three_places(bar.low), three_places(bar.high))}"
        for bar in bars
    )
    level = report.reading.level_name
    return Figure(
        "regression",
        report.outcome,
        gettext("Coefficients with {level} intervals: {coefficients}.").format(
            level=level, coefficients=coefficients
        ),
        partial(charts.coefficients, bars, report.link),
        gettext("Coefficients from {n} people, with {level} intervals (Wald).").format(
            n=count_words(report.n), level=level
        ),
    )
