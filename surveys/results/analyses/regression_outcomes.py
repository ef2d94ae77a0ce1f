"""Explained: what a regression explains: one answer of a question, or its number."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.designs import Channel, Direct
from surveys.randomized_response.designs.channel import affine_row, one_answer_channel
from surveys.randomized_response.errors import DesignError
from surveys.wording.language.numbers import number_words


@dataclass(frozen=True)
class Explained:
    """An outcome in words, and how it was asked.

    ``code`` and ``design`` are those of an answer, against all others; None of a number.
    """

    words: str
    code: str | None = None
    design: Channel | Direct | None = None
    notes: tuple[str, ...] = ()


def _answer(item: LevelQuestion, answer: int | None) -> Explained:
    if answer is None:
        return _nothing(item, answer)
    words = gettext("“{answer}” to “{question}”").format(
        answer=item.levels[answer].text, question=item.text
    )
    code, design = item.reported_levels[answer].code, _answer_design(item, answer)
    return Explained(words, code, design, tuple(_answer_notes(item, answer)))


def _number(item: NumberQuestion, answer: int | None) -> Explained:
    return Explained(item.text)


def _rounded(item: RoundedQuestion, answer: int | None) -> Explained:
    words = gettext(
        "The model takes the randomizing of the outcome into account. This makes intervals wider "
        "than with direct answers."
    )
    return Explained(item.text, notes=(words,))


def _nothing(item: Question, answer: int | None) -> Explained:
    raise ValueError(item.text)  # the form offers none of these


# An answer against all others, and numbers as they are.
EXPLAINED: Table[[int | None], Explained] = Table.with_levels(
    _answer, _nothing, number=_number, rounded=_rounded
)


def _answer_design(item: LevelQuestion, answer: int) -> Channel | Direct:
    """The yes/no design of "this answer or another". Raises DesignError."""
    if not item.is_randomized:
        return Direct(2)
    merged = one_answer_channel(item.channel, answer)
    if merged is None:
        if item.channel.reported_levels > item.channel.true_levels:
            remedy = gettext(
                "each reported answer to the outcome question is a group of options, not one "
                "option. Choose another question"
            )
            raise DesignError("question", item.text, remedy)
        remedy = gettext(
            "the design does not treat all other options of the outcome question alike. Choose "
            "another option"
        )
        raise DesignError("answer", item.levels[answer].text, remedy)
    return merged


def _answer_notes(item: LevelQuestion, answer: int) -> Iterator[str]:
    if item.is_randomized and item.decline_level is not None:
        yield gettext(
            "It is not known who declined. So the model compares the chosen answer with all other "
            "answers, including “{answer}”."
        ).format(answer=item.levels[item.decline_level].text)
    if item.is_randomized:
        yield gettext(
            "The model takes the randomizing of the outcome into account. This makes intervals "
            "wider than with direct answers. Where half of the people would give the chosen "
            "answer, intervals are about 1/a = {slope} times as wide. Elsewhere, they are mostly "
            "even wider."
        ).format(slope=_slope_words(item, answer))


def _slope_words(item: LevelQuestion, answer: int) -> str:
    """1/a of the row that is modelled."""
    line = affine_row(item.channel, answer)
    return number_words(1 / abs(float(line[0]))) if line else "–"
