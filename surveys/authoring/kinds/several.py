"""Drafted questions with several answers: their parts, how many are sent, their channel."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext

from surveys.authoring.draft.designs import require_telling
from surveys.kinds.levels.promise import Level, level_code
from surveys.kinds.matrix.promise import MOST_COLUMNS, MOST_ROWS, MatrixQuestion
from surveys.kinds.ranking.promise import (
    MOST_RANKED,
    RankedPairQuestion,
    RankingQuestion,
    pair_texts,
)
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS, TicksQuestion
from surveys.models import Question
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.designs import IntegerChannel, KAry, TwoCoins
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

DESIGNS = (Question.Design.DIRECT, Question.Design.TWO_COINS, Question.Design.K_ARY)
LONGEST_ROW = 200
# How many there are, and that two are alike.
PARTS = {
    "option": (
        sentence("Give between {least} and {most} options; it has {count}."),
        sentence("Two options read the same."),
    ),
    "row": (
        sentence("Give between {least} and {most} rows; it has {count}."),
        sentence("Two rows read the same."),
    ),
    "column": (
        sentence("Give between {least} and {most} columns; it has {count}."),
        sentence("Two columns read the same."),
    ),
}
SENT_UNLESS_SAID = 1  # at equal epsilon the fewest people are needed with one or two parts


def ticks_item(
    question: Question, common: dict[str, Any], levels: tuple[Level, ...]
) -> TicksQuestion:
    """The question as it would be promised. Raises ValueError if its channel cannot be drawn."""
    parts = option_texts(question)
    most = question.most or len(parts)
    undrawn = TicksQuestion(
        **common,
        levels=levels,
        display=(1, 0, *range(2, len(levels))),
        parts=parts,
        sent=sent_parts(question, len(parts)),
        most=most,
    )
    return replace(undrawn, **channel_of(question, undrawn))


def matrix_item(
    question: Question, common: dict[str, Any], levels: tuple[Level, ...]
) -> MatrixQuestion:
    """The question as it would be promised. Raises ValueError if its channel cannot be drawn."""
    parts = row_texts(question)
    undrawn = MatrixQuestion(
        **common,
        levels=levels,
        display=tuple(range(len(levels))),
        parts=parts,
        sent=sent_parts(question, len(parts)),
    )
    return replace(undrawn, **channel_of(question, undrawn))


def ranking_item(
    question: Question, common: dict[str, Any], declining: str
) -> RankingQuestion | RankedPairQuestion:
    """The question as it would be promised: the whole order, or a pair through a device."""
    ranked = option_texts(question)
    if question.design == Question.Design.DIRECT:
        ranks = [Level(level_code(place), str(place + 1)) for place in range(len(ranked))]
        last = level_code(len(ranked))
        levels = (
            *ranks,
            *([] if question.required else [Level(last, translated(declining), declines=True)]),
        )
        shown = tuple(range(len(levels)))
        return RankingQuestion(
            **common, levels=levels, display=shown, parts=ranked, sent=len(ranked)
        )
    undrawn = RankedPairQuestion(
        **common,
        levels=(Level(level_code(0), gettext("No")), Level(level_code(1), gettext("Yes"))),
        display=(1, 0),
        ranked=ranked,
        parts=pair_texts(ranked),
        sent=1,
    )
    return replace(undrawn, **channel_of(question, undrawn))


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
            sentence("Write epsilon: what all that is sent of one person may reveal together.")
        )
    else:
        each = float(question.epsilon) / item.differing
        stored = KAry.from_epsilon(levels, each).channel.integer_weights()
    require_telling(IntegerChannel(stored.weights, stored.denominator).channel)
    return {"weights": stored.weights, "denominator": stored.denominator}


def ticks_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a choice of several options from being launched."""
    parts = option_texts(question)
    yield from part_reasons("option", parts, most=MOST_TICKS_OPTIONS)
    yield from design_reasons(question, len(parts))
    if question.most is not None and not 1 <= question.most <= len(parts):
        yield sentence(
            "At most {most} of {count} options may be ticked: write a number "
            "from 1 to {count}, or leave it empty to allow all.",
            most=question.most,
            count=len(parts),
        )
    if len({option.position for option in question.options.all()}) < len(parts):
        yield sentence("Two options have the same position; number them in the order to be shown.")


def matrix_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a table of rows from being launched."""
    rows, columns = row_texts(question), option_texts(question)
    yield from part_reasons("row", rows, most=MOST_ROWS)
    yield from part_reasons("column", columns, most=MOST_COLUMNS)
    yield from design_reasons(question, len(rows))
    longest = max(rows, key=len, default="")
    if len(longest) > LONGEST_ROW:
        yield sentence(
            "The row “{longest}…” is too long: shorten it to {longest_row} characters.",
            longest=longest[:40],
            longest_row=LONGEST_ROW,
        )
    if len({option.position for option in question.options.all()}) < len(columns):
        yield sentence("Two columns have the same position; number them in the order to be shown.")


def ranking_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a ranking from being launched."""
    ranked = option_texts(question)
    yield from part_reasons("option", ranked, most=MOST_RANKED)
    yield from design_reasons(question, MOST_RANKED)
    if question.design != Question.Design.DIRECT and not question.required:
        yield sentence(
            "A ranking through a device is always answered, because declining it openly would tell "
            "that a person declined: tick “required”, or ask directly."
        )
    if len({option.position for option in question.options.all()}) < len(ranked):
        yield sentence("Two options have the same position; number them in the order to be shown.")


def part_reasons(name: str, texts: Sequence[str], *, most: int, least: int = 2) -> Iterator[str]:
    """What is wrong with the texts of parts."""
    how_many, alike = PARTS[name]
    if not least <= len(texts) <= most:
        yield how_many.format(least=least, most=most, count=len(texts))
    if len({text.casefold() for text in texts}) < len(texts):
        yield alike


def design_reasons(question: Question, size: int) -> Iterator[str]:
    """Which designs carry parts, and of how many."""
    if question.design not in DESIGNS:
        yield sentence(
            "Questions with several answers are asked directly, with two coins or with the k-ary "
            "design: choose one of these."
        )
    elif question.design != Question.Design.DIRECT and not question.shown <= size:
        yield sentence(
            "{shown} are to be sent, but there are only {size}: send at most {size}.",
            shown=question.shown,
            size=size,
        )


def row_texts(question: Question) -> tuple[str, ...]:
    """One row on each line."""
    return tuple(line.strip() for line in (question.table_rows or "").splitlines() if line.strip())


def option_texts(question: Question) -> tuple[str, ...]:
    return tuple(option.text.strip() for option in question.options.all())
