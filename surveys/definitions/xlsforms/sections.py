"""SectionReader: the rows of the sheet ``survey`` of our own workbooks, as sections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surveys.definitions.imports.readers.tables import FormRow
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.rules.text import BadRuleText, read
from surveys.definitions.shapes import below
from surveys.definitions.xlsforms.columns import FORMAT, Cells, more_in, with_rest
from surveys.definitions.xlsforms.questions import kind_in, question_in, type_in
from surveys.definitions.xlsforms.surroundings import section_in
from surveys.randomized_response.messages import Message, sentence, shortened

AS_A_FORM = sentence(
    "Remove the row. Or empty the cell below “{column}” in the sheet “settings”: the file is then "
    "read like a form of another program."
).format(column=FORMAT)
MEND = sentence("Correct the cell. The sheet “read_me” explains what the column contains.")
NO_JSON = sentence(
    "The cell is not valid JSON. This column contains content that has no column of its own. "
    "The content is written as JSON."
)
NESTED = sentence("A group inside another group or inside a table cannot be a section in Deniable.")


@dataclass
class OwnParts:
    """What is read of a workbook: its options by list, our names by those of fields, its problems.

    ``choices`` are the places of options, by their list; ``spots`` those of parts of the
    definition, by their JSON pointers.
    """

    remarks: Remarks
    lists: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    choices: dict[str, list[Spot]] = field(default_factory=dict)
    ours: dict[str, str] = field(default_factory=dict)
    spots: dict[str, Spot] = field(default_factory=dict)
    is_stopped: bool = False

    def completed(
        self, part: Mapping[str, Any], cells: Mapping[str, str], spot: Spot
    ) -> dict[str, Any]:
        """A part with what its cells ``more`` say; a problem where that cannot be read."""
        try:
            return with_rest(part, more_in(cells))
        except (ValueError, RecursionError):
            self.stop(Spot(spot.sheet, spot.row, "more"), cells.get("more", ""), NO_JSON, MEND)
            return dict(part)

    def stop(self, spot: Spot, text: str, outcome: Message, remedy: Message) -> None:
        """Note what keeps the workbook from being read."""
        self.is_stopped = True
        self.remarks.stops(spot, text, outcome, remedy)


class SectionReader:
    """Reads the rows in their order."""

    def __init__(self, parts: OwnParts) -> None:
        self.parts = parts
        self.sections: list[dict[str, Any]] = []
        self.introduction: Cells = {}
        # Sections and questions after the rows that have their conditions.
        self.conditioned: list[tuple[FormRow, dict[str, Any]]] = []
        self._group: FormRow | None = None
        self._is_begun = False
        self._table: tuple[FormRow, list[FormRow]] | None = None

    def read(self, rows: Sequence[FormRow]) -> None:
        """Read all rows."""
        for row in rows:
            if row.cells.get("type"):
                self._read(row)
        if self._table:
            self._end(self._table[0])

    def _read(self, row: FormRow) -> None:
        kind, own = type_in(row.cells)[0], row.cells.get("kind", "")
        if kind == "begin_group":
            self._begin(row, own)
        elif kind == "end_group":
            self._end(row)
        elif self._table:
            self._table[1].append(row)
        elif own == "introduction":
            self.introduction = row.cells
        elif own == "section_text" and self._group:
            self.sections[-1] |= self._section(self._group, row.cells)
        elif kind_in(row.cells):
            self._add(row, [])
        else:
            words = sentence("“{kind}” is not a kind of question in Deniable.")
            its = shortened(own or row.cells["type"])
            self.parts.stop(
                _spot(row, "type"), row.cells["type"], words.format(kind=its), AS_A_FORM
            )

    def _begin(self, row: FormRow, own: str) -> None:
        if self._table or (self._group and own != "matrix"):
            self.parts.stop(_spot(row, "type"), row.cells.get("name", ""), NESTED, AS_A_FORM)
        elif own == "matrix":
            self._table = row, []
        else:
            self._group = row
            self._add_section(self._section(row, {}))
            self.parts.spots[below("/sections", len(self.sections) - 1)] = _spot(row)
            self.conditioned.append((row, self.sections[-1]))

    def _end(self, row: FormRow) -> None:
        if self._table:
            begun, rows = self._table
            self._table = None
            self._add(begun, rows)
        elif self._group:
            self._group, self._is_begun = None, False
        else:
            words = sentence("This row does not end a group.")
            self.parts.stop(_spot(row, "type"), row.cells["type"], words, AS_A_FORM)

    def _section(self, begin: FormRow, text: Mapping[str, str]) -> dict[str, Any]:
        self._check_rule(begin)
        section = self.parts.completed(section_in(begin.cells, text), begin.cells, _spot(begin))
        section.pop("questions", None)  # they stand in rows of their own
        return section

    def _add_section(self, section: dict[str, Any]) -> None:
        self.sections.append({**section, "questions": []})
        self._is_begun = True

    def _add(self, row: FormRow, rows: Sequence[FormRow]) -> None:
        """A question, with the rows of its table; outside of all groups it begins a section."""
        if not self._is_begun:
            self._add_section({})
        self._check_rule(row)
        questions = self.sections[-1]["questions"]
        pointer = below(f"/sections/{len(self.sections) - 1}/questions", len(questions))
        cells = [each.cells for each in rows]
        read = question_in(row.cells, cells, self.parts.lists, self.parts.ours)
        questions.append(self.parts.completed(read, row.cells, _spot(row)))
        self.conditioned.append((row, questions[-1]))
        self._set_spots(pointer, row, rows)

    def _set_spots(self, pointer: str, row: FormRow, rows: Sequence[FormRow]) -> None:
        spots = self.parts.spots
        spots[pointer] = _spot(row)
        list_name = row.cells.get("options", "") or type_in(row.cells)[1]
        spots_of = {
            "rows": [_spot(each) for each in rows],
            "options": self.parts.choices.get(list_name, []),
            "special": self.parts.choices.get(row.cells.get("special", ""), []),
        }
        for name, its in spots_of.items():
            spots |= {f"{pointer}/{name}/{at}": spot for at, spot in enumerate(its)}

    def _check_rule(self, row: FormRow) -> None:
        text = row.cells.get("rule", "")
        try:
            if text:
                read(text)
        except BadRuleText as problem:
            remedy = sentence(
                "Correct the cell. Or empty the cell, so that the column “relevant” is read "
                "instead."
            )
            self.parts.stop(_spot(row, "rule"), text, problem.args[0], remedy)


def _spot(row: FormRow, column: str = "") -> Spot:
    return Spot("survey", row.number, column)
