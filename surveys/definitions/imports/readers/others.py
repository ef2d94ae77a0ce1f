"""“Other, please specify”: a text for the last option of the question before it."""

from collections.abc import Sequence
from dataclasses import replace

from surveys.definitions.imports.conditions import fields_read
from surveys.definitions.imports.entries import Entry, FormChoice, ReadForm, Written
from surveys.definitions.imports.formulas import BadFormula, Formula, formula_of
from surveys.definitions.imports.remarks import Remarks
from surveys.randomized_response.messages import sentence

CHOICES = ("choice", "scale", "ticks")
# Of an option that the form does not word.
OTHER = {"en": "Other", "de": "Anderes", "fr": "Autre", "es": "Otro", "ar": "آخر"}


def fold_others(form: ReadForm, remarks: Remarks) -> None:
    """Make texts that are asked by the last option above them the kind that stands below it.

    An option "other" that a text ``X_other`` asks for, and that its list forgot, is added to it.
    """
    read = fields_read(form)
    for before, entry in zip(form.entries, form.entries[1:], strict=False):
        rule = entry.rule if entry.kind == "text" and entry.name not in read else None
        if rule and _lacks_other(rule, entry, before, form):
            add_other(before, form.languages)
            remarks.changed(
                rule.spot,
                rule.text,
                sentence("“{name}” has no option “other”. The option is added at the end.").format(
                    name=before.name
                ),
                sentence(
                    "If people should not write an answer of their own, remove the option "
                    "“other” and this text field."
                ),
            )
        if rule and _asks_of_last(rule, entry, before, form):
            entry.kind, entry.rule = "other", None
            remarks.changed(
                rule.spot,
                rule.text,
                sentence(
                    "The question becomes the text field of the last option of “{name}”."
                ).format(name=before.name),
                sentence("Keep the option that has this text field at the end of the list."),
            )


def add_other(entry: Entry, languages: Sequence[str]) -> dict[str, str]:
    """Let a list end with an answer "other"; its words in each language."""
    texts = {language: OTHER[language] for language in languages}
    entry.options.append(FormChoice("other", texts, entry.spot))
    return texts


def _lacks_other(rule: Written, entry: Entry, before: Entry, form: ReadForm) -> bool:
    """Whether it asks for an answer "other" above it, by its name too, and there is none."""
    if before.kind not in CHOICES or entry.name != f"{before.name}_other":
        return False
    if "other" in {option.value for option in before.options}:
        return False
    with_other = replace(before, options=[FormChoice("other", {}, before.spot)])
    return _asks_of_last(rule, entry, with_other, form)


def _asks_of_last(rule: Written, entry: Entry, before: Entry, form: ReadForm) -> bool:
    if before.kind not in CHOICES or entry.groups != before.groups:
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
