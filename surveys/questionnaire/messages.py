"""Message: an English text of the interface that can be said in other languages. Needs no Django.

What is written here knows no language but English. A page looks a message up in its catalogue with
``surveys.wording.language.messages.translated``; ``tests.locale`` finds what has to be in the
catalogues by the names ``message`` and ``counted``, which respondents read, and ``for_author`` and
``counted_for_author``, which those read who make questionnaires.
"""

from decimal import Decimal
from typing import Any, Self


class Listed(tuple[Decimal | str, ...]):
    """Numbers or fractions within a message, one after the other: "1, 2.5" in English."""

    def __str__(self) -> str:
        return ", ".join(map(str, self))


class Message(str):
    """The English text, with what its translation is found and filled in by.

    ``pattern`` has the names of ``values`` in braces; a value may be a message too. With a
    ``number`` there is a pattern for one, ``pattern``, and ``plural`` for any other number.
    """

    pattern: str
    plural: str
    number: int | None
    values: dict[str, Any]

    @classmethod
    def of(cls, pattern: str, plural: str, number: int | None, values: dict[str, Any]) -> Self:
        chosen = pattern if number in (None, 1) else plural
        made = cls(chosen.format(**values) if values else chosen)
        made.pattern, made.plural, made.number, made.values = pattern, plural, number, values
        return made

    def format(self, *args: object, **values: object) -> "Message":
        """The message with these values in it; only by their names."""
        return Message.of(self.pattern, self.plural, self.number, {**self.values, **values})


def message(pattern: str, /, **values: Any) -> Message:
    """A text with these values in it."""
    return Message.of(pattern, "", None, values)


def counted(one: str, other: str, count: int, /, **values: Any) -> Message:
    """A text about so many things; ``{count}`` stands for the number."""
    return Message.of(one, other, count, {"count": count, **values})


def for_author(pattern: str, /, **values: Any) -> Message:
    """The same for those who make questionnaires: it stands in the catalogue of staff."""
    return message(pattern, **values)


def counted_for_author(one: str, other: str, count: int, /, **values: Any) -> Message:
    """The same about so many things; ``{count}`` stands for the number."""
    return counted(one, other, count, **values)
