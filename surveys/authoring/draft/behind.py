"""Questions behind protected answers: families, reports of their own, and what launch refuses.

Whether such a question is asked depends on an answer that never leaves the page, so what is sent
of it must not tell: it is part of the answer of its family, or goes through its own channel always.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import cast

from surveys.authoring.draft.designs import Answers, device_of
from surveys.authoring.draft.kinds import LONG_LISTS
from surveys.authoring.draft.reasons import of_question
from surveys.kinds.counted.promise import sends_something
from surveys.kinds.family.promise import MOST_WAYS, FamilyQuestion, FollowUpQuestion, Way
from surveys.kinds.levels.promise import Level, LevelQuestion, level_code
from surveys.models import Question
from surveys.questionnaire.families import Member, protected_numbers, way_text, ways_through
from surveys.questionnaire.kinds.question import COMMON, NOT_ASKED, Hidden
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.kinds.registry import kind_name
from surveys.questionnaire.messages import message
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import message_of, translated

DESIGNS, BEHIND = Question.Design, Question.Behind
PROTECTED = sentence(
    "Question {number} depends on question {source}, which is protected. People who see whether "
    "question {number} was asked would learn the answer to question {source}. Ask all people "
    "question {number}, protect question {number} too, or let its rule use only questions that "
    "are not protected."
)
MIXED = sentence(
    "This question is sent together with question {first} as one answer. Its rule may then use "
    "only question {first} and the follow-ups of question {first}, but it also uses question "
    "{other}. Remove the condition on question {other}, or choose “Send a separate answer” for "
    "this question."
)
IN_ARMS = sentence(
    "This question is sent together with question {first} as one answer, so it is asked in the "
    "arms of question {first}. Leave the arms of this question empty, or choose “Send a separate "
    "answer” for this question."
)
TWO_FAMILIES = sentence(
    "The rule of this question depends on questions {first} and {second}, which are not sent "
    "together as one answer. Choose “Send a separate answer” for this question, or let the rule "
    "depend on only one of the two questions."
)
MANY_WAYS = sentence(
    "People can answer question {first} and its follow-ups in more than {most} different ways. "
    "That is too many for one joint answer. Choose “Send a separate answer” for some follow-ups, "
    "or offer fewer options."
)
FAMILY_DESIGN = sentence(
    "This question and its follow-ups are sent as one answer, but the design of this question "
    "cannot send such a joint answer. Choose two coins or k-ary. Or choose “Send a separate "
    "answer” for each follow-up."
)
FAMILY_HIDDEN = sentence(
    "A protected answer decides whether people are asked question {first}, which is sent as a "
    "separate answer. A separate answer cannot include a follow-up. So choose “Send a separate "
    "answer” for this question too."
)
ASKED_WITHOUT = sentence(
    "The rule of this question also applies to people who are not asked question {first}. Add a "
    "condition that names answers to question {first}."
)
UNFIT = sentence(
    "{kind} cannot depend on question {source}, which is protected. What people send would show "
    "whether they were asked the question. Ask all people. Or change the question into a "
    "yes-or-no question, a choice, a scale or a date, with a design that needs no second "
    "question."
)
OWN_DESIGN = sentence(
    "This design cannot send “Does not apply” as one more answer. Choose two coins, k-ary or "
    "forced response. Or choose that the true answer counts as No, or as the first answer, if "
    "the question is hidden."
)
DOES_NOT_APPLY = message("Does not apply")
WITH_ANY_ANSWERS = {
    DESIGNS.TWO_COINS,
    DESIGNS.K_ARY,
    DESIGNS.FORCED_RESPONSE,
    DESIGNS.CHANNEL_MATRIX,
}
OF_FAMILIES = {DESIGNS.TWO_COINS, DESIGNS.K_ARY}  # no author has to type odds for each way
KINDS = {
    "long_list": sentence("A long list"),
    "long_scale": sentence("A long scale"),
    "paired": sentence("A question with a second question"),
    "compared": sentence("A question with a second question"),
    "grouped": sentence("A question with a second question"),
    "rating": sentence("A rating"),
    "ticks": sentence("A multiple choice"),
    "matrix": sentence("A table"),
    "rounded": sentence("A number"),
    "ranked_pair": sentence("A ranking"),
}


def reads_protected(question: Question) -> bool:
    """Whether a drafted question's rule reads an answer that is protected."""
    return any(row.source.design != DESIGNS.DIRECT for row in question.conditions.all())


def with_hidden(
    question: Question, levels: tuple[Level, ...], display: tuple[int, ...]
) -> tuple[tuple[Level, ...], tuple[int, ...], Hidden | None]:
    """The levels of a question, their order, and what is sent if a protected answer hides it.

    Raises ValueError for a design that has no level for that.
    """
    is_level = question.design not in LONG_LISTS | {DESIGNS.DIRECT}
    if not question.behind or not is_level or not reads_protected(question):
        return levels, display, None
    if question.behind == BEHIND.COUNTS:
        return levels, display, Hidden(0, is_own=False)  # "no", or the first answer
    if question.design not in WITH_ANY_ANSWERS:
        raise ValueError(OWN_DESIGN)
    last = len(levels)
    own = Level(level_code(last), translated(DOES_NOT_APPLY))
    return (*levels, own), (*display, last), Hidden(last, is_own=True)


def placed(
    questions: Sequence[Question], items: Sequence[PromisedQuestion]
) -> tuple[list[PromisedQuestion], list[str]]:
    """The items of a draft in families, or with reports of their own; every reason against it."""
    draft = _Draft(questions, items)
    reasons: list[str] = [
        of_question(number, items[number - 1].text, why)
        for number in draft.behind
        for why in draft.reasons_of(number)
    ]
    if reasons:
        return list(items), reasons
    placed_items = [draft.item(number) for number in range(1, len(items) + 1)]
    families = {number: draft.members(number) for number in draft.families}
    for number, members in families.items():
        try:
            placed_items[number - 1] = draft.family(number, members)
        except ValueError as problem:
            reasons.append(of_question(number, items[number - 1].text, message_of(problem)))
    return placed_items, reasons


@dataclass(frozen=True)
class _Draft:
    """A draft's questions and what they would be, each on its own; all by numbers from 1."""

    questions: Sequence[Question]
    items: Sequence[PromisedQuestion]

    @cached_property
    def protected(self) -> frozenset[int]:
        return protected_numbers(self.items)

    @cached_property
    def behind(self) -> dict[int, list[int]]:
        """The questions whose rules read protected answers, with the numbers of these."""
        sources = {
            number: sorted(item.rule.questions & self.protected)
            for number, item in enumerate(self.items, start=1)
            if item.rule
        }
        return {number: protected for number, protected in sources.items() if protected}

    @cached_property
    def first_of(self) -> dict[int, int]:
        """For each question that is sent in a family's report, the first one of its family."""
        first: dict[int, int] = {}
        for number, sources in self.behind.items():
            if self._follows(number):
                first[number] = first.get(sources[0], sources[0])
        return first

    @property
    def families(self) -> list[int]:
        return list(dict.fromkeys(self.first_of.values()))

    def members(self, first: int) -> dict[int, Member]:
        """The questions of a family, from its first one."""
        numbers = [first, *(n for n, head in self.first_of.items() if head == first)]
        return {number: self._leveled(number) for number in numbers}

    def _leveled(self, number: int) -> LevelQuestion:
        """A question of a family; ``reasons_of`` and the rules refuse all others before."""
        return cast(LevelQuestion, self.items[number - 1])

    def _follows(self, number: int) -> bool:
        return self.items[number - 1].is_sent and not self.questions[number - 1].behind

    def reasons_of(self, number: int) -> Iterator[str]:
        """Why a question cannot be asked by the protected answers that its rule names."""
        item, source = self.items[number - 1], self.behind[number][0]
        if not sends_something(item):
            return
        if not item.is_randomized:
            yield PROTECTED.format(number=number, source=source)
        elif kind_name(item) != "levels":
            yield UNFIT.format(
                kind=KINDS.get(kind_name(item), sentence("This question")), source=source
            )
        elif number in self.first_of:
            yield from self._family_reasons(number)

    def _family_reasons(self, number: int) -> Iterator[str]:
        first, rule = self.first_of[number], self.items[number - 1].rule
        head = self.items[first - 1]
        family = {first, *(n for n, start in self.first_of.items() if start == first)}
        others = sorted(rule.questions - family) if rule else []
        if others and others[0] in self.protected:
            yield TWO_FAMILIES.format(first=first, second=others[0])
        elif rule and any(atom.name == "arm" for atom in rule.atoms()):
            yield IN_ARMS.format(first=first)
        elif others:
            yield MIXED.format(other=others[0], first=first)
        elif head.hidden:
            yield FAMILY_HIDDEN.format(first=first)
        elif head.rule and rule and rule.holds({}):
            yield ASKED_WITHOUT.format(first=first)

    def item(self, number: int) -> PromisedQuestion:
        """A question as it is promised where it stands."""
        item = self.items[number - 1]
        if number in self.first_of:
            first = self.first_of[number]
            common = {name: getattr(item, name) for name in (*COMMON, "rule", "name")}
            common["design"] = self.items[first - 1].design
            levels = self._leveled(number).choices
            return FollowUpQuestion(**common, levels=levels, family=first)
        if item.hidden:
            is_deep = any(source in self.behind for source in self.behind[number])
            return replace(item, hidden=replace(item.hidden, by_hand=not is_deep))
        return item

    def family(self, first: int, members: Mapping[int, Member]) -> FamilyQuestion:
        """Raises ValueError if there are too many ways, or its design cannot send them."""
        item, question = self._leveled(first), self.questions[first - 1]
        if question.design not in OF_FAMILIES:
            raise ValueError(FAMILY_DESIGN)
        ways = tuple(islice(ways_through(members), MOST_WAYS + 1))
        if len(ways) > MOST_WAYS:
            raise ValueError(MANY_WAYS.format(most=MOST_WAYS, first=first))
        levels = tuple(
            Level(level_code(position), way_text(members, way), _declines(item, way))
            for position, way in enumerate(ways)
        )
        texts = tuple(level.text for level in levels)
        device = device_of(question, Answers(texts, tuple(range(len(texts)))))
        common = {name: getattr(item, name) for name in (*COMMON, "rule", "name")}
        return FamilyQuestion(
            **{**common, "kind": "family"},
            levels=levels,
            display=tuple(range(len(levels))),
            answers=item.choices,
            members=tuple(members),
            ways=ways,
            **device.parts,
        )


def _declines(item: LevelQuestion, way: Way) -> bool:
    """Whether a way is no answer at all: the first question was declined, and nothing followed."""
    return item.is_declined(way[0]) and set(way[1:]) == {NOT_ASKED}
