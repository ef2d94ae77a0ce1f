"""Shapes: how each part of a definition stands in JSON; each reads, writes and publishes it.

A shape reads an entry and adds a ``DraftProblem`` for all that is wrong with it, with its JSON
pointer (RFC 6901), so that an author sees every problem at once. What it returns beside one is
not used. ``schema`` is the same in the words of JSON Schema 2020-12.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, get_type_hints

from surveys.definitions.languages import LANGUAGES
from surveys.definitions.names import LONGEST_NAME, is_reserved, is_value, name_problem
from surveys.definitions.rules.tree import (
    BadRuleTree,
    RuleTree,
    is_day,
    is_number,
    rule_from,
)
from surveys.randomized_response.messages import Message, sentence, shortened

Texts = Mapping[str, str]  # language: text
NAME_PATTERN = f"^[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}$"
VALUE_PATTERN = f"^(0|[1-9][0-9]{{0,8}}|[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}})$"
NUMBER_PATTERN = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$"
SHARE_PATTERN = "^(0|1|[0-9]{1,9}/[1-9][0-9]{0,8})$"
# What databases and files take, as ``documents.is_storable`` says it.
TEXT_PATTERN = r"^[^\u0000-\u0008\u000b-\u001f\u007f]*$"


@dataclass(frozen=True)
class DraftProblem:
    """What is wrong at one place of a document, and what to write there.

    ``fits_schema``: the form is right there, and JSON Schema has no words for what is wrong.
    """

    pointer: str
    words: Message
    fits_schema: bool = False

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.words}"


DraftProblems = list[DraftProblem]


class Shape(Protocol):
    """What every shape can do."""

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Any:
        """The value of an entry; adds what is wrong with it to ``problems``."""
        ...

    def write(self, value: Any) -> Any:
        """The entry that ``read`` reads the same value of."""
        ...

    def schema(self) -> dict[str, Any]: ...


def below(pointer: str, name: str | int) -> str:
    """The pointer of a part."""
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


@dataclass(frozen=True)
class Scalar:
    """An entry that is its own value, where ``is_right`` says so; else ``wanted`` says what is.

    ``is_reserved`` says which of the others have the form that is ``described``.
    """

    is_right: Callable[[Any], bool]
    wanted: Message
    described: Mapping[str, Any]
    is_reserved: Callable[[Any], bool] = lambda entry: False

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Any:
        if not self.is_right(entry):
            problems.append(DraftProblem(pointer, self.wanted, self.is_reserved(entry)))
        return entry

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return dict(self.described)


FLAG = Scalar(
    lambda entry: isinstance(entry, bool), sentence("Write true or false."), {"type": "boolean"}
)
VALUE = Scalar(
    lambda entry: isinstance(entry, str) and is_value(entry),
    sentence(
        "Write the value of an option in quotation marks: a whole number, or a name of letters "
        "from a to z, digits and “_”."
    ),
    {"type": "string", "pattern": VALUE_PATTERN},
    lambda entry: isinstance(entry, str) and is_reserved(entry),
)
DAY = Scalar(
    lambda entry: isinstance(entry, str) and is_day(entry),
    sentence("Write a day, such as “2026-01-31”."),
    {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
)
NUMBER = Scalar(
    lambda entry: isinstance(entry, str) and len(entry) <= 20 and is_number(entry),
    sentence(
        "Write a number in quotation marks, such as “-2.5”, without needless zeros at its "
        "beginning or end."
    ),
    {"type": "string", "pattern": NUMBER_PATTERN, "maxLength": 20},
)


def number_from(least: int, most: int) -> Scalar:
    """A whole number in a range."""
    return Scalar(
        # A truth value is a whole number to Python, and not to JSON.
        lambda entry: type(entry) is int and least <= entry <= most,
        sentence("Write a whole number from {least} to {most}.", least=least, most=most),
        {"type": "integer", "minimum": least, "maximum": most},
    )


def line_of(most: int) -> Scalar:
    """A text that is the same in every language."""
    return Scalar(
        lambda entry: isinstance(entry, str) and 1 <= len(entry) <= most,
        sentence("Write a text of 1 to {most} characters.", most=most),
        {"type": "string", "minLength": 1, "maxLength": most, "pattern": TEXT_PATTERN},
    )


def word_of(words: Sequence[str]) -> Scalar:
    """One of a few words."""
    return Scalar(
        lambda entry: isinstance(entry, str) and entry in words,
        sentence("Write one of these words: {words}.", words=", ".join(words)),
        {"enum": list(words)},
    )


@dataclass(frozen=True)
class Naming:
    """The name of a question."""

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Any:
        is_text = isinstance(entry, str)
        problem = name_problem(entry) if is_text else sentence("Write a name in quotation marks.")
        if problem:
            problems.append(DraftProblem(pointer, problem, is_text and is_reserved(entry)))
        return entry

    def write(self, value: str) -> str:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": NAME_PATTERN}


NAME = Naming()


@dataclass(frozen=True)
class ByLanguage:
    """A text in some languages, at most so long in each."""

    most: int

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Any:
        if not isinstance(entry, dict) or not entry:
            example = '{"en": "Yes"}'
            words = sentence("Write the text with its language, as in {example}.", example=example)
            problems.append(DraftProblem(pointer, words))
            return {}
        for language, text in entry.items():
            if words_against := self._problem(language, text):
                problems.append(DraftProblem(below(pointer, language), words_against))
        return entry

    def _problem(self, language: str, text: Any) -> Message | None:
        if language not in LANGUAGES:
            return sentence(
                "“{language}” is not one of the possible languages: {languages}.",
                language=shortened(language),
                languages=", ".join(LANGUAGES),
            )
        if not isinstance(text, str) or not 1 <= len(text) <= self.most:
            return sentence("Write a text of 1 to {most} characters.", most=self.most)
        return None

    def write(self, value: Texts) -> dict[str, str]:
        return dict(value)

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"enum": list(LANGUAGES)},
            "additionalProperties": line_of(self.most).schema(),
        }


@dataclass(frozen=True)
class ShareShape:
    """A probability, as a fraction in a string: floating-point numbers differ between programs."""

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Fraction:
        # Whole: to Python the end of a pattern is before a last line end, too.
        is_readable = isinstance(entry, str) and bool(re.fullmatch(SHARE_PATTERN, entry))
        if is_readable and Fraction(entry) <= 1:
            return Fraction(entry)
        words = sentence("Write a fraction from 0 to 1 in quotation marks, such as “1/6”.")
        problems.append(DraftProblem(pointer, words, is_readable))
        return Fraction(0)

    def write(self, value: Fraction) -> str:
        return str(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": SHARE_PATTERN}


SHARE = ShareShape()


@dataclass(frozen=True)
class RuleShape:
    """A condition over the names of earlier questions."""

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> RuleTree | None:
        try:
            return rule_from(entry)
        except BadRuleTree as problem:
            problems.append(DraftProblem(pointer, problem.words, problem.fits_schema))
            return None

    def write(self, value: RuleTree) -> dict[str, Any]:
        return value.to_json()

    def schema(self) -> dict[str, Any]:
        return {"$ref": "#/$defs/condition"}


RULE = RuleShape()


@dataclass(frozen=True)
class ListOf:
    """Entries of one shape, in their order."""

    shape: Shape
    most: int
    least: int = 1

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> tuple[Any, ...]:
        if not isinstance(entry, list) or not self.least <= len(entry) <= self.most:
            words = sentence(
                "Write a list of {least} to {most} entries.", least=self.least, most=self.most
            )
            problems.append(DraftProblem(pointer, words))
            return ()
        return tuple(
            self.shape.read(part, below(pointer, at), problems) for at, part in enumerate(entry)
        )

    def write(self, value: Sequence[Any]) -> list[Any]:
        return [self.shape.write(part) for part in value]

    def schema(self) -> dict[str, Any]:
        bounds = {"minItems": self.least, "maxItems": self.most}
        return {"type": "array", "items": self.shape.schema(), **bounds}


@dataclass(frozen=True)
class ObjectShape:
    """An object whose names are the fields of a dataclass, each annotated with its shape.

    A field that has its usual value is left out, so that what is added to the format later changes
    no bytes of the documents before.
    """

    of: type
    # Names that every such object has with one value, such as its version.
    constant: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        hints = get_type_hints(self.of, include_extras=True)
        return {each.name: hints[each.name].__metadata__[0] for each in fields(self.of)}

    @cached_property
    def _usual(self) -> Mapping[str, Any]:
        made = {
            each.name: each.default_factory()
            for each in fields(self.of)
            if each.default_factory is not MISSING
        }
        plain = {each.name: each.default for each in fields(self.of)}
        return {name: value for name, value in (plain | made).items() if value is not MISSING}

    def read(self, entry: Any, pointer: str, problems: DraftProblems) -> Any:
        if not isinstance(entry, dict):
            problems.append(DraftProblem(pointer, sentence("Write a JSON object in braces here.")))
            return None
        before = len(problems)
        for name in sorted(entry.keys() - self.shapes.keys() - self.constant.keys()):
            words = sentence(
                "“{name}” is not possible here. Remove this name, or write one of these: {names}.",
                name=shortened(name),
                names=", ".join(self.shapes),
            )
            problems.append(DraftProblem(below(pointer, name), words))
        for name in sorted(self.shapes.keys() - self._usual.keys() - entry.keys()):
            problems.append(
                DraftProblem(pointer, sentence("“{name}” is missing. Add this entry.", name=name))
            )
        values = {
            name: shape.read(entry[name], below(pointer, name), problems)
            for name, shape in self.shapes.items()
            if name in entry
        }
        return self.of(**values) if len(problems) == before else None

    def write(self, value: Any) -> dict[str, Any]:
        written = {
            name: shape.write(getattr(value, name))
            for name, shape in self.shapes.items()
            if name not in self._usual or getattr(value, name) != self._usual[name]
        }
        return {**self.constant, **written}

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}

    @property
    def name(self) -> str:
        """What the schema calls it."""
        return self.of.__name__.removeprefix("Draft").lower()

    def definition(self) -> dict[str, Any]:
        """The schema of the object itself."""
        needed = [*self.constant, *(name for name in self.shapes if name not in self._usual)]
        return {
            "type": "object",
            "properties": {
                **{name: {"const": value} for name, value in self.constant.items()},
                **{name: shape.schema() for name, shape in self.shapes.items()},
            },
            "required": needed,
            "additionalProperties": False,
        }
