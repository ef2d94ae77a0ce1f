"""The types of LimeSurvey's questions, by their letters, and what they become."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from surveys.definitions.definition import LONGEST_ANSWER
from surveys.definitions.imports.entries import Entry, FormChoice
from surveys.definitions.imports.readers.bounds import (
    set_day_bounds,
    set_decimal_places,
    set_number_bounds,
)
from surveys.definitions.imports.readers.choices import has_fitting_options
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.kinds.matrix.promise import MOST_COLUMNS, MOST_ROWS
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.randomized_response.messages import sentence

EQUATION = "*"
OTHER = "other"
# What LimeSurvey writes by itself, in the languages of respondents' pages.
WORDS: Mapping[str, Mapping[str, str]] = {
    "F": {"en": "Female", "de": "Weiblich", "fr": "Féminin", "es": "Femenino", "ar": "أنثى"},
    "M": {"en": "Male", "de": "Männlich", "fr": "Masculin", "es": "Masculino", "ar": "ذكر"},
    "Y": {"en": "Yes", "de": "Ja", "fr": "Oui", "es": "Sí", "ar": "نعم"},
    "N": {"en": "No", "de": "Nein", "fr": "Non", "es": "No", "ar": "لا"},
    "U": {
        "en": "Uncertain",
        "de": "Unsicher",
        "fr": "Incertain",
        "es": "No estoy seguro",
        "ar": "غير متأكد",
    },
    "I": {
        "en": "Increase",
        "de": "Zunahme",
        "fr": "Augmentation",
        "es": "Aumento",
        "ar": "زيادة",
    },
    "S": {"en": "Same", "de": "Gleich", "fr": "Inchangé", "es": "Igual", "ar": "نفس الشيء"},
    "D": {
        "en": "Decrease",
        "de": "Abnahme",
        "fr": "Diminution",
        "es": "Disminución",
        "ar": "نقصان",
    },
    OTHER: {"en": "Other", "de": "Sonstiges", "fr": "Autre", "es": "Otro", "ar": "أخرى"},
}
COLUMNS_OF_TABLES = {"A": "12345", "B": [str(n) for n in range(1, 11)], "C": "YUN", "E": "ISD"}
Cells = Mapping[str, str]


def other_of(entry: Entry, languages: Sequence[str], text: str) -> Entry:
    """Give an entry an option “other”; the text that goes with it."""
    texts = {language: text or WORDS[OTHER][language] for language in languages}
    entry.options.append(
        FormChoice("-oth-" if entry.kind == "choice" else OTHER, texts, entry.spot)
    )
    return Entry(
        spot=entry.spot,
        name=f"{entry.name}_{OTHER}",
        kind="other",
        texts=texts,
        groups=entry.groups,
        counts=0,
    )


def _fixed(values: Sequence[str], entry: Entry) -> list[FormChoice]:
    """Options that LimeSurvey has by itself: words, or numbers."""
    return [FormChoice(value, _words_of(value, entry.texts), entry.spot) for value in values]


def _words_of(value: str, languages: Iterable[str]) -> dict[str, str]:
    words = WORDS.get(value, {})
    return {language: words.get(language, value) for language in languages}


def _read_choice(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.rows = []
    if cells.get("type/scale") == "O":
        _lose_comment(spot, entry, remarks)
    return _has_options(cells, spot, entry, remarks)


def _has_options(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    """Whether its options are as many as its kind takes, with the one that “other” adds."""
    has_other = cells.get("other", "").casefold() == "y"
    is_one_short = has_other and len(entry.options) == 1
    return is_one_short or has_fitting_options(entry, remarks, spot, entry.name)


def _lose_comment(spot: Spot, entry: Entry, remarks: Remarks) -> None:
    entry.loses(
        remarks,
        spot,
        entry.name,
        sentence("The comment fields next to the options are left out."),
        sentence("Add a free-text question for comments."),
    )


def _read_gender(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.options = _fixed("FM", entry)
    return True


def _read_yes_no(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.options, entry.yes_and_no = [], ("Y", "N")
    return True


def _read_points(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.options = _fixed("12345", entry)
    return True


def _read_ticks(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.options, entry.rows = entry.rows, []
    if cells.get("type/scale") == "P":
        _lose_comment(spot, entry, remarks)
    excluding = cells.get("exclude_all_others", "").replace(";", " ").replace(",", " ").split()
    for option in entry.options:
        option.is_exclusive = option.value in excluding
    most = cells.get("max_answers", "").strip()
    if most.isascii() and most.isdecimal() and 1 <= int(most[:6]) <= MOST_TICKS_OPTIONS:
        entry.most = int(most)
    return _has_options(cells, spot, entry, remarks)


def _read_rank(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    entry.rows = []
    return has_fitting_options(entry, remarks, spot, entry.name)


def _read_table(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    kind = cells.get("type/scale", "")
    if kind in COLUMNS_OF_TABLES:
        entry.options = _fixed(COLUMNS_OF_TABLES[kind], entry)
    rows, columns = len(entry.rows), len(entry.options)
    if 2 <= rows <= MOST_ROWS and 2 <= columns <= MOST_COLUMNS:
        return True
    remarks.left_out(
        spot,
        entry.name,
        sentence(
            "The table is left out: it can have 2 to {most_rows} rows and 2 to {most_columns} "
            "columns, but has {rows} and {columns}.",
            rows=rows,
            columns=columns,
            most_rows=MOST_ROWS,
            most_columns=MOST_COLUMNS,
        ),
        sentence("Divide the table into several tables."),
    )
    return False


def _read_number(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    low, high = cells.get("min_num_value_n", ""), cells.get("max_num_value_n", "")
    set_number_bounds(entry, low, high, remarks, spot)
    is_whole_number = cells.get("num_value_int_only", "") == "1"
    set_decimal_places(entry, remarks, spot, 0 if is_whole_number else None)
    return True


def _read_date(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    set_day_bounds(entry, cells.get("date_min", ""), cells.get("date_max", ""), remarks, spot)
    return True


def _read_text(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    most = cells.get("maximum_chars", "").strip()
    if cells.get("type/scale") != "S":
        entry.longest = LONGEST_ANSWER
    if most.isascii() and most.isdecimal() and int(most[:6]):
        entry.longest = min(LONGEST_ANSWER, int(most[:6]))
    return True


def _read_page(cells: Cells, spot: Spot, entry: Entry, remarks: Remarks) -> bool:
    return True


READERS: Mapping[str, tuple[str, Callable[[Cells, Spot, Entry, Remarks], bool]]] = {
    **dict.fromkeys("L!O", ("choice", _read_choice)),
    "Y": ("yes_no", _read_yes_no),
    "G": ("choice", _read_gender),
    "5": ("scale", _read_points),
    **dict.fromkeys("MP", ("ticks", _read_ticks)),
    "N": ("number", _read_number),
    "D": ("date", _read_date),
    **dict.fromkeys("STU", ("text", _read_text)),
    "X": ("info", _read_page),
    **dict.fromkeys("FABCE", ("matrix", _read_table)),
    "R": ("rank", _read_rank),
}
