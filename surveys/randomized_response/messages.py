"""Message: an English sentence with the values in it, which a program may say in other languages.

A message is found again by its pattern, as gettext finds a text by its English words, so that a
sentence is written once: where it is raised or noted. What shows messages looks the pattern up in
its own catalogue and fills the values in; nothing takes a finished sentence apart.
"""

from decimal import Decimal
from typing import Any, Self


class Listed(tuple[Decimal | str, ...]):
    """Numbers or fractions within a message, one after the other: "1, 2.5" in English."""

    def __str__(self) -> str:
        return ", ".join(map(str, self))


class Message(str):
    """An English sentence, and what another language needs to say it.

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
        english = {
            name: f"{value:,}" if isinstance(value, Decimal) else value
            for name, value in values.items()
        }
        made = cls(chosen.format(**english) if values else chosen)
        made.pattern, made.plural, made.number, made.values = pattern, plural, number, values
        return made

    def format(self, *args: object, **values: object) -> "Message":
        """The message with these values in it; only by their names."""
        return Message.of(self.pattern, self.plural, self.number, {**self.values, **values})


class Messages(str):
    """Several messages, one after the other, with the same characters between them."""

    parts: tuple[str, ...]
    between: str


def sentence(pattern: str, /, **values: Any) -> Message:
    """A sentence with these values in it.

    >>> from randomized_response.messages import figure, sentence
    >>> sentence("give at most {most} people", most=figure(1500))
    'give at most 1,500 people'
    """
    return Message.of(pattern, "", None, values)


def counted_sentence(singular: str, plural: str, count: int, /, **values: Any) -> Message:
    """A sentence about so many things; ``{count}`` stands for the number."""
    return Message.of(singular, plural, count, {"count": count, **values})


def shortened(text: str, longest: int = 80) -> str:
    """What a person wrote, as much of it as fits into one line of a refusal."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def figure(number: float, form: str = "") -> Decimal:
    """A number within a message, as ``format`` writes it; each language groups its digits.

    >>> from randomized_response.messages import figure, sentence
    >>> sentence("{share} % answered", share=figure(100 * 2 / 3, ".1f"))
    '66.7 % answered'
    """
    return Decimal(format(number, form))


def together(*parts: str, between: str = " ") -> str:
    """The sentences that are not empty, one after the other.

    >>> from randomized_response.messages import sentence, together
    >>> together(sentence("One."), "", sentence("Two."))
    'One. Two.'
    """
    some = tuple(part for part in parts if part)
    if len(some) < 2:
        return some[0] if some else ""
    made = Messages(between.join(some))
    made.parts, made.between = some, between
    return made


def written(value: Any) -> Any:
    """A document as JSON can hold it: each message in it with its pattern and values.

    >>> from randomized_response.messages import sentence, written
    >>> written(["Ada", sentence("At most {most}.", most=3)])
    ['Ada', {'message': 'At most {most}.', 'values': {'most': 3}}]
    """
    if isinstance(value, Messages):
        return {"messages": [written(part) for part in value.parts], "between": value.between}
    if isinstance(value, Message):
        plural = {} if value.number is None else {"plural": value.plural, "number": value.number}
        return {"message": value.pattern, **plural, "values": written(value.values)}
    if isinstance(value, Listed):
        return {"listed": [written(entry) for entry in value]}
    if isinstance(value, Decimal):
        return {"figure": str(value)}
    if isinstance(value, dict):
        return {key: written(entry) for key, entry in value.items()}
    return [written(entry) for entry in value] if isinstance(value, list | tuple) else value


def read(value: Any) -> Any:
    """The document whose messages ``written`` wrote."""
    if isinstance(value, list):
        return [read(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    known = {key: read(entry) for key, entry in value.items()}
    keys = known.keys()
    # By all of its keys: a document may have one of its own that is called "message".
    if keys == {"message", "values"}:
        return Message.of(known["message"], "", None, known["values"])
    if keys == {"message", "plural", "number", "values"}:
        return Message.of(known["message"], known["plural"], known["number"], known["values"])
    if keys == {"messages", "between"}:
        return together(*known["messages"], between=known["between"])
    if keys == {"figure"}:
        return Decimal(known["figure"])
    return Listed(known["listed"]) if keys == {"listed"} else known
