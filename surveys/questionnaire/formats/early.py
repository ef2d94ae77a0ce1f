"""Documents of version 1 as version 2 would write them: what was launched is read for ever.

Version 1 did not say of which form a question is: each entry had the fields of all forms, empty
where they did not belong to it, and the earliest lacked those of forms that came later. Its texts
were in one language, which pages took for English.
"""

from collections.abc import Mapping
from typing import Any

from surveys.questionnaire.formats.launched import VERSION, with_languages

LANGUAGE = "en"
COMMON = ("id", "text", "help", "required", "kind", "design")
LEVELED = ("levels", "display", "denominator")
# The fields that each form has besides those that all have. No form was added after version 1.
FIELDS = {
    "levels": (*LEVELED, "weights"),
    "paired": (*LEVELED, "weights", "second", "pairs"),
    "compared": (*LEVELED, "weights", "reports", "second"),
    "grouped": (*LEVELED, "reports", "second", "pairs"),
    "long_list": (*LEVELED, "marking"),
    "rating": (*LEVELED, "weights", "rated"),
    "number": ("number",),
    "text": ("longest",),
}
ABSENT = {"denominator": 1, "weights": ()}  # what the earliest documents did not write


def upgraded(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same document in version 2. Raises ValueError for a question of no known form.

    The first had no budget, ``wording``, ``opening`` and ``asked``; then a budget was for texts
    alone.
    """
    values = {"wording": 1, **document}
    values["budget"] = values.pop("text_budget", None) or values.get("budget")
    values["items"] = [_item(entry) for entry in values["items"]]
    return {**with_languages(values, LANGUAGE), "deniable": VERSION, "languages": [LANGUAGE]}


def _item(entry: Mapping[str, Any]) -> dict[str, Any]:
    form = _form_of(entry)
    fields = {name: entry[name] for name in COMMON}
    own = {name: entry[name] if name in entry else ABSENT[name] for name in FIELDS[form]}
    return {**fields, **own, "form": form}


def _form_of(entry: Mapping[str, Any]) -> str:
    """The form of an entry, told by the fields that are not empty."""
    for field, form in (("rated", "rating"), ("marking", "long_list"), ("number", "number")):
        if entry.get(field):
            return form
    if entry.get("pairs"):
        return "paired" if entry.get("weights") else "grouped"
    if entry.get("second"):
        return "compared"
    if entry.get("levels"):
        return "levels"
    if entry["kind"] == "text":
        return "text"
    raise ValueError(f"Question {entry.get('id')} is of no form that version 1 had.")
