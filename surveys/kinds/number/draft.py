"""A drafted number: its bounds; through a device the grid, the points sent, their channel."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import count

import numpy as np

from surveys.authoring.draft.building import (
    LONGEST_SPECIAL,
    common_fields,
    device_reasons,
    special_lines,
)
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
from surveys.authoring.simulation.rows import (
    Cells,
    Row,
    mean_among_rows,
    mean_row,
    share_row,
)
from surveys.definitions.rules.tree import is_number
from surveys.kinds.levels.promise import Level, level_code
from surveys.kinds.number.promise import (
    LETTERS,
    NumberQuestion,
    NumberRange,
    RoundedQuestion,
    Special,
    grid_of,
    rung_texts,
)
from surveys.models import Question
from surveys.randomized_response.designs import Channel, RoundedNumber
from surveys.randomized_response.designs.rounded import FEWEST, MOST
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import (
    MeanEstimate,
    estimate_distribution,
)
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

LONGEST_CODE = 15  # characters, as many as bounds have digits
DESIGNS = frozenset({Question.Design.DIRECT, Question.Design.K_ARY})


def number_range(question: Question) -> NumberRange:
    """The bounds, with as many decimal places as answers may have; 0 where none is given yet."""
    minimum, maximum = (
        f"{Decimal(bound or 0):.{question.decimal_places}f}"
        for bound in (question.minimum, question.maximum)
    )
    special = tuple(Special(code, text) for code, text in special_lines(question))
    return NumberRange(minimum, maximum, question.decimal_places, special)


def drafted_number(question: Question) -> NumberQuestion | RoundedQuestion:
    """The question as it would be promised; ``number_reasons`` has nothing against it."""
    number = number_range(question)
    if question.design == Question.Design.K_ARY:
        return _rounded(question, number)
    return NumberQuestion(**common_fields(question), number=number)


def number_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a number from being launched."""
    reasons = list(_range_reasons(question)) or list(_special_reasons(question))
    yield from reasons
    if not reasons and question.design == Question.Design.K_ARY:
        yield from list(_grid_reasons(question)) or device_reasons(question, drafted_number)


def _range_reasons(question: Question) -> Iterator[str]:
    """What keeps the design or the bounds of a number from being promised."""
    if question.design not in DESIGNS:
        yield sentence(
            "A number can only be asked directly or with the k-ary design. Choose one of these "
            "designs."
        )
    if question.minimum is None or question.maximum is None:
        yield Reason(sentence("Enter the smallest and the largest number."), "minimum")
    elif question.minimum >= question.maximum:
        yield Reason(sentence("The smallest number must be below the largest number."), "minimum")
    elif any(
        bound != round(bound, question.decimal_places)
        for bound in (question.minimum, question.maximum)
    ):
        yield sentence(
            "The smallest or the largest number has more decimal places than the answers may "
            "have. Use fewer decimal places, or allow more in the answers."
        )


def _special_reasons(question: Question) -> Iterator[str]:
    """What keeps the answers beside a number with sound bounds from being promised."""
    for words in _wrong_special(question):
        yield Reason(words, "special")


def _wrong_special(question: Question) -> Iterator[str]:
    number = number_range(question)
    if len(number.special) > len(LETTERS):
        yield sentence(
            "A question for a number can have at most {most} special answers. This question has "
            "{count}: remove some special answers.",
            most=len(LETTERS),
            count=len(number.special),
        )
    for position, special in enumerate(number.special, start=1):
        yield from _wrong_code(number, position, special)
        yield from _wrong_words(number, position, special)
    codes = [Decimal(each.code) for each in number.special if is_code(each.code)]
    texts = [each.text.casefold() for each in number.special]
    if len(set(codes)) < len(codes) or len(set(texts)) < len(texts):
        yield sentence(
            "Two special answers have the same code or the same words. Give each special answer a "
            "different code and different words."
        )


def _wrong_code(number: NumberRange, position: int, special: Special) -> Iterator[str]:
    low, high = number.decimals
    if not is_code(special.code):
        yield sentence(
            "Special answer {place} needs a code in front of its words, as in [{example}] Do not "
            "know. The code is a number of at most {most} characters that cannot be an answer.",
            place=position,
            most=LONGEST_CODE,
            example=_free_code(number),
        )
    elif low <= Decimal(special.code) <= high:
        yield sentence(
            "The code {code} can also be an answer. Choose a number below {low} or above {high}, "
            "such as {example}.",
            code=special.code,
            low=number.minimum,
            high=number.maximum,
            example=_free_code(number),
        )
    elif Decimal(special.code) != round(Decimal(special.code), number.decimal_places):
        yield sentence(
            "The code {code} has more decimal places than the answers may have. Choose a code "
            "with fewer decimal places.",
            code=special.code,
        )


def _wrong_words(number: NumberRange, position: int, special: Special) -> Iterator[str]:
    if not special.text:
        yield sentence(
            "Special answer {place} has no words. Write the words after the code.",
            place=position,
        )
    elif len(special.text) > LONGEST_SPECIAL:
        yield sentence(
            "Special answer {place} has {count} characters. Shorten it to {most} characters.",
            place=position,
            count=len(special.text),
            most=LONGEST_SPECIAL,
        )
    elif is_number(special.text) and number.accepts(number.encode(Decimal(special.text))):
        yield sentence(
            "The special answer “{text}” is itself a number that respondents can enter. Write in "
            "words what this special answer means.",
            text=special.text,
        )


def is_code(text: str) -> bool:
    """Whether this is a number as files write it, and short enough for a field."""
    return len(text) <= LONGEST_CODE and text.isascii() and is_number(text)


def _free_code(number: NumberRange) -> int:
    """The first of 99, 999, ... that is above all answers and no other code."""
    used = {each.code for each in number.special}
    nines = (10**digits - 1 for digits in count(2))
    return next(code for code in nines if code > number.decimals[1] and str(code) not in used)


def _rounded(question: Question, number: NumberRange) -> RoundedQuestion:
    special = len(number.special)
    epsilon = float(question.epsilon or 0)
    design = RoundedNumber.from_epsilon(len(grid_of(number)), epsilon, special)
    require_telling(Channel.mixture([(1 - design.truth) / design.reports] * design.reports))
    stored = design.channel.integer_weights()
    texts = (*map(translated, rung_texts(number, design.rungs)), *(s.text for s in number.special))
    levels = [Level(level_code(position), text) for position, text in enumerate(texts)]
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
        yield sentence("Enter epsilon, which limits what the reported number may reveal.")
    if not question.required:
        yield sentence(
            "A protected question for a number must always be answered. If people could decline "
            "openly, others would see that a person declined. Tick “required”, or ask the "
            "question directly."
        )
    number = number_range(question)
    low, high = map(Decimal, number.bounds)  # floats would make 2 numbers less than 2
    size = (high - low) * 10**number.decimal_places + 1
    if not FEWEST <= size <= MOST:
        yield sentence(
            "There are {size:,} numbers between the bounds, but a protected question can have at "
            "most {most} numbers. Bring the bounds closer together, or allow fewer decimal "
            "places.",
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
    truths = people.levels(len(item.columns), EVENLY)
    reports = draw_reports(item.integer_channel, truths, people.rng).tolist()
    return answer_unread(truths, [[item.levels[report].code] for report in reports])


def _rows(item: RoundedQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    counts = tuple(cells.get(level.code, 0) for level in item.levels)
    numbers = [float(item.grid[step]) for step in truths.tolist() if step < len(item.grid)]
    if not sum(counts) or not numbers:
        return
    mean = float(np.mean(numbers))
    if not item.special:
        yield mean_row(MeanEstimate(tuple(map(float, item.scores)), counts), mean)
        return
    estimate = estimate_distribution(item.drawn_channel, counts)
    for position, special in enumerate(item.number.special):
        true = float(np.mean(truths == len(item.grid) + position))
        yield share_row(special.text, estimate, item.rungs + position, true)
    yield from mean_among_rows(estimate, item.points_as_floats, mean)


DRAFTS = {
    Question.Kind.NUMBER: DraftKind(
        build=drafted_number,
        reasons=number_reasons,
        fields=frozenset({"minimum", "maximum", "decimal_places", "special"}),
        designs=DESIGNS,
        is_tabulated=True,
    )
}
DRAWS = {NumberQuestion: _draw_number, RoundedQuestion: _draw_rounded}
ROWS = {RoundedQuestion: _rows}
