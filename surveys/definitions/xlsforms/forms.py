"""From a definition to the sheets of an XLSForm."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from surveys.definitions.definition import (
    VERSION,
    Definition,
    DraftArm,
    DraftQuestion,
    DraftRow,
    DraftSection,
    Promises,
)
from surveys.definitions.documents import ROOT
from surveys.definitions.names import free_name, numbered
from surveys.definitions.rules.text import written
from surveys.definitions.rules.xpath import FormField, xpath_of
from surveys.definitions.shapes import ObjectShape
from surveys.definitions.xlsforms.columns import (
    FORMAT,
    LANGUAGE_NAMES,
    YES,
    Cells,
    cell_of,
    more_cells,
    rest_of,
    text_cells,
    value_cell,
)
from surveys.definitions.xlsforms.lists import OptionLists, options_in
from surveys.definitions.xlsforms.questions import (
    QUOTABLE,
    SHAPE,
    FormNames,
    question_cells,
    question_in,
)
from surveys.definitions.xlsforms.surroundings import form_in, section_in

SECTION, ARM, ROW = ObjectShape(DraftSection), ObjectShape(DraftArm), ObjectShape(DraftRow)
PROMISES = ObjectShape(Promises)
LONGEST_FIELD = 60
MOST_ON_A_SCREEN = 10  # as the import of a group "field-list" has it
RESERVED = frozenset(["meta"])  # where forms put what they note by themselves


@dataclass(frozen=True)
class FormSheets:
    """The rows of each sheet, by the names of columns. ``settings`` is one row."""

    survey: list[Cells]
    choices: list[Cells]
    settings: Cells
    arms: list[Cells]


def sheets_of_definition(definition: Definition) -> FormSheets:
    """The sheets that other programs read, and those of our own."""
    return _FormWriter(definition).sheets()


class _FormWriter:
    """The work on one definition."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.lists = OptionLists(definition.languages)
        self.used = set(RESERVED)
        names = {each.name: self._free(each.name) for each in definition.questions}
        self.row_names = {
            each.name: [self._free(f"{names[each.name]}_{row.value}") for row in each.rows]
            for each in definition.questions
        }
        fields = {each.name: self._field(each, names) for each in definition.questions}
        quotable = {each.name for each in definition.questions if each.kind in QUOTABLE}
        self.form = FormNames(
            names, fields, frozenset(quotable), {field: name for name, field in names.items()}
        )

    def _free(self, wanted: str) -> str:
        name = numbered(wanted, self.used, LONGEST_FIELD)
        self.used.add(name.casefold())
        return name

    def _field(self, question: DraftQuestion, names: Mapping[str, str]) -> FormField:
        values = [option.value for option in question.options]
        special = [each.code for each in question.special]
        its = self.row_names[question.name] or [names[question.name]]
        return FormField(question.kind, its, values, special)

    def sheets(self) -> FormSheets:
        definition = self.definition
        survey = [*self._introduction()]
        for at, section in enumerate(definition.sections, start=1):
            survey += self._section(section, at)
        arms = [
            {"weight": value_cell(arm.weight), **text_cells("label", arm.text)}
            for arm in definition.arms
        ]
        settings = self._settings(arms, [row for row in survey if row["kind"] == "introduction"])
        return FormSheets(survey, self.lists.rows, settings, arms)

    # ---- What stands around questions ------------------------------------------------------------

    def _introduction(self) -> Iterator[Cells]:
        if self.definition.introduction:
            name = self._free("introduction")
            texts = text_cells("label", self.definition.introduction)
            yield {"type": "note", "name": name, "kind": "introduction", **texts}

    def _settings(self, arms: Sequence[Cells], introductions: Sequence[Cells]) -> Cells:
        definition = self.definition
        own = definition.languages[0]
        title = definition.title.get(own, "")
        cells: Cells = {
            "form_title": cell_of(title),
            "form_id": free_name(title, (), "form"),
            "default_language": f"{LANGUAGE_NAMES[own]} ({own})",
            FORMAT: str(VERSION),
            "languages": " ".join(definition.languages),
            **text_cells("title_in", {k: v for k, v in definition.title.items() if k != own}),
            **text_cells("organisation", definition.organisation),
            **text_cells("contact", definition.contact),
        }
        if self.lists.has_repeated_values:
            cells["allow_choice_duplicates"] = YES  # else other programs refuse the form
        promises = PROMISES.write(definition.promises)
        cells |= {name: value_cell(value) for name, value in promises.items()}
        document = ROOT.write(definition)
        del document["sections"]
        introduction = introductions[0] if introductions else {}
        return cells | more_cells(rest_of(document, form_in(cells, introduction, arms)))

    def _section(self, section: DraftSection, at: int) -> Iterator[Cells]:
        document = SECTION.write(section)
        del document["questions"]
        questions = [cells for each in self._asked(section) for cells in self._rows(*each)]
        if not document and len(self.definition.sections) == 1:
            yield from questions
            return
        begin = self._begin(section, at)
        text = {}
        if section.text:
            name, texts = self._free(f"{begin['name']}_text"), text_cells("label", section.text)
            text = {"type": "note", "name": name, "kind": "section_text", **texts}
        yield begin | more_cells(rest_of(document, section_in(begin, text)))
        yield from ([text] if text else [])
        yield from questions
        yield _end(begin["name"])

    def _begin(self, section: DraftSection, at: int) -> Cells:
        rule = section.rule
        cells = {
            "type": "begin_group",
            "name": self._free(f"section_{at}"),
            "kind": "section",
            "relevant": xpath_of(rule, self.form.fields) if rule else "",
            "rule": written(rule) if rule else "",
            "appearance": "field-list" if _is_one_screen(section.questions) else "",
            "random_questions": YES if section.random_questions else "",
            "random_section": YES if section.random_section else "",
            **text_cells("label", section.title),
        }
        return {column: text for column, text in cells.items() if text}

    def _asked(self, section: DraftSection) -> Iterator[tuple[DraftQuestion, FormField | None]]:
        """Each question, and what stands above it."""
        before = None
        for question in section.questions:
            yield question, before
            before = self.form.fields[question.name]

    # ---- Questions -------------------------------------------------------------------------------

    def _rows(self, question: DraftQuestion, before: FormField | None) -> Iterator[Cells]:
        list_name, special = self.lists.named(question), self.lists.special(question)
        cells = question_cells(question, self.form, list_name, special, before)
        rows = list(self._table_rows(question, list_name))
        named = {name: self.lists.by_name[name] for name in (list_name, special) if name}
        lists = {name: options_in(rows) for name, rows in named.items()}
        again = question_in(cells, rows, lists, self.form.ours)
        yield cells | more_cells(rest_of(SHAPE.write(question), again))
        if question.kind == "matrix":
            yield from rows
            yield _end(cells["name"])

    def _table_rows(self, question: DraftQuestion, list_name: str) -> Iterator[Cells]:
        for name, row in zip(self.row_names[question.name], question.rows, strict=True):
            cells = {
                "type": f"select_one {list_name}" if list_name else "note",
                "name": name,
                "kind": "row",
                "row": row.value,
                "required": YES if question.required and list_name else "",
                **text_cells("label", row.text),
            }
            yield {column: text for column, text in cells.items() if text}


def _end(name: str) -> Cells:
    return {"type": "end_group", "name": name, "kind": "end"}


def _is_one_screen(questions: Sequence[DraftQuestion]) -> bool:
    """Whether a section is one screen to other programs; a table has a group of its own there."""
    below = [question.same_screen for question in questions[1:]]
    is_short = 2 <= len(questions) <= MOST_ON_A_SCREEN
    return is_short and all(below) and all(each.kind != "matrix" for each in questions)
