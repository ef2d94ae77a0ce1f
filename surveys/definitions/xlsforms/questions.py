"""A question as cells of the sheet ``survey``, and the JSON of a definition that cells hold.

What is written is read again at once: all that the cells would not give back goes to ``more``, so
that nothing is lost by whichever way it cannot be said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surveys.definitions.definition import DraftDesign, DraftQuestion
from surveys.definitions.imports.readers.bounds import USUAL_PLACES
from surveys.definitions.imports.readers.constraints import constraint_of
from surveys.definitions.kinds import KINDS
from surveys.definitions.rules.text import written
from surveys.definitions.rules.xpath import FormField, xpath_of
from surveys.definitions.shapes import ObjectShape
from surveys.definitions.xlsforms.columns import (
    LONGEST_CELL,
    OF_DESIGNS,
    OWN_FIELDS,
    YES,
    Cells,
    cell_of,
    text_cells,
    texts_in,
    value_cell,
    value_in,
)
from surveys.definitions.xlsforms.quotes import quoted_texts, quoting_cells
from surveys.definitions.xlsforms.surroundings import rule_in

SHAPE, DESIGN = ObjectShape(DraftQuestion), ObjectShape(DraftDesign)
USUAL_LENGTH = 500
TYPES = {
    **dict.fromkeys(("yes_no", "choice", "scale", "rating", "trust"), "select_one"),
    "ticks": "select_multiple",
    "rank": "rank",
    "honest": "integer",
    "date": "date",
    "text": "text",
    "other": "text",
    "agree": "acknowledge",
}
# What a row without our column "kind" is: one that was added in another program.
KINDS_OF = {
    "select_one": "choice",
    "select_multiple": "ticks",
    "rank": "rank",
    "integer": "number",
    "decimal": "number",
    "date": "date",
    "text": "text",
    "note": "info",
    "acknowledge": "agree",
}
RANDOM = "randomize=true"
QUOTABLE = frozenset(["yes_no", "choice", "scale", "number", "text"])


@dataclass(frozen=True)
class FormNames:
    """How the form calls things: ``names`` of fields by ours; the ``fields`` that rules read."""

    names: Mapping[str, str]
    fields: Mapping[str, FormField]
    quotable: frozenset[str] = frozenset()
    ours: Mapping[str, str] = field(default_factory=dict)


# ---- Written -------------------------------------------------------------------------------------


def question_cells(
    question: DraftQuestion, form: FormNames, list_name: str, special: str, before: FormField | None
) -> Cells:
    """The row of a question, or that which begins its table, without ``more``.

    ``list_name`` and ``special`` are those of its options and special answers, empty for none;
    ``before`` is the question above it, which asks an "other" by its last option.
    """
    kind = question.kind
    cells: Cells = {
        "type": form_type(question, list_name),
        "name": form.names[question.name],
        "kind": kind,
        "required": YES if kind == "agree" or (question.required and kind != "info") else "",
        "relevant": _relevant(question, form, before),
        "constraint": _constraint(question),
        "appearance": _appearance(question, list_name),
        "special": special,
        "options": list_name if kind == "matrix" else "",
    }
    if question.random_options and list_name and kind != "matrix":
        cells["parameters"] = RANDOM
    cells |= quoting_cells(
        {"label": question.text, "hint": question.help}, form.names, form.quotable
    )
    cells |= _own_cells(question)
    # What is too long for a cell, such as a large channel, goes on in those of "more".
    return {column: text for column, text in cells.items() if 0 < len(text) <= LONGEST_CELL}


def form_type(question: DraftQuestion, list_name: str) -> str:
    """The type of its row. A question without options yet is a note: no list would be empty."""
    if question.kind == "matrix":
        return "begin_group"
    if question.kind == "number":
        return "decimal" if question.decimal_places else "integer"
    kind = TYPES.get(question.kind, "note")
    if kind not in ("select_one", "select_multiple", "rank"):
        return kind
    return f"{kind} {list_name}" if list_name else "note"


def _appearance(question: DraftQuestion, list_name: str) -> str:
    if question.kind == "matrix":
        return "table-list" if list_name and question.rows else ""
    return "likert" if question.kind in ("scale", "rating") and list_name else ""


def _relevant(question: DraftQuestion, form: FormNames, before: FormField | None) -> str:
    rule = xpath_of(question.rule, form.fields) if question.rule else ""
    last = _asks_last(before) if question.kind == "other" and before else ""
    return f"({rule}) and {last}" if rule and last else rule or last


def _asks_last(before: FormField) -> str:
    """The condition of a text for the last option of the question above it."""
    if before.kind not in ("choice", "scale", "ticks") or not before.values:
        return ""
    name, value = before.names[0], before.values[-1]
    if before.kind == "ticks":
        return f"selected(${{{name}}}, '{value}')"
    return f"${{{name}}} = '{value}'"


def _constraint(question: DraftQuestion) -> str:
    match question.kind:
        case "number":
            codes = [f". = {special.code}" for special in question.special]
            bounds = _bounds(question.minimum, question.maximum)
            return " or ".join([f"({bounds})", *codes]) if bounds and codes else bounds
        case "date":
            days = (question.first_day, question.last_day)
            return _bounds(*(f"date('{day}')" if day else "" for day in days))
        case "text" | "other":
            return f"string-length(.) <= {question.longest}"
        case "honest":
            return _bounds("0", "100")
        case "ticks":
            return " and ".join(_tick_limits(question))
    return ""


def _bounds(low: str, high: str) -> str:
    return " and ".join([*([f". >= {low}"] if low else []), *([f". <= {high}"] if high else [])])


def _tick_limits(question: DraftQuestion) -> list[str]:
    limits = [
        f"not(selected(., '{option.value}') and count-selected(.) > 1)"
        for option in question.options
        if option.exclusive
    ]
    return [*limits, *([f"count-selected(.) <= {question.most}"] if question.most else [])]


def _own_cells(question: DraftQuestion) -> Cells:
    """What XLSForm has no column for."""
    document = SHAPE.write(question)
    design = document.get("design", {})
    cells: Cells = {
        column: value_cell(document[name])
        for column, name in OWN_FIELDS.items()
        if name in document
    }
    cells["design"] = design.get("name", "")
    for column, name in OF_DESIGNS.items():
        value = design.get(name, "")
        cells[column] = value if isinstance(value, str) else " ".join(value)
    cells["channel"] = "; ".join(map(" ".join, design.get("channel", [])))
    cells["arm"] = cell_of(" | ".join(question.arms)) if question.arms else ""
    cells["rule"] = written(question.rule) if question.rule else ""
    return cells | text_cells("second", question.design.harmless)


# ---- Read ----------------------------------------------------------------------------------------


def kind_in(cells: Mapping[str, str]) -> str:
    """The kind of a question that a row begins; empty for a row of none."""
    own = cells.get("kind", "")
    if own:
        return own if own in KINDS else ""
    kind = KINDS_OF.get(type_in(cells)[0], "")
    return "scale" if kind == "choice" and "likert" in cells.get("appearance", "") else kind


def type_in(cells: Mapping[str, str]) -> tuple[str, str]:
    """The type of a row, and the name of its list."""
    text = cells.get("type", "").replace("begin group", "begin_group")
    words = text.replace("end group", "end_group").split()
    return (words[0].casefold() if words else "", words[1] if len(words) > 1 else "")


def question_in(
    cells: Mapping[str, str],
    rows: Sequence[Mapping[str, str]],
    lists: Mapping[str, Sequence[Mapping[str, Any]]],
    ours: Mapping[str, str],
) -> dict[str, Any]:
    """The JSON of a question, ``more`` aside; ``rows`` are those of its table.

    ``lists`` are options by the name of their list; ``ours`` our names by those of fields.
    """
    kind = kind_in(cells)
    name = cells.get("name", "")
    text, help_ = quoted_texts(cells, ("label", "hint"), ours)
    is_required = cells.get("required", "").casefold() in (YES, "true", "true()", "1")
    options = lists.get(cells.get("options", "") or type_in(cells)[1], ())
    parts: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "text": text,
        "help": help_,
        "required": is_required and kind not in ("agree", "info"),
        "design": _design_in(cells),
        "rule": rule_in(cells),
        "arms": [part.strip() for part in cells.get("arm", "").split("|") if part.strip()],
        "options": list(options) if kind not in ("yes_no", "trust") else [],
        "rows": [{"value": row.get("row", ""), "text": texts_in(row, "label")} for row in rows],
        "random_options": RANDOM in cells.get("parameters", "").casefold(),
        **_own_in(cells),
        **_bounds_in(cells, kind, lists),
    }
    needed = ("name", "kind", "text")
    return {key: value for key, value in parts.items() if value or key in needed}


def _own_in(cells: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: value_in(cells[column], SHAPE.shapes[name])
        for column, name in OWN_FIELDS.items()
        if cells.get(column)
    }


def _design_in(cells: Mapping[str, str]) -> dict[str, Any]:
    design: dict[str, Any] = {
        "name": cells.get("design", ""),
        "harmless": texts_in(cells, "second"),
    }
    for column, name in OF_DESIGNS.items():
        text = cells.get(column, "")
        design[name] = text if name == "epsilon" else text.split()
    channel = cells.get("channel", "")
    design["channel"] = [row.split() for row in channel.split(";")] if channel else []
    return {name: value for name, value in design.items() if value}


def _bounds_in(
    cells: Mapping[str, str], kind: str, lists: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """What a constraint says: other programs have it there too."""
    constraint = constraint_of(cells.get("constraint", ""), kind)
    match kind:
        case "number":
            is_integer = type_in(cells)[0] == "integer"
            low, high = constraint.bounds(is_integer=is_integer)
            decimals = value_in(cells.get("decimal_places", ""), SHAPE.shapes["decimal_places"])
            return {
                "minimum": low,
                "maximum": high,
                "decimal_places": decimals or (0 if is_integer else USUAL_PLACES),
                "special": [
                    {"code": each.get("value"), "text": each.get("text")}
                    for each in lists.get(cells.get("special", ""), ())
                ],
            }
        case "date":
            first, last = constraint.days
            return {"first_day": first, "last_day": last}
        case "text":
            longest = constraint.longest
            return {"longest": longest if longest != USUAL_LENGTH else 0}
        case "other":
            longest = constraint_of(cells.get("constraint", ""), "text").longest
            return {"longest": longest if longest != USUAL_LENGTH else 0}
    return {}
