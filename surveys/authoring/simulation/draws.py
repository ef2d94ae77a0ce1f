"""What the browsers of simulated people send of one question, kind by kind: an Answering."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.kinds.ranking.promise import RankingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.kinds.ticks.promise import TICKED, TicksQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.questionnaire.kinds.parts import PartsQuestion, SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.logic.rules import Given
from surveys.randomized_response.designs import IntegerChannel
from surveys.randomized_response.designs.local.bits import encode
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


def _level(item: LevelQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """A person whom a protected answer hides has the level that stands for that."""
    answers = np.array(item.answerable)
    truths = answers[people.levels(len(answers), shares)]
    if item.hidden is not None:
        truths = np.where(people.is_hidden, item.hidden.level, truths)
    reports = draw_reports(item.integer_channel, truths, people.rng)
    codes = [item.reported_levels[place].code for place in reports.tolist()]
    given = [item.in_rules.read_as[place] for place in truths.tolist()]
    return Answering(truths, given, [[code] for code in codes])


def _grouped(item: GroupedQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """The second answer is yes as often as its author expects, in the middle."""
    truths = people.levels(len(item.levels), shares)
    second = float(sum(item.second.shares) / len(item.second.shares))
    pairs = 2 * truths + (people.rng.random(people.count) < second)
    channel = IntegerChannel(weights=item.pairs, denominator=item.denominator)
    reports = draw_reports(channel, pairs, people.rng).tolist()
    return _unread(truths, [[item.reports[place].code] for place in reports])


def _long_list(item: ListQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    truths = people.levels(item.marks.options, EVENLY)
    packed = item.marks.protocol.draw(truths, people.rng)
    return _unread(None, [[code] for code in encode(packed, item.marks.options)])


def _number(item: NumberQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """Any number between the bounds, with as many decimal places as it may have."""
    low, high = map(Decimal, item.number.bounds)
    step = Decimal(1).scaleb(-item.number.decimal_places)
    places = people.rng.integers(0, int((high - low) / step) + 1, people.count).tolist()
    codes = [item.number.encode(low + step * place) for place in places]
    return _direct(item, codes)


def _rounded(item: RoundedQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    truths = people.levels(len(item.grid), EVENLY)
    reports = draw_reports(item.integer_channel, truths, people.rng).tolist()
    return _unread(truths, [[item.levels[place].code] for place in reports])


def _day(item: DayQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    return _direct(item, [item.days.first] * people.count)


def _text(item: TextQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """Not more than must be written: texts are not compared."""
    return _unread(None, [[item.encode("-" if item.required else "")]] * people.count)


def unasked_values(item: Question) -> Sequence[str]:
    """What the page sends of a question that a person is not asked: of texts, an empty one."""
    return UNASKED(item)


def _marks(item: Question) -> Sequence[str]:
    return item.fields_not_asked


def _no_text(item: TextQuestion) -> Sequence[str]:
    return [item.encode("")]


UNASKED: Table[[], Sequence[str]] = Table.mostly(_marks, text=_no_text, other=_no_text)


def _nothing(item: Question, people: DrawnPeople, shares: Shares) -> Answering:
    return _unread(None, [[]] * people.count)


def _ticks(item: TicksQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """No one ticks more options than may be ticked: chance keeps so many of them."""
    drawn = people.rng.random((people.count, item.size))
    ticked = drawn < np.array(shares or [0.5] * item.size)
    order = np.where(ticked, people.rng.random(drawn.shape), np.inf).argsort(axis=1)
    ticked &= order.argsort(axis=1) < item.most
    return _slots(item, people, ticked.astype(np.int64) * TICKED)


def _table(item: PartsQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    answers = [place for place in range(len(item.levels)) if place != item.decline_level]
    size = (people.count, item.size)
    return _slots(item, people, people.rng.choice(answers, size).astype(np.int64))


def _ranking(item: RankingQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    orders = np.tile(np.arange(item.size), (people.count, 1))
    answering = _slots(item, people, people.rng.permuted(orders, axis=1))
    return Answering(None, answering.given, answering.values)


def _pairs(item: PartsQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    answering = _table(item, people, shares)
    return Answering(None, answering.given, answering.values)


def _rating(item: SlottedQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    levels = people.rng.integers(0, len(item.levels), (people.count, item.size))
    answering = _slots(item, people, levels)
    return Answering(None, answering.given, answering.values)


def _slots(item: SlottedQuestion, people: DrawnPeople, truths: Truths) -> Answering:
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
    given = [None if item.is_randomized else read("".join(sorted(one))) for one in values]
    return Answering(truths, given, values)


def _direct(item: Question, codes: Sequence[str]) -> Answering:
    given = [item.in_rules.given(code) for code in codes]
    return Answering(None, given, [[code] for code in codes])


def _unread(truths: Truths | None, values: Sequence[Sequence[str]]) -> Answering:
    """Of an answer that no rule reads."""
    return Answering(truths, [None] * len(values), values)


DRAWS: Table[[DrawnPeople, Shares], Answering] = Table(
    levels=_level,
    long_scale=_level,
    paired=_level,
    compared=_level,
    grouped=_grouped,
    long_list=_long_list,
    number=_number,
    text=_text,
    other=_text,
    rating=_rating,
    information=_nothing,
    consent=_nothing,
    ticks=_ticks,
    matrix=_table,
    rounded=_rounded,
    day=_day,
    ranking=_ranking,
    ranked_pair=_pairs,
    family=_level,
    follow_up=_nothing,
)
