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
        help_text=gettext_lazy("Two or more; hold Ctrl or Cmd to choose several."),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Between"),
        help_text=gettext_lazy("Groups by a question asked directly."),
    )
    metric = forms.ChoiceField(
        label=gettext_lazy("Distance of two people"),
        choices=[
            (Metric.EUCLIDEAN.value, gettext_lazy("straight (Euclid)")),
            (Metric.MANHATTAN.value, gettext_lazy("along the axes (Manhattan)")),
        ],
        help_text=gettext_lazy("Each answer is divided by its spread first."),
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
    title = sentence("Who differs on several questions at once?")
    explanation = sentence(
        "How far apart groups are on two or more numbers or scales together, in spreads of the "
        "answers."
    )
    nothing_to_ask = sentence(
        "This needs two questions with numbers or scales, and another one that was asked directly "
        "and separates groups."
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
                Card("found", gettext("How far apart"), answer),
                chart_card(_picture(result)),
                Card("means", gettext("The groups"), (_groups(result),)),
                Card("method", gettext("How this was computed"), (method,), is_fold=True),
            )
        )


def _sentence(result: CloudReport) -> str:
    first = max(result.pairs, key=lambda pair: pair.distance)
    return gettext(
        "To turn “{first}” into “{second}”, a person must move by {distance} spreads on average "
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
            "Distances in spreads, of randomized questions in half their range, the largest first"
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
        ResultColumn("method", gettext("How found"), lambda row: translated(row["method"])),
        ResultColumn("standard_error"),
        ResultColumn(
            "null_median",
            gettext("Usual if they did not differ"),
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
    return ResultTable(gettext("Means of each question, in its own unit"), columns, rows)


def _mean(position: int, row: Row) -> str:
    return number_words(row[f"mean {position}"])


def _method(result: CloudReport) -> Iterator[str]:
    """How it was computed, a sentence an item."""
    spread = gettext(
        "Each person is a point; each question is divided by its spread, so that units do not "
        "matter."
    )
    if result.are_randomized:
        spread += " " + gettext(
            "A randomized question is divided by half its range, the largest spread it can have: "
            "its own spread is not known well."
        )
    yield spread
    moved = gettext(
        "The distance is how far people must move on average to turn one group into the other."
    )
    if not result.is_on_grid:
        moved += " " + gettext(
            "It is exact for small groups. Large ones get the sliced distance, which is another "
            "and smaller one."
        )
    yield moved
    if result.are_randomized:
        yield gettext(
            "Some answers went through a random device. Each question is worked back through its "
            "own device. What comes out are estimated shares of all combinations of answers."
        )
    yield _interval_words(result)
    ordered = sorted(result.pairs, key=lambda pair: -pair.distance)
    yield from how_tested(ordered)
    yield gettext("Seed {seed}.").format(seed=result.settings["seed"])


def _interval_words(result: CloudReport) -> str:
    if result.is_on_grid:
        return gettext(
            "“Low” and “high” are the distance, less and plus what the noise of such surveys can "
            "do. They hold together for all pairs in 95 % of surveys. For a group with fewer than "
            "4 people a combination, two random halves of it say how much noise there is. The "
            "interval is wide for that reason."
        )
    return gettext(
        "“Low” and “high” are the distance, less and plus what two random halves of each group "
        "differ by. A half is farther from all people than a whole group is, so they hold in at "
        "least 95 % of surveys. They are wide for that reason."
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
        gettext("spreads, of randomized questions in half their range")
        if result.are_randomized
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
        table=figures.FigureTable(
            (gettext("Groups"), gettext("Distance"), gettext("By chance")),
            tuple((name, decimal(distance, 2), decimal(null, 2)) for name, distance, null in rows),
        ),
    )
