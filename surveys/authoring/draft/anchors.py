"""Anchor questions of a draft: a yes or no with a known share, through the device before it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from surveys.authoring.draft.designs import probability_of
from surveys.models import Question
from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.question import Question as PromisedQuestion

PARTNER = (
    "It is an anchor, so it belongs right after a yes or no that is protected by the same design "
    "with the same probabilities: move it there, or leave its known share empty."
)
SAME_PEOPLE = "It is an anchor, so it is asked of the same people as the question before it."
COMPLETE = "It is an anchor, which all people answer: mark it and the question before as required."


def known_share(question: Question) -> Fraction | None:
    """The share of yes that an author knows of an anchor; None of any other question.

    Raises ValueError for what is no share.
    """
    typed = (question.known_share or "").strip()
    if not typed or question.kind != Question.Kind.YES_NO:
        return None
    return probability_of("known share of Yes", typed)


def anchor_reasons(items: Sequence[PromisedQuestion]) -> Iterator[str]:
    """What keeps anchors from telling how many people attend."""
    for number, item in enumerate(items, start=1):
        if item.known_yes is None:
            continue
        before = items[number - 2] if number > 1 else None
        for why in _against(item, before):
            yield f"Question {number} ({item.text}): {why}"


def _against(item: PromisedQuestion, before: PromisedQuestion | None) -> Iterator[str]:
    if before is None or before.known_yes is not None or not _is_like(item, before):
        yield PARTNER
        return
    if not (item.required and before.required):
        yield COMPLETE
    if item.rule != before.rule:
        yield SAME_PEOPLE


def _is_like(item: PromisedQuestion, before: PromisedQuestion) -> bool:
    """Whether both are a protected yes or no whose reports say the same of a person."""
    if not isinstance(item, LevelQuestion) or not isinstance(before, LevelQuestion):
        return False
    is_one_kind = type(item) is type(before) and item.kind == before.kind
    is_one_device = item.design == before.design and item.channel == before.channel
    return item.is_randomized and is_one_kind and is_one_device
