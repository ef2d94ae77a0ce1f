"""ArmsReport: how many people each arm has, and how its answers differ from those of others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np
from django.utils.translation import gettext

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
from surveys.results.analyses.findings import GroupFinding
from surveys.results.disclosure import least_apart
from surveys.results.reading import Reading
from surveys.tallies.queries import cells_of_question
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import number_words, percent
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
    def sides(self) -> tuple[Side, Side]:
        return self.first, self.second

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

    @property
    def level_words(self) -> str:
        return percent(self.level, 0)

    @property
    def sides(self) -> tuple[tuple[Side, str], ...]:
        """Each with its mean, in words; a dash while that is not shown."""
        means = self.means or (None, None)
        return tuple(
            (side, number_words(mean))
            for side, mean in zip((self.first, self.second), means, strict=True)
        )


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
    for one, other in combinations(_with_levels(questionnaire), 2):
        if _words(one[1]) == _words(other[1]) and asked[one[0]].isdisjoint(asked[other[0]]):
            first, second = sorted((one, other), key=lambda pair: -pair[1].epsilon)
            yield first, second


def compared_lists(questionnaire: Questionnaire) -> Iterator[tuple[Numbered, Numbered]]:
    """Pairs of counts of statements with the same words, the second of one statement more.

    No person is asked both of a pair.
    """
    asked = {
        n: set(questionnaire.routes.arms_asked(item)) for n, item in _with_levels(questionnaire)
    }
    for one, other in permutations(_with_levels(questionnaire), 2):
        sizes = [statements_counted(item) for _, item in (one, other)]
        is_pair = sizes[0] is not None and sizes[1] == sizes[0] + 1
        same_words = folded(one[1].text) == folded(other[1].text)
        if is_pair and same_words and asked[one[0]].isdisjoint(asked[other[0]]):
            yield one, other


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
        Side(number, item, arm_names(questionnaire, item), sum(found))
        for (number, item), found in zip(pair, counts, strict=True)
    )
    found = ArmComparison(first, second, least_apart(questionnaire), reading)
    if found.is_withheld:
        return found
    estimates = [
        DistributionEstimate(item.channel, count)
        for (_, item), count in zip(pair, counts, strict=True)
    ]
    # Both arms are asked the same of different people; the smaller plan is that of the difference.
    planned = [planned_answers(questionnaire, item) or 0 for _, item in pair]
    in_arms = reading.planned_for(min(planned) or None)
    answers = tuple(_differences(first, second, estimates, in_arms))
    return ArmComparison(first, second, found.least, reading, answers)


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
    found = ListExperiment(first, second, least, reading.level)
    if min(first.n, second.n) < least:
        return found
    difference = difference_of_means(means[1], means[0], reading.level)
    share = _cut_off(second.arms, None, difference.value, difference.interval)
    note = f"{translated(difference.interval.note)} {share.remark}".strip()
    return replace(found, means=tuple(mean.mean for mean in means), share=share, note=note)


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
    for place in (1,) if first.item.is_binary else first.item.display:
        shares = tuple(
            _share(side, estimate, place, reading)
            for side, estimate in zip((first, second), estimates, strict=True)
        )
        # The second minus the first.
        found = difference_of_shares(
            estimates[1], estimates[0], place, level=reading.level, method=reading.way
        )
        difference = _difference(second.arms, found.value, found.interval)
        yield AnswerDifference(first.item.levels[place].text, (shares[0], shares[1]), difference)


def _share(
    side: Side, estimate: DistributionEstimate, place: int, reading: Reading
) -> GroupFinding:
    interval = estimate.interval(place, reading.level, reading.way)
    return _cut_off(side.arms, side.n, float(estimate.shares[place]), interval)


def _cut_off(
    group: str, people: int | None, share: float | None, interval: Interval
) -> GroupFinding:
    """A share as shown: cut off at 0 and 1, and with a reason where that leaves nothing."""
    shown, value = interval.clipped(), None if share is None else min(max(share, 0.0), 1.0)
    reason = beyond_words(interval)
    return GroupFinding(group, people, None, value, shown, reason)


def _difference(group: str, value: float | None, interval: Interval) -> GroupFinding:
    """As shown: no difference of two shares is beyond -1 or 1."""
    low, high = (min(max(end, -1.0), 1.0) for end in (interval.low, interval.high))
    shown = None if value is None else min(max(value, -1.0), 1.0)
    return GroupFinding(group, None, None, shown, replace(interval, low=low, high=high))


def arm_names(questionnaire: Questionnaire, item: LevelQuestion) -> str:
    """The names of the arms in which a question is asked."""
    asked = questionnaire.routes.arms_asked(item)
    return ", ".join(arm.text for arm in questionnaire.arms if arm.code in asked)
