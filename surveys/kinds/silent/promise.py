"""Pages of which nothing is sent under a field of their own: information, consent, their base."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.question import Question, common_document, common_fields
from surveys.questionnaire.messages import message
from surveys.questionnaire.refusals import Malformed


@dataclass(frozen=True, kw_only=True)
class UnsentQuestion(Question):
    """A question without a field: nothing stands for it in what is sent, nor in a stored row."""

    is_sent = False

    @cached_property
    def width(self) -> int:
        return 0

    @cached_property
    def not_asked(self) -> str:
        return ""

    @property
    def fields_not_asked(self) -> tuple[str, ...]:
        return ()

    def fields(self, index: int) -> list[str]:
        return []

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Always empty. Raises Malformed for a field, as there is none."""
        if values:
            raise Malformed
        return ""


@dataclass(frozen=True, kw_only=True)
class InformationQuestion(UnsentQuestion):
    """Something to read, between two questions; ``help`` is what stands below its heading."""

    def label(self, code: str) -> str:
        return message("(nothing is sent)")

    def to_document(self) -> dict[str, Any]:
        return common_document(self)

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry))


@dataclass(frozen=True, kw_only=True)
class ConsentQuestion(InformationQuestion):
    """What a person has to agree to before anything can be sent.

    The page holds back everything of a person who does not agree, so that every stored response
    is of one who did; the consent itself would say nothing more, and is not sent.
    """
