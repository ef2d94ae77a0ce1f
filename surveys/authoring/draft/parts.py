"""What drafts with several answers share: the words of parts, how many are sent, their channel."""

from collections.abc import Iterator, Sequence
from typing import Any

from surveys.authoring.draft.designs import require_telling
from surveys.authoring.draft.kinds import OF_PARTS
from surveys.models import Question
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.designs import IntegerChannel, KAry, TwoCoins
from surveys.randomized_response.messages import sentence

LONGEST_ROW = 200
# How many there are, and that two are alike.
OPTIONS = (
    sentence("Enter between {least} and {most} options. This question has {count}."),
    sentence("Two options have the same words. Change one of the options."),
)
SENT_UNLESS_SAID = 1  # at equal epsilon the fewest people are needed with one or two parts


def sent_parts(question: Question, size: int) -> int:
    """All parts of a direct question; of another one as many as its author says."""
    if question.design == Question.Design.DIRECT:
        return size
    return question.shown or SENT_UNLESS_SAID


def channel_of(question: Question, item: PartsQuestion) -> dict[str, Any]:
    """The channel of one part. Raises ValueError without an epsilon, or if nothing can be told.

    What the author allows all parts together is shared by those in which two people can differ;
    the integer weights are rounded so that it is never more.
    """
    levels = len(item.levels)
    if question.design == Question.Design.DIRECT:
        return {}
    if question.design == Question.Design.TWO_COINS:
        stored = TwoCoins(levels).channel.integer_weights()
    elif question.epsilon is None:
        raise ValueError(
            sentence(
                "Enter epsilon. Epsilon limits how much a person's answer to this question may "
                "reveal, all its parts together."
            )
        )
    else:
        each = float(question.epsilon) / item.differing
        stored = KAry.from_epsilon(levels, each).channel.integer_weights()
    require_telling(IntegerChannel(stored.weights, stored.denominator).channel)
    return {"weights": stored.weights, "denominator": stored.denominator}


def part_reasons(
    words: tuple[str, str], texts: Sequence[str], *, most: int, least: int = 2
) -> Iterator[str]:
    """What is wrong with the texts of parts, in ``words`` such as ``OPTIONS``."""
    how_many, alike = words
    if not least <= len(texts) <= most:
        yield how_many.format(least=least, most=most, count=len(texts))
    if len({text.casefold() for text in texts}) < len(texts):
        yield alike


def design_reasons(question: Question, size: int) -> Iterator[str]:
    """Which designs carry parts, and of how many."""
    if question.design not in OF_PARTS:
        yield sentence(
            "This question has several parts: its options or its rows. For such a question, "
            "choose one of these designs: direct, two coins, or k-ary."
        )
    elif question.design != Question.Design.DIRECT and not question.shown <= size:
        yield sentence(
            "You chose to send {shown} options or rows from each person, but this question has "
            "only {size}. Enter at most {size}.",
            shown=question.shown,
            size=size,
        )
