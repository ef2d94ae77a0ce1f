"""One row of an XLSForm's ``survey``: its type and cells, and what they make of a question."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from surveys.definitions.definition import LONGEST_ANSWER
from surveys.definitions.imports.entries import Entry, Written
from surveys.definitions.imports.readers.bounds import (
    set_day_bounds,
    set_decimal_places,
    set_number_bounds,
)
from surveys.definitions.imports.readers.choices import has_fitting_options
from surveys.definitions.imports.readers.constraints import (
    NOT_CHECKED,
    SAY_SO,
    Constraint,
    constraint_of,
)
from surveys.definitions.imports.readers.tables import FormRow
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.rules.text import number_of
from surveys.randomized_response.messages import Message, sentence

CALCULATED = frozenset(["calculate", "hidden"])
CHOOSING = frozenset(["select_one", "select_multiple", "rank"])
OF_DEVICES = ("deviceid", "subscriberid", "simserial", "phonenumber", "username", "email")
OF_BACKGROUND = ("start-geopoint", "background-audio", "background-geopoint")
IDENTIFYING = frozenset(["start", "end", "today", "audit", *OF_DEVICES, *OF_BACKGROUND])
TYPES = {
    "select_one": ["select one", "select1", "select_one", "select-one"],
    "select_multiple": ["select multiple", "select_multiple", "select all that apply", "select"],
    "rank": ["rank"],
    "begin_group": ["begin group", "begin_group"],
    "end_group": ["end group", "end_group"],
    "begin_repeat": ["begin repeat", "begin_repeat"],
    "end_repeat": ["end repeat", "end_repeat"],
    "integer": ["integer", "int"],
    "text": ["text", "string"],
    "acknowledge": ["acknowledge", "trigger"],
}
NAMED = sorted(
    ((words, kind) for kind, several in TYPES.items() for words in several),
    key=lambda pair: -len(pair[0]),
)
NO_MEDIA = sentence("The question is left out: pictures, sounds, films and files identify people.")
LOST: Mapping[str, Message] = {
    **dict.fromkeys(("image", "audio", "video", "file", "barcode"), NO_MEDIA),
    **dict.fromkeys(
        ("geopoint", "geotrace", "geoshape"),
        sentence("The question is left out: locations identify people."),
    ),
    **dict.fromkeys(
        ("time", "datetime"),
        sentence("The question is left out: Deniable cannot ask for a time of day."),
    ),
    **dict.fromkeys(
        ("select_one_from_file", "select_multiple_from_file", "csv-external", "xml-external"),
        sentence("The question is left out, because its options are in another file."),
    ),
}


@dataclass(frozen=True)
class SurveyRow:
    """A row: its cells by our names of the columns."""

    row: FormRow
    labels: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.row.cells.get(self.labels.get(column, ""), "").strip()

    def spot(self, column: str) -> Spot:
        return Spot("survey", self.row.number, self.labels.get(column, ""))

    def written(self, column: str) -> Written | None:
        """The formula in a cell; None in an empty one."""
        return Written(self[column], self.spot(column)) if self[column] else None

    @property
    def type(self) -> str:
        return self._parted[0]

    @property
    def list_name(self) -> str:
        return self._parted[1].removesuffix("or_other").removesuffix("or specify other").strip()

    @property
    def has_or_other(self) -> bool:
        is_choosing = self.type in ("select_one", "select_multiple")
        return is_choosing and self._parted[1].endswith(("or_other", "or specify other"))

    @property
    def appearance(self) -> str:
        return self["appearance"].casefold()

    @property
    def is_required(self) -> bool:
        return self["required"].casefold() in ("yes", "true", "true()", "1", "x")

    @property
    def _parted(self) -> tuple[str, str]:
        """The type and the name of the list behind it."""
        words = " ".join(self["type"].split())
        folded = words.casefold()
        for name, kind in NAMED:
            if folded == name or folded.startswith(f"{name} "):
                return kind, words[len(name) :].strip()
        return folded.partition(" ")[0], ""


def lost_by_type(row: SurveyRow) -> tuple[Message, Message] | None:
    """Why a question of this type is left out, and what to do; None if it is asked."""
    if row.type in READERS:
        return None
    unknown = sentence("The question is left out, because its type is unknown.")
    return LOST.get(row.type, unknown), sentence("Ask this question in another way, if possible.")


def read_row(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    """Make the entry what the row's type and other cells say; whether it can be asked."""
    return READERS[row.type](row, entry, remarks)


# ---- Types --------------------------------------------------------------------------------------


def _read_choice(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    is_scale = row.type == "select_one" and "likert" in row.appearance
    entry.kind = {"select_one": "choice", "select_multiple": "ticks", "rank": "rank"}[row.type]
    entry.kind = "scale" if is_scale else entry.kind
    if not has_fitting_options(entry, remarks, row.spot("type"), row["type"]):
        return False
    constraint = _constraint(row, entry, remarks)
    if not all(constraint.allows(option.value) for option in entry.options if constraint.limits):
        entry.loses(remarks, row.spot("constraint"), row["constraint"], NOT_CHECKED, SAY_SO)
    for value in constraint.exclusive if entry.kind == "ticks" else ():
        for option in entry.options:
            option.is_exclusive = option.is_exclusive or option.value == value
    return True


def _read_number(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    entry.kind = "number"
    constraint = _constraint(row, entry, remarks)
    low, high = constraint.bounds(is_integer=row.type == "integer")
    if row.type == "range":
        parameters = _parameters(row["parameters"])
        low = low or number_of(parameters.get("start", "0"))
        high = high or number_of(parameters.get("end", "10"))
    set_number_bounds(entry, low, high, remarks, row.spot("constraint"))
    entry.special = [code for code in constraint.special if _is_outside(code, entry)]
    for code in entry.special:
        remarks.changed(
            row.spot("constraint"),
            row["constraint"],
            sentence(
                "{code} becomes a special answer, which people can choose instead of a number.",
                code=code,
            ),
            sentence("Write the meaning of the special answer, such as “Do not know”."),
        )
    decimals = 0 if row.type == "integer" else None
    if row.type == "range":
        step = number_of(_parameters(row["parameters"]).get("step", "1"))
        decimals = len(step.partition(".")[2])
    set_decimal_places(entry, remarks, row.spot("type"), decimals)
    return True


def _is_outside(code: str, entry: Entry) -> bool:
    return not Decimal(entry.minimum) <= Decimal(code) <= Decimal(entry.maximum)


def _parameters(text: str) -> dict[str, str]:
    """``start=1 end=5 step=1``, with blanks or commas or semicolons between."""
    parts = text.casefold().replace(",", " ").replace(";", " ").split()
    return {
        name: value for name, equals, value in (part.partition("=") for part in parts) if equals
    }


def _read_date(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    entry.kind = "date"
    constraint = _constraint(row, entry, remarks)
    set_day_bounds(entry, *constraint.days, remarks, row.spot("constraint"))
    return True


def _read_text(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    if "multiline" in row.appearance:
        entry.longest = LONGEST_ANSWER
    constraint = _constraint(row, entry, remarks)
    if constraint.longest:
        entry.longest = min(LONGEST_ANSWER, constraint.longest)
    return True


def _read_note(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    entry.kind = "info"
    return True


def _read_acknowledgement(row: SurveyRow, entry: Entry, remarks: Remarks) -> bool:
    """A consent is asked of all people; what only some confirm is a page to read."""
    is_of_all = entry.rule is None and not any(group.rule for group in entry.groups)
    entry.kind = "agree" if entry.required and is_of_all else "info"
    if entry.kind == "info":
        remarks.changed(
            row.spot("type"),
            row["type"],
            sentence(
                "The question becomes a page that people only read. They do not confirm the page."
            ),
            sentence(
                "To ask for consent, add a question without conditions, so that all people are "
                "asked."
            ),
        )
    return True


READERS: Mapping[str, Callable[[SurveyRow, Entry, Remarks], bool]] = {
    **dict.fromkeys(CHOOSING, _read_choice),
    **dict.fromkeys(("integer", "decimal", "range"), _read_number),
    "date": _read_date,
    "text": _read_text,
    "note": _read_note,
    "acknowledge": _read_acknowledgement,
}


def _constraint(row: SurveyRow, entry: Entry, remarks: Remarks) -> Constraint:
    """What a constraint asks for; notes what of it has no part in a question here."""
    constraint = constraint_of(row["constraint"], entry.kind)
    for words, remedy in constraint.lost:
        entry.loses(remarks, row.spot("constraint"), row["constraint"], words, remedy)
    return constraint
