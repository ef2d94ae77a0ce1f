"""A drafted multiple choice: its options, how many may be ticked and how many are sent."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from django import forms

from surveys.authoring.draft.building import (
    NO_AND_YES,
    common_fields,
    device_reasons,
    levels_of,
    option_texts,
    option_values,
    value_reasons,
)
from surveys.authoring.draft.kinds import OF_PARTS, DraftKind
from surveys.authoring.draft.parts import (
    OPTIONS,
    channel_of,
    design_reasons,
    part_reasons,
    sent_parts,
)
from surveys.authoring.simulation.draws import Answering, DrawnPeople, Shares, answer_slots
from surveys.authoring.simulation.fields import percents_field
from surveys.authoring.simulation.rows import Cells, Row, part_rows
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS, TICKED, TicksQuestion
from surveys.models import Question
from surveys.randomized_response.messages import sentence


def drafted_ticks(question: Question) -> TicksQuestion:
    """The question as it would be promised. Raises ValueError if its channel cannot be drawn."""
    parts = option_texts(question)
    levels = levels_of(question, NO_AND_YES)
    undrawn = TicksQuestion(
        **common_fields(question),
        levels=levels,
        display=(1, 0, *range(2, len(levels))),
        parts=parts,
        values=option_values(question),
        sent=sent_parts(question, len(parts)),
        most=question.most or len(parts),
        alone=tuple(
            number
            for number, option in enumerate(question.options.all(), start=1)
            if option.stands_alone
        ),
    )
    return replace(undrawn, **channel_of(question, undrawn))


def ticks_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a choice of several options from being launched."""
    reasons = list(_option_reasons(question))
    yield from reasons or device_reasons(question, drafted_ticks)


def _option_reasons(question: Question) -> Iterator[str]:
    parts = option_texts(question)
    yield from part_reasons(OPTIONS, parts, most=MOST_TICKS_OPTIONS)
    yield from value_reasons(option_values(question), "option_lines")
    yield from design_reasons(question, len(parts))
    if question.most is not None and not 1 <= question.most <= len(parts):
        yield sentence(
            "The limit of {most} ticked options does not fit the {count} options of this "
            "question. Enter a number from 1 to {count}, or leave the field empty to allow all "
            "options.",
            most=question.most,
            count=len(parts),
        )
    if parts and all(option.stands_alone for option in question.options.all()):
        yield sentence(
            "Every option excludes all other options. Choose the kind “Single choice”, or let "
            "some options be ticked together."
        )
    if len({option.position for option in question.options.all()}) < len(parts):
        yield sentence(
            "Two options have the same position. Number the options in the order in which "
            "respondents see them."
        )


def _draw_ticks(item: TicksQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """No one ticks more options than may be ticked: chance keeps so many of them.

    A person of whom chance ticks one that stands alone ticks no other.
    """
    drawn = people.rng.random((people.count, item.size))
    ticked = drawn < np.array(shares or [0.5] * item.size)
    most = np.full(people.count, item.most)
    if item.alone:
        stands_alone = np.isin(np.arange(item.size) + 1, item.alone)
        single = np.any(ticked & stands_alone, axis=1, keepdims=True)
        ticked &= stands_alone | ~single
        most[single[:, 0]] = 1
    order = np.where(ticked, people.rng.random(drawn.shape), np.inf).argsort(axis=1)
    ticked &= order.argsort(axis=1) < most[:, np.newaxis]
    return answer_slots(item, people, ticked.astype(np.int64) * TICKED)


def _rows(item: TicksQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    for part, text in enumerate(item.parts):
        yield from part_rows(item, part, {TICKED: text}, truths, cells)


def _share_field(item: TicksQuestion, number: int) -> forms.Field:
    """What is typed is a chance for each option: one does not leave out the others."""
    return percents_field(item, number)


DRAFTS = {
    Question.Kind.TICKS: DraftKind(
        build=drafted_ticks,
        reasons=ticks_reasons,
        fields=frozenset({"option_lines", "alone", "shown", "most", "random_options"}),
        designs=OF_PARTS,
    )
}
DRAWS = {TicksQuestion: _draw_ticks}
ROWS = {TicksQuestion: _rows}
SHARE_FIELDS = {TicksQuestion: _share_field}
