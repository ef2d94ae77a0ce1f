"""What the drafts of several kinds share: common fields, levels, their device, exposure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from surveys.authoring.draft.anchors import known_share
from surveys.authoring.draft.behind import with_hidden
from surveys.authoring.draft.designs import Answers, device_of, exposure_reason
from surveys.authoring.draft.reasons import Reason
from surveys.definitions.names import same_values, split_line, split_special
from surveys.kinds.levels.promise import Level, level_code
from surveys.models import Question
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.messages import message
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import message_of, translated

NO_AND_YES = (message("No"), message("Yes"))
LONGEST_SPECIAL = 200  # characters of an answer beside a number
MAXIMUM_OPTIONS = 20  # that are shown one below the other


def common_fields(question: Question) -> dict[str, Any]:
    """What every kind takes from its draft. Raises ValueError for a known share that is none."""
    return dict(
        id=str(question.pk),
        text=question.text,
        help=question.help,
        required=question.required,
        kind=question.kind,
        design=question.design,
        known_yes=known_share(question),
        name=question.name or "",
    )


def option_texts(question: Question) -> tuple[str, ...]:
    return tuple(option.text.strip() for option in question.options.all())


def option_values(question: Question) -> tuple[str, ...]:
    """What files call the options, each empty without a value; nothing where none has one."""
    values = tuple(option.value or "" for option in question.options.all())
    return values if any(values) else ()


def row_lines(question: Question) -> list[tuple[str, str]]:
    """The value and the words of each row of a table, one on each line; most have no value."""
    lines = (question.table_rows or "").splitlines()
    return [split_line(line) for line in lines if line.strip()]


def special_lines(question: Question) -> list[tuple[str, str]]:
    """The code and the words of each answer beside a number, either of which may be empty."""
    lines = (line.strip() for line in (question.special or "").splitlines())
    return [split_special(line) for line in lines if line]


def value_reasons(values: Sequence[str], field: str) -> Iterator[str]:
    """Why options or rows cannot have these values."""
    same = same_values(values)
    if same:
        first, second = same
        yield Reason(
            sentence(
                "{first} and {second} have the same value, “{value}”. Write another value in "
                "brackets before one of these lines. A line without brackets has its number as "
                "its value.",
                first=first,
                second=second,
                value=values[second - 1] or str(second),
            ),
            field,
        )


def is_direct_choice(question: Question) -> bool:
    """Whether it is a single choice that is asked directly."""
    return question.kind == Question.Kind.CHOICE and question.design == Question.Design.DIRECT


def is_picked(question: Question) -> bool:
    """Whether it is one with too many options to show one below the other."""
    return is_direct_choice(question) and len(option_texts(question)) > MAXIMUM_OPTIONS


def levels_of(
    question: Question,
    texts: Sequence[str],
    declining: str = DECLINED_LABEL,
    code: Callable[[int], str] = level_code,
    values: Sequence[str] = (),
) -> tuple[Level, ...]:
    """A level for each text; a question that is not required has one more, which declines."""
    named = zip(texts, values or [""] * len(texts), strict=True)
    levels = [
        Level(code(index), translated(text), value=value)
        for index, (text, value) in enumerate(named)
    ]
    if not question.required:
        levels.append(Level(code(len(texts)), translated(declining), declines=True))
    return tuple(levels)


def option_levels(
    question: Question,
    declining: str = DECLINED_LABEL,
    code: Callable[[int], str] = level_code,
) -> tuple[Level, ...]:
    """The levels of a question's options, with their values."""
    values = option_values(question)
    return levels_of(question, option_texts(question), declining, code, values)


def with_device(
    question: Question, levels: tuple[Level, ...], display: tuple[int, ...]
) -> PromisedQuestion:
    """Raises ValueError if its design cannot be drawn."""
    levels, display, hidden = with_hidden(question, levels, display)
    device = device_of(question, Answers(tuple(level.text for level in levels), display))
    common = common_fields(question)
    if hidden:  # with an answer more, it is neither a yes or no nor a scale
        common |= {"hidden": hidden} | ({"kind": Question.Kind.CHOICE} if hidden.is_own else {})
    return device.kind(**common, levels=levels, display=display, **device.parts)


def device_reasons(
    question: Question, build: Callable[[Question], PromisedQuestion]
) -> Iterator[str]:
    """Why a question that can be built cannot be sent through its design."""
    if question.design == Question.Design.DIRECT:
        return
    try:
        reason = exposure_reason(question, build(question).epsilon)
    except ValueError as problem:
        reason = message_of(problem)
    if reason:
        yield reason
