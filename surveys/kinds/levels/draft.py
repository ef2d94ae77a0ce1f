"""A drafted yes or no, single choice or scale: its answers, and what its design makes of them."""

from collections.abc import Iterator

from surveys.authoring.draft.building import (
    NO_AND_YES,
    device_reasons,
    levels_of,
    option_texts,
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
from surveys.models import Question
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

MAXIMUM_OPTIONS = 20  # that are shown one below the other
LONGEST_LIST = 8000  # characters of all options together, so that the page stays light


def _yes_no(question: Question) -> PromisedQuestion:
    levels = levels_of(question, NO_AND_YES)
    return _sent_or_counted(question, with_device(question, levels, (1, 0, *range(2, len(levels)))))


def _yes_no_reasons(question: Question) -> Iterator[str]:
    yield from _counted_reasons(question)
    yield from device_reasons(question, _yes_no)


def _choice(question: Question) -> PromisedQuestion:
    levels = levels_of(question, option_texts(question))
    return _sent_or_counted(question, with_device(question, levels, tuple(range(len(levels)))))


def _sent_or_counted(question: Question, item: PromisedQuestion) -> PromisedQuestion:
    """The same, or as it is where its answers are counted while they are locked."""
    if not question.counted_table or not isinstance(item, LevelQuestion) or item.is_randomized:
        return item
    return counted_as(item, question.counted_table)


def _counted_reasons(question: Question) -> Iterator[str]:
    if question.counted_table and question.design != Question.Design.DIRECT:
        yield Reason(
            sentence(
                "Its design protects its answers, so they cannot be counted locked as well: ask it "
                "directly, or leave its table of locked answers empty."
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
    most = MOST_OPTIONS if question.design in LONG_LISTS else MAXIMUM_OPTIONS
    if not 2 <= len(texts) <= most:
        yield Reason(
            sentence(
                "Offer between 2 and {most} options; it has {count}.", most=most, count=len(texts)
            ),
            "option_lines",
        )
    if MAXIMUM_OPTIONS < len(texts) <= MOST_OPTIONS and question.design not in LONG_LISTS:
        yield sentence(
            "A design for long lists takes up to {most_options}.", most_options=MOST_OPTIONS
        )
    if sum(map(len, texts)) > LONGEST_LIST:
        yield sentence(
            "The options have more than {longest:,} characters together: shorten them.",
            longest=LONGEST_LIST,
        )
    if len({option.position for option in question.options.all()}) < len(texts):
        yield sentence("Two options have the same position; number them in the order to be shown.")
    if len(set(texts)) < len(texts):
        yield Reason(sentence("Two options read the same."), "option_lines")
    declining = translated(DECLINED_LABEL)
    if not question.required and declining.casefold() in texts:
        yield sentence(
            '"{declining}" is offered already, because the question is not required.',
            declining=declining,
        )


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
