"""A drafted number: its bounds; through a device the grid, the points sent, their channel."""

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from surveys.authoring.draft.building import common_fields, device_reasons
from surveys.authoring.draft.designs import require_telling
from surveys.authoring.draft.kinds import DraftKind
from surveys.authoring.draft.reasons import Reason
from surveys.authoring.simulation.draws import (
    EVENLY,
    Answering,
    DrawnPeople,
    Shares,
    answer_directly,
    answer_unread,
)
from surveys.authoring.simulation.rows import Cells, Row, mean_row
from surveys.kinds.levels.promise import Level, level_code
from surveys.kinds.number.promise import (
    NumberQuestion,
    NumberRange,
    RoundedQuestion,
    grid_of,
    rung_texts,
)
from surveys.models import Question
from surveys.randomized_response.designs import Channel, RoundedNumber
from surveys.randomized_response.designs.rounded import FEWEST, MOST
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import MeanEstimate
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

DESIGNS = frozenset({Question.Design.DIRECT, Question.Design.K_ARY})


def number_range(question: Question) -> NumberRange:
    """The bounds, with as many decimal places as answers may have; 0 where none is given yet."""
    minimum, maximum = (
        f"{Decimal(bound or 0):.{question.decimal_places}f}"
        for bound in (question.minimum, question.maximum)
    )
    return NumberRange(minimum, maximum, question.decimal_places)


def drafted_number(question: Question) -> NumberQuestion | RoundedQuestion:
    """The question as it would be promised; ``number_reasons`` has nothing against it."""
    number = number_range(question)
    if question.design == Question.Design.K_ARY:
        return _rounded(question, number)
    return NumberQuestion(**common_fields(question), number=number)


def number_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a number from being launched."""
    reasons = list(_range_reasons(question))
    yield from reasons
    if not reasons and question.design == Question.Design.K_ARY:
        yield from list(_grid_reasons(question)) or device_reasons(question, drafted_number)


def _range_reasons(question: Question) -> Iterator[str]:
    """What keeps the design or the bounds of a number from being promised."""
    if question.design not in DESIGNS:
        yield sentence("A number is asked directly or with the k-ary design: choose one of these.")
    if question.minimum is None or question.maximum is None:
        yield Reason(sentence("Give the smallest and the largest number."), "minimum")
    elif question.minimum >= question.maximum:
        yield Reason(sentence("The smallest number must be below the largest."), "minimum")
    elif any(
        bound != round(bound, question.decimal_places)
        for bound in (question.minimum, question.maximum)
    ):
        yield sentence("The bounds have more decimal places than the answers may have.")


def _rounded(question: Question, number: NumberRange) -> RoundedQuestion:
    design = RoundedNumber.from_epsilon(len(grid_of(number)), float(question.epsilon or 0))
    require_telling(Channel.mixture([(1 - design.truth) / design.rungs] * design.rungs))
    stored = design.channel.integer_weights()
    levels = [
        Level(level_code(rung), translated(text))
        for rung, text in enumerate(rung_texts(number, design.rungs))
    ]
    return RoundedQuestion(
        **common_fields(question),
        levels=tuple(levels),
        display=tuple(range(len(levels))),
        weights=stored.weights,
        denominator=stored.denominator,
        number=number,
    )


def _grid_reasons(question: Question) -> Iterator[str]:
    """What keeps a number with sound bounds from being asked through a device."""
    if question.epsilon is None:
        yield sentence("Write epsilon: what a report of this number may reveal.")
    if not question.required:
        yield sentence(
            "A number through a device is always answered, because declining it openly would show "
            "that a person declined: tick “required”, or ask directly."
        )
    number = number_range(question)
    low, high = map(Decimal, number.bounds)  # floats would make 2 numbers less than 2
    size = (high - low) * 10**number.decimal_places + 1
    if not FEWEST <= size <= MOST:
        yield sentence(
            "There are {size:,} numbers between the bounds; a device takes at most {most}: "
            "bring the bounds closer, or allow fewer decimal places.",
            size=int(size),
            most=MOST,
        )


def _draw_number(item: NumberQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """Any number between the bounds, with as many decimal places as it may have."""
    low, high = map(Decimal, item.number.bounds)
    step = Decimal(1).scaleb(-item.number.decimal_places)
    steps = people.rng.integers(0, int((high - low) / step) + 1, people.count).tolist()
    codes = [item.number.encode(low + step * count) for count in steps]
    return answer_directly(item, codes)


def _draw_rounded(item: RoundedQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    truths = people.levels(len(item.grid), EVENLY)
    reports = draw_reports(item.integer_channel, truths, people.rng).tolist()
    return answer_unread(truths, [[item.levels[report].code] for report in reports])


def _rows(item: RoundedQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    counts = tuple(cells.get(level.code, 0) for level in item.levels)
    estimate = MeanEstimate(tuple(map(float, item.scores)), counts)
    if estimate.n:
        mean = float(np.mean([float(item.grid[step]) for step in truths.tolist()]))
        yield mean_row(estimate, mean)


DRAFTS = {
    Question.Kind.NUMBER: DraftKind(
        build=drafted_number,
        reasons=number_reasons,
        fields=frozenset({"minimum", "maximum", "decimal_places"}),
        designs=DESIGNS,
        is_tabulated=True,
    )
}
DRAWS = {NumberQuestion: _draw_number, RoundedQuestion: _draw_rounded}
ROWS = {RoundedQuestion: _rows}
