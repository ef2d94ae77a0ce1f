"""Numbered: questions with their numbers from 1, by what can be done with their answers."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.picked.promise import PickedQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind

# What a page may load to draw its items: bytes of all names, and questions, each with a file.
MOST_NAMES, MOST_RATINGS = 64 * 1024, 4


@dataclass(frozen=True)
class Numbered:
    """The questions ``items`` of a questionnaire; no one reads the answers to ``hidden`` ones."""

    items: tuple[Question, ...]
    hidden: Collection[Question]

    @cached_property
    def readable(self) -> tuple[tuple[int, Question], ...]:
        """Questions whose answers, as they were sent, staff can count."""
        numbered = enumerate(self.items, start=1)
        return tuple((number, item) for number, item in numbered if item not in self.hidden)

    @cached_property
    def texts(self) -> tuple[tuple[int, TextQuestion], ...]:
        """Free texts."""
        return tuple(of_kind(TextQuestion, self.items))

    @cached_property
    def ratings(self) -> tuple[tuple[int, RatingQuestion], ...]:
        """Ratings of the items of a catalogue."""
        return tuple(of_kind(RatingQuestion, self.items))

    @cached_property
    def drawn_in_page(self) -> tuple[int, ...]:
        """Ratings whose items the page draws: all of them, or none.

        The page has all names then, so that it is the same for all people. It draws none where a
        server has to know what it showed, and where all names would be too much to load.
        """
        rated = [item.items for _, item in self.ratings]
        sizes = [one.names_bytes for one in rated if one.names_bytes is not None]
        is_light = sum(sizes) <= MOST_NAMES and len(rated) <= MOST_RATINGS
        if not is_light or len(sizes) < len(rated) or any(one.adaptive for one in rated):
            return ()
        return tuple(number for number, _ in self.ratings)

    @cached_property
    def drawn_by_server(self) -> bool:
        """Whether a server draws rated items for each page, so that no two pages are alike."""
        return len(self.drawn_in_page) < len(self.ratings)

    @cached_property
    def tabulated(self) -> tuple[tuple[int, LevelQuestion | NumberQuestion], ...]:
        """Questions whose answers tables can count, as they were given by all."""
        return tuple(
            (number, item)
            for number, item in enumerate(self.items, start=1)
            if isinstance(item, LevelQuestion | NumberQuestion)
            and not isinstance(item, PickedQuestion)
            and not item.is_randomized
            and not item.rule
        )

    @cached_property
    def families(self) -> dict[int, FamilyQuestion]:
        """First questions of families."""
        return dict(of_kind(FamilyQuestion, self.items))

    @cached_property
    def counted_with(self) -> dict[int, int]:
        """The question in whose field each one is sent: of a follow-up, the first of its family."""
        numbers = {number: number for number in range(1, len(self.items) + 1)}
        return numbers | {n: item.family for n, item in of_kind(FollowUpQuestion, self.items)}
