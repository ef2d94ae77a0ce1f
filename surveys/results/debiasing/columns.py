"""The debiased columns of each kind of question: look-ups of codes whose means are estimates.

Answers, options and rows are called by their values, those without one and things that are ranked
by their numbers from 1 in the order of the questionnaire; yes and no by their names.
docs/analysing.md says what may be done with these columns.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import LevelQuestion, ThroughChannel
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.number.promise import RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion
from surveys.kinds.ticks.promise import TICKED, TicksQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question, names_in_files
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.sharing import sharing_pair
from surveys.randomized_response.designs import IntegerChannel
from surveys.randomized_response.files.debiased import (
    DebiasedColumn,
    LookUp,
    added,
    looked_up,
    multiplied,
)
from surveys.results.debiasing.events import (
    Counts,
    Event,
    answer_events,
    counted,
    level_events,
    mean_events,
    share_event,
    step_counts,
    steps_of,
    way_events,
)
from surveys.results.queries import JointReports

PART_MARKS = (NOT_ASKED, "")  # the codes of a part of which no report was sent
Columns = Iterator[DebiasedColumn]


@dataclass(frozen=True)
class Place:
    """Where a question stands. ``headings``: the columns of reports of each question, by number."""

    questionnaire: Questionnaire
    number: int
    headings: Mapping[int, Sequence[str]]

    @property
    def name(self) -> str:
        return self.name_of(self.number)

    def name_of(self, number: int) -> str:
        """What files call the question with this number."""
        return names_in_files(self.questionnaire.items)[number - 1]

    @property
    def own(self) -> Sequence[str]:
        """The columns of the question's own reports."""
        return self.headings[self.number]


def debiased_columns(item: Question, place: Place) -> list[DebiasedColumn]:
    """What files have beside the reports of a question; nothing beside direct answers."""
    return list(DEBIASED(item, place)) if item.is_randomized else []


# Long scales take most of a second, and several questions often have one channel.
@lru_cache(maxsize=256)
def _scores_of(channel: IntegerChannel) -> tuple[tuple[Fraction, ...], ...]:
    return channel.exact_scores


def _column(name: str, words: str, *look_ups: LookUp, start: Fraction | int = 0) -> DebiasedColumn:
    return DebiasedColumn(name, f"Debiased: its mean estimates {words}", look_ups, start)


def look_up(item: ThroughChannel, of: str, counts: Counts, *marks: str) -> LookUp:
    """What each report counts in the column ``of``, where every true answer counts so much.

    Without ``marks`` the question's own code says that a person was not asked.
    """
    by_report = [
        sum((count * score for count, score in zip(counts, column, strict=True)), Fraction())
        for column in zip(*_scores_of(item.integer_channel), strict=True)
    ]
    codes = (level.code for level in item.reported_levels)
    return looked_up(of, dict(zip(codes, by_report, strict=True)), marks or (item.not_asked,))


def _of_events(item: LevelQuestion, name: str, of: str, events: Iterator[Event]) -> Columns:
    for event in events:
        yield _column(f"{name}_{event.ending}", event.words, look_up(item, of, event.counts))


def _of_levels(item: LevelQuestion, place: Place) -> Columns:
    yield from _of_events(item, place.name, place.own[0], level_events(item))
    told = place.questionnaire.routes.told_by_others.get(place.number)
    joint = JointReports(*told, Counter()) if told else None
    if joint and _are_apart(place, joint) and joint.tells_who_was_asked(item):
        yield from _among_asked(item, place, joint)


def _are_apart(place: Place, joint: JointReports) -> bool:
    """Whether the reports of a question and of its rule's are in the file, and independent.

    Answers that come to light as tables alone have no column. One answer to a second question may
    hide two questions, in surveys of earlier versions.
    """
    pair = sharing_pair(place.questionnaire.items, (place.number, *joint.sources))
    return pair is None and set(joint.sources) <= set(place.headings)


def _among_asked(item: LevelQuestion, place: Place, joint: JointReports) -> Columns:
    """Who was asked, and each answer of these: where reports of other questions tell it."""
    all_levels = counted(len(item.levels), range(len(item.levels)))
    asked = among_asked(item, place, joint, all_levels)
    yield _column(f"{place.name}_asked", "the share who were asked", asked)
    for event in answer_events(item):
        words = f"{event.words} among all, given by people who were asked"
        look_up_of_event = among_asked(item, place, joint, event.counts)
        yield _column(f"{place.name}_{event.ending}_asked", words, look_up_of_event)


def among_asked(item: LevelQuestion, place: Place, joint: JointReports, counts: Counts) -> LookUp:
    """What the reports of a question and of its rule's count, of people who were asked.

    A person was asked if one of the combinations of true answers that the rule asks is theirs.
    Given the truth the reports are independent, so that products count combinations.
    """
    own = look_up(item, place.own[0], counts)
    return added([multiplied([own, *others]) for others in _asked_combinations(place, joint)])


def _asked_combinations(place: Place, joint: JointReports) -> Iterator[list[LookUp]]:
    """For each combination of true answers that the rule asks, the look-ups of these answers."""
    sources = [
        [
            look_up(source, place.headings[number][0], counted(len(source.levels), (level,)))
            for level in range(len(source.levels))
        ]
        for number, source in joint.sources.items()
    ]
    for levels in product(*(range(len(source)) for source in sources)):
        if joint.asks(levels):
            yield [source[level] for source, level in zip(sources, levels, strict=True)]


def _of_family(item: FamilyQuestion, place: Place) -> Columns:
    for at, number in enumerate(item.members):
        events = way_events(item, at, place.questionnaire.items[number - 1])
        yield from _of_events(item, place.name_of(number), place.own[0], events)


def _of_groups(item: GroupedQuestion, place: Place) -> Columns:
    """The share of yes from both groups, each drawn by half of the people.

    With p1 and p2 the chances that the question itself counts, d = p1 - p2, and y = 1 for a
    reported yes, else 0: 1/2 + 2 (1 - p2) / d (y - 1/2) in group 1, and in group 2
    1/2 - 2 (1 - p1) / d (y - 1/2). Our derivation.
    """
    half, (first, second) = Fraction(1, 2), item.group_probabilities
    slopes = (1 - second) / (first - second), -(1 - first) / (first - second)
    numbers = [half + 2 * slope * (answer - half) for slope in slopes for answer in (0, 1)]
    codes = (level.code for level in item.reports)
    read = looked_up(place.own[0], dict(zip(codes, numbers, strict=True)), (item.not_asked,))
    yield _column(f"{place.name}_yes", f"the share of “{item.levels[1].text}”", read)


def _of_points(item: RoundedQuestion, place: Place) -> Columns:
    """The score of each report; with special answers also what it is a ratio of, and each share."""
    codes = [level.code for level in item.levels]

    def scored(ending: str, words: str, scores: Sequence[Fraction]) -> DebiasedColumn:
        by_code = dict(zip(codes, scores, strict=True))
        read = looked_up(place.own[0], by_code, (item.not_asked,))
        return _column(f"{place.name}_{ending}", words, read)

    if not item.special:
        yield scored("mean", "the mean of the true numbers", item.scores)
        return
    words = "the mean of the true numbers, times the share who gave one"
    yield scored("score", words, item.scores)
    yield scored("answered", "the share who gave a number", item.answered_scores)
    for at, special in enumerate(item.number.special):
        ending = special.code if special.code.isdecimal() else f"special_{at + 1}"
        yield scored(ending, f"the share of “{special.text}”", item.special_scores(at))


def _of_ticks(item: TicksQuestion, place: Place) -> Columns:
    ticked = counted(len(item.levels), (TICKED,))
    for number, (of, text) in enumerate(_parts(item, place), start=1):
        words = f"the share who would tick “{text}”"
        name = f"{place.name}_{item.value_of(number) or number}"
        yield _column(name, words, look_up(item, of, ticked, *PART_MARKS))
    words = "the mean number of options that a person would tick"
    yield _column(f"{place.name}_count", words, *_all_parts(item, place, ticked))


def _of_matrix(item: MatrixQuestion, place: Place) -> Columns:
    steps = steps_of(item, item.display)
    shares = [share_event(item, level) for level in item.display]
    for number, (of, text) in enumerate(_parts(item, place), start=1):
        for event in (*shares, *mean_events(item, steps)):
            read = look_up(item, of, event.counts, *PART_MARKS)
            words = f"{event.words} in the row “{text}”"
            row = item.value_of(number) or number
            yield _column(f"{place.name}_{row}_{event.ending}", words, read)
    if len(steps) == len(item.levels):
        words = "the mean of the sum of all rows, their answers counted from 1"
        parts = _all_parts(item, place, step_counts(item, steps))
        yield _column(f"{place.name}_sum", words, *parts)


def _parts(item: PartsQuestion, place: Place) -> Iterator[tuple[str, str]]:
    """The column and the words of each part."""
    return zip(place.own, item.parts, strict=True)


def _all_parts(item: PartsQuestion, place: Place, counts: Counts) -> Iterator[LookUp]:
    """Look-ups that count all parts from those that were sent, which were drawn evenly."""
    scaled = tuple(count / item.share_sent for count in counts)
    return (look_up(item, of, scaled, *PART_MARKS) for of in place.own)


def _of_pairs(item: RankedPairQuestion, place: Place) -> Columns:
    """The rank of each thing: the middle one, and what the pair that was sent moves it.

    Each of the pairs is sent as often, so that a report speaks for as many as there are.
    """
    middle = Fraction(len(item.ranked) + 1, 2)
    for thing, text in enumerate(item.ranked):
        look_ups = (
            _moved(item, of, thing, pair) for of, pair in zip(place.own, item.pairs, strict=True)
        )
        name, words = f"{place.name}_rank_{thing + 1}", f"the mean rank of “{text}”"
        yield _column(name, words, *look_ups, start=middle)


def other_first(item: RankedPairQuestion, of: str, thing: int, pair: tuple[int, int]) -> LookUp:
    """What a report on a pair counts, of people who put the other of the pair before a thing."""
    # Level 1 says that the first of the pair comes first, level 0 that the second does.
    counts = counted(len(item.levels), (int(thing == pair[1]),))
    return look_up(item, of, counts, *PART_MARKS)


def _moved(item: RankedPairQuestion, of: str, thing: int, pair: tuple[int, int]) -> LookUp:
    """What a report on a pair moves the rank of a thing; nothing where it is none of the pair."""
    own = other_first(item, of, thing, pair)
    moved = {
        code: None
        if score is None
        else (score - Fraction(1, 2)) / item.share_sent
        if thing in pair
        else 0
        for code, score in own.values.items()
    }
    return LookUp(own.of, moved)


DEBIASED: Table[[Place], Columns] = Table.with_levels(
    _of_levels,
    lambda item, place: iter(()),  # long lists and ratings: the codebook says how to estimate them
    family=_of_family,
    grouped=_of_groups,
    rounded=_of_points,
    ticks=_of_ticks,
    matrix=_of_matrix,
    ranked_pair=_of_pairs,
)
