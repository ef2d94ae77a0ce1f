"""ComparisonKind: how differently groups, waves or surveys answer one question."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext

from analytics.kinds.comparisons import (
    SHOWN_LEVELS,
    ComparedPair,
    ComparisonReport,
    ComparisonSettings,
    report_comparison,
)
from analytics.kinds.settings import Watch
from analytics.reports.asking import AskForm
from analytics.reports.comparison_form import GroupsForm
from analytics.reports.comparison_pictures import pictures_of
from analytics.reports.kind import NO_FACTS, AnswerKind, Choices, ReportFacts
from analytics.reports.names import name_words
from analytics.reports.words import (
    how_tested,
    number_words,
    p_words,
    pair_words,
    points_words,
    share_words,
)
from analytics.sources.survey_answers import ComparedGroups, groups_by, surveys_with
from analytics.sources.survey_scales import is_same_scale
from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import (
    Block,
    Card,
    Document,
    Fold,
    Items,
    Lead,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
    chart_card,
)
from surveys.staff.access import may
from surveys.staff.roles import Ability
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, grouped, localized

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class ComparisonKind(AnswerKind):
    """How differently groups answer a question, in its own units."""

    name = "comparison"
    address = "groups"
    title = sentence("Who answers differently?")
    explanation = sentence(
        "How far apart the answers of groups are, in the units of the question. Each distance "
        "is compared with the distance that chance alone would give."
    )
    nothing_to_ask = sentence(
        "A comparison needs a question with a scale, and it needs groups. Groups come from "
        "another question with answers to choose from, or from another survey with the same "
        "question."
    )
    how_to_read = (
        "distance is the earthmover distance (Wasserstein-1) between the estimated laws of two "
        "groups, in the unit of the scale. null_median is its median if the groups did not differ. "
        "low and high hold the true distance, all pairs together at the level in settings. "
        "corrected is the p-value by Holm over all pairs. detectable is the smallest shift in one "
        "direction that is found in 80 % of such surveys; empty: none. laws are unbiased and may "
        "lie outside 0 and 1; shown are made presentable. are_hidden: who belongs to which group "
        "is known only through a randomized report, so that numbers of people are estimates."
    )

    def form(self, data: Any, choices: Choices) -> AskForm:
        """The form that asks for one."""
        return GroupsForm(data, choices.items, choices.others())

    def settings(self, data: Mapping[str, Any]) -> ComparisonSettings:
        """Stored settings. Raises SettingsError."""
        return ComparisonSettings.from_data(data)

    def check(self, settings: ComparisonSettings, by: "User") -> None:
        """Other surveys are compared by those who may read them. Raises NotAllowed."""
        for survey in Survey.objects.filter(pk__in=settings.surveys):
            if not may(by, survey, Ability.READ):
                raise NotAllowed(sentence("You are not allowed to read one of these surveys."))

    def make(
        self, revision: Revision, settings: ComparisonSettings, watch: Watch
    ) -> ComparisonReport:
        """Compare all groups. Raises ComparisonError, SettingsError, NotPossible."""
        compared = _compared(revision, settings)
        return report_comparison(compared.groups, compared.scale, compared.asked, settings, watch)

    def kept_with(self, revision: Revision, settings: ComparisonSettings) -> Revision:
        """Of the surveys compared, the one that promised to be erased first."""
        dated = [r for r in [revision, *_others(settings)] if r.survey.delete_on]
        return min(dated, key=lambda r: str(r.survey.delete_on), default=revision)

    def read(self, document: Mapping[str, Any]) -> ComparisonReport:
        """A stored result. Raises DocumentError."""
        return ComparisonReport.from_document(document)

    def show(self, result: ComparisonReport, facts: ReportFacts = NO_FACTS) -> Document:
        """The distances, pictures, the groups, who moves where, and how it was computed."""
        shown = in_words(result)
        pairs = sorted(shown.pairs, key=lambda pair: -pair.distance)
        answer: list[Block] = [Lead(_pair_sentence(shown, pairs[0]))]
        answer += [Text(note, is_warning=True) for note in shown.notes]
        answer += [_distances(result)]
        answer += [Text(_declined(pair)) for pair in pairs if pair.declined]
        answer += [Part("analytics/_taken_away.html", gettext("This comparison"))]
        return Document(
            (
                Card("found", gettext("How different the groups are"), tuple(answer)),
                *map(chart_card, pictures_of(shown)),
                _groups(shown),
                *(_plan(shown, pair) for pair in pairs if pair.plan),
                Card(
                    "method",
                    gettext("How this was computed"),
                    (Items(tuple(_method(shown, pairs))),),
                    is_fold=True,
                ),
            )
        )


def in_words(result: ComparisonReport) -> ComparisonReport:
    """The same with names, notes and tests in the language of the page."""
    pairs = (
        replace(
            pair,
            first=name_words(pair.first),
            second=name_words(pair.second),
            test=translated(pair.test),
        )
        for pair in result.pairs
    )
    names, notes = map(name_words, result.names), map(translated, result.notes)
    return replace(result, names=tuple(names), notes=tuple(notes), pairs=tuple(pairs))


def _compared(revision: Revision, settings: ComparisonSettings) -> ComparedGroups:
    if settings.by is not None:
        return groups_by(revision, settings.question, settings.by, settings.metric)
    others = [(other, number_in(revision, settings.question, other)) for other in _others(settings)]
    return surveys_with([(revision, settings.question), *others])


def number_in(revision: Revision, number: int, other: Revision) -> int:
    """The number of the same question in another survey. Raises NotPossible."""
    asked = questionnaire_of(revision).items[number - 1]
    for item_number, item in enumerate(questionnaire_of(other).items, start=1):
        if item.text == asked.text and is_same_scale(item, asked):
            return item_number
    title = questionnaire_of(other).title
    raise NotPossible(
        sentence("“{title}” does not ask this question with the same answers.", title=title)
    )


def _others(settings: ComparisonSettings) -> list[Revision]:
    found = []
    today = timezone.now().date()
    for key in settings.surveys:
        survey = Survey.objects.filter(pk=key).first()
        revision = revision_of(survey) if survey else None
        if survey is None or revision is None or is_erased(survey, today):
            raise NotPossible(sentence("All answers to one of these surveys are deleted."))
        found.append(revision)
    return found


def _distances(result: ComparisonReport) -> ResultTable:
    level = f"{float(result.settings['level']):.0%}".replace("%", " %")
    caption = gettext(
        "Distances, the largest first. In {level} of such surveys, all these intervals together "
        "contain the true distances."
    )
    corrected = gettext("p for all pairs") if len(result.pairs) > 1 else ""
    amount = partial(_amount_in, result)
    columns = (
        ResultColumn("first"),
        ResultColumn("second"),
        ResultColumn("", gettext("Groups"), lambda row: pair_words(row["first"], row["second"])),
        ResultColumn("distance", gettext("Distance"), amount("distance"), True, is_strong=True),
        ResultColumn("low", gettext("Low"), amount("low"), is_number=True),
        ResultColumn("high", gettext("High"), amount("high"), is_number=True),
        ResultColumn("level"),
        ResultColumn("shift"),
        ResultColumn(
            "null_median", gettext("Usual distance by chance"), amount("null_median"), True
        ),
        ResultColumn("p_value", gettext("p"), lambda row: p_words(row["p_value"]), is_number=True),
        ResultColumn("corrected", corrected, lambda row: p_words(row["corrected"]), is_number=True),
        ResultColumn("test"),
        ResultColumn(
            "detectable",
            gettext("Smallest detectable difference"),
            partial(_detectable, result),
            is_number=True,
        ),
        *map(ResultColumn, (*IN_FILES, "unit")),
    )
    rows = tuple(_pair_row(result, pair) for pair in result.pairs)
    label = gettext("Distances between groups")
    return ResultTable(
        caption.format(level=level), columns, rows, label, order=lambda row: -row["distance"]
    )


IN_FILES = (
    "first_people",
    "second_people",
    "declined_difference",
    "declined_low",
    "declined_high",
    "people_are_estimates",
)


def _pair_row(result: ComparisonReport, pair: ComparedPair) -> Row:
    sizes = dict(zip(result.names, result.sizes, strict=True))
    declined = pair.declined
    return {
        **asdict(pair),
        "first_people": sizes[pair.first],
        "second_people": sizes[pair.second],
        "declined_difference": declined and declined.difference,
        "declined_low": declined and declined.low,
        "declined_high": declined and declined.high,
        "people_are_estimates": result.are_hidden,
        "unit": result.unit,
    }


def _amount_in(result: ComparisonReport, name: str) -> Callable[[Row], str]:
    return lambda row: amount_words(result, row[name])


def _detectable(result: ComparisonReport, row: Row) -> str:
    if row["detectable"] is not None:
        return amount_words(result, row["detectable"])
    return "–" if result.unit == "metric" else gettext("none on this scale")


def _pair_sentence(result: ComparisonReport, pair: ComparedPair) -> str:
    moved = moved_words(result, pair.distance)
    is_clear = pair.corrected <= 0.05
    chance = (
        gettext("Chance alone rarely makes a difference this large.")
        if is_clear
        else gettext("Chance alone can make a difference this large, so no difference was found.")
    )
    return gettext(
        "To turn the answers of “{first}” into the answers of “{second}”, {moved}. {chance}"
    ).format(first=pair.first, second=pair.second, moved=moved, chance=chance)


def moved_words(result: ComparisonReport, distance: float) -> str:
    """A distance in the question's own units."""
    if result.unit == "answers":
        return gettext("{amount} of 100 people must change their answer").format(
            amount=decimal(100 * distance, 1)
        )
    if result.unit == "metric":
        return gettext(
            "an answer must move by {amount} on average, measured with the given distances"
        ).format(amount=number_words(distance))
    if result.unit == "units":
        return gettext("an answer must move by {amount} on average").format(
            amount=number_words(distance)
        )
    return gettext("on average an answer must move {amount} steps of the scale").format(
        amount=decimal(distance, 2)
    )


def _declined(pair: ComparedPair) -> str:
    if pair.declined is None:
        return ""
    declined = pair.declined
    return gettext(
        "Share of people who chose “Prefer not to say”: {share} of “{first}”, {other_share} of "
        "“{second}”. The difference is {difference} points ({low} to {high})."
    ).format(
        share=share_words(declined.first),
        first=pair.first,
        other_share=share_words(declined.second),
        second=pair.second,
        difference=points_words(declined.difference),
        low=points_words(declined.low),
        high=points_words(declined.high),
    )


def _average(result: ComparisonReport) -> str:
    if not result.average:
        return gettext("Answers without an order have no average pattern.")
    mean = sum(point * mass for point, mass in result.average)
    return gettext("The average pattern has {count} different values. Its mean is {mean}.").format(
        count=len(result.average), mean=number_words(mean)
    )


def _groups(result: ComparisonReport) -> Card:
    average = _average(result)
    if result.average:
        average += " " + gettext(
            "For this pattern, the answers of each group are sorted from lowest to highest. "
            "Then answers at the same rank are averaged over the groups, from the lowest answers "
            "to the highest."
        )
    blocks: list[Block] = [Text(average), _group_table(result)]
    if _has_few(result):
        computed = (
            f"{name}: {', '.join(localized(f'{share:.4f}') for share in law)}"
            for name, law in zip(result.names, result.laws, strict=True)
        )
        blocks.append(Fold(gettext("As computed"), (Items(tuple(computed)),)))
    heading = gettext("The groups and the average pattern")
    return Card("groups-heading", heading, tuple(blocks))


def _has_few(result: ComparisonReport) -> bool:
    """Whether a column for each answer fits a page."""
    return len(result.levels) <= SHOWN_LEVELS


def _group_table(result: ComparisonReport) -> ResultTable:
    shares = _level_columns(result) if _has_few(result) else ()
    columns = (
        ResultColumn("group", gettext("Group")),
        ResultColumn("people", gettext("People"), partial(_people, result), is_number=True),
        *shares,
        ResultColumn(
            "apart", gettext("Distance to average pattern"), partial(_apart, result), True
        ),
    )
    to_average = result.to_average or (None,) * len(result.names)
    rows = tuple(
        {"group": name, "people": size, "apart": apart, "shares": shown}
        for name, size, shown, apart in zip(
            result.names, result.sizes, result.shown, to_average, strict=True
        )
    )
    caption = gettext("Estimated shares of each answer among people who answered")
    return ResultTable(caption, columns, rows)


def _level_columns(result: ComparisonReport) -> tuple[ResultColumn, ...]:
    """A column for each answer, of the row's ``shares``; answers may read the same."""
    return tuple(
        ResultColumn("", level, partial(_share_of_level, number), is_number=True)
        for number, level in enumerate(result.levels)
    )


def _share_of_level(level: int, row: Row) -> str:
    return share_words(row["shares"][level])


def _people(result: ComparisonReport, row: Row) -> str:
    count = grouped(row["people"])
    return gettext("about {count}").format(count=count) if result.are_hidden else count


def _apart(result: ComparisonReport, row: Row) -> str:
    return "–" if row["apart"] is None else amount_words(result, row["apart"])


def _plan(result: ComparisonReport, pair: ComparedPair) -> Card:
    """Who moves where."""
    named = {"first": pair.first, "second": pair.second}
    moves = (
        ResultColumn("", level, partial(_moved, number), is_number=True)
        for number, level in enumerate(result.levels if _has_few(result) else ())
    )
    rows = tuple(
        {"level": level, "masses": masses}
        for level, masses in zip(result.levels, pair.plan, strict=False)
    )
    table = ResultTable(
        gettext("Shares of all people. The diagonal shows people whose answer stays the same."),
        (ResultColumn("level", gettext("From \\ to")), *moves),
        rows,
        gettext("Changes from {first} to {second}").format(**named),
    )
    title = gettext("Answers that would have to change, from “{first}” to “{second}”").format(
        **named
    )
    return Card("plan", title, (table,), is_fold=True)


def _moved(level: int, row: Row) -> str:
    mass = row["masses"][level]
    return share_words(mass) if mass else "–"


def _method(result: ComparisonReport, pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """How it was computed, a sentence an item."""
    yield gettext(
        "The distance is the earthmover distance: how far answers must move on average to turn "
        "one group's answers into the other group's answers. For randomized answers, the effect "
        "of the randomization is removed first."
    )
    if result.are_hidden:
        yield gettext(
            "The answers that form the groups were randomized, so it is not known who is in "
            "which group. The answers that form groups and the compared answers are therefore "
            "counted in one table. The effect of both randomizations is removed from this table. "
            "Each row of the table then shows the shares of one group."
        )
        yield gettext(
            "If the compared answers are independent of the groups, the reported answers are "
            "independent of the reported groups too. So reported answers and reported groups can "
            "be paired again at random. This gives an exact test of two groups. With more "
            "groups, the test is approximate."
        )
    yield gettext(
        "An estimated distance is never quite 0, even if the groups do not differ. So the table "
        "also shows the distance that chance alone usually gives."
    )
    yield from how_tested(pairs)
    if len(pairs) > 1:
        yield gettext("“p for all pairs” is corrected for the number of comparisons (Holm).")
    yield gettext(
        "The smallest detectable difference is a shift in one direction. The test finds a shift "
        "of this size in 80 % of such surveys."
    )
    yield gettext(
        "Shares below 0 or above 100 % are caused by chance. Pictures and tables of changes show "
        "the nearest possible shares."
    )
    yield gettext("Seed {seed}.").format(seed=result.settings["seed"])


def amount_words(result: ComparisonReport, distance: float) -> str:
    """A distance in the unit of its scale."""
    if result.unit == "answers":
        return gettext("{number} points").format(number=decimal(100 * distance, 1))
    return number_words(distance)


def beside_blocks(
    first: ComparisonReport, second: ComparisonReport, first_name: str, second_name: str
) -> tuple[Block, ...]:
    """Every pair of groups of either comparison, with its distance and interval in both."""
    pairs = [
        {frozenset((pair.first, pair.second)): pair for pair in in_words(report).pairs}
        for report in (first, second)
    ]
    rows = tuple(
        {
            "groups": " – ".join(sorted(groups)),
            "first": _beside(first, pairs[0].get(groups)),
            "second": _beside(second, pairs[1].get(groups)),
        }
        for groups in dict.fromkeys([*pairs[0], *pairs[1]])
    )
    if not rows:
        return ()
    columns = (
        ResultColumn("groups", gettext("Groups")),
        ResultColumn("first", first_name),
        ResultColumn("second", second_name),
    )
    intro = gettext(
        "Each column shows the distance between two groups in one comparison, with its interval. "
        "Groups are matched by their names."
    )
    table = ResultTable("", columns, rows)
    return (Card("beside", gettext("Pair by pair"), (Text(intro), table)),)


def _beside(report: ComparisonReport, pair: ComparedPair | None) -> str:
    if pair is None:
        return "–"
    return gettext("{amount} ({low} to {high}), p = {p}").format(
        amount=amount_words(report, pair.distance),
        low=amount_words(report, pair.low),
        high=amount_words(report, pair.high),
        p=p_words(pair.corrected),
    )
