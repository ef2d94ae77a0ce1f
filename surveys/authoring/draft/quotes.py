"""Answers that a draft's questions quote: the items with their quotes; reasons against launch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from surveys.authoring.draft.reasons import of_question
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.layout import Layout
from surveys.questionnaire.logic.quotes import LONGEST_QUOTED, quoted_in, unquoted
from surveys.randomized_response.messages import sentence

LATER = sentence(
    "This question quotes the answer to question {source}, which does not come before this "
    "question. Quote an earlier question."
)
PARTED = sentence(
    "This question quotes the answer to question {source}, but the random order may show question "
    "{source} later. Take one of the two questions out of the random order."
)
PROTECTED = sentence(
    "This question quotes the answer to question {source}, which is protected. The quote would "
    "reveal that answer to all who see the screen. Quote only answers that are not protected."
)
HIDDEN = sentence(
    "This question quotes the answer to question {source}, which is not asked of all people. "
    "Quote a question that all people are asked, or ask question {source} without conditions."
)
NO_QUOTE = sentence(
    "This question quotes the answer to question {source}, but an answer of this kind does not "
    "fit into a sentence. Quote a choice, a number, or a text of at most {longest} characters."
)
OTHERS = sentence(
    "The translation of this question quotes answers to other questions than the original text "
    "does. Write the same question number into each quote in all languages."
)


def quoting(items: Sequence[Question], layout: Layout) -> tuple[list[Question], list[str]]:
    """The items with their quotes, and every reason against one."""
    reasons: list[str] = [
        of_question(number, item.text, why)
        for number, item in enumerate(items, start=1)
        for source in quoted_in(item.text)
        for why in _against(source, number, items, layout)
    ]
    return [_quoting(item) if quoted_in(item.text) else item for item in items], reasons


def quoting_as(
    items: Sequence[Question], first: Sequence[Question]
) -> tuple[list[Question], list[str]]:
    """The items of a translation with their quotes, which are those of the ``first`` language."""
    reasons: list[str] = [
        of_question(number, item.text, OTHERS)
        for number, (item, original) in enumerate(zip(items, first, strict=True), start=1)
        if quoted_in(item.text) != quoted_in(original.quoting)
    ]
    return [_quoting(item) if quoted_in(item.text) else item for item in items], reasons


def _quoting(item: Question) -> Question:
    return replace(item, text=unquoted(item.text), quoting=item.text)


def _against(source: int, number: int, items: Sequence[Question], layout: Layout) -> Iterator[str]:
    """Why question ``number`` may not quote this one."""
    if not 1 <= source < number:
        yield LATER.format(source=source)
        return
    quoted = items[source - 1]
    if quoted.is_randomized:
        yield PROTECTED.format(source=source)
    elif not quoted.in_rules.is_quotable:
        yield NO_QUOTE.format(source=source, longest=LONGEST_QUOTED)
    if quoted.rule is not None:
        yield HIDDEN.format(source=source)
    if not layout.comes_before(source, number):
        yield PARTED.format(source=source)
