"""How many minutes answering takes, worked out from the questions and their words."""

import math
from collections.abc import Callable, Sequence

from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.silent.promise import ConsentQuestion, UnsentQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders, standing_on

# Adults read 238 English words a minute silently (Brysbaert 2019); questions take thought.
WORDS_A_SECOND = 3
FIRST_PAGE = 60  # seconds for the first page and for sending
PRACTICE = 45  # for trying the coins and the two checks
CHOOSE, FIND, TYPE, RATE = 5, 15, 8, 4  # for one answer
CHARACTERS_A_SECOND = 3  # for writing; people use a fifth of the room that they have
USED_ROOM = 5


def minutes_of(introduction: str, items: Sequence[Question], asked: int | None = None) -> int:
    """Whole minutes, at least 1, that a person needs for everything from start to receipt.

    Where only so many of the protected questions are asked, they take their average time.
    """
    protected = [_seconds(item) for item in items if item.is_randomized]
    share = 1.0 if asked is None or not protected else asked / len(protected)
    direct = sum(_seconds(item) for item in items if not item.is_randomized)
    seconds = FIRST_PAGE + _reading(introduction) + direct + share * sum(protected)
    seconds += PRACTICE if any(item.is_drawn for item in items) else 0
    return max(1, math.ceil(seconds / 60))


def _seconds(item: Question) -> float:
    return _reading(item.text) + _reading(item.help) + ANSWERING(item)


def _reading(text: str) -> float:
    return len(text.split()) / WORDS_A_SECOND


def _choosing(item: Leveled) -> float:
    return CHOOSE + sum(_reading(level.text) for level in item.levels)


def _choosing_one(item: FamilyQuestion | FollowUpQuestion | CountedQuestion) -> float:
    """Of a family, each question takes the time of its own answers."""
    return CHOOSE + sum(_reading(level.text) for level in item.choices)


def _two(item: PairedQuestion | ComparedQuestion | GroupedQuestion) -> float:
    return 2 * CHOOSE + _reading(item.second.text)


def _finding(item: Leveled) -> float:
    return FIND


def _typing(item: Question) -> float:
    return TYPE


def _writing(item: TextQuestion) -> float:
    return TYPE + item.longest / USED_ROOM / CHARACTERS_A_SECOND


def _rating(item: RatingQuestion) -> float:
    return RATE * item.slots


def _ticking(item: PartsQuestion) -> float:
    return CHOOSE + sum(map(_reading, item.parts))


def _rating_rows(item: PartsQuestion) -> float:
    return RATE * item.size + sum(map(_reading, item.parts))


def _ranking(item: RankingQuestion | RankedPairQuestion) -> float:
    return CHOOSE * len(item.ranked) + sum(map(_reading, item.ranked))


def _only_reading(item: Question) -> float:
    return 0


def _agreeing(item: ConsentQuestion) -> float:
    return CHOOSE


_OF_KINDS: dict[str, Callable[..., float]] = {
    **standing_on(Leveled, _choosing),
    **standing_on(UnsentQuestion, _only_reading),
    "rounded": _typing,
    "paired": _two,
    "compared": _two,
    "grouped": _two,
    "long_list": _finding,
    "picked": _finding,
    "text": _writing,
    "other": _writing,
    "rating": _rating,
    "consent": _agreeing,
    "ticks": _ticking,
    "matrix": _rating_rows,
    "ranking": _ranking,
    "ranked_pair": _ranking,
    "family": _choosing_one,
    "follow_up": _choosing_one,
    "counted": _choosing_one,
    **in_folders("promise", "ANSWERING"),
}
# A kind that is not named, here or in its folder, takes as long as choosing a level, or typing.
ANSWERING: Table[[], float] = Table.mostly(_typing, **_OF_KINDS)
