"""Ways out of weak protection: what an author can change, with the odds and the word it leads to.

Each change is tried: the draft's questions are put together with it, so that a button says what the
list says once it was pressed. What launch would refuse is no way out.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from functools import cached_property
from uuid import UUID

from django.utils.formats import localize
from django.utils.translation import gettext, ngettext

from surveys.authoring.draft.kinds import LONG_LISTS, LONG_SCALES, draft_kind
from surveys.authoring.draft.rules import ruled, rules_of
from surveys.authoring.draft.surveys import subset_reasons
from surveys.authoring.drafts import NotReady, item_of
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.models import Question, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.logic.quotes import quoted_in
from surveys.wording.learning import (
    MOST_FOR_NO,
    MOST_FOR_NOT_SURE,
    Learning,
    learning,
    who_learns,
)
from surveys.wording.odds import odds_words
from surveys.wording.protection import question_numbers

DESIGNS = Question.Design
BY_EPSILON = frozenset({DESIGNS.K_ARY}) | LONG_LISTS | LONG_SCALES
FINEST = Decimal("0.01")  # the least epsilon that a question's form takes
DELETING = "without"  # how the codes of these begin
WANTED = ((Learning.NO, MOST_FOR_NO), (Learning.NOT_FOR_SURE, MOST_FOR_NOT_SURE))
Items = Sequence[PromisedQuestion]


@dataclass(frozen=True)
class DrawPart:
    """Ask each person so many of the protected questions, drawn by chance."""

    asked: int
    size: int

    @property
    def code(self) -> str:
        """What a button sends, so that what was shown is what is done."""
        return f"draw {self.asked} of {self.size}"

    @property
    def words(self) -> str:
        return gettext("Ask each person {asked} of the {size} protected questions").format(
            asked=self.asked, size=self.size
        )

    @property
    def price(self) -> str:
        """What it costs the researcher."""
        return gettext(
            "Chance draws the questions, and about {asked} of {size} people answer each question."
        ).format(asked=self.asked, size=self.size)


@dataclass(frozen=True)
class ProtectMore:
    """Give protected questions an epsilon; ``questions`` are changed copies, not saved."""

    epsilon: Decimal
    numbers: tuple[int, ...]
    questions: tuple[Question, ...]

    @property
    def code(self) -> str:
        return f"epsilon {self.epsilon} for {len(self.questions)}"

    @property
    def words(self) -> str:
        return ngettext(
            "Protect more ({questions}, epsilon {epsilon})",
            "Protect more ({questions}, epsilon {epsilon} each)",
            len(self.numbers),
        ).format(questions=question_numbers(self.numbers), epsilon=localize(self.epsilon))

    @property
    def price(self) -> str:
        return gettext(
            "With this change, the survey needs more people. The planner shows how many."
        )


@dataclass(frozen=True)
class LeaveOut:
    """Delete questions of a draft: one, or one with its follow-ups."""

    numbers: tuple[int, ...]
    questions: tuple[Question, ...]

    @property
    def code(self) -> str:
        return f"{DELETING} {' '.join(str(question.pk) for question in self.questions)}"

    @property
    def words(self) -> str:
        return ngettext(
            "Leave out question {numbers}", "Leave out questions {numbers}", len(self.numbers)
        ).format(numbers=", ".join(map(str, self.numbers)))

    @property
    def price(self) -> str:
        return ""


Change = DrawPart | ProtectMore | LeaveOut


@dataclass(frozen=True)
class Way:
    """A change, and the questionnaire that it makes."""

    change: Change
    reached: Questionnaire

    @property
    def leads_to(self) -> str:
        """The odds and the word of all answers of one person, once it is done.

        It goes on after "Then" or "Now".
        """
        return gettext("{odds}, and respondents read “{word}”.").format(
            odds=odds_words(self.reached.loss.epsilon), word=who_learns(self.reached)
        )

    @property
    def price(self) -> str:
        """What it costs the researcher, and people with a coin of their own."""
        return " ".join(filter(None, (self.change.price, without_coin_words(self.reached))))


def without_coin_words(questionnaire: Questionnaire) -> str:
    """Which protected questions the path with a coin of one's own leaves out; empty for none."""
    path = questionnaire.own_coin
    numbers = [
        str(number)
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_randomized and item in path.left_out
    ]
    if not numbers or path.is_refused:
        return ""
    return ngettext(
        "People who use their own coin are not asked question {numbers}, because coin flips "
        "cannot produce the odds of this question.",
        "People who use their own coin are not asked questions {numbers}, because coin flips "
        "cannot produce the odds of these questions.",
        len(numbers),
    ).format(numbers=", ".join(numbers))


class Trials:
    """A draft whose questions are finished, and what it would be with a change."""

    def __init__(
        self, survey: Survey, questions: Sequence[Question], drafted: Questionnaire
    ) -> None:
        """``drafted`` is what the questions make together as they are."""
        self.survey, self.questions, self.drafted = survey, list(questions), drafted

    @cached_property
    def is_weak(self) -> bool:
        """Whether there is a better word for what all protected answers tell together."""
        return learning(self.drafted) is not Learning.NO

    def ways(self) -> Iterator[Way]:
        """Changes of the whole draft, each to the better words that there are."""
        if self.is_weak:
            yield from self._parts()
            yield from self._epsilons()

    def leaving_out(self) -> dict[UUID, Way]:
        """For each protected question, what the draft would be without it and its follow-ups.

        By the question's key. One that others quote, or whose answer other rules read, has none.
        """
        ways: dict[UUID, Way] = {}
        for number in range(1, len(self.questions) + 1) if self.is_weak else ():
            gone = _with_follow_ups(self.drafted.items[number - 1], number)
            if reached := self._without(gone):
                questions = tuple(self.questions[n - 1] for n in gone)
                ways[questions[0].pk] = Way(LeaveOut(gone, questions), reached)
        return ways

    @cached_property
    def _alone(self) -> list[PromisedQuestion]:
        return [item_of(question) for question in self.questions]

    def _better(self) -> list[tuple[Learning, float]]:
        now = learning(self.drafted)
        return [(word, bound) for word, bound in WANTED if word < now]

    def _parts(self) -> Iterator[Way]:
        """The most questions that each person can be asked for a better word."""
        fewer = [replace(self.drafted, asked=count) for count in range(1, self.drafted.draw.count)]
        # The more are asked the worse is the word, so it is looked up as in a dictionary.
        most = (bisect_right(fewer, word, key=learning) for word, _ in self._better())
        for asked in dict.fromkeys(filter(None, most)):
            if reached := self._tried(self.questions, self._alone, asked):
                yield Way(DrawPart(asked, self.drafted.draw.size), reached)

    def _epsilons(self) -> Iterator[Way]:
        """One epsilon for all questions that can have one, so small that the word gets better."""
        best = learning(self.drafted)
        for _, bound in reversed(self._better()):
            change = self._protected_more(bound)
            reached = change and self._more_protected(change)
            if change and reached and learning(reached) < best:
                best = learning(reached)
                yield Way(change, reached)

    def _more_protected(self, change: ProtectMore) -> Questionnaire | None:
        """None where so small an epsilon lets nothing be worked out."""
        try:
            return self._tried(*self._with(change.questions), self.drafted.asked)
        except NotReady:
            return None

    def _protected_more(self, bound: float) -> ProtectMore | None:
        """So that the epsilons of one person add up to the bound; None where others exceed it."""
        pairs = zip(self.questions, self.drafted.items, strict=True)
        free = {n: pair for n, pair in enumerate(pairs, start=1) if _takes_epsilon(*pair)}
        if not free:
            return None
        each = self._shared(bound, [item.epsilon for _, item in free.values()])
        # To six digits first: three fifths are a little less in binary, and would become .59.
        typed = Decimal(f"{each:.6f}").quantize(FINEST, ROUND_FLOOR)
        weaker = [n for n, pair in free.items() if pair[1].epsilon > typed]
        if typed < FINEST or not weaker:
            return None
        changed = tuple(_at(free[n][0], typed) for n in weaker)
        return ProtectMore(typed, tuple(weaker), changed)

    def _shared(self, bound: float, epsilons: Sequence[float]) -> float:
        """The largest epsilon to which these may be lowered for the bound; below 0 for none."""
        if self.drafted.asked is not None:
            return bound / self.drafted.draw.count
        fixed = sum(item.epsilon for item in self.drafted.randomized) - sum(epsilons)
        return lowered_to(bound - fixed, epsilons)

    def _with(self, changed: Sequence[Question]) -> tuple[list[Question], list[PromisedQuestion]]:
        """All questions, these in place of their own. Raises NotReady."""
        by_key = {question.pk: question for question in changed}
        questions = [by_key.get(question.pk, question) for question in self.questions]
        items = [
            item_of(question) if question.pk in by_key else item
            for question, item in zip(questions, self._alone, strict=True)
        ]
        return questions, items

    def _without(self, gone: Sequence[int]) -> Questionnaire | None:
        """None where others need these questions, or where they tell nothing about a person."""
        kept = [n for n in range(1, len(self.questions) + 1) if n not in gone]
        texts = (self.questions[n - 1].text for n in kept)
        if not gone or any(set(quoted_in(text)) & set(gone) for text in texts):
            return None
        questions = [self.questions[n - 1] for n in kept]
        items, reasons = ruled(self.survey, questions, [self._alone[n - 1] for n in kept])
        return None if reasons else self._made(items, self.drafted.asked)

    def _tried(
        self, questions: Sequence[Question], items: Items, asked: int | None
    ) -> Questionnaire | None:
        survey = copy(self.survey)
        survey.asked = asked
        ruled_items, reasons = rules_of(survey, questions, items)
        return None if reasons else self._made(ruled_items, asked)

    def _made(self, items: Items, asked: int | None) -> Questionnaire | None:
        made = replace(self.drafted, items=tuple(items), asked=asked)
        survey = copy(self.survey)
        survey.asked = asked
        return None if any(subset_reasons(survey, made.draw.size)) else made


def lowered_to(total: float, epsilons: Sequence[float]) -> float:
    """The epsilon to which larger ones are lowered so that all add up to ``total``.

    The largest of them where they add up to less; below 0 where ``total`` is.
    """
    smallest_first, rest = sorted(epsilons), total
    for count, epsilon in zip(range(len(epsilons), 0, -1), smallest_first, strict=True):
        if epsilon * count >= rest:
            return rest / count
        rest -= epsilon
    return smallest_first[-1]


def _with_follow_ups(item: PromisedQuestion, number: int) -> tuple[int, ...]:
    """The numbers that go with a protected question; none for what is not protected."""
    if isinstance(item, FamilyQuestion):
        return item.members
    return (number,) if item.is_randomized or isinstance(item, FollowUpQuestion) else ()


def _takes_epsilon(question: Question, item: PromisedQuestion) -> bool:
    """Whether an epsilon can be typed for it, or for what stands in place of its two coins."""
    by_coins = question.design == DESIGNS.TWO_COINS
    is_free = question.design in BY_EPSILON or by_coins
    return item.is_randomized and is_free and (not by_coins or _has_k_ary(question))


def _has_k_ary(question: Question) -> bool:
    return DESIGNS.K_ARY in draft_kind(question).designs


def _at(question: Question, epsilon: Decimal) -> Question:
    changed = copy(question)
    if changed.design == DESIGNS.TWO_COINS:  # their odds are those of fair coins
        changed.design = DESIGNS.K_ARY
    changed.epsilon = epsilon
    return changed
