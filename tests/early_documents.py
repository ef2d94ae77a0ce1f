"""Documents as version 1 wrote them, for tests about what was launched before."""

from typing import Any

from surveys.questionnaire.formats.launched import in_language

# What stood in every entry for the fields of other kinds.
EMPTY: dict[str, Any] = {
    **{"levels": [], "display": [], "weights": [], "denominator": 1},
    **{"number": None, "longest": 0, "reports": [], "second": None, "pairs": []},
    **{"rated": None, "marking": None},
}


def version_1(document: dict[str, Any]) -> dict[str, Any]:
    """The same document as version 1 wrote it."""
    (language,) = document["languages"]
    values = in_language(document, language)
    del values["deniable"], values["languages"], values["loss"]
    values["items"] = [_entry(item) for item in values["items"]]
    return values


def _entry(item: dict[str, Any]) -> dict[str, Any]:
    return {**EMPTY, **{name: value for name, value in item.items() if name != "form"}}
