"""ArmsReport: how many people each arm has, how answers differ between arms; arms_card shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from uuid import UUID

import numpy as np
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext

from surveys.counts.queries import cells_of_question
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.arms import Arm, statements_counted, total_weight
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.plans.readings import planned_answers
from surveys.questionnaire.sharing import folded
from surveys.randomized_response.estimates import DistributionEstimate, MeanEstimate
from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.relations import difference_of_means, difference_of_shares
from surveys.reports.documents import (
    Block,
    Card,
    Items,
    ResultColumn,
    ResultTable,
    Row,
    SubCard,
    Text,
    number_column,
)
from surveys.results.analyses.findings import GroupFinding, finding_row, within_one
from surveys.results.disclosure import least_apart
from surveys.results.reading import Reading
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words, percent
from surveys.wording.odds import epsilon_words
from surveys.wording.readings import beyond_words


@dataclass(frozen=True)
class ArmRow:
    """One arm: how many of all people it was meant to get, and how many responses it has."""

    arm: Arm
    total: int
    responses: int

    @property
    def odds_words(self) -> str:
        return gettext("{weight} in {total}").format(weight=self.arm.weight, total=self.total)


@dataclass(frozen=True)
class Side:
    """One of two questions that are compared, and how many answered it."""

    number: int
    item: LevelQuestion
    arms: str
    n: int

    @property
    def way_words(self) -> str:
        """How it is asked."""
        if not self.item.is_randomized:
            return gettext("asked directly")
        return gettext("randomized, epsilon {epsilon}").format(epsilon=epsilon_words(self.item))


@dataclass(frozen=True)
class AnswerDifference:
    """One answer: its share on each side, and the difference, the second minus the first."""

    label: str
    shares: tuple[GroupFinding, GroupFinding]
    difference: GroupFinding


@dataclass(frozen=True)
class ArmComparison:
    """Two questions with the same words and answers, asked in different arms.

    The first is the one that is less protected. Nothing is shown while one of them has fewer
    people than ``least``.
    """

    first: Side
    second: Side
    least: int
    reading: Reading
    answers: tuple[AnswerDifference, ...] = ()

    @property
    def is_withheld(self) -> bool:
        return min(self.first.n, self.second.n) < self.least


@dataclass(frozen=True)
class ListExperiment:
    """How many statements hold, on average: of a list, and of the same list with one more.

    The difference of the means is the share of people for whom that one holds. Nothing is shown
    while one of them has fewer people than ``least``. ``note`` is what has to be known of
    the interval.
    """

    first: Side
    second: Side
    least: int
    level: float
    means: tuple[float, ...] = ()
    share: GroupFinding | None = None
    note: str = ""


@dataclass(frozen=True)
class ArmsReport:
    """All arms of a survey, and all that can be compared between them."""

    rows: tuple[ArmRow, ...]
    comparisons: tuple[ArmComparison, ...]
    lists: tuple[ListExperiment, ...]


def arms_report(revision: Revision, reading: Reading) -> ArmsReport | None:
    """What the arms of a survey say; None if it has none."""
    questionnaire = questionnaire_of(revision)
    if not questionnaire.arms:
        return None
    sizes = cells_of_question(revision.pk, len(questionnaire.row.variables))
    total = total_weight(questionnaire.arms)
    return ArmsReport(
        tuple(ArmRow(arm, total, sizes[arm.code]) for arm in questionnaire.arms),
        tuple(
            _comparison(revision, questionnaire, pair, reading)
            for pair in compared_questions(questionnaire)
        ),
        tuple(
            _list_experiment(revision, questionnaire, pair, reading)
            for pair in compared_lists(questionnaire)
        ),
    )


Numbered = tuple[int, LevelQuestion]


def compared_questions(questionnaire: Questionnaire) -> Iterator[tuple[Numbered, Numbered]]:
    """Pairs of questions with the same words and answers that no person is asked both of.

    Each with its number from 1; the one that tells more of a person first.
    """
    asked = {
        n: set(questionnaire.routes.arms_asked(item)) for n, item in _with_levels(questionnaire)
    }
    for pair in combinations(_with_levels(questionnaire), 2):
        (n, item), (m, other) = pair
        if _words(item) == _words(other) and asked[n].isdisjoint(asked[m]):
            first, second = sorted(pair, key=lambda numbered: -numbered[1].epsilon)
            yield first, second


def compared_lists(questionnaire: Questionnaire) -> Iterator[tuple[Numbered, Numbered]]:
    """Pairs of counts of statements with the same words, the second of one statement more.

    No person is asked both of a pair.
    """
    asked = {
        n: set(questionnaire.routes.arms_asked(item)) for n, item in _with_levels(questionnaire)
    }
    for short, long in permutations(_with_levels(questionnaire), 2):
        sizes = [statements_counted(item) for _, item in (short, long)]
        is_pair = sizes[0] is not None and sizes[1] == sizes[0] + 1
        same_words = folded(short[1].text) == folded(long[1].text)
        if is_pair and same_words and asked[short[0]].isdisjoint(asked[long[0]]):
            yield short, long


def _with_levels(questionnaire: Questionnaire) -> list[Numbered]:
    return list(of_kind(LevelQuestion, questionnaire.items))


def _words(item: LevelQuestion) -> tuple[str, ...]:
    return (folded(item.text), *(folded(level.text) for level in item.levels))


def _comparison(
    revision: Revision,
    questionnaire: Questionnaire,
    pair: tuple[Numbered, Numbered],
    reading: Reading,
) -> ArmComparison:
    codes = {number: cells_of_question(revision.pk, number) for number, _ in pair}
    counts = [
        tuple(codes[number][level.code] for level in item.reported_levels) for number, item in pair
    ]
    first, second = (
        Side(number, item, arm_names(questionnaire, item), sum(count))
        for (number, item), count in zip(pair, counts, strict=True)
    )
    comparison = ArmComparison(first, second, least_apart(questionnaire), reading)
    if comparison.is_withheld:
        return comparison
    estimates = [
        DistributionEstimate(item.channel, count)
        for (_, item), count in zip(pair, counts, strict=True)
    ]
    # Both arms are asked the same of different people; the smaller plan is that of the difference.
    planned = [planned_answers(questionnaire, item) or 0 for _, item in pair]
    in_arms = reading.planned_for(min(planned) or None)
    return replace(comparison, answers=tuple(_differences(first, second, estimates, in_arms)))


def _list_experiment(
    revision: Revision,
    questionnaire: Questionnaire,
    pair: tuple[Numbered, Numbered],
    reading: Reading,
) -> ListExperiment:
    means = [_mean_count(revision, numbered) for numbered in pair]
    first, second = (
        Side(number, item, arm_names(questionnaire, item), mean.n)
        for (number, item), mean in zip(pair, means, strict=True)
    )
    least = least_apart(questionnaire)
    experiment = ListExperiment(first, second, least, reading.level)
    if min(first.n, second.n) < least:
        return experiment
    difference = difference_of_means(means[1], means[0], reading.level)
    share = _cut_off(second.arms, None, difference.value, difference.interval)
    note = f"{translated(difference.interval.note)} {share.remark}".strip()
    return replace(experiment, means=tuple(mean.mean for mean in means), share=share, note=note)


def _mean_count(revision: Revision, numbered: Numbered) -> MeanEstimate:
    """The mean of a count, worked back through the question's channel."""
    number, item = numbered
    codes = cells_of_question(revision.pk, number)
    scores = np.arange(len(item.levels)) @ item.channel.scores
    counts = tuple(codes[level.code] for level in item.reported_levels)
    return MeanEstimate(tuple(scores.tolist()), counts)


def _differences(
    first: Side, second: Side, estimates: Sequence[DistributionEstimate], reading: Reading
) -> Iterator[AnswerDifference]:
    """Each answer in the order shown; of yes and no, yes alone, as one share says the other."""
    for answer in (1,) if first.item.is_binary else first.item.display:
        shares = tuple(
            _cut_off(
                side.arms,
                side.n,
                float(estimate.shares[answer]),
                estimate.interval(answer, reading.level, reading.way),
            )
            for side, estimate in zip((first, second), estimates, strict=True)
        )
        # The second minus the first.
        difference = difference_of_shares(
            estimates[1], estimates[0], answer, level=reading.level, method=reading.way
        )
        yield AnswerDifference(
            first.item.levels[answer].text,
            (shares[0], shares[1]),
            _difference(second.arms, difference.value, difference.interval),
        )


def _cut_off(
    group: str, people: int | None, share: float | None, interval: Interval
) -> GroupFinding:
    """A share as shown: cut off at 0 and 1, and with a reason where that leaves nothing."""
    shown, value = interval.clipped(), None if share is None else min(max(share, 0.0), 1.0)
    reason = beyond_words(interval)
    return GroupFinding(group, people, None, value, shown, reason)


def _difference(group: str, value: float | None, interval: Interval) -> GroupFinding:
    """As shown: no difference of two shares is beyond -1 or 1."""
    shown = None if value is None else min(max(value, -1.0), 1.0)
    return GroupFinding(group, None, None, shown, within_one(interval))


def arm_names(questionnaire: Questionnaire, item: LevelQuestion) -> str:
    """The names of the arms in which a question is asked."""
    asked = questionnaire.routes.arms_asked(item)
    return ", ".join(arm.text for arm in questionnaire.arms if arm.code in asked)


def arms_card(report: ArmsReport, survey_id: UUID) -> Card:
    """All of it as the dashboard shows it."""
    blocks: list[Block] = [Text(chance_words()), _sizes(report)]
    if not report.comparisons and not report.lists:
        words = gettext(
            "Questions are compared only if they are in different arms and have the same words "
            "and options. This survey has no such questions. <a "
            'href="{breakdowns}">Break-downs</a> compare the arms by questions that everyone '
            "was asked."
        )
        address = reverse("surveys:break-down", args=[survey_id])
        blocks.append(Text(format_html(words, breakdowns=address)))
    blocks += map(_comparison_card, report.comparisons)
    blocks += map(_list_card, report.lists)
    if report.comparisons:
        words = gettext(
            "A difference shows that the two ways of asking got different answers. A difference "
            "does not show which way of asking gets nearer to the truth."
        )
        blocks.append(Text(words))
    return Card("arms", gettext("Arms"), tuple(blocks))


def chance_words() -> str:
    """What chance has to do with arms."""
    return gettext(
        "Each person was put into one arm by chance only. So answers differ between arms for "
        "three reasons: how people were asked, who stopped because of how they were asked, and "
        "chance. The intervals show how large the effect of chance may be."
    )


def _sizes(report: ArmsReport) -> ResultTable:
    columns = (
        ResultColumn("arm", gettext("Arm")),
        ResultColumn("odds", gettext("Planned share"), is_number=True),
        number_column("responses", gettext("Responses"), count_words),
    )
    rows = tuple(
        {"arm": row.arm.text, "odds": row.odds_words, "responses": row.responses}
        for row in report.rows
    )
    return ResultTable("", columns, rows, gettext("Responses in each arm"))


def _comparison_card(comparison: ArmComparison) -> SubCard:
    first, second = comparison.first, comparison.second
    title = gettext("Questions {first} and {second}: {question}").format(
        first=first.number, second=second.number, question=first.item.text
    )
    sides = Items(tuple(map(_side_words, (first, second))))
    result: Block = (
        Text(_few_words(comparison.least))
        if comparison.is_withheld
        else _difference_table(comparison)
    )
    return SubCard(f"compared-{first.number}-{second.number}", title, (sides, result))


def _side_words(side: Side) -> str:
    return ngettext(
        "{arms}: question {number}, {way}, {n} answer.",
        "{arms}: question {number}, {way}, {n} answers.",
        side.n,
    ).format(arms=side.arms, number=side.number, way=side.way_words, n=count_words(side.n))


def _few_words(least: int) -> str:
    return gettext(
        "Fewer than {least} people have answered one of these two questions so far. Results "
        "appear when at least {least} people have answered each question."
    ).format(least=least)


def _difference_table(comparison: ArmComparison) -> ResultTable:
    """Each answer's share on both sides, and the difference below."""
    columns = (
        ResultColumn("answer", gettext("Answer")),
        ResultColumn("group", gettext("Arm")),
        ResultColumn("", gettext("Estimate"), _estimate_words, is_number=True),
        number_column("low", gettext("Low"), percent),
        number_column("high", gettext("High"), percent),
        ResultColumn("meaning", gettext("Result")),
    )
    caption = gettext(
        "Shares and their difference (second minus first, in percentage points). The confidence "
        "level of {level} applies to each interval separately; method: {method}"
    ).format(level=comparison.reading.level_name, method=comparison.reading.method_name)
    return ResultTable(caption, columns, tuple(_rows(comparison)))


def _rows(comparison: ArmComparison) -> Iterator[Row]:
    for answer in comparison.answers:
        for share in answer.shares:
            yield {**finding_row(share), "answer": answer.label, "meaning": share.remark}
        yield {
            **finding_row(answer.difference),
            "answer": answer.label,
            "group": gettext("Difference"),
            "meaning": answer.difference.verdict,
            "is_difference": True,
        }


def _estimate_words(row: Row) -> str:
    words = percent(row["estimate"])
    return format_html("<strong>{}</strong>", words) if "is_difference" in row else words


def _list_card(experiment: ListExperiment) -> SubCard:
    first, second = experiment.first, experiment.second
    title = gettext("List experiment, questions {first} and {second}: {question}").format(
        first=first.number, second=second.number, question=first.item.text
    )
    if experiment.share is None:
        sides = tuple(map(_side_words, (first, second)))
        result = _few_words(experiment.least)
    else:
        sides = tuple(map(_mean_words, (first, second), experiment.means))
        result = _holding_words(experiment, experiment.share)
    name = f"list-{first.number}-{second.number}"
    return SubCard(name, title, (Items(sides), Text(result)))


def _mean_words(side: Side, mean: float) -> str:
    return ngettext(
        "{arms}: question {number}, {way}, {n} answer; on average {mean} statements apply.",
        "{arms}: question {number}, {way}, {n} answers; on average {mean} statements apply.",
        side.n,
    ).format(
        arms=side.arms,
        number=side.number,
        way=side.way_words,
        n=count_words(side.n),
        mean=number_words(mean),
    )


def _holding_words(experiment: ListExperiment, share: GroupFinding) -> str:
    """The share of people for whom the statement holds that the longer list has."""
    words = gettext(
        "The longer list has one more statement. The difference between the lists estimates the "
        "share of people for whom this statement is true: <strong>{share}</strong>, with the "
        "{level} interval from {low} to {high}. The estimate is valid if two things are true: "
        "the longer list changes no answer about the other statements, and people count honestly."
    )
    row = finding_row(share)
    ends = {name: percent(row[name]) for name in ("low", "high")}
    estimate, level = percent(share.value), percent(experiment.level, 0)
    return format_html(
        "{} {}", format_html(words, share=estimate, level=level, **ends), experiment.note
    )
