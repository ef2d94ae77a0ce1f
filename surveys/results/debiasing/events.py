"""Events: what each true answer to a question counts in one debiased column."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import Level, Leveled, LevelQuestion
from surveys.kinds.ticks.promise import TICKED
from surveys.questionnaire.kinds.question import NOT_ASKED, Question
from surveys.questionnaire.kinds.registry import Table

YES_NO = ("no", "yes")
Counts = tuple[Fraction, ...]  # for each true level
# What each question of a family offers.
ANSWERS: Table[[], tuple[Level, ...]] = Table.mostly(
    lambda item: (), family=lambda item: item.choices, follow_up=lambda item: item.choices
)


@dataclass(frozen=True)
class Event:
    """``ending``: of the column's name; ``words``: what its mean estimates."""

    ending: str
    words: str
    counts: Counts


def counted(size: int, levels: Iterable[int]) -> Counts:
    """1 for each of these levels, among so many, and 0 for the others."""
    chosen = set(levels)
    return tuple(Fraction(level in chosen) for level in range(size))


def answer_events(item: LevelQuestion) -> Iterator[Event]:
    """The share of each answer that can be given; of yes and no alone, that of yes."""
    for level in [TICKED] if item.is_binary else _shown(item):
        yield share_event(item, level)


def level_events(item: LevelQuestion) -> Iterator[Event]:
    """Each answer; who was asked, where a level says that; the sums and the mean of steps."""
    size = len(item.levels)
    yield from answer_events(item)
    if item.own_level is not None:
        yield Event("asked", "the share who were asked", counted(size, item.answerable))
    if item.is_ordered:
        steps = steps_of(item, _shown(item))
        for end, level in enumerate(steps[:-1], start=1):
            words = f"the share up to “{item.levels[level].text}”"
            ending = f"upto_{_ending(item, item.levels[level])}"
            yield Event(ending, words, counted(size, steps[:end]))
        yield from mean_events(item, steps)


def share_event(item: Leveled, level: int) -> Event:
    """How many people this answer is true of."""
    answer = item.levels[level]
    counts = counted(len(item.levels), (level,))
    return Event(_ending(item, answer), f"the share of “{answer.text}”", counts)


def steps_of(item: Leveled, levels: Iterable[int]) -> list[int]:
    """Those of the levels that are steps from the least to the most."""
    return [level for level in levels if not item.levels[level].declines]


def mean_events(item: Leveled, steps: Sequence[int]) -> Iterator[Event]:
    """The mean of the steps; where some answers are none of them, what it is a ratio of."""
    size = len(item.levels)
    counts = step_counts(item, steps)
    if len(steps) == size:
        yield Event("mean", "the mean of the answers, counted from 1", counts)
    else:
        words = "the mean of the answers, counted from 1, times the share who answered"
        yield Event("score", words, counts)
        yield Event("answered", "the share who answered", counted(size, steps))


def step_counts(item: Leveled, steps: Sequence[int]) -> Counts:
    """Each step as its place from 1; 0 for what is no step."""
    places = {level: place for place, level in enumerate(steps, start=1)}
    return tuple(Fraction(places.get(level, 0)) for level in range(len(item.levels)))


def way_events(item: FamilyQuestion, at: int, member: Question) -> Iterator[Event]:
    """The answers to one question of a family, on all its ways, and who was asked it."""
    size, codes = len(item.ways), [way[at] for way in item.ways]
    asked = [n for n, code in enumerate(codes) if code != NOT_ASKED]
    answers = ANSWERS(member)
    is_told_by_yes = member.kind == "yes_no" and len(answers) == 2 and len(asked) == size
    for answer in answers:
        if not (is_told_by_yes and _ending(member, answer) == "no"):
            ways = (n for n, code in enumerate(codes) if code == answer.code)
            words = f"the share of “{answer.text}”"
            yield Event(_ending(member, answer), words, counted(size, ways))
    if len(asked) < size:
        yield Event("asked", "the share who were asked", counted(size, asked))


def _shown(item: LevelQuestion) -> list[int]:
    """The answers that can be given, in the order shown."""
    return [level for level in item.display if level in item.answerable]


def _ending(item: Question, answer: Level) -> str:
    """What an answer is called in names of columns: its value, its place from 1, or a word."""
    if answer.declines:
        return "declined"
    place = int(answer.code)
    return YES_NO[place] if item.kind == "yes_no" else answer.value or str(place + 1)
