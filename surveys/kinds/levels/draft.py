"""A drafted yes or no, single choice or scale: its answers, and what its design makes of them."""

from collections.abc import Iterator

from surveys.authoring.draft.building import (
    MAXIMUM_OPTIONS,
    NO_AND_YES,
    common_fields,
    device_reasons,
    is_direct_choice,
    is_picked,
    levels_of,
    option_levels,
    option_texts,
    option_values,
    value_reasons,
    with_device,
)
from surveys.authoring.draft.kinds import (
    LONG_LISTS,
    LONG_SCALES,
    OF_ANY_ANSWERS,
    DraftKind,
)
from surveys.authoring.draft.reasons import Reason
from surveys.kinds.counted.promise import counted_as
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import MOST_OPTIONS
from surveys.kinds.picked.promise import MOST_OPTIONS as MOST_PICKED
from surveys.kinds.picked.promise import PickedQuestion, picked_code
from surveys.models import Question
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

LONGEST_LIST = 8000  # characters of all options together, so that the page stays light


def _yes_no(question: Question) -> PromisedQuestion:
    levels = levels_of(question, NO_AND_YES)
    return _sent_or_counted(question, with_device(question, levels, (1, 0, *range(2, len(levels)))))


def _yes_no_reasons(question: Question) -> Iterator[str]:
    yield from _counted_reasons(question)
    yield from device_reasons(question, _yes_no)


def _choice(question: Question) -> PromisedQuestion:
    if is_picked(question):
        return _picked(question)
    levels = option_levels(question)
    return _sent_or_counted(question, with_device(question, levels, tuple(range(len(levels)))))


def _picked(question: Question) -> PickedQuestion:
    levels = option_levels(question, code=picked_code)
    display = tuple(range(len(levels)))
    return PickedQuestion(**common_fields(question), levels=levels, display=display)


def _sent_or_counted(question: Question, item: PromisedQuestion) -> PromisedQuestion:
    """The same, or as it is where its answers are counted while they are locked."""
    if not question.counted_table or not isinstance(item, LevelQuestion) or item.is_randomized:
        return item
    return counted_as(item, question.counted_table)


def _counted_reasons(question: Question) -> Iterator[str]:
    if question.counted_table and question.design != Question.Design.DIRECT:
        yield Reason(
            sentence(
                "The design of this question already protects its answers, so the question "
                "cannot be in a table of locked answers. Ask the question directly, or leave its "
                "table of locked answers empty."
            ),
            "counted_table",
        )
    elif question.counted_table and is_picked(question):
        yield Reason(
            sentence(
                "A table of locked answers cannot contain a list of more than {most} options. "
                "Leave the table of locked answers empty for this question.",
                most=MAXIMUM_OPTIONS,
            ),
            "counted_table",
        )


def _choice_reasons(question: Question) -> Iterator[str]:
    """Of a question with fewer than two answers no design can be judged."""
    yield from _counted_reasons(question)
    yield from _option_reasons(question)
    if len(option_texts(question)) + (not question.required) >= 2:
        yield from device_reasons(question, _choice)


def _option_reasons(question: Question) -> Iterator[str]:
    texts = [option.text.strip().casefold() for option in question.options.all()]
    most = _most_options(question)
    if not 2 <= len(texts) <= most:
        yield Reason(
            sentence(
                "Offer between 2 and {most} options. This question has {count}.",
                most=most,
                count=len(texts),
            ),
            "option_lines",
        )
    if most < len(texts) <= MOST_PICKED and question.kind == Question.Kind.CHOICE:
        yield sentence(
            "To offer more options, choose a design for long lists, with up to {most_options} "
            "options. Or ask the question directly, with up to {most_direct} options.",
            most_options=MOST_OPTIONS,
            most_direct=MOST_PICKED,
        )
    if sum(map(len, texts)) > LONGEST_LIST:
        yield sentence(
            "The options have more than {longest:,} characters together: shorten them.",
            longest=LONGEST_LIST,
        )
    if len({option.position for option in question.options.all()}) < len(texts):
        yield sentence(
            "Two options have the same position. Number the options in the order in which "
            "respondents see them."
        )
    yield from value_reasons(option_values(question), "option_lines")
    if len(set(texts)) < len(texts):
        yield Reason(
            sentence("Two options have the same words. Change one of the options."), "option_lines"
        )
    declining = translated(DECLINED_LABEL)
    if not question.required and declining.casefold() in texts:
        yield sentence(
            "Remove the option “{declining}”. Respondents can choose “{declining}” anyway, "
            "because the question is not required.",
            declining=declining,
        )


def _most_options(question: Question) -> int:
    if question.design in LONG_LISTS:
        return MOST_OPTIONS
    return MOST_PICKED if is_direct_choice(question) else MAXIMUM_OPTIONS


DRAFTS = {
    Question.Kind.YES_NO: DraftKind(
        build=_yes_no,
        reasons=_yes_no_reasons,
        fields=frozenset({"known_share", "counted_table"}),
        designs=frozenset(Question.Design) - LONG_LISTS - LONG_SCALES,
        is_tabulated=True,
    ),
    Question.Kind.CHOICE: DraftKind(
        build=_choice,
        reasons=_choice_reasons,
        fields=frozenset({"option_lines", "random_options", "counted_table"}),
        designs=OF_ANY_ANSWERS | LONG_LISTS,
        is_tabulated=True,
    ),
    Question.Kind.SCALE: DraftKind(
        build=_choice,
        reasons=_choice_reasons,
        fields=frozenset({"option_lines", "counted_table"}),
        designs=OF_ANY_ANSWERS | LONG_SCALES,
        is_tabulated=True,
    ),
}
