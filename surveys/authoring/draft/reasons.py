"""Reason: why a draft cannot be launched, and the question and the field that mend it.

Reasons are found while a draft is read in the language of its author, and read in the language of
a page, so they are messages: a page looks them up when it shows them.
"""

from surveys.questionnaire.messages import Message, for_author
from surveys.randomized_response.errors import StatisticsError
from surveys.wording.language.messages import refused

# What the statistics package says of what authors type, as it says it.
REMEDIES = (
    for_author("at 1/2 a report says nothing: choose a rarer harmless item, e.g. 1/4"),
    for_author("at 1/2 a report says nothing: use another value, e.g. 3/4"),
    for_author("give a probability between 0 and 1"),
    for_author("give a value above 0.000000001 and of at most 700, such as 1.1 (ln 3)"),
    for_author("give at least 2 options; one option asks nothing"),
    for_author("the sensitive question must be asked sometimes, e.g. with probability 0.7"),
    for_author("their sum must leave some probability for the truth"),
)


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
    words = for_author("Question {number} ({text}): {why}", number=number, text=text, why=why)
    reason = Reason(words, why.field if isinstance(why, Reason) else "")
    reason.question, reason.why = number, why
    return reason


def refusal(problem: ValueError) -> str:
    """What was refused, as a message where it is one: ``str`` would make English words of it."""
    if isinstance(problem, StatisticsError):
        return refused(problem, REMEDIES)
    said = problem.args[0] if problem.args else ""
    return said if isinstance(said, Message) else str(problem)
