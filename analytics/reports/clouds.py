"""CloudsKind: how far apart groups are on several questions at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analytics.comparison.clouds import Metric
from analytics.kinds.clouds import CloudReport, CloudSettings, report_clouds
from analytics.kinds.settings import SettingsError, Watch
from analytics.reports import charts
from analytics.reports.asking import OFF, AskForm, choose, question_words, refuse
from analytics.reports.kind import NO_FACTS, AnswerKind, Choices, ReportFacts
from analytics.reports.names import name_words
from analytics.reports.words import how_tested, number_words, p_words, pair_words
from analytics.sources.survey_clouds import clouds_by
from analytics.sources.survey_scales import TELLS_GROUPS, has_position
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import (
    Block,
    Card,
    Document,
    Items,
    Lead,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
    chart_card,
)
from surveys.web.drawing import figures
from surveys.web.drawing.figures import Figure
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, grouped


class CloudsForm(AskForm):
    """Which numbers together, between which groups. ``can_ask``: there are two and a grouping."""

    questions = forms.MultipleChoiceField(
        label=gettext_lazy("Numbers and scales"),
        help_text=gettext_lazy("Choose two or more. Hold Ctrl or Cmd to choose several."),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Form groups by"),
        help_text=gettext_lazy("Choose a question that was asked directly."),
    )
    metric = forms.ChoiceField(
        label=gettext_lazy("Distance between two people"),
        choices=[
            (Metric.EUCLIDEAN.value, gettext_lazy("straight (Euclid)")),
            (Metric.MANHATTAN.value, gettext_lazy("along the axes (Manhattan)")),
        ],
        help_text=gettext_lazy(
            "Each answer is first divided by the spread of the answers to its question."
        ),
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, initial=0, widget=OFF)

    def __init__(self, data: Any, items: Sequence[tuple[int, Question]]) -> None:
        super().__init__(data)
        numbers = [(n, item) for n, item in items if has_position(item)]
        groups = [(n, item) for n, item in items if TELLS_GROUPS(item) and not item.is_randomized]
        choose(self, "questions", [(str(n), question_words(n, item)) for n, item in numbers])
        choose(self, "by", [(str(n), question_words(n, item)) for n, item in groups])
        self.can_ask = any(len({n for n, _ in numbers} - {by}) > 1 for by, _ in groups)

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        values = self.cleaned_data
        if not {"questions", "by", "metric", "seed"} <= set(values):
            return values
        numbers = tuple(int(n) for n in values["questions"])
        try:
            values["settings"] = CloudSettings(
                numbers, int(values["by"]), values["metric"], values["seed"]
            )
        except SettingsError as problem:
            refuse(self, problem)
        return values


class CloudsKind(AnswerKind):
    """How far apart groups are on two or more numbers or scales together."""

    name = "clouds"
    address = "clouds"
    title = sentence("Which groups differ on several questions together?")
    explanation = sentence(
        "How far apart groups are on two or more numbers or scales together. Distances are "
        "measured in spreads (standard deviations) of the answers."
    )
    nothing_to_ask = sentence(
        "This comparison needs two questions with numbers or scales. It also needs another "
        "question that was asked directly and forms groups."
    )
    how_to_read = (
        "distance is the earthmover distance between two groups of people, each person a point of "
        "answers divided by their spreads, randomized ones by half their range (units). low and "
        "high hold the true distance in at least 95 % of surveys, all pairs together. method says "
        "how it was found; a sliced distance is another one, with a standard_error. null_median is "
        "its median if groups did not differ. "
        "are_randomized: answers were worked back through their channels, on a grid."
    )

    def form(self, data: Any, choices: Choices) -> AskForm:
        """The form that asks for one."""
        return CloudsForm(data, choices.items)

    def settings(self, data: Mapping[str, Any]) -> CloudSettings:
        """Stored settings. Raises SettingsError."""
        return CloudSettings.from_data(data)

    def make(self, revision: Revision, settings: CloudSettings, watch: Watch) -> CloudReport:
        """Compare all pairs of groups. Raises ComparisonError, SettingsError."""
        clouds = clouds_by(revision, settings.questions, settings.by)
        items = questionnaire_of(revision).items
        texts = [items[number - 1].text for number in settings.questions]
        return report_clouds(clouds.groups, texts, settings, clouds.notes, watch)

    def read(self, document: Mapping[str, Any]) -> CloudReport:
        """A stored result. Raises DocumentError."""
        return CloudReport.from_document(document)

    def show(self, result: CloudReport, facts: ReportFacts = NO_FACTS) -> Document:
        """The distances, a picture, the groups, and how it was computed."""
        notes = (Text(translated(note), is_warning=True) for note in result.notes)
        links = Part("analytics/_taken_away.html", gettext("This comparison"))
        answer: tuple[Block, ...] = (Lead(_sentence(result)), *notes, _distances(result), links)
        method = Items(tuple(_method(result)))
        return Document(
            (
                Card("found", gettext("How different the groups are"), answer),
                chart_card(_picture(result)),
                Card("means", gettext("The groups"), (_groups(result),)),
                Card("method", gettext("How this was computed"), (method,), is_fold=True),
            )
        )


def _sentence(result: CloudReport) -> str:
    first = max(result.pairs, key=lambda pair: pair.distance)
    return gettext(
        "To turn “{first}” into “{second}”, people must move by {distance} spreads on average "
        "({method})."
    ).format(
        first=name_words(first.first),
        second=name_words(first.second),
        distance=decimal(first.distance, 2),
        method=translated(first.method),
    )


def _distances(result: CloudReport) -> ResultTable:
    caption = (
        gettext(
            "Distances in spreads (for randomized questions: in half their range), the largest "
            "first"
        )
        if result.are_randomized
        else gettext("Distances in spreads, the largest first")
    )
    columns = (
        ResultColumn("first"),
        ResultColumn("second"),
        ResultColumn("", gettext("Groups"), lambda row: pair_words(row["first"], row["second"])),
        ResultColumn("distance", gettext("Distance"), _distance, is_number=True, is_strong=True),
        ResultColumn("low", gettext("Low"), _said("low"), is_number=True),
        ResultColumn("high", gettext("High"), _said("high"), is_number=True),
        ResultColumn("method", gettext("Method"), lambda row: translated(row["method"])),
        ResultColumn("standard_error"),
        ResultColumn(
            "null_median",
            gettext("Usual distance by chance"),
            _said("null_median"),
            is_number=True,
        ),
        ResultColumn("p_value", gettext("p"), lambda row: p_words(row["p_value"]), is_number=True),
        ResultColumn("test"),
        ResultColumn(
            "corrected", gettext("p for all pairs"), lambda row: p_words(row["corrected"]), True
        ),
        ResultColumn("unit"),
    )
    rows = tuple({**asdict(pair), "unit": "spreads"} for pair in result.pairs)
    return ResultTable(caption, columns, rows, order=lambda row: -row["distance"])


def _said(name: str) -> Callable[[Row], str]:
    return lambda row: decimal(row[name], 3)


def _distance(row: Row) -> str:
    error = row["standard_error"]
    return decimal(row["distance"], 3) + (f" ± {decimal(error, 3)}" if error else "")


def _groups(result: CloudReport) -> ResultTable:
    """The means of each group; what is named by a place cannot be named twice by its text."""
    means = (
        ResultColumn(f"mean {position}", question, partial(_mean, position), is_number=True)
        for position, question in enumerate(result.questions)
    )
    columns = (
        ResultColumn("group", gettext("Group"), lambda row: name_words(row["group"])),
        ResultColumn(
            "people", gettext("People"), lambda row: grouped(row["people"]), is_number=True
        ),
        *means,
    )
    rows = tuple(
        {"group": name, "people": size} | {f"mean {n}": mean for n, mean in enumerate(own)}
        for name, size, own in zip(result.names, result.sizes, result.means, strict=True)
    )
    return ResultTable(
        gettext("Mean answer to each question, in the unit of the question"), columns, rows
    )


def _mean(position: int, row: Row) -> str:
    return number_words(row[f"mean {position}"])


def _method(result: CloudReport) -> Iterator[str]:
    """How it was computed, a sentence an item."""
    spread = gettext(
        "Each person is a point. The answers to each question are divided by their spread "
        "(standard deviation), so units do not matter."
    )
    if result.are_randomized:
        spread += " " + gettext(
            "The answers to a randomized question are divided by half their range, because their "
            "own spread is not known well. Half the range is the largest spread that answers can "
            "have."
        )
    yield spread
    moved = gettext(
        "The distance is how far people must move on average to turn one group into the other."
    )
    if not result.is_on_grid:
        moved += " " + gettext(
            "For small groups, the distance is exact. Large groups are compared with the sliced "
            "distance, a different measure with smaller values."
        )
    yield moved
    if result.are_randomized:
        yield gettext(
            "Some answers were randomized before they were sent. The effect of the "
            "randomization is removed for each question separately. This gives estimated shares "
            "of all combinations of answers."
        )
    yield _interval_words(result)
    ordered = sorted(result.pairs, key=lambda pair: -pair.distance)
    yield from how_tested(ordered)
    yield gettext("Seed {seed}.").format(seed=result.settings["seed"])


def _interval_words(result: CloudReport) -> str:
    if result.is_on_grid:
        return gettext(
            "“Low” is the distance minus the noise that such surveys can have, and “high” is "
            "the distance plus this noise. In 95 % of surveys, the intervals of all pairs "
            "contain the true distances. In a group with fewer than 4 people per combination of "
            "answers, the noise is estimated from two random halves of the group. This makes the "
            "interval wide."
        )
    return gettext(
        "To compute “low” and “high”, each group is split into two random halves. The "
        "difference between the halves is subtracted from the distance and added to the "
        "distance. A half is farther from the population than the full group is, so the interval "
        "is wide. In at least 95 % of surveys, the interval contains the true distance."
    )


def _picture(result: CloudReport) -> Figure:
    """The distances as bars, each beside what chance alone usually shows."""
    rows = tuple(
        (pair_words(pair.first, pair.second), pair.distance, pair.null_median)
        for pair in result.pairs
    )
    words = "; ".join(
        gettext("{name}: {found}, by chance {null}").format(
            name=name, found=decimal(distance, 2), null=decimal(null, 2)
        )
        for name, distance, null in rows
    )
    unit = (
        gettext("spreads (for randomized questions: half their range)")
        if result.are_randomized
        else gettext("spreads")
    )
    return Figure(
        "distances",
        gettext("Distances between groups, and the usual distance by chance"),
        gettext("Distances in {unit}. {words}.").format(unit=unit, words=words),
        partial(charts.distances, rows),
        gettext("Distances in {unit}. The line marks the usual distance by chance.").format(
            unit=unit
        ),
        table=figures.FigureTable(
            (gettext("Groups"), gettext("Distance"), gettext("By chance")),
            tuple((name, decimal(distance, 2), decimal(null, 2)) for name, distance, null in rows),
        ),
    )
