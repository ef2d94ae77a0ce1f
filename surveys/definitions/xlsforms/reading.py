"""A workbook of our own as a plan: cells become the JSON of a definition, which is checked as such.

Where two cells say the same in two ways, such as ``rule`` and ``relevant``, ours decides. What
would be written otherwise than it stands there was changed since: each such cell is noted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surveys.definitions.definition import Definition
from surveys.definitions.documents import BadDefinition, from_bytes
from surveys.definitions.imports.assembly import SET_RULE, UNFINISHED
from surveys.definitions.imports.conditions import ConditionReader, RuleSource, Unreadable
from surveys.definitions.imports.entries import Entry, ReadForm, Written
from surveys.definitions.imports.plans import ImportPlan, PlannedQuestion, stopped
from surveys.definitions.imports.readers.tables import FormRow
from surveys.definitions.imports.readers.workbooks import Sheet
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.kinds import NO, YES
from surveys.definitions.rules.tree import is_number
from surveys.definitions.xlsforms.columns import FORMAT, ORDER, Cells
from surveys.definitions.xlsforms.forms import sheets_of_definition
from surveys.definitions.xlsforms.lists import option_in
from surveys.definitions.xlsforms.questions import kind_in
from surveys.definitions.xlsforms.sections import MEND, OwnParts, SectionReader
from surveys.definitions.xlsforms.surroundings import form_in
from surveys.randomized_response.messages import sentence

ARMS = "arms"  # the sheet of our own
FORM = "xlsform"
# Parts of a definition, and the column in which each is mended where it has another name.
COLUMNS = {
    **{"text": "label", "help": "hint", "title": "label", "value": "name", "code": "name"},
    **{"shown": "sent", "behind": "family", "arms": "arm", "harmless": "second"},
    **{"harmless_yes": "second_yes", "random_options": "parameters"},
    **dict.fromkeys(("minimum", "maximum", "first_day", "last_day", "longest"), "constraint"),
}
TEXTS = ("label", "hint")
COMPARED = ("type", "required", "relevant", "constraint", "appearance", "parameters")
ADDED = ("constraint", "parameters")
IN_SETTINGS = ("form_title", "default_language")
OURS_DECIDE = sentence(
    "Deniable reads this content from its own columns of the workbook. Make the change in those "
    "columns."
)


def is_ours(sheets: Mapping[str, Sheet]) -> bool:
    """Whether a workbook was made by Deniable, and is to be read as such."""
    return bool(_settings(sheets).get(FORMAT))


def plan_of_ours(sheets: Mapping[str, Sheet], remarks: Remarks) -> ImportPlan:
    """The plan of a workbook of our own. What stops it is a remark; nothing is raised."""
    parts = OwnParts(remarks)
    _read_lists(parts, _rows(sheets, "choices"))
    rows = _rows(sheets, "survey")
    parts.ours = dict(_our_names(rows))
    reader = SectionReader(parts)
    reader.read(rows)
    read = _read_conditions(reader, remarks)
    document = _document(reader, sheets)
    asked = sum(len(section["questions"]) for section in reader.sections)
    definition = None if parts.is_stopped else _definition(document, parts)
    if definition is None:
        return stopped(FORM, remarks, asked)
    _note_changes(definition, sheets, read, remarks)
    _note_columns(sheets, remarks)
    planned = tuple(_planned(definition, parts))
    held_count = sum(question.is_whole for question in planned)
    return ImportPlan(FORM, definition, planned, asked, held_count, tuple(remarks))


def _rows(sheets: Mapping[str, Sheet], name: str) -> Sequence[FormRow]:
    return sheets[name].rows if name in sheets else ()


def _settings(sheets: Mapping[str, Sheet]) -> Cells:
    rows = _rows(sheets, "settings")
    return rows[0].cells if rows else {}


def _read_lists(parts: OwnParts, rows: Sequence[FormRow]) -> None:
    for row in rows:
        name, spot = row.cells.get("list_name", ""), Spot("choices", row.number)
        option = parts.completed(option_in(row.cells), row.cells, spot)
        parts.lists.setdefault(name, []).append(option)
        parts.choices.setdefault(name, []).append(spot)


def _our_names(rows: Sequence[FormRow]) -> Iterator[tuple[str, str]]:
    """Our names of questions by those of their fields."""
    unread = OwnParts(Remarks())  # what is wrong is noted where the question is read
    for row in rows:
        if kind_in(row.cells):
            name = row.cells.get("name", "")
            part = unread.completed({"name": name}, row.cells, Spot())
            yield name, str(part.get("name", name))


def _document(reader: SectionReader, sheets: Mapping[str, Sheet]) -> dict[str, Any]:
    settings, arms = _settings(sheets), [row.cells for row in _rows(sheets, ARMS)]
    spot = Spot("settings", 2)
    read = form_in(settings, reader.introduction, arms)
    sections = reader.sections or [{"questions": []}]
    return {**reader.parts.completed(read, settings, spot), "sections": sections}


def _definition(document: dict[str, Any], parts: OwnParts) -> Definition | None:
    try:
        return from_bytes(json.dumps(document).encode())
    except BadDefinition as refusal:
        for problem in refusal.problems:
            parts.stop(_spot_at(problem.pointer, parts.spots), "", problem.words, MEND)
    return None


def _spot_at(pointer: str, spots: Mapping[str, Spot]) -> Spot:
    """The place of a part: of the nearest around it that has one, in the column of its field."""
    around, below_it = pointer, ""
    while around and around not in spots:
        around, _, below_it = around.rpartition("/")
    if around:
        field = below_it if below_it != "design" else pointer.rpartition("design/")[2]
        name = field.partition("/")[0]
        return Spot(spots[around].sheet, spots[around].row, COLUMNS.get(name, name))
    name = pointer.strip("/").partition("/")[0]
    if name == "sections":
        return Spot("survey")
    return Spot(ARMS) if name == ARMS else Spot("settings", 2, name)


def _planned(definition: Definition, parts: OwnParts) -> Iterator[PlannedQuestion]:
    for at, section in enumerate(definition.sections):
        for number, question in enumerate(section.questions):
            spot = parts.spots[f"/sections/{at}/questions/{number}"]
            yield PlannedQuestion(question.name, spot, not question.unfinished)


# ---- Conditions ----------------------------------------------------------------------------------


def _read_conditions(reader: SectionReader, remarks: Remarks) -> frozenset[int]:
    """Read ``relevant`` where there is no rule of ours; the numbers of the rows with one."""
    rows = []
    sources = dict(_sources(reader))
    conditions = ConditionReader(ReadForm(FORM, [], {}, ""), sources)
    for row, part in reader.conditioned:
        text = row.cells.get("relevant", "")
        if not text or "rule" in part or part.get("kind") == "other":
            continue
        spot = Spot("survey", row.number, "relevant")
        rows.append(row.number)
        try:
            rule = conditions.read(Written(text, spot))
        except Unreadable as problem:
            remarks.left_out(spot, text, UNFINISHED.format(why=problem.words), SET_RULE)
            for question in part.get("questions", [part]):
                question["unfinished"] = True
        else:
            part |= {"rule": rule.to_json()} if rule else {}
    return frozenset(rows)


def _sources(reader: SectionReader) -> Iterator[tuple[str, RuleSource]]:
    """What conditions can read, by the names of fields."""
    for row, part in reader.conditioned:
        kind, name = part.get("kind"), row.cells.get("name", "")
        if not isinstance(kind, str):  # a section, or what is refused below
            continue
        special = _values(reader.parts.lists.get(row.cells.get("special", ""), []))
        values = [YES, NO] if kind == "yes_no" else _values(part.get("options"))
        entry = Entry(Spot(), name, kind, {}, special=[code for code in special if is_number(code)])
        ours = reader.parts.ours.get(name, name)
        yield name, RuleSource(entry, ours, {value: value for value in values})


def _values(options: Any) -> list[str]:
    """The values of options that have one: they are not checked yet."""
    entries = options if isinstance(options, list) else []
    values = [each.get("value") for each in entries if isinstance(each, dict)]
    return [value for value in values if isinstance(value, str)]


# ---- What was changed ---------------------------------------------------------------------------


def _note_changes(
    definition: Definition, sheets: Mapping[str, Sheet], read: frozenset[int], remarks: Remarks
) -> None:
    """Note the cells that are not read as they stand; ``read`` are rows whose "relevant" is."""
    again = sheets_of_definition(definition)
    written = {cells["name"]: cells for cells in again.survey if cells["kind"] != "end"}
    for row in _rows(sheets, "survey"):
        name = row.cells.get("name", "")
        if name in written and not row.cells.get("type", "").startswith("end"):
            its = written[name]
            if row.number in read:
                its = its | {"relevant": row.cells["relevant"]}
            _note_row(row, its, remarks)
    settings = _settings(sheets)
    for column in IN_SETTINGS:
        _note_cell(Spot("settings", 2, column), settings, again.settings, remarks)


def _note_row(row: FormRow, written: Cells, remarks: Remarks) -> None:
    """Of a row that was added in another program, cells are noted alone that it has."""
    is_ours = bool(row.cells.get("kind"))
    texts = [name for name in {**row.cells, **written} if name.partition("::")[0] in TEXTS]
    for column in (*COMPARED, *texts) if is_ours else ADDED:
        if is_ours or row.cells.get(column):
            _note_cell(Spot("survey", row.number, column), row.cells, written, remarks)


def _note_cell(spot: Spot, cells: Cells, written: Cells, remarks: Remarks) -> None:
    here, there = cells.get(spot.column, ""), written.get(spot.column, "")
    if here != there:
        words = sentence(
            "The text of this cell is not used. Deniable uses this text instead: “{text}”."
        )
        remarks.changed(spot, here, words.format(text=there), OURS_DECIDE)


def _note_columns(sheets: Mapping[str, Sheet], remarks: Remarks) -> None:
    """Note columns that are not read, such as those of other programs."""
    sheet = sheets["survey"]
    for label in sheet.header:
        is_known = label.partition("::")[0] in ORDER or label.partition("_")[0] == "more"
        if not is_known and any(row.cells.get(label) for row in sheet.rows):
            words = sentence("The column “{label}” is not read.", label=label)
            remedy = sentence(
                "If the column contains your own notes, you do not need to do anything."
            )
            remarks.left_out(Spot("survey", 1, label), label, words, remedy)
