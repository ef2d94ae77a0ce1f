"""ReleasePlan: that direct answers come to light as released tables alone; frozen at launch."""

from dataclasses import dataclass
from typing import Any, Self

ALONE, PAIRS = 1, 2


@dataclass(frozen=True)
class ReleasePlan:
    """What a launched document says of a survey that only releases tables of direct answers.

    ``openings`` is how many releases there are at most, the last one at the close; ``share`` is the
    part of the budget that all of them together are charged, in percent, 1 to 100; tables are of
    each question by itself, and with ``together`` = 2 also of each two questions.
    """

    openings: int
    share: int = 100
    together: int = ALONE

    @classmethod
    def from_document(cls, entry: dict[str, Any] | None) -> Self | None:
        """None where staff see direct answers as they were given, as in all early documents."""
        return cls(**entry) if entry else None
