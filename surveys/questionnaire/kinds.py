"""Questions as they were promised."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal

from surveys.questionnaire.long_lists import Marking
from surveys.questionnaire.numbers import NumberRange
from surveys.questionnaire.ratings import RatedItems
from surveys.randomized_response import (
    Channel,
    IntegerChannel,
    Recipe,
    recipe_for,
    recipe_for_questions,
)

Kind = Literal["yes_no", "choice", "scale", "number", "text", "rating"]


NOT_ASKED = "--"


CODE_WIDTH = 2


@dataclass(frozen=True)
class Level:
    """One level of a question's alphabet. ``code`` is what is sent; all codes are equally wide."""

    code: str
    text: str
    declines: bool = False


@dataclass(frozen=True)
class SecondQuestion:
    """A harmless yes/no question that hides a sensitive one: "no" is 0, "yes" is 1.

    ``least`` and ``most`` bound the share of people who would say yes to it, as fractions; they
    are equal where that share is known. The channel's epsilon holds against everybody who does not
    know a respondent's own answer to it.
    """

    text: str
    least: str
    most: str

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The ends of what the share of yes can be, each once."""
        return tuple(sorted({Fraction(self.least), Fraction(self.most)}))


@dataclass(frozen=True)
class Item:
    """One question as it was promised.

    ``weights[true][reported]`` are integers over ``denominator``; a direct question has neither.
    ``display`` is the order in which the levels are shown. A number has no levels; a text has
    neither, and is stored apart from the other answers.

    ``reports`` are the reported levels, where these are not the answers themselves. ``second`` is
    the question that hides this one. Where the browser has both answers and sends one of them,
    ``pairs[2 * true + second][reported]`` are its weights; ``weights`` then follow from them and
    the known share of yes to the second question, and are empty where that share is unknown.
    ``marking`` says how a long list is drawn, where a report marks some of the options.
    A rating has a slot for each item that is shown: the item's number, then the code of a level,
    which goes through the channel on its own. ``rated`` says of which items.
    """

    id: str
    text: str
    help: str
    required: bool
    kind: Kind
    design: str
    levels: tuple[Level, ...] = ()
    display: tuple[int, ...] = ()
    weights: tuple[tuple[int, ...], ...] = ()
    denominator: int = 1
    number: NumberRange | None = None
    longest: int = 0
    reports: tuple[Level, ...] = ()
    second: SecondQuestion | None = None
    pairs: tuple[tuple[int, ...], ...] = ()
    rated: RatedItems | None = None
    marking: Marking | None = None

    @cached_property
    def is_rating(self) -> bool:
        return self.rated is not None

    @cached_property
    def slots(self) -> int:
        """How many answers are sent to it; each of a rating's has a field of its own."""
        return self.rated.shown if self.rated else 1

    @cached_property
    def slot_width(self) -> int:
        """Characters of one of these answers."""
        return (self.rated.number_width if self.rated else 0) + CODE_WIDTH

    @property
    def slot_not_asked(self) -> str:
        return "-" * self.slot_width

    def slots_of(self, code: str) -> tuple[str, ...]:
        """What was sent to a rating, slot by slot."""
        return tuple(code[at : at + self.slot_width] for at in range(0, len(code), self.slot_width))

    def rating_of(self, slot: str) -> tuple[int, int]:
        """A slot's item, by its number, and its level, by its place in the alphabet."""
        return int(slot[:-CODE_WIDTH]), int(slot[-CODE_WIDTH:])

    def ratings(self, code: str) -> list[tuple[int, int]]:
        """(item, level) of each slot of what was sent to a rating; none if it was not asked."""
        return (
            [self.rating_of(slot) for slot in self.slots_of(code)] if self.was_asked(code) else []
        )

    @cached_property
    def is_text(self) -> bool:
        return self.kind == "text"

    @cached_property
    def text_bytes(self) -> int:
        """The largest size of a text: a character takes up to four bytes of UTF-8."""
        return 4 * self.longest

    @cached_property
    def sent_width(self) -> int:
        """Characters that the browser's script sends; a text is padded and in base64url."""
        return -(-self.text_bytes * 8 // 6) if self.is_text else self.width

    @property
    def is_randomized(self) -> bool:
        return bool(self.weights or self.pairs or self.marking)

    @property
    def is_compared(self) -> bool:
        """Whether the respondent says only how two answers compare, and no device draws."""
        return self.is_randomized and self.second is not None and not self.pairs

    @property
    def is_drawn(self) -> bool:
        """Whether a device draws what is sent: the browser, or the respondent's coin."""
        return self.is_randomized and not self.is_compared

    @property
    def has_channel(self) -> bool:
        """Whether its answers are levels that go through one channel of known entries."""
        return bool(self.levels) and not (self.is_grouped or self.marking or self.rated)

    @property
    def is_grouped(self) -> bool:
        """Whether a report names one of two groups, drawn with it, that differ in their odds."""
        return bool(self.pairs) and not self.weights

    @property
    def group_probabilities(self) -> tuple[Fraction, Fraction]:
        """How often the question itself is the one that counts, in group 1 and in group 2.

        Somebody with No to it and Yes to the second one sends No exactly then.
        """
        first_no, second_no = self.pairs[1][0], self.pairs[1][2]
        return Fraction(2 * first_no, self.denominator), Fraction(2 * second_no, self.denominator)

    @property
    def reported_levels(self) -> tuple[Level, ...]:
        """The output alphabet, in the order of the channel."""
        return self.reports or self.levels

    @cached_property
    def integer_channel(self) -> IntegerChannel:
        """The stored channel: for a direct question, the identity.

        Questions in groups have none: theirs depends on a share that nobody knows. Raises
        ValueError for long lists, whose reports are no levels.
        """
        if self.marking:
            raise ValueError(f"Question {self.id} is a long list and has no channel.")
        if self.weights:
            return IntegerChannel(weights=self.weights, denominator=self.denominator)
        size = range(len(self.levels))
        return IntegerChannel(
            weights=tuple(tuple(int(i == j) for j in size) for i in size), denominator=1
        )

    @cached_property
    def channel(self) -> Channel:
        return self.integer_channel.channel

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """What the channel can be: one, or one for each end of an unknown share.

        Every entry is linear in that share, so that no ratio of entries is larger in between.
        """
        if not self.is_grouped or self.second is None:
            return (self.channel,)
        return tuple(self._averaged(share) for share in self.second.shares)

    def _averaged(self, share: Fraction) -> Channel:
        """P[reported, true] when this share of people says yes to the second question."""
        paired = list(zip(self.pairs[::2], self.pairs[1::2], strict=True))
        columns = [
            [
                ((1 - share) * no + share * yes) / self.denominator
                for no, yes in zip(*pair, strict=True)
            ]
            for pair in paired
        ]
        return Channel(tuple(zip(*columns, strict=True)))

    @cached_property
    def epsilon(self) -> float:
        """Local epsilon of the question, in nats; infinite for a direct question.

        The slots of a rating are drawn one by one, so their epsilons add up.
        """
        if not self.is_randomized:
            return math.inf
        if self.marking:
            return self.marking.epsilon
        return self.slots * max(channel.epsilon for channel in self.channels)

    @cached_property
    def recipe(self) -> Recipe | None:
        """How a person draws from the channel with a coin or dice; None where nobody can."""
        if not self.is_drawn or self.is_grouped or self.marking:
            return None
        if self.pairs:
            return recipe_for_questions(Fraction(self.pairs[1][0], self.denominator))
        return recipe_for(self.integer_channel, self.display)

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        return not self.is_drawn or self.recipe is not None

    @cached_property
    def width(self) -> int:
        """Characters in a stored row of answers; texts are not in it."""
        if self.is_text:
            return 0
        if self.marking:
            return self.marking.width
        return self.number.width if self.number else self.slots * self.slot_width

    @cached_property
    def not_asked(self) -> str:
        return "-" * self.width if self.rated or self.marking else NOT_ASKED

    @property
    def shown_levels(self) -> tuple[Level, ...]:
        return tuple(self.levels[index] for index in self.display)

    @property
    def report_order(self) -> tuple[int, ...]:
        """The order in which the output alphabet is shown."""
        return tuple(range(len(self.reports))) if self.is_grouped else self.display

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        return tuple(self.reported_levels[index] for index in self.report_order)

    @property
    def choices(self) -> tuple[Level, ...]:
        """What a person chooses from, in the order shown."""
        return self.shown_reports if self.is_compared else self.shown_levels

    @property
    def columns(self) -> tuple[str, ...]:
        """What the page reads as the true answer, in the order of its weights."""
        codes = [level.code for level in self.levels]
        return tuple(map("".join, product(codes, codes))) if self.pairs else tuple(codes)

    @property
    def decline_level(self) -> int | None:
        return next((i for i, level in enumerate(self.levels) if level.declines), None)

    def accepts(self, code: str, *, own_coin: bool) -> bool:
        """Whether a reported code lies in this question's output alphabet on that path."""
        if own_coin and not self.is_offered_with_own_coin:
            return code == self.not_asked
        if self.rated:
            return self._accepts_ratings(self.rated, code)
        if self.marking:
            return self.marking.accepts(code)
        if self.number:
            declined = not self.required and code == self.number.declined
            return declined or self.number.accepts(code)
        return any(level.code == code for level in self.reported_levels)

    def _accepts_ratings(self, rated: RatedItems, code: str) -> bool:
        """Whether each slot is a level of another item of the catalogue."""
        slots = self.slots_of(code)
        numbers = {slot[:-CODE_WIDTH] for slot in slots}
        levels = {level.code for level in self.reported_levels}
        return (
            len(code) == self.width
            and len(numbers) == rated.shown
            and all(map(rated.holds, numbers))
            and all(slot[-CODE_WIDTH:] in levels for slot in slots)
        )

    def was_asked(self, code: str) -> bool:
        """Whether a code is an answer, and not the mark of a question that was not asked.

        Numbers are always asked; a declined number of two digits looks like the mark.
        """
        return self.number is not None or self.is_text or code != self.not_asked

    def label(self, code: str) -> str:
        """What a reported code says, in the words of the question."""
        if not self.was_asked(code):
            return "(not asked on this path)"
        if self.is_text:
            return code or "(left empty)"
        if self.number:
            return "Prefer not to say" if code == self.number.declined else str(Decimal(code))
        if self.rated:
            return "; ".join(map(self._rating_label, self.slots_of(code)))
        if self.marking:
            return self.marking.told(code, [level.text for level in self.levels])
        return next(level.text for level in self.reported_levels if level.code == code)

    def _rating_label(self, slot: str) -> str:
        number, level = self.rating_of(slot)
        return f"{number}: {self.reported_levels[level].text}"
