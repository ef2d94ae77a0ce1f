"""Remarks on an import as a page shows them, what is lost first."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from surveys.definitions.imports.remarks import Grade, Remark, Spot
from surveys.wording.language.messages import translated

MOST_SHOWN = 500  # of one grade: a page of more is not read
GRADES = {
    Grade.STOPS: gettext_lazy("What stops the import"),
    Grade.LEFT_OUT: gettext_lazy("Left out"),
    Grade.CHANGED: gettext_lazy("Changed"),
}


@dataclass(frozen=True)
class RemarkRow:
    """``text`` is what stands in the file."""

    where: str
    text: str
    outcome: str
    remedy: str


@dataclass(frozen=True)
class GradeRows:
    """The remarks of one grade; ``more`` are not shown."""

    key: str
    name: str | Promise
    count: int
    rows: tuple[RemarkRow, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.rows)


def grades_of(remarks: Iterable[Remark]) -> list[GradeRows]:
    """The remarks by grade, without grades that no remark has."""
    listed = list(remarks)
    grades = []
    for grade, name in GRADES.items():
        its = [remark for remark in listed if remark.grade == grade]
        if its:
            rows = tuple(map(_row, its[:MOST_SHOWN]))
            grades.append(GradeRows(str(grade), name, len(its), rows))
    return grades


def _row(remark: Remark) -> RemarkRow:
    outcome, remedy = translated(remark.outcome), translated(remark.remedy)
    return RemarkRow(where_words(remark.spot), remark.text, outcome, remedy)


def where_words(spot: Spot) -> str:
    """Where something stands: “survey, row 3, label”."""
    row = gettext("row {number}").format(number=spot.row) if spot.row else ""
    return ", ".join(filter(None, (spot.sheet, row, spot.column))) or gettext("the whole file")
