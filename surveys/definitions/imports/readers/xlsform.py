"""An XLSForm, of ODK, KoboToolbox or SurveyCTO: sheets ``survey``, ``choices``, ``settings``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surveys.definitions.imports.entries import (
    Calculation,
    Entry,
    FormChoice,
    FormGroup,
    Matrix,
    ReadForm,
    Written,
)
from surveys.definitions.imports.readers.choices import make_yes_no
from surveys.definitions.imports.readers.matrices import join_tables
from surveys.definitions.imports.readers.others import add_other, fold_others
from surveys.definitions.imports.readers.workbooks import Sheet
from surveys.definitions.imports.readers.xlsform_rows import (
    CALCULATED,
    CHOOSING,
    IDENTIFYING,
    SurveyRow,
    lost_by_type,
    read_row,
)
from surveys.definitions.imports.remarks import FormRefused, Remarks, Spot, note_language
from surveys.definitions.languages import LANGUAGES, language_named
from surveys.randomized_response.messages import Message, sentence, shortened

SHEETS = ("survey", "choices", "settings")
# Columns by the names that our code uses; others than these and texts are looked at below.
ALIASES = {
    "list name": "list_name",
    "list_name": "list_name",
    "value": "name",
    "relevance": "relevant",
    "bind::relevant": "relevant",
    "bind::constraint": "constraint",
    "bind::required": "required",
    "calculate": "calculation",
    "control::appearance": "appearance",
}
OF_ROWS = ("type", "name", "relevant", "constraint", "required", "calculation", "appearance")
KNOWN = frozenset([*OF_ROWS, "parameters", "list_name", "choice_filter", "repeat_count"])
# Where they are left out, nothing that people are asked changes.
MESSAGES = ("constraint_message", "required_message", "guidance_hint")
HARMLESS = frozenset([*MESSAGES, "disabled", "note", "notes", "comment", "comments", "order"])
TEXTS = ("label", "hint")
NOT_REQUIRED = ("", "no", "false", "false()", "0")
NO_MEDIA = sentence("Pictures, sounds and films are left out.")
LEFT_OUT_OF_QUESTION: Mapping[str, Message] = {
    "choice_filter": sentence("The filter is left out: all options are offered to all people."),
    "default": sentence("The default answer is left out: no answer is filled in beforehand."),
    "read_only": sentence("The question is no longer read-only: people may answer it."),
    "readonly": sentence("The question is no longer read-only: people may answer it."),
    "trigger": sentence("The trigger is left out: nothing is calculated when an answer changes."),
    **dict.fromkeys(("media", "image", "audio", "video"), NO_MEDIA),
}
NOT_ALL_REQUIRED = sentence("The question becomes optional: all people may leave it unanswered.")
END_GROUPS = sentence("Put the end of each group below its beginning.")


def read_xlsform(
    sheets: Mapping[str, Sheet], language: str, name: str, remarks: Remarks
) -> ReadForm:
    """The form in the sheets of a workbook. Raises FormRefused if there is no survey among them.

    ``language`` is that of columns which do not say theirs.
    """
    survey = sheets.get("survey")
    if survey is None:
        words = sentence("The workbook is not an XLSForm, because it has no sheet “survey”.")
        raise FormRefused(words, sentence("Rename the sheet with the questions to “survey”."))
    settings = _settings(sheets.get("settings"))
    columns = FormColumns.of(sheets, settings.get("default_language", ""), language, remarks)
    if "type" not in columns.labels or not columns.languages:
        words = sentence(
            "The sheet “survey” needs the columns “type” and “label”. One or both are missing."
        )
        remedy = sentence(
            "Write the names of the columns in the first row of the sheet: type, name, label."
        )
        raise FormRefused(words, remedy, Spot("survey", 1))
    title = settings.get("form_title", "")
    form = ReadForm("xlsform", columns.languages, {columns.languages[0]: title}, name)
    form.title_spot = Spot("settings", 2, "form_title") if title else Spot()
    form.has_markdown = True
    form.columns = columns.named
    lists = _lists(sheets.get("choices"), columns, remarks)
    _SurveyReader(form, remarks, columns, lists).read(survey)
    fold_others(form, remarks)
    join_tables(form, remarks)
    for entry in form.entries:
        make_yes_no(entry, remarks, entry.spot)
    return form


def _settings(sheet: Sheet | None) -> dict[str, str]:
    if sheet is None or not sheet.rows:
        return {}
    return {label.strip().casefold(): text for label, text in sheet.rows[0].cells.items()}


@dataclass(frozen=True)
class FormColumns:
    """The columns of the sheets: ``labels`` by our names, ``texts`` by what and language."""

    labels: Mapping[str, str]
    texts: Mapping[tuple[str, str], str]
    languages: list[str]

    @classmethod
    def of(
        cls, sheets: Mapping[str, Sheet], default: str, language: str, remarks: Remarks
    ) -> "FormColumns":
        """Find out what each column is; note those that are not known."""
        labels: dict[str, str] = {}
        texts: dict[tuple[str, str], str] = {}
        usual = language_named(default) or language
        has_unnamed = False
        for sheet in (sheets[name] for name in SHEETS[:2] if name in sheets):
            for label in sheet.header:
                kind, of = _text_column(label)
                if not kind:
                    _set_label(labels, sheet, label, remarks)
                    continue
                code = language_named(of) if of else usual
                has_unnamed = has_unnamed or not of
                if code:
                    texts.setdefault((kind, code), label)
                elif sheet.name == "survey":
                    _note_language(sheet, label, of, remarks)
        if has_unnamed and not language_named(default):
            note_language(language, remarks)
        there = [code for kind, code in texts if kind == "label"]
        ordered = sorted(dict.fromkeys(there), key=lambda code: code != usual)
        return cls(labels, texts, [code for code in ordered if code in LANGUAGES])

    @property
    def named(self) -> dict[tuple[str, str], str]:
        """The columns of texts, by what stands in them here."""
        named = {}
        for (kind, code), label in self.texts.items():
            for here in ("label", "option") if kind == "label" else ("help",):
                named[here, code] = label
        return named

    def texts_of(self, kind: str, cells: Mapping[str, str]) -> dict[str, str]:
        """The texts of a row by language."""
        return {
            code: cells.get(label, "") for (of, code), label in self.texts.items() if of == kind
        }


def _text_column(label: str) -> tuple[str, str]:
    """What a column of texts has, and the language that it names: ``label::Deutsch (de)``."""
    kind, _, language = label.partition(":")
    kind = kind.strip().casefold()
    return (kind, language.strip(" :")) if kind in TEXTS else ("", "")


def _set_label(labels: dict[str, str], sheet: Sheet, label: str, remarks: Remarks) -> None:
    name = label.strip().casefold()
    name = ALIASES.get(name, name)
    labels.setdefault(name, label)
    kind = name.partition(":")[0]
    is_lost = kind in LEFT_OUT_OF_QUESTION
    if sheet.name == "choices":
        # Further columns of choices serve filters, which are noted where they are used.
        if is_lost:
            remedy = sentence("Describe in words what the pictures, sounds or films show.")
            remarks.left_out(Spot(sheet.name, 1, label), label, NO_MEDIA, remedy)
        return
    if name in KNOWN or is_lost or name in HARMLESS:
        return
    remarks.left_out(
        Spot(sheet.name, 1, label),
        label,
        sentence("The column “{label}” is not read.", label=shortened(label)),
        sentence("If the column contains your own notes, you do not need to do anything."),
    )


def _note_language(sheet: Sheet, label: str, language: str, remarks: Remarks) -> None:
    remarks.left_out(
        Spot(sheet.name, 1, label),
        language,
        sentence(
            "Texts in this language are left out. Deniable has pages in these languages: "
            "{languages}."
        ).format(languages=", ".join(LANGUAGES)),
        sentence(
            "If Deniable has pages in this language, write the code of the language after the "
            "language's name, such as “French (fr)”."
        ),
    )


def _lists(
    sheet: Sheet | None, columns: FormColumns, remarks: Remarks
) -> dict[str, list[FormChoice]]:
    """The lists of options, by name."""
    lists: dict[str, list[FormChoice]] = {}
    for row in sheet.rows if sheet else ():
        cells = row.cells
        name = cells.get(columns.labels.get("list_name", ""), "")
        value_column = next(
            (label for label in cells if ALIASES.get(label.casefold(), label.casefold()) == "name"),
            "",
        )
        if not name:
            if any(cells.values()):
                words = sentence("The row is left out, because it belongs to no list.")
                remedy = sentence("Write the name of the list in the column “list_name”.")
                remarks.left_out(Spot("choices", row.number), "", words, remedy)
            continue
        spot = Spot("choices", row.number, value_column)
        choice = FormChoice(cells.get(value_column, ""), columns.texts_of("label", cells), spot)
        lists.setdefault(name, []).append(choice)
    return lists


class _SurveyReader:
    """Reads the rows of the sheet ``survey``, in their order."""

    def __init__(
        self,
        form: ReadForm,
        remarks: Remarks,
        columns: FormColumns,
        lists: Mapping[str, Sequence[FormChoice]],
    ) -> None:
        self.form, self.remarks, self.columns, self.lists = form, remarks, columns, lists
        self.groups: list[FormGroup] = []
        self.repeats: list[FormGroup] = []
        self.matrix: Matrix | None = None

    def read(self, sheet: Sheet) -> None:
        """Read all rows."""
        for each in sheet.rows:
            row = SurveyRow(each, self.columns.labels)
            if row.type:
                self._read(row)
            elif row["name"]:
                words = sentence("The row is left out, because it has no type.")
                remedy = sentence("Write the type of the row in the column “type”.")
                self._leave_out(row, "type", words, remedy)
        for group in [*self.groups, *self.repeats]:
            words = sentence("“{name}” has no end row, so it continues to the end of the form.")
            self.remarks.changed(group.spot, group.name, words.format(name=group.name), END_GROUPS)

    def _read(self, row: SurveyRow) -> None:
        match row.type:
            case "begin_group" | "begin_repeat":
                self._begin(row)
            case "end_group" | "end_repeat":
                self._end(row)
            case kind if kind in CALCULATED:
                self._calculate(row)
            case kind if kind in IDENTIFYING:
                words = sentence("The field is left out, because it identifies respondents.")
                remedy = sentence(
                    "You do not need to do anything: answers in Deniable are collected without "
                    "this field."
                )
                self._leave_out(row, "type", words, remedy)
            case _:
                self._ask(row)

    def _begin(self, row: SurveyRow) -> None:
        group = FormGroup(
            row.spot("name"),
            row["name"],
            self.columns.texts_of("label", row.row.cells),
            row.written("relevant"),
            is_one_screen="field-list" in row.appearance,
        )
        self.matrix = None
        if "table-list" in row.appearance:
            self.matrix = Matrix(group.spot, group.name, group.titles)
        (self.groups if row.type == "begin_group" else self.repeats).append(group)

    def _end(self, row: SurveyRow) -> None:
        self.matrix = None
        begun = self.groups if row.type == "end_group" else self.repeats
        if begun:
            begun.pop()
        else:
            words = sentence("This row does not end anything, so it is ignored.")
            self.remarks.changed(row.spot("type"), row["type"], words, END_GROUPS)

    def _calculate(self, row: SurveyRow) -> None:
        if self.repeats:
            words = sentence(
                "The value is calculated again for each repeat. Surveys in Deniable cannot do this."
            )
            remedy = sentence(
                "Calculate the value from the data after the survey, if the calculation needs no "
                "protected answer."
            )
            self._leave_out(row, "calculation", words, remedy)
            return
        formula = row.written("calculation") or Written("", row.spot("calculation"))
        self.form.calculations[row["name"]] = Calculation(formula, row.written("relevant"))

    def _ask(self, row: SurveyRow) -> None:
        self.form.asked += 1
        if self.repeats:
            words = sentence(
                "The question is left out, because the form asks it repeatedly in “{name}”."
            )
            remedy = sentence(
                "Ask the question only once, or write it into the form as often as you need it."
            )
            self._leave_out(row, "type", words.format(name=self.repeats[-1].name), remedy)
        elif why := lost_by_type(row):
            self._leave_out(row, "type", *why)
        else:
            self._add(row)

    def _leave_out(self, row: SurveyRow, column: str, outcome: Message, remedy: Message) -> None:
        name = row["name"]
        if name not in {entry.name for entry in self.form.entries}:
            self.form.lost.setdefault(name, outcome)
        self.remarks.left_out(row.spot(column), row[column] or name, outcome, remedy)

    def _add(self, row: SurveyRow) -> None:
        entry = Entry(
            spot=row.spot("name"),
            name=row["name"],
            kind="text",
            texts=self.columns.texts_of("label", row.row.cells),
            helps=self.columns.texts_of("hint", row.row.cells),
            rule=row.written("relevant"),
            groups=tuple(self.groups),
            required=row.is_required,
        )
        options = self.lists.get(row.list_name, ()) if row.type in CHOOSING else ()
        entry.options = [FormChoice(each.value, dict(each.texts), each.spot) for each in options]
        if not read_row(row, entry, self.remarks):
            self.form.lost.setdefault(
                row["name"], sentence("its options cannot be used in Deniable.")
            )
            return
        self._lose_columns(row, entry)
        if "label" in row.appearance.split() and entry.kind == "choice":
            # Its row shows the answers above those below, and takes none.
            entry.kind, entry.options = "info", []
            self.matrix = Matrix(entry.spot, entry.name, entry.texts, entry)
            return
        self._lay_out(row, entry)
        self.form.entries.append(entry)
        if row.has_or_other:
            self.form.entries.append(_or_other(entry, self.form.languages))

    def _lay_out(self, row: SurveyRow, entry: Entry) -> None:
        """A table: of a group ``table-list``, or below a row that shows the answers alone."""
        if "list-nolabel" not in row.appearance and not _in_table_list(self.matrix, self.groups):
            self.matrix = None
        entry.matrix = self.matrix

    def _lose_columns(self, row: SurveyRow, entry: Entry) -> None:
        for name, label in self.columns.labels.items():
            kind = name.partition(":")[0]
            if kind in LEFT_OUT_OF_QUESTION and row.row.cells.get(label, ""):
                entry.loses(
                    self.remarks,
                    row.spot(name),
                    row.row.cells[label],
                    LEFT_OUT_OF_QUESTION[kind],
                    sentence("Check whether the question works without this part."),
                )
        if not row.is_required and row["required"].casefold() not in NOT_REQUIRED:
            remedy = sentence("Write a separate question that is required.")
            entry.loses(
                self.remarks, row.spot("required"), row["required"], NOT_ALL_REQUIRED, remedy
            )
        if row.appearance.startswith("ex:"):
            entry.loses(
                self.remarks,
                row.spot("appearance"),
                row.appearance,
                sentence("No other app fills in the answer: people enter the answer themselves."),
                sentence("Check whether the question works without this part."),
            )


def _in_table_list(matrix: Matrix | None, groups: Sequence[FormGroup]) -> bool:
    return bool(matrix and groups and matrix.spot == groups[-1].spot)


def _or_other(entry: Entry, languages: Sequence[str]) -> Entry:
    """``or_other`` adds an option, and a text for it."""
    texts = add_other(entry, languages)
    return Entry(
        spot=entry.spot,
        name=f"{entry.name}_other",
        kind="other",
        texts=texts,
        groups=entry.groups,
        counts=0,
    )
