"""Remark: what of a form changes, is lost or stops its import, at which place, and what to do."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from surveys.randomized_response.messages import Message, sentence, shortened

LONGEST_SHOWN = 500  # characters of what stood there


class Grade(StrEnum):
    """How grave a remark is."""

    CHANGED = "changed"  # taken over with a change
    LEFT_OUT = "left_out"
    STOPS = "stops"  # nothing is imported


@dataclass(frozen=True)
class Spot:
    """A place in a file: the sheet of a workbook, the row or line from 1, and the column's name.

    FormRow 0 is all of a sheet; without a sheet, all of a file.
    """

    sheet: str = ""
    row: int = 0
    column: str = ""


@dataclass(frozen=True)
class Remark:
    """``text`` is what stood there; ``outcome`` what becomes of it; ``remedy`` what to do."""

    grade: Grade
    spot: Spot
    text: str
    outcome: Message
    remedy: Message

    def to_json(self) -> dict[str, Any]:
        words = {"outcome": str(self.outcome), "remedy": str(self.remedy)}
        return {"grade": str(self.grade), **asdict(self.spot), "text": self.text, **words}


@dataclass
class Remarks:
    """All remarks on a form, in the order of its reading, each once: lists are read repeatedly."""

    made: dict[Remark, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Remark]:
        return iter(self.made)

    def changed(self, spot: Spot, text: str, outcome: Message, remedy: Message) -> None:
        """Note what is taken over with a change."""
        self._add(Grade.CHANGED, spot, text, outcome, remedy)

    def left_out(self, spot: Spot, text: str, outcome: Message, remedy: Message) -> None:
        """Note what is lost."""
        self._add(Grade.LEFT_OUT, spot, text, outcome, remedy)

    def stops(self, spot: Spot, text: str, outcome: Message, remedy: Message) -> None:
        """Note what keeps the form from being imported."""
        self._add(Grade.STOPS, spot, text, outcome, remedy)

    def _add(self, grade: Grade, spot: Spot, text: str, outcome: Message, remedy: Message) -> None:
        self.made[Remark(grade, spot, shortened(text, LONGEST_SHOWN), outcome, remedy)] = None


def note_language(language: str, remarks: Remarks) -> None:
    """Note that a file does not name the language of its texts."""
    remarks.changed(
        Spot(),
        "",
        sentence(
            "The file does not name the language of its texts. The language is taken to be "
            "“{language}”."
        ).format(language=language),
        sentence(
            "If the language is wrong, choose another language for the import (on the command "
            "line with --language)."
        ),
    )


class FormRefused(Exception):
    """A file of which nothing more can be read; its remark stops the import."""

    def __init__(self, outcome: Message, remedy: Message, spot: Spot | None = None) -> None:
        super().__init__(outcome)
        self.outcome, self.remedy, self.spot = outcome, remedy, spot or Spot()
