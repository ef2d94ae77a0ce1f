"""Reason: why a draft cannot be launched, and the question and the field that mend it.

Reasons are found while a draft is read in the language of its author, and read in the language of
a page, so they are messages: a page looks them up when it shows them.
"""

from surveys.randomized_response.messages import Message, sentence


class Reason(Message):
    """A sentence, as lists of reasons hold it, with the field of a form that mends it.

    ``field`` is empty where no single one does. With a ``language`` it is one of the page on which
    texts are translated into it. With a ``question``, numbered from 1, ``why`` is what the sentence
    says of it.
    """

    field: str
    language: str
    question: int
    why: str

    def __new__(cls, words: str, field: str = "", language: str = "") -> "Reason":
        reason = super().__new__(cls, words)
        known = (
            words
            if isinstance(words, Message)
            else Message.of("{words}", "", None, {"words": words})
        )
        reason.pattern, reason.plural = known.pattern, known.plural
        reason.number, reason.values = known.number, known.values
        reason.field, reason.language = field, language
        reason.question, reason.why = 0, words
        return reason


def of_question(number: int, text: str, why: str) -> Reason:
    """A reason with the question that it is about, by which lists find the question again."""
    words = sentence("Question {number} ({text}): {why}", number=number, text=text, why=why)
    reason = Reason(words, why.field if isinstance(why, Reason) else "")
    reason.question, reason.why = number, why
    return reason
