"""RankingQuestion and RankedPairQuestion: an order of things, whole or one pair by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

from surveys.questionnaire.kinds.parts import PartsQuestion, part_fields, part_texts, part_values
from surveys.questionnaire.messages import message
from surveys.questionnaire.refusals import TwiceRanked

MOST_RANKED = 8


@dataclass(frozen=True, kw_only=True)
class RankingQuestion(PartsQuestion):
    """A whole order, asked directly: each of the ``parts`` has one rank, which are the levels."""

    @property
    def differing(self) -> int:
        return self.sent

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """None: the order is sent as it is."""
        return ()

    @property
    def ranked(self) -> tuple[str, ...]:
        """What is put in an order."""
        return self.parts

    def _accepts(self, slots: Sequence[str]) -> bool:
        """Each rank once, or all declined. Raises TwiceRanked."""
        if not super()._accepts(slots):
            return False
        ranks = [level for _, level in self.slot_code.levels_in("".join(slots))]
        if set(ranks) not in (set(range(self.size)), {self.decline_level}):
            raise TwiceRanked
        return True

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**part_fields(entry), parts=part_texts(entry), values=part_values(entry))


@dataclass(frozen=True, kw_only=True)
class RankedPairQuestion(PartsQuestion):
    """The person puts ``ranked`` in an order; sent is which of one drawn pair comes first.

    The parts are all pairs, in the order of ``combinations``; level 1 says that the first of the
    pair comes before the second. Which pair is sent does not depend on the order, and all pairs
    are equally likely, so that the mean rank of each thing is 1 and the sum over all others of how
    often they come before it.
    """

    ranked: tuple[str, ...]

    @property
    def differing(self) -> int:
        """One pair is sent, and two people may differ in it."""
        return self.sent

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The places in ``ranked`` that each part compares."""
        return tuple(combinations(range(len(self.ranked)), 2))

    def to_document(self) -> dict[str, Any]:
        document = super().to_document()
        del document["parts"]  # they follow from what is ranked
        return {**document, "ranked": [{"text": text} for text in self.ranked]}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        ranked = tuple(thing["text"] for thing in entry["ranked"])
        return cls(**part_fields(entry), ranked=ranked, parts=pair_texts(ranked))


def pair_texts(ranked: Sequence[str]) -> tuple[str, ...]:
    """What the report about each pair is about."""
    return tuple(
        message("{first} before {second}", first=first, second=second)
        for first, second in combinations(ranked, 2)
    )
