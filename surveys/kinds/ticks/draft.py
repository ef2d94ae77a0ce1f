"""A drafted multiple choice: its options, how many may be ticked and how many are sent."""

from collections.abc import Iterator
from dataclasses import replace

from surveys.authoring.draft.building import (
    NO_AND_YES,
    common_fields,
    device_reasons,
    levels_of,
    option_texts,
)
from surveys.authoring.draft.kinds import OF_PARTS, DraftKind
from surveys.authoring.draft.parts import (
    OPTIONS,
    channel_of,
    design_reasons,
    part_reasons,
    sent_parts,
)
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS, TicksQuestion
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
        sent=sent_parts(question, len(parts)),
        most=question.most or len(parts),
    )
    return replace(undrawn, **channel_of(question, undrawn))


def ticks_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a choice of several options from being launched."""
    reasons = list(_option_reasons(question))
    yield from reasons or device_reasons(question, drafted_ticks)


def _option_reasons(question: Question) -> Iterator[str]:
    parts = option_texts(question)
    yield from part_reasons(OPTIONS, parts, most=MOST_TICKS_OPTIONS)
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


DRAFTS = {
    Question.Kind.TICKS: DraftKind(
        build=drafted_ticks,
        reasons=ticks_reasons,
        fields=frozenset({"option_lines", "shown", "most", "random_options"}),
        designs=OF_PARTS,
    )
}
