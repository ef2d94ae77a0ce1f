"""Columns and hidden traits of a regression: what its predictors stand for in the model."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.designs.channel import one_answer_channel
from surveys.results.analyses.queries import OutcomeCounts
from surveys.results.analyses.regression_people import RegressionPeople
from surveys.results.disclosure import POOLED

LONGEST_NAME = 40


@dataclass(frozen=True)
class Column:
    """What is known of each combination of answers; ``reference`` is what it is compared with."""

    name: str
    reference: str
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Trait:
    """A predictor that was reported at random: the design, and the report of each combination.

    ``effects``: of each true answer but the first its name, and what it is compared with.
    """

    name: str
    design: Channel
    reports: NDArray[np.int64]
    effects: tuple[tuple[str, str], ...]

    @property
    def levels(self) -> int:
        """How many true answers there are."""
        return len(self.effects) + 1


def columns_of(counts: OutcomeCounts, people: RegressionPeople) -> list[Column]:
    """Of all predictors that were asked directly."""
    return [
        column
        for index, item in enumerate(counts.by, start=1)
        if not item.is_randomized
        for column in COLUMNS(item, counts.numbers[index], people, index)
    ]


def traits_of(counts: OutcomeCounts, people: RegressionPeople) -> list[Trait]:
    """Of all others."""
    pairs = zip(counts.hidden, counts.hidden_questions, strict=True)
    return [
        _trait(item, counts.numbers[x], [codes[x] for codes in people.codes]) for x, item in pairs
    ]


def _trait(item: LevelQuestion, number: int, codes: list[str]) -> Trait:
    """Yes against all other answers where one of these declines: hardly anybody may do so."""
    positions = {level.code: at for at, level in enumerate(item.reported_levels)}
    reports = np.array([positions[code] for code in codes])
    name = f"{number}. {short(item.text)}"
    yes_alone = None if item.is_binary else one_answer_channel(item.channel, 1)
    if item.is_yes_no and yes_alone is not None:
        effects = [(f"{number}. {short(item.levels[1].text)}", gettext("all other answers"))]
        return Trait(name, yes_alone, (reports == 1).astype(np.int64), tuple(effects))
    first, *others = (short(level.text) for level in item.levels)
    effects = [(f"{number}. {text}", first) for text in others]
    return Trait(name, item.channel, reports, tuple(effects))


def _no_columns(
    item: Question, number: int, people: RegressionPeople, index: int
) -> Iterator[Column]:
    raise ValueError(item.text)  # ``cross_counts`` lets in none of these


def _numbers(
    item: NumberQuestion, number: int, people: RegressionPeople, index: int
) -> Iterator[Column]:
    values = np.array([people.numbers[index][codes[index]] for codes in people.codes])
    yield Column(f"{number}. {short(item.text)}", "", values)


def _answers(
    item: LevelQuestion, number: int, people: RegressionPeople, index: int
) -> Iterator[Column]:
    """Of groups as they are shown; the largest is the reference."""
    pool = people.pools[index]
    words = {level.code: level.text for level in item.shown_levels if level.code not in pool}
    names = [words.get(codes[index], str(POOLED)) for codes in people.codes]
    totals = Counter[str]()
    for name, count in zip(names, people.counts, strict=True):
        totals[name] += int(count)
    # Of equal groups the last shown, so that none is the reference because of one person.
    shown = [name for name in dict.fromkeys((*words.values(), str(POOLED))) if name in totals]
    reference = max(reversed(shown), key=lambda name: totals[name])
    for name in shown:
        if name != reference:
            values = np.array([float(named == name) for named in names])
            yield Column(f"{number}. {short(name)}", short(reference), values)


# A number as it is; one column for every answer but the most frequent one.
COLUMNS: Table[[int, RegressionPeople, int], Iterator[Column]] = Table.with_levels(
    _answers, _no_columns, number=_numbers
)


def short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
