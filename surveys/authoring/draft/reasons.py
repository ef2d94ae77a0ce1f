"""Reason: why a draft cannot be launched, and the field that mends it."""


class Reason(str):
    """A sentence, as lists of reasons hold it, with the field of a form that mends it.

    ``field`` is empty where no single one does. With a ``language`` it is one of the page on which
    texts are translated into it.
    """

    field: str
    language: str

    def __new__(cls, words: str, field: str = "", language: str = "") -> "Reason":
        reason = super().__new__(cls, words)
        reason.field, reason.language = field, language
        return reason


def of_question(number: int, text: str, why: str) -> Reason:
    """A reason with the question that it is about, by which lists find the question again."""
    return Reason(start_of(number, text) + why, why.field if isinstance(why, Reason) else "")


def start_of(number: int, text: str) -> str:
    """How each reason about this question begins."""
    return f"Question {number} ({text}): "
