"""Definitions as JSON: canonical bytes out; what comes in is checked whole, with all problems.

What JSON allows and no definition has is refused in words: two entries of one name in an object,
numbers that are not whole, NaN, characters that cannot be stored, and nesting beyond
``DEEPEST_JSON``.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from surveys.definitions.consistency import problems_of
from surveys.definitions.definition import (
    VERSION,
    Definition,
    DraftArm,
    DraftDesign,
    DraftExplanation,
    DraftOption,
    DraftQuestion,
    DraftRow,
    DraftSection,
    Promises,
    SpecialAnswer,
)
from surveys.definitions.rules.tree import BARE, COMPARED, LONGEST_VALUE, MOST_TICKED
from surveys.definitions.shapes import DAY, NAME, NUMBER, VALUE, DraftProblem, ObjectShape, below
from surveys.questionnaire.formats.launched import canonical_bytes
from surveys.questionnaire.logic.rules import MOST_NODES
from surveys.randomized_response.messages import Message, sentence, shortened

FORMAT = "deniable_draft"
MOST_BYTES = 5 * 1024 * 1024  # of a draft, and of any form that is imported
DEEPEST_JSON = 32
LONGEST_INTEGER = 15  # digits: what every program reads exactly
ROOT = ObjectShape(Definition, constant={FORMAT: VERSION})
RECORDS = (
    DraftSection,
    DraftQuestion,
    DraftDesign,
    DraftOption,
    DraftRow,
    SpecialAnswer,
    DraftArm,
    DraftExplanation,
    Promises,
)


class BadDefinition(ValueError):
    """A file that is no definition, with everything that is wrong with it."""

    def __init__(self, problems: Sequence[DraftProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class Contradiction(BadDefinition):
    """A file of the right form whose parts do not go together, or go beyond what a draft holds."""


def to_bytes(definition: Definition) -> bytes:
    """The one way in which a definition is written, in UTF-8."""
    return canonical_bytes(ROOT.write(definition))


def from_bytes(content: bytes) -> Definition:
    """The definition that a file holds. Raises BadDefinition; Contradiction for a right form."""
    document = _parsed(content)
    _require(list(_unfit_parts(document, "")))
    if isinstance(document, dict):
        _require_version(document.get(FORMAT))
    problems: list[DraftProblem] = []
    definition: Definition = ROOT.read(document, "", problems)  # nothing where there are problems
    _require(problems)
    if contradictions := list(problems_of(definition)):
        raise Contradiction(contradictions)
    return definition


def schema() -> dict[str, Any]:
    """The published JSON Schema (2020-12) of the format."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deniable:draft:{VERSION}",
        "title": f"A draft of Deniable, version {VERSION}",
        **ROOT.definition(),
        "$defs": {
            **{record.name: record.definition() for record in map(ObjectShape, RECORDS)},
            "condition": _condition_schema(),
        },
    }


def _condition_schema() -> dict[str, Any]:
    """Depth and the number of parts stand in no schema: the program checks them."""
    itself = {"$ref": "#/$defs/condition"}
    name, several = NAME.schema(), {"minItems": 2, "maxItems": MOST_NODES}
    number = {**NUMBER.schema(), "maxLength": LONGEST_VALUE}
    value = {"anyOf": [VALUE.schema(), number, DAY.schema()]}
    ticks = {"type": "integer", "minimum": 1, "maximum": MOST_TICKED}
    arguments: dict[str, Any] = {
        **dict.fromkeys(COMPARED, _tuple(name, value)),
        **dict.fromkeys(BARE, _tuple(name)),
        "marked": _tuple(name, ticks),
        "not": itself,
        "all": {"type": "array", "items": itself, **several},
        "any": {"type": "array", "items": itself, **several},
    }
    return {
        "type": "object",
        "properties": arguments,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }


def _tuple(*entries: dict[str, Any]) -> dict[str, Any]:
    size = {"minItems": len(entries), "maxItems": len(entries)}
    return {"type": "array", "prefixItems": list(entries), **size}


def _require(problems: Sequence[DraftProblem]) -> None:
    if problems:
        fits_schema = all(problem.fits_schema for problem in problems)
        raise Contradiction(problems) if fits_schema else BadDefinition(problems)


def _refusal(words: Message, pointer: str = "") -> BadDefinition:
    return BadDefinition([DraftProblem(pointer, words)])


def _require_version(version: object) -> None:
    """Refuses what other programs and newer versions of this one write. Raises BadDefinition."""
    if version is None:
        words = sentence(
            "This file is not a draft of Deniable. The entry “{name}”, which gives the version of "
            "the format, is missing.",
            name=FORMAT,
        )
        raise _refusal(words)
    if type(version) is not int or version < 1:
        words = sentence("Write the version of the format here: {version}.", version=VERSION)
        raise _refusal(words, below("", FORMAT))
    if version > VERSION:
        words = sentence(
            "This draft is written in version {version} of the format, but this program reads "
            "version {known}. Use a newer version of the program.",
            version=version,
            known=VERSION,
        )
        raise _refusal(words, below("", FORMAT))


class _Object(dict[str, Any]):
    """An object as it stands in the file, with the names that it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counted = Counter(name for name, _ in pairs)
        self.repeated = [name for name, count in counted.items() if count > 1]


@dataclass(frozen=True)
class _Unfit:
    """A number or a word that JSON programs write and no definition has."""

    text: str


def _parsed(content: bytes) -> Any:
    if len(content) > MOST_BYTES:
        words = sentence(
            "The file has more than {most} MB. A draft is smaller, so check that you chose the "
            "right file.",
            most=MOST_BYTES // 1024**2,
        )
        raise _refusal(words)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        words = sentence(
            "Byte {at} of the file is not valid UTF-8. Save the file as UTF-8.",
            at=problem.start + 1,
        )
        raise _refusal(words) from None
    if depth_of(text) > DEEPEST_JSON:
        words = sentence(
            "The file has too many parts inside each other. Nest parts at most {most} levels deep.",
            most=DEEPEST_JSON,
        )
        # A condition may be, for all that its schema says.
        raise Contradiction([DraftProblem("", words)])
    try:
        return json.loads(
            text,
            object_pairs_hook=_Object,
            parse_float=_whole_number,
            parse_constant=_Unfit,
            parse_int=lambda digits: (
                int(digits) if len(digits) <= LONGEST_INTEGER else _Unfit(digits)
            ),
        )
    except json.JSONDecodeError as problem:
        words = sentence(
            "The file is not valid JSON. Correct line {line}, column {column}: {problem}.",
            line=problem.lineno,
            column=problem.colno,
            problem=problem.msg,
        )
        raise _refusal(words) from None


def _whole_number(digits: str) -> "int | _Unfit":
    """A whole number that is written with a point or an exponent, which JSON does not tell apart.

    >>> _whole_number("222.0"), _whole_number("2e2"), _whole_number("0.5")
    (222, 200, _Unfit(text='0.5'))
    """
    number = float(digits)
    is_exact = abs(number) < 10**LONGEST_INTEGER and number.is_integer()
    return int(number) if is_exact else _Unfit(digits)


def depth_of(text: str) -> int:
    """How deep brackets stand in one another, those within texts aside; one look at each letter."""
    deepest = depth = 0
    is_in_text = is_escaped = False
    for letter in text:
        if is_in_text:
            is_in_text = is_escaped or letter != '"'
            is_escaped = letter == "\\" and not is_escaped
        elif letter == '"':
            is_in_text = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _unfit_parts(part: Any, pointer: str) -> Iterator[DraftProblem]:
    """What is JSON, and nothing that any definition has."""
    if isinstance(part, _Unfit):
        words = sentence(
            "“{text}” is not a whole number, so it cannot be read exactly. Write a fraction or "
            "a number in quotation marks instead.",
            text=shortened(part.text),
        )
        yield DraftProblem(pointer, words)
    if isinstance(part, str) and not is_storable(part):
        yield DraftProblem(
            pointer,
            sentence("The text contains a character that cannot be stored. Remove this character."),
        )
    if isinstance(part, _Object):
        for name in part.repeated:
            words = sentence(
                "“{name}” is written here twice. Remove one of the two entries.",
                name=shortened(name),
            )
            yield DraftProblem(pointer, words)
        for name, value in part.items():
            if is_storable(name):
                yield from _unfit_parts(value, below(pointer, name))
            else:
                yield from _unfit_parts(name, pointer)
    if isinstance(part, list):
        for at, value in enumerate(part):
            yield from _unfit_parts(value, below(pointer, at))


def is_storable(text: str) -> bool:
    """Whether databases and files take a text: no half of a character, no control but line ends."""
    return not any(
        "\ud800" <= letter <= "\udfff"
        or (letter < " " and letter not in "\n\t")
        or letter == "\x7f"
        for letter in text
    )
