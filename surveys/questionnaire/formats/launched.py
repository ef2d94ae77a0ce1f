"""The format of launched documents: its version, texts by language, canonical bytes.

A document is JSON. Every text of its authors stands under one of the names in ``TEXTS`` and is a
map from language to text: ``{"title": {"en": "Habits and health"}}``. Probabilities are written as
fractions in strings (``"1/6"``) or as whole weights over a denominator: never as floating-point
numbers, which two programs may write in two ways.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

VERSION = 2
TEXTS = frozenset({"title", "introduction", "organisation", "contact", "text", "help"})


class UnknownVersion(ValueError):
    """A document of a version that this program cannot read."""

    def __init__(self, version: object) -> None:
        super().__init__(
            f"This questionnaire is written in version {version}; this program reads versions 1 "
            f"to {VERSION}. Use a newer program."
        )


class MissingText(ValueError):
    """A text that is not there in the language that was asked for."""

    def __init__(self, name: str, language: str) -> None:
        super().__init__(f"The {name} has no text in the language “{language}”.")


def version_of(document: Mapping[str, Any]) -> int:
    """The version of a document; the first ones did not say theirs. Raises UnknownVersion."""
    version = document.get("deniable", 1)
    if type(version) is not int or not 1 <= version <= VERSION:
        raise UnknownVersion(version)
    return version


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The one way in which a document is written: sorted keys, no spaces, UTF-8.

    Raises TypeError for a floating-point number.
    """
    _refuse_floats(document)
    written = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return written.encode()


def with_languages(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The document with each text as a map that has this one language."""

    def as_map(_: str, text: str) -> dict[str, str]:
        return {language: text}

    return {name: _texts_as(as_map, name, part) for name, part in document.items()}


def together(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One document of several that differ in the language of their texts alone, in this order.

    Raises ValueError if they differ in more.
    """
    languages = [language for document in documents for language in document["languages"]]
    alike = [{**document, "languages": languages} for document in documents]
    return {name: _joined(name, [document[name] for document in alike]) for name in alike[0]}


def _joined(name: str, parts: Sequence[Any]) -> Any:
    first = parts[0]
    if name in TEXTS:
        return {language: text for part in parts for language, text in part.items()}
    if isinstance(first, Mapping):
        if any(part.keys() != first.keys() for part in parts):
            raise ValueError(f"The documents differ in the fields of “{name}”.")
        return {inner: _joined(inner, [part[inner] for part in parts]) for inner in first}
    if isinstance(first, list):
        return [_joined("", values) for values in zip(*parts, strict=True)]
    if any(part != first for part in parts):
        raise ValueError(f"The documents differ in “{name}”: {parts}.")
    return first


def in_language(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The document with each text as it reads in this language. Raises MissingText."""

    def as_text(name: str, texts: Mapping[str, str]) -> str:
        if language not in texts:
            raise MissingText(name, language)
        return texts[language]

    return {name: _texts_as(as_text, name, part) for name, part in document.items()}


def _texts_as(change: Callable[[str, Any], Any], name: str, part: Any) -> Any:
    if name in TEXTS:
        return change(name, part)
    if isinstance(part, Mapping):
        return {inner: _texts_as(change, inner, value) for inner, value in part.items()}
    if isinstance(part, list | tuple):
        return [_texts_as(change, "", value) for value in part]
    return part


def _refuse_floats(part: Any) -> None:
    if isinstance(part, float):
        raise TypeError(f"{part} is a floating-point number: write a fraction, such as 1/6.")
    if isinstance(part, Mapping):
        part = list(part.values())
    if isinstance(part, list | tuple):
        for value in part:
            _refuse_floats(value)
