"""Answering: what the browsers of simulated people send of one question, of several kinds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.kinds.parts import PartsQuestion, SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.logic.rules import Given
from surveys.randomized_response.drawing import draw_reports

Truths = NDArray[np.int64]  # places of levels; shape (people,), or (people, parts)
Shares = Sequence[float]  # of the levels; of ticks, how many tick each option
EVENLY: Shares = ()


@dataclass(frozen=True)
class Answering:
    """What one question has of each person; ``truths`` are None where none can be compared.

    ``given`` are the true answers as rules read them, ``values`` those of the form fields.
    """

    truths: Truths | None
    given: Sequence[Given | None]
    values: Sequence[Sequence[str]]


@dataclass(frozen=True)
class DrawnPeople:
    """So many people, with the source of chance; ``is_hidden`` has those whom a rule hides."""

    count: int
    rng: np.random.Generator
    is_hidden: NDArray[np.bool_]

    def levels(self, size: int, shares: Shares) -> Truths:
        """A level for each person, drawn by these shares."""
        return self.rng.choice(size, self.count, p=shares or None).astype(np.int64)


def draw_level(item: LevelQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """A person whom a protected answer hides has the level that stands for that."""
    answers = np.array(item.answerable)
    truths = answers[people.levels(len(answers), shares)]
    if item.hidden is not None:
        truths = np.where(people.is_hidden, item.hidden.level, truths)
    reports = draw_reports(item.integer_channel, truths, people.rng)
    codes = [item.reported_levels[level].code for level in reports.tolist()]
    answered = [item.in_rules.read_as[level] for level in truths.tolist()]
    return Answering(truths, answered, [[code] for code in codes])


def draw_parts(item: PartsQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    answers = [level for level in range(len(item.levels)) if level != item.decline_level]
    size = (people.count, item.size)
    return answer_slots(item, people, people.rng.choice(answers, size).astype(np.int64))


def answer_slots(item: SlottedQuestion, people: DrawnPeople, truths: Truths) -> Answering:
    """Which parts are sent is drawn evenly, and each of them goes through the channel."""
    parts = people.rng.random(truths.shape).argsort(axis=1)[:, : item.slots]
    sent = np.take_along_axis(truths, parts, axis=1)
    reports = draw_reports(item.integer_channel, sent.ravel(), people.rng).reshape(sent.shape)
    codes = [level.code for level in item.levels]
    values = [
        [
            item.slot_code.of_number(int(p) + 1) + codes[level]
            for p, level in zip(*person, strict=True)
        ]
        for person in zip(parts, reports, strict=True)
    ]
    read = item.in_rules.given
    answered = [None if item.is_randomized else read("".join(sorted(slots))) for slots in values]
    return Answering(truths, answered, values)


def answer_directly(item: Question, codes: Sequence[str]) -> Answering:
    answered = [item.in_rules.given(code) for code in codes]
    return Answering(None, answered, [[code] for code in codes])


def answer_unread(truths: Truths | None, values: Sequence[Sequence[str]]) -> Answering:
    """Of an answer that no rule reads."""
    return Answering(truths, [None] * len(values), values)
