"""Columns of our own workbooks: their names, in which languages, and what a cell can hold.

The columns of XLSForm say what they can; those of our own say the rest. ``more`` has in JSON what
neither can: a text with blanks at its ends, a name that forms keep for themselves. Long JSON goes
on in ``more_2`` and so on.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from surveys.definitions.documents import DEEPEST_JSON, depth_of
from surveys.definitions.languages import LANGUAGES, language_named
from surveys.definitions.shapes import Scalar, Shape

Cells = dict[str, str]
FORMAT = "deniable_draft"  # the column of the settings that tells our workbooks from others
LANGUAGE_NAMES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "ar": "Arabic"}
LONGEST_CELL = 30_000  # a cell holds 32,767 characters
YES = "yes"
# Text that XML cannot hold: control characters, halves of characters, and two that are none.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
EMPTY = "…"  # for a text of blanks: other programs ask for a label

# Of the sheet "survey": the column, and the field of a question that its cells hold.
OWN_FIELDS = {
    "sent": "shown",
    "most": "most",
    "decimal_places": "decimal_places",
    "family": "behind",
    "same_screen": "same_screen",
    "catalogue": "catalogue",
    "adaptive": "adaptive",
    "known_share": "known_share",
    "counted_table": "counted_table",
    "unfinished": "unfinished",
}
# The column, and the parameter of a design.
OF_DESIGNS = {
    "epsilon": "epsilon",
    "forced": "forced",
    "p_sensitive": "p_sensitive",
    "second_yes": "harmless_yes",
}
OF_XLSFORM = ("required", "relevant", "constraint", "appearance", "parameters")
ORDER = (
    *("list_name", "type", "weight", "form_title", "form_id", "default_language", "name"),
    *("label", "hint", *OF_XLSFORM, "kind", "rule", "design", *OF_DESIGNS),
    *("second", "channel", *OWN_FIELDS, "arm", "special", "options", "row", "quoted"),
    *("random_questions", "random_section"),
)


def text_column(name: str, language: str) -> str:
    """The column of a text in a language, such as ``label::German (de)``."""
    return f"{name}::{LANGUAGE_NAMES[language]} ({language})"


def text_cells(name: str, texts: Mapping[str, str]) -> Cells:
    """A text in all its languages as cells."""
    return {text_column(name, language): cell_of(text) for language, text in texts.items()}


def texts_in(cells: Mapping[str, str], name: str) -> dict[str, str]:
    """The text that cells hold, by language; empty cells have none."""
    named = ((label.partition("::"), text) for label, text in cells.items() if text)
    by_code = {
        language_named(words): text for (kind, mark, words), text in named if mark and kind == name
    }
    return {language: by_code[language] for language in LANGUAGES if language in by_code}


def cell_of(text: str, *, has_fields: bool = False) -> str:
    """A text as a cell can hold it and other programs take it: ``${`` begins a name to them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = lines if has_fields else lines.replace("${", "$ {")
    return UNFIT.sub("", lines).strip() or EMPTY


def in_order(columns: Iterable[str]) -> list[str]:
    """Each column once: those of ``ORDER``, then ``more``; of texts in the order of languages."""
    return sorted(dict.fromkeys(columns), key=_position)


def _position(column: str) -> tuple[int, int, str]:
    name, _, language = column.partition("::")
    code = language_named(language) if language else ""
    at = ORDER.index(name) if name in ORDER else len(ORDER)
    return at, LANGUAGES.index(code) if code else 0, column


# ---- Values --------------------------------------------------------------------------------------


def value_cell(value: Any) -> str:
    """A truth value, a number or a word as a cell."""
    return YES if value is True else cell_of(str(value))


def value_in(text: str, shape: Shape) -> Any:
    """What a cell says, as JSON of this shape; a text that is none stays one, to be refused."""
    kind = shape.described.get("type") if isinstance(shape, Scalar) else ""
    if kind == "boolean" and text.casefold() in (YES, "true", "1"):
        return True
    is_number = text.isascii() and text.isdecimal() and len(text) <= len("300_000_000")
    return int(text) if kind == "integer" and is_number else text


# ---- What no column holds ------------------------------------------------------------------------


def rest_of(document: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a document that cells do not say; None for those that they say too much."""
    names = sorted(document.keys() | read.keys())
    return {name: document.get(name) for name in names if document.get(name) != read.get(name)}


def more_cells(rest: Mapping[str, Any]) -> Cells:
    """The rest as cells, in as many as it takes; none for nothing."""
    if not rest:
        return {}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    # Other programs look for names of fields in all columns.
    text = text.replace("$", "\\u0024")
    # A cell is read without blanks at its ends.
    text = text.replace(" ", "\\u0020") if len(text) > LONGEST_CELL else text
    starts = range(0, len(text), LONGEST_CELL)
    return {_more_column(n): text[at : at + LONGEST_CELL] for n, at in enumerate(starts, start=1)}


def _more_column(number: int) -> str:
    return "more" if number == 1 else f"more_{number:03}"


def more_in(cells: Mapping[str, str]) -> dict[str, Any]:
    """The entries that ``more_cells`` wrote. Raises ValueError for a text that has none."""
    names = sorted(name for name in cells if name == "more" or name.startswith("more_"))
    text = "".join(cells[name] for name in names)
    if not text:
        return {}
    if depth_of(text) > DEEPEST_JSON:
        raise ValueError(text)
    rest = json.loads(text)
    if not isinstance(rest, dict):
        raise ValueError(text)
    return rest


def with_rest(read: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """The document of which ``rest`` is what cells do not say."""
    return {name: value for name, value in {**read, **rest}.items() if value is not None}
