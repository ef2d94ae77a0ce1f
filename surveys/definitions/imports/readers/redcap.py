"""A data dictionary of REDCap: one row a field, 18 columns with labels or the names of its API."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from surveys.definitions.definition import LONGEST_ANSWER
from surveys.definitions.imports.entries import (
    Calculation,
    Entry,
    FormChoice,
    FormGroup,
    Matrix,
    ReadForm,
    Written,
)
from surveys.definitions.imports.readers.bounds import (
    set_day_bounds,
    set_decimal_places,
    set_number_bounds,
)
from surveys.definitions.imports.readers.choices import has_fitting_options, make_yes_no
from surveys.definitions.imports.readers.matrices import join_tables
from surveys.definitions.imports.readers.tables import FormRow, FormTable
from surveys.definitions.imports.remarks import Remarks, Spot, note_language
from surveys.definitions.rules.text import number_of
from surveys.randomized_response.messages import Message, sentence, shortened

# Label in the file that REDCap exports: name in its API.
COLUMNS = {
    "variable / field name": "field_name",
    "form name": "form_name",
    "section header": "section_header",
    "field type": "field_type",
    "field label": "field_label",
    "choices, calculations, or slider labels": "select_choices_or_calculations",
    "field note": "field_note",
    "text validation type or show slider number": "text_validation_type_or_show_slider_number",
    "text validation min": "text_validation_min",
    "text validation max": "text_validation_max",
    "identifier?": "identifier",
    "branching logic (show field only if...)": "branching_logic",
    "required field?": "required_field",
    "custom alignment": "custom_alignment",
    "question number (surveys only)": "question_number",
    "matrix group name": "matrix_group_name",
    "matrix ranking?": "matrix_ranking",
    "field annotation": "field_annotation",
}
OPTIONS, RULE = "select_choices_or_calculations", "branching_logic"
VALIDATION = "text_validation_type_or_show_slider_number"
NEEDED = ("field_name", "field_type", "field_label")
NAMES_PEOPLE = sentence(
    "The question is left out: it identifies people, and answers in Deniable identify no one."
)
USE_CONTACT = sentence("Offer a contact in the introduction instead.")
IDENTIFYING = frozenset(["email", "phone", "phone_australia", "ssn", "mrn_10d", "mrn_generic"])
TRUE_AND_FALSE = {
    "en": ("True", "False"),
    "de": ("Wahr", "Falsch"),
    "fr": ("Vrai", "Faux"),
    "es": ("Verdadero", "Falso"),
    "ar": ("صحيح", "خطأ"),
}
RECORD = sentence(
    "The field is left out: it names the record, and answers in Deniable have no names."
)
NO_TIMES = sentence("The question is left out: Deniable cannot ask for a time of day.")
UNSHOWN = sentence("The question is left out, because people never see it.")
LEFT_OUT: Mapping[str, Message] = {
    "file": sentence(
        "The question is left out: files identify people, and Deniable does not accept files from "
        "respondents."
    ),
    "sql": sentence("The field is left out, because it queries a database."),
}


SLIDER = ("0", "100")
NUMBERS = {f"number_{digits}dp": digits for digits in range(1, 5)} | {"integer": 0}


def is_redcap(table: FormTable) -> bool:
    """Whether these are the columns of a data dictionary."""
    return {*NEEDED} <= set(_api_names(table.header))


def read_redcap(table: FormTable, language: str, name: str, remarks: Remarks) -> ReadForm:
    """The form of a data dictionary, whose texts are in this language."""
    form = ReadForm("redcap", [language], {}, name, quote_marks=("[", "]"))
    labels = _api_names(table.header)
    form.columns = {
        ("label", language): labels["field_label"],
        ("help", language): labels.get("field_note", ""),
        ("option", language): labels.get("select_choices_or_calculations", ""),
    }
    note_language(language, remarks)
    reader = _DictionaryReader(form, remarks)
    for row in table.rows:
        reader.read(Field(row, labels, language))
    join_tables(form, remarks)
    for entry in form.entries:
        make_yes_no(entry, remarks, entry.spot)
    return form


def _api_names(header: Sequence[str]) -> dict[str, str]:
    """The columns as they stand in the file, by their names in the API."""
    return {COLUMNS.get(label.casefold(), label.casefold()): label for label in reversed(header)}


@dataclass(frozen=True)
class Field:
    """A row of the dictionary: its cells by the names that columns have in the API."""

    row: FormRow
    labels: Mapping[str, str]
    language: str

    def __getitem__(self, column: str) -> str:
        return self.row.cells.get(self.labels.get(column, ""), "").strip()

    def spot(self, column: str) -> Spot:
        return Spot(row=self.row.number, column=self.labels.get(column, ""))

    def is_yes(self, column: str) -> bool:
        return self[column].casefold() == "y"

    def written(self, column: str) -> Written | None:
        """The formula in a cell; None in an empty one."""
        return Written(self[column], self.spot(column)) if self[column] else None


class _DictionaryReader:
    """Reads the fields of one dictionary, in their order."""

    def __init__(self, form: ReadForm, remarks: Remarks) -> None:
        self.form, self.remarks = form, remarks
        self.instrument = ""
        self.group: FormGroup | None = None
        self.matrix: Matrix | None = None
        self.is_first = True

    def read(self, field: Field) -> None:
        """Read one field."""
        self._begin_group(field)
        name, kind = field["field_name"], field["field_type"].casefold()
        is_record, self.is_first = self.is_first, False
        if kind == "calc":
            formula = field.written(OPTIONS) or Written("", field.spot(OPTIONS))
            self.form.calculations[name] = Calculation(formula, field.written(RULE))
            return
        self.form.asked += 1
        if is_record:
            remedy = sentence("You do not need to do anything: rows have no names in Deniable.")
            self._leave_out(field, "field_name", RECORD, remedy)
        elif why := _against(field, kind):
            self._leave_out(field, *why)
        else:
            self._add(field, name, kind)

    def _leave_out(self, field: Field, column: str, outcome: Message, remedy: Message) -> None:
        name = field["field_name"]
        self.form.lost.setdefault(name, outcome)
        self.remarks.left_out(field.spot(column), field[column] or name, outcome, remedy)

    def _begin_group(self, field: Field) -> None:
        """A section header begins a section, and so does an instrument."""
        header, instrument = field["section_header"], field["form_name"]
        if header or instrument != self.instrument:
            title = header or " ".join(instrument.split("_")).capitalize()
            spot = field.spot("section_header" if header else "form_name")
            self.group = FormGroup(spot, instrument, {field.language: title})
        self.instrument = instrument

    def _add(self, field: Field, name: str, kind: str) -> None:
        ours, read = READERS[kind]
        entry = Entry(
            spot=field.spot("field_name"),
            name=name,
            kind=ours,
            texts={field.language: field["field_label"]},
            helps={field.language: field["field_note"]},
            rule=field.written(RULE),
            groups=(self.group,) if self.group else (),
            required=field.is_yes("required_field"),
        )
        if read(field, entry, self.remarks):
            _read_annotations(field, entry, self.remarks)
            self._lay_out(field, entry)
            self.form.entries.append(entry)
        else:
            self.form.lost.setdefault(name, sentence("its options cannot be used in Deniable."))

    def _lay_out(self, field: Field, entry: Entry) -> None:
        """The table in which a field is a row."""
        name = field["matrix_group_name"]
        if not name:
            self.matrix = None
            return
        if self.matrix is None or self.matrix.name != name:
            texts = dict(self.group.titles) if self.group else {}
            self.matrix = Matrix(field.spot("matrix_group_name"), name, texts)
        entry.matrix = self.matrix
        if field.is_yes("matrix_ranking"):
            entry.loses(
                self.remarks,
                field.spot("matrix_ranking"),
                field["matrix_ranking"],
                sentence("The ranking is left out: each column may be chosen in several rows."),
                sentence("Use a ranking question instead."),
            )


def _against(field: Field, kind: str) -> tuple[str, Message, Message] | None:
    """What leaves a field out: the column that says so, why, and what to do."""
    validation, annotation = field[VALIDATION].casefold(), field["field_annotation"].casefold()
    if field.is_yes("identifier"):
        return "identifier", NAMES_PEOPLE, USE_CONTACT
    if kind == "text" and validation in IDENTIFYING:
        return VALIDATION, NAMES_PEOPLE, USE_CONTACT
    if kind == "text" and validation.startswith(("datetime", "time")):
        return VALIDATION, NO_TIMES, sentence("Ask for a date, or offer times as options.")
    if "@hidden" in annotation or "@calc" in annotation:
        remedy = sentence("Check whether rules of other questions depend on this field.")
        return "field_annotation", UNSHOWN, remedy
    if kind not in READERS:
        words = LEFT_OUT.get(kind) or sentence(
            "The question is left out, because its type is unknown."
        )
        return "field_type", words, sentence("Ask this question in another way, if possible.")
    return None


# ---- Types: what else is read of a field, and whether it can be taken over ----------------------


def _read_text(field: Field, entry: Entry, remarks: Remarks) -> bool:
    validation, spot = field[VALIDATION].casefold(), field.spot(VALIDATION)
    low, high = field["text_validation_min"], field["text_validation_max"]
    if validation.startswith("date_"):
        entry.kind = "date"
        set_day_bounds(entry, low, high, remarks, spot)
    elif validation.startswith(("number", "integer")):
        entry.kind = "number"
        plain = validation.removesuffix("_comma_decimal")
        low, high = (bound.replace(",", ".") for bound in (low, high))
        set_number_bounds(entry, low, high, remarks, spot)
        set_decimal_places(entry, remarks, spot, NUMBERS.get(plain))
    elif validation:
        entry.loses(
            remarks,
            spot,
            validation,
            sentence("The pattern is left out: the text of an answer is not checked."),
            sentence("Say in the text of the question how to write the answer."),
        )
    return True


def _read_notes(field: Field, entry: Entry, remarks: Remarks) -> bool:
    entry.longest = LONGEST_ANSWER
    return True


def _read_slider(field: Field, entry: Entry, remarks: Remarks) -> bool:
    entry.minimum = number_of(field["text_validation_min"]) or SLIDER[0]
    entry.maximum = number_of(field["text_validation_max"]) or SLIDER[1]
    labels = field[OPTIONS]
    remarks.changed(
        field.spot("field_type"),
        labels,
        sentence("The slider becomes a number. The labels of the slider are shown in the help."),
        sentence("Explain in the text what the two ends of the slider mean, or use a scale."),
    )
    parts = [entry.helps[field.language], *map(str.strip, labels.split("|"))]
    entry.helps[field.language] = " – ".join(filter(None, parts))
    return True


def _read_options(field: Field, entry: Entry, remarks: Remarks) -> bool:
    spot = field.spot(OPTIONS)
    for part in field[OPTIONS].split("|"):
        value, comma, text = part.partition(",")
        if part.strip():
            label = text.strip() if comma else value.strip()
            entry.options.append(FormChoice(value.strip(), {field.language: label}, spot))
    return has_fitting_options(entry, remarks, spot, field[OPTIONS])


def _read_yes_no(field: Field, entry: Entry, remarks: Remarks) -> bool:
    entry.yes_and_no = ("1", "0")
    return True


def _read_true_false(field: Field, entry: Entry, remarks: Remarks) -> bool:
    texts = zip("10", TRUE_AND_FALSE[field.language], strict=True)
    spot = field.spot("field_type")
    entry.options = [FormChoice(value, {field.language: text}, spot) for value, text in texts]
    return True


def _read_page(field: Field, entry: Entry, remarks: Remarks) -> bool:
    return True


# What each type becomes, and what reads the rest of it.
READERS: Mapping[str, tuple[str, Callable[[Field, Entry, Remarks], bool]]] = {
    "text": ("text", _read_text),
    "notes": ("text", _read_notes),
    "radio": ("choice", _read_options),
    "dropdown": ("choice", _read_options),
    "checkbox": ("ticks", _read_options),
    "yesno": ("yes_no", _read_yes_no),
    "truefalse": ("choice", _read_true_false),
    "slider": ("number", _read_slider),
    "descriptive": ("info", _read_page),
}


# ---- Annotations --------------------------------------------------------------------------------


def _read_annotations(field: Field, entry: Entry, remarks: Remarks) -> None:
    """``@NONEOFTHEABOVE`` makes options exclusive; all others are left out, by name."""
    for word in field["field_annotation"].split():
        name, _, argument = word.partition("=")
        if name.casefold() == "@noneoftheabove" and entry.kind == "ticks":
            _exclude(entry, argument.strip("'\"").split(","))
        elif name.startswith("@"):
            entry.loses(
                remarks,
                field.spot("field_annotation"),
                word,
                sentence(
                    "“{name}” is left out, because it has no effect in Deniable.",
                    name=shortened(name),
                ),
                sentence(
                    "Without this annotation, the question may need another text. Check the text."
                ),
            )


def _exclude(entry: Entry, values: Sequence[str]) -> None:
    named = {value.strip() for value in values if value.strip()}
    # Without a value REDCap takes the last option.
    for option in entry.options if named else entry.options[-1:]:
        option.is_exclusive = not named or option.value in named
