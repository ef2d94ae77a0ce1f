"""MatrixQuestion: a table of rows, each answered on the same scale."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from surveys.questionnaire.kinds.parts import PartsQuestion, part_fields, part_texts, part_values

MOST_ROWS, MOST_COLUMNS = 20, 11


@dataclass(frozen=True, kw_only=True)
class MatrixQuestion(PartsQuestion):
    """Rows and columns; ``parts`` are the rows, ``levels`` the columns."""

    @property
    def differing(self) -> int:
        """Two people may differ in every row."""
        return self.sent

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**part_fields(entry), parts=part_texts(entry), values=part_values(entry))
