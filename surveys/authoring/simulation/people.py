"""simulated: people with known answers go through a draft's rules, draws and the strict parser."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surveys.authoring.simulation.draws import (
    EVENLY,
    Answering,
    DrawnPeople,
    Shares,
    Truths,
    answer_unread,
    draw_level,
)
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.silent.promise import UnsentQuestion
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.families import in_ways
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders, standing_on
from surveys.questionnaire.logic.rules import Given, Rule
from surveys.questionnaire.submission import parse

REVISION = "00000000-0000-0000-0000-000000000000"  # a draft has none
Mask = NDArray[np.bool_]


def _draw_nothing(item: Question, people: DrawnPeople, shares: Shares) -> Answering:
    return answer_unread(None, [[]] * people.count)


def _marks(item: Question) -> Sequence[str]:
    return item.fields_not_asked


# What the browsers of simulated people send of each kind of question.
DRAWS: Table[[DrawnPeople, Shares], Answering] = Table(
    **{
        **standing_on(LevelQuestion, draw_level),
        **standing_on(UnsentQuestion, _draw_nothing),
        **in_folders("draft", "DRAWS"),
    }
)
# What the page sends of a question that a person is not asked.
UNASKED: Table[[], Sequence[str]] = Table.mostly(_marks, **in_folders("draft", "UNASKED"))


@dataclass(frozen=True)
class Simulated:
    """Rows as they would be stored, and of each question the truths of those who were asked."""

    rows: tuple[str, ...]
    truths: Mapping[int, Truths]


class _Crowd:
    """People on their way through the questions, all at once, one question after the other."""

    def __init__(self, questionnaire: Questionnaire, count: int, rng: np.random.Generator) -> None:
        self.questionnaire, self.count, self.rng = questionnaire, count, rng
        self.ruled = in_ways(questionnaire.items)
        self.arms = self._arms()
        self.drawn = self._drawn()
        self.given: list[dict[int, Given | None]] = [{} for _ in range(count)]
        self.bodies: list[list[str]] = [self._begun(arm) for arm in self.arms]

    def _arms(self) -> list[str]:
        arms = self.questionnaire.arms
        if not arms:
            return [""] * self.count
        weights = np.array([arm.weight for arm in arms])
        places = self.rng.choice(len(arms), self.count, p=weights / weights.sum())
        return [arms[index].code for index in places.tolist()]

    def _drawn(self) -> Mapping[str, Mask]:
        """Which protected questions each person is asked, if it is some of them."""
        protected, asked = self.questionnaire.randomized, self.questionnaire.asked
        if asked is None:
            return {}
        ranks = self.rng.random((self.count, len(protected))).argsort(axis=1).argsort(axis=1)
        return {item.id: ranks[:, column] < asked for column, item in enumerate(protected)}

    def _begun(self, arm: str) -> list[str]:
        start = [f"revision={REVISION}", f"key={secrets.token_hex(16)}", "path=browser"]
        return [*start, f"{FIELD}={arm}"] if arm else start

    def answer(self, number: int, shares: Shares) -> Truths | None:
        """The next question: what each person sends of it; the truths of those who were asked."""
        item, questionnaire = self.questionnaire.items[number - 1], self.questionnaire
        asked = self._where(questionnaire.routes.open_rules[number - 1])
        drawn = asked & self.drawn.get(item.id, np.ones(self.count, dtype=bool))
        is_hidden = drawn & ~self._where(self.ruled[number - 1].rule)
        answering = DRAWS(item, DrawnPeople(self.count, self.rng, is_hidden), shares)
        answered = (drawn & ~is_hidden).tolist()
        names, nothing = questionnaire.form.slots[number - 1], UNASKED(item)
        for person, sends in enumerate(drawn.tolist()):
            values = answering.values[person] if sends else nothing
            self.bodies[person] += map("=".join, zip(names, values, strict=True))
            self.given[person][number] = answering.given[person] if answered[person] else None
        return None if answering.truths is None else answering.truths[drawn]

    def _where(self, rule: Rule | None) -> Mask:
        """Of whom a rule is true."""
        if rule is None:
            return np.ones(self.count, dtype=bool)
        pairs = zip(self.given, self.arms, strict=True)
        return np.array([rule.holds(answered, arm) for answered, arm in pairs], dtype=bool)


def simulated(
    questionnaire: Questionnaire,
    shares: Mapping[int, Sequence[float]],
    count: int,
    rng: np.random.Generator,
) -> Simulated:
    """``count`` people whose answers have these shares, by the number of the question from 1.

    A question without shares has every answer equally often; answers are independent of each
    other. All that they send goes through the parser of real submissions. Codes of invitations and
    ballots are left out. Raises what the parser raises, which would be a fault of the program.
    """
    open_to_all = replace(questionnaire, invitation_only=False, tally=None)
    crowd, truths = _Crowd(open_to_all, count, rng), {}
    for number in range(1, len(open_to_all.items) + 1):
        known = crowd.answer(number, shares.get(number, EVENLY))
        if known is not None:
            truths[number] = known
    bodies = ("&".join(fields).encode() for fields in crowd.bodies)
    parsed = (parse(body, questionnaire=open_to_all, revision=REVISION) for body in bodies)
    return Simulated(tuple(submission.answers for submission in parsed), truths)
