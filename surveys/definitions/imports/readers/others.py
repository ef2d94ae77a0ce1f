"""“Other, please specify”: a text for the last option of the question before it."""

from surveys.definitions.imports.conditions import fields_read
from surveys.definitions.imports.entries import Entry, ReadForm, Written
from surveys.definitions.imports.formulas import BadFormula, Formula, formula_of
from surveys.definitions.imports.remarks import Remarks
from surveys.kinds.ticks.promise import MOST_READ
from surveys.randomized_response.messages import sentence

CHOICES = ("choice", "scale", "ticks")


def fold_others(form: ReadForm, remarks: Remarks) -> None:
    """Make texts that are asked by the last option above them the kind that stands below it."""
    read = fields_read(form)
    for before, entry in zip(form.entries, form.entries[1:], strict=False):
        rule = entry.rule if entry.kind == "text" and entry.name not in read else None
        if rule and _asks_of_last(rule, entry, before, form):
            entry.kind, entry.rule = "other", None
            remarks.changed(
                rule.spot,
                rule.text,
                sentence("It becomes the text for the last answer of “{name}”.").format(
                    name=before.name
                ),
                sentence("Keep that answer the last one."),
            )


def _asks_of_last(rule: Written, entry: Entry, before: Entry, form: ReadForm) -> bool:
    if before.kind not in CHOICES or entry.groups != before.groups:
        return False
    if before.kind == "ticks" and len(before.options) > MOST_READ:
        return False
    try:
        formula = formula_of(rule.text, has_bare_fields=form.has_bare_fields)
    except BadFormula:
        return False
    last = before.options[-1].value if before.options else ""
    fields_of_last = [Formula("field", before.name), Formula("field", before.name, last)]
    match formula:
        case Formula(kind="call", text="selected", parts=(field, value)):
            return field == fields_of_last[0] and value.text == last
        case Formula(kind="compare", text="=", parts=(field, value)):
            is_whole_field = field == fields_of_last[0] and before.kind != "ticks"
            is_tick = field == fields_of_last[1] and value.text in ("1", "Y")
            return (is_whole_field and value.text == last) or is_tick
    return False
