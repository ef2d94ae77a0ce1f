"""Drafted numbers through a device: the grid, the points that are sent, their channel."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from surveys.authoring.draft.designs import require_telling
from surveys.models import Question
from surveys.questionnaire.kinds.levels import Level, level_code
from surveys.questionnaire.kinds.number import NumberRange
from surveys.questionnaire.kinds.rounded import RoundedQuestion, grid_of, rung_texts
from surveys.randomized_response.designs import Channel, RoundedNumber
from surveys.randomized_response.designs.rounded import FEWEST, MOST
from surveys.wording.language.messages import translated


def rounded_item(
    question: Question, common: dict[str, Any], number: NumberRange
) -> RoundedQuestion:
    """The question as it would be promised; ``rounded_reasons`` has nothing against it."""
    design = RoundedNumber.from_epsilon(len(grid_of(number)), float(question.epsilon or 0))
    require_telling(Channel.mixture([(1 - design.truth) / design.rungs] * design.rungs))
    stored = design.channel.integer_weights()
    levels = [
        Level(level_code(place), translated(text))
        for place, text in enumerate(rung_texts(number, design.rungs))
    ]
    return RoundedQuestion(
        **common,
        levels=tuple(levels),
        display=tuple(range(len(levels))),
        weights=stored.weights,
        denominator=stored.denominator,
        number=number,
    )


def rounded_reasons(question: Question, number: NumberRange) -> Iterator[str]:
    """What keeps a number with sound bounds from being asked through a device."""
    if question.epsilon is None:
        yield "Write epsilon: what a report of this number may reveal."
    if not question.required:
        yield (
            "A number through a device is always answered, because declining it openly would tell "
            "that a person declined: tick “required”, or ask directly."
        )
    low, high = map(Decimal, number.bounds)  # floats would make 2 numbers less than 2
    size = (high - low) * 10**number.decimal_places + 1
    if not FEWEST <= size <= MOST:
        yield (
            f"There are {size:,.0f} numbers between the bounds; a device takes at most {MOST}: "
            "bring the bounds closer, or allow fewer decimal places."
        )
