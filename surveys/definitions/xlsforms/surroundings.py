"""What stands around questions, as JSON of a definition: the survey's own texts, and sections."""

from collections.abc import Mapping, Sequence
from typing import Any

from surveys.definitions.definition import DraftArm, DraftSection, Promises
from surveys.definitions.documents import FORMAT as FORMAT_NAME
from surveys.definitions.languages import language_named
from surveys.definitions.rules.text import BadRuleText, read
from surveys.definitions.shapes import ObjectShape
from surveys.definitions.xlsforms.columns import FORMAT, texts_in, value_in

ARM, PROMISES, SECTION = ObjectShape(DraftArm), ObjectShape(Promises), ObjectShape(DraftSection)
FLAGS = ("random_questions", "random_section")


def form_in(
    settings: Mapping[str, str], introduction: Mapping[str, str], arms: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """The JSON of a definition without its sections, ``more`` aside."""
    languages = settings.get("languages", "").split()
    usual = language_named(settings.get("default_language", ""))
    own = languages[0] if languages else usual
    title = {own: settings.get("form_title", ""), **texts_in(settings, "title_in")}
    promises = {
        name: value_in(settings[name], shape)
        for name, shape in PROMISES.shapes.items()
        if settings.get(name)
    }
    parts = {
        FORMAT_NAME: value_in(settings.get(FORMAT, ""), ARM.shapes["weight"]),
        "languages": languages or [own],
        "title": {language: text for language, text in title.items() if text},
        "introduction": texts_in(introduction, "label"),
        "organisation": texts_in(settings, "organisation"),
        "contact": texts_in(settings, "contact"),
        "arms": [
            {
                "text": texts_in(arm, "label"),
                "weight": value_in(arm.get("weight", ""), ARM.shapes["weight"]),
            }
            for arm in arms
        ],
        "promises": promises,
    }
    return {name: value for name, value in parts.items() if value or name == FORMAT_NAME}


def section_in(begin: Mapping[str, str], text: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of a section without its questions, ``more`` aside."""
    parts: dict[str, Any] = {"title": texts_in(begin, "label"), "text": texts_in(text, "label")}
    parts["rule"] = rule_in(begin)
    for name in FLAGS:
        parts[name] = value_in(begin.get(name, ""), SECTION.shapes[name])
    return {name: value for name, value in parts.items() if value}


def rule_in(cells: Mapping[str, str]) -> dict[str, Any] | None:
    """The condition in ``rule``; None where there is none, or none that can be read."""
    try:
        return read(cells["rule"]).to_json() if cells.get("rule") else None
    except BadRuleText:
        return None
