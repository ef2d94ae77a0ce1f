"""LevelQuestion, Level, ThroughChannel: answers in levels, direct or by a channel's weights."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Self, TypeVar

from surveys.questionnaire.kinds.question import (
    NOT_ASKED_LABEL,
    Hidden,
    InRules,
    Question,
    common_document,
    common_fields,
    refusal_of,
    was_asked,
)
from surveys.questionnaire.logic.rules import Given
from surveys.randomized_response.designs import Channel, IntegerChannel
from surveys.randomized_response.drawing import Recipe, recipe_for

CODE_WIDTH = 2
ORDERED = ("scale", "trust")  # as an author calls them

Weights = tuple[tuple[int, ...], ...]  # one column of whole numbers for each true answer


@dataclass(frozen=True)
class Level:
    """One level of a question's alphabet. ``code`` is what is sent; all codes are equally wide.

    ``value`` is what files call it, where its author chose that; what is sent never has it.
    """

    code: str
    text: str
    declines: bool = False
    value: str = ""

    def to_document(self) -> dict[str, Any]:
        """A level without a value has none in documents either, as those of before."""
        document = asdict(self)
        if not self.value:
            del document["value"]
        return document


@dataclass(frozen=True, kw_only=True)
class Leveled(Question):
    """A question whose true answers are levels; ``display`` is the order in which they are shown.

    ``denominator`` is that of the weights with which the browser draws, if it draws.
    """

    levels: tuple[Level, ...]
    display: tuple[int, ...]
    denominator: int = 1

    @property
    def is_yes_no(self) -> bool:
        """Whether the levels are no and yes, perhaps with one that declines."""
        return self.kind == "yes_no"

    @property
    def is_ordered(self) -> bool:
        """Whether the levels are steps from the least to the most."""
        return self.kind in ORDERED

    @property
    def shown_levels(self) -> tuple[Level, ...]:
        return tuple(self.levels[index] for index in self.display)

    @cached_property
    def decline_level(self) -> int | None:
        return next((i for i, level in enumerate(self.levels) if level.declines), None)

    @cached_property
    def reported_levels(self) -> tuple[Level, ...]:
        """The output alphabet, in the order of the channel."""
        return self.levels

    @property
    def columns(self) -> tuple[str, ...]:
        """What the page reads as the true answer, in the order of its weights."""
        return tuple(level.code for level in self.levels)

    @cached_property
    def width(self) -> int:
        return CODE_WIDTH

    @cached_property
    def _texts(self) -> dict[str, str]:
        """What each code says."""
        return {
            self.not_asked: NOT_ASKED_LABEL,
            **{level.code: level.text for level in self.reported_levels},
        }

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The code of a reported level; on a path without this question, the mark for that."""
        (code,) = values
        is_asked = self.is_offered_with_own_coin or not own_coin
        if code not in self._texts or (code != self.not_asked) != is_asked:
            raise refusal_of(code)
        return code

    def is_declined(self, code: str) -> bool:
        """Whether a code says that the respondent would rather not answer."""
        return any(level.declines and level.code == code for level in self.levels)

    def label(self, code: str) -> str:
        return self._texts[code]

    def to_document(self) -> dict[str, Any]:
        return {
            **common_document(self),
            "levels": [level.to_document() for level in self.levels],
            "display": list(self.display),
            "denominator": self.denominator,
        }


@dataclass(frozen=True, kw_only=True)
class ThroughChannel(Leveled):
    """Levels that go through one channel, each on its own.

    ``weights[true][reported]`` are integers over ``denominator``; a direct question has none.
    """

    weights: Weights = ()

    @cached_property
    def is_randomized(self) -> bool:
        return bool(self.weights)

    @cached_property
    def integer_channel(self) -> IntegerChannel:
        """The stored channel: for a direct question, the identity."""
        if self.weights:
            return IntegerChannel(weights=self.weights, denominator=self.denominator)
        size = range(len(self.levels))
        identity = tuple(tuple(int(i == j) for j in size) for i in size)
        return IntegerChannel(weights=identity, denominator=1)

    @cached_property
    def channel(self) -> Channel:
        return _channel_of(self.integer_channel)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What the channel can be: one."""
        return (self.channel,)

    @cached_property
    def epsilon(self) -> float:
        return self.channel.epsilon if self.is_randomized else math.inf

    @cached_property
    def recipe(self) -> Recipe | None:
        """How a person draws with a coin or dice; None where no device gives these odds."""
        return recipe_for(self.integer_channel, self.display) if self.is_drawn else None

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        return not self.is_drawn or self.recipe is not None

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "weights": written(self.weights)}


@dataclass(frozen=True, kw_only=True)
class LevelQuestion(ThroughChannel):
    """Yes or no, a single choice or a scale; alone what a protected answer may hide."""

    @cached_property
    def is_binary(self) -> bool:
        """Whether yes and no are all there is, so that one share says the other."""
        return self.is_yes_no and len(self.levels) == 2

    @property
    def safe_level(self) -> int:
        """The answer that a person who hides would give: no, or the first one shown."""
        if self.own_level is not None:
            return self.own_level
        return 0 if self.is_yes_no else self.display[0]

    @property
    def own_level(self) -> int | None:
        """The level "does not apply", which is sent and which no one chooses in the page."""
        return self.hidden.level if self.hidden and self.hidden.is_own else None

    @property
    def hidden_code(self) -> str:
        """The true answer of people from whom a protected answer hides it; empty if none does."""
        return self.levels[self.hidden.level].code if self.hidden else ""

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        return super().is_offered_with_own_coin and (self.hidden is None or self.hidden.by_hand)

    @property
    def choices(self) -> tuple[Level, ...]:
        """What a person chooses from in the page, in the order shown."""
        return tuple(self.reported_levels[i] for i in self.display if i != self.own_level)

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        """The output alphabet in the order shown."""
        return tuple(self.reported_levels[index] for index in self.display)

    @cached_property
    def in_rules(self) -> "LevelInRules[Any]":
        return LevelInRules(self)

    @property
    def answerable(self) -> tuple[int, ...]:
        """The indices of the levels that a person can answer who is asked."""
        return tuple(index for index in range(len(self.levels)) if index != self.own_level)

    def to_document(self) -> dict[str, Any]:
        hidden = {} if self.hidden is None else {"hidden": asdict(self.hidden)}
        return {**super().to_document(), **hidden}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        hidden = Hidden(**entry["hidden"]) if "hidden" in entry else None
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"), hidden=hidden)


L = TypeVar("L", bound=LevelQuestion)


@dataclass(frozen=True, eq=False)
class LevelInRules(InRules[L]):
    """Rules name levels: where it is protected, those of true answers, in the page alone."""

    @property
    def is_quotable(self) -> bool:
        return not self.question.is_randomized

    @property
    def readable(self) -> frozenset[str]:
        return frozenset() if self.question.is_randomized else self.readable_in_page

    @property
    def readable_in_page(self) -> frozenset[str]:
        return frozenset({"is", "answered"})

    @property
    def nameable(self) -> Mapping[str, str]:
        answers = (self.question.levels[index] for index in self.question.answerable)
        return {level.code: level.text for level in answers if not level.declines}

    def given(self, code: str) -> Given | None:
        """The chosen level, if it was asked directly and the respondent did not decline."""
        return self.true_given(code) if self.readable else None

    def true_given(self, code: str) -> Given | None:
        item = self.question
        own = None if item.own_level is None else item.levels[item.own_level].code
        is_answer = was_asked(item, code) and code != own and not item.is_declined(code)
        return Given((code,)) if is_answer else None

    @property
    def read_as(self) -> tuple[Given | None, ...]:
        """Each level as rules read a person whose truth it is."""
        return tuple(self.true_given(level.code) for level in self.question.levels)

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        item = self.question
        return tuple(self.true_given(item.levels[index].code) for index in item.answerable)


def level_code(index: int) -> str:
    """The code that is sent for the level at this index."""
    return f"{index:0{CODE_WIDTH}d}"


def level_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What questions with levels read from a document."""
    return {
        **common_fields(entry),
        "levels": levels_of(entry, "levels"),
        "display": tuple(entry["display"]),
        "denominator": entry["denominator"],
    }


def levels_of(entry: Mapping[str, Any], name: str) -> tuple[Level, ...]:
    return tuple(Level(**level) for level in entry[name])


def written(weights: Weights) -> list[list[int]]:
    """Weights as a document holds them."""
    return [list(column) for column in weights]


def weights_of(entry: Mapping[str, Any], name: str) -> Weights:
    return tuple(tuple(column) for column in entry[name])


# Many questions ask in few designs: their fractions, inverse and epsilon are worked out once.
@lru_cache(maxsize=256)
def _channel_of(stored: IntegerChannel) -> Channel:
    return stored.channel
