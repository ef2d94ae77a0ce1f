"""OwnCoin: what people are asked who flip a coin of their own instead of running the script."""

from dataclasses import dataclass
from functools import cached_property

from surveys.questionnaire.kinds.question import Question


@dataclass(frozen=True)
class OwnCoin:
    """The path with a coin of one's own through the questions ``items``, unless it is refused."""

    items: tuple[Question, ...]
    is_refused: bool = False

    @cached_property
    def left_out(self) -> tuple[Question, ...]:
        """Questions that this path cannot ask, with a place in the row."""
        return tuple(q for q in self.items if q.width and not q.is_offered_with_own_coin)

    @cached_property
    def is_offered(self) -> bool:
        """Whether this path asks anything."""
        asks = any(item.is_sent and item.is_offered_with_own_coin for item in self.items)
        return asks and not self.is_refused
