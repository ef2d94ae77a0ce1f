"""Anchor questions of a draft: a yes or no with a known share, through the device before it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.reasons import of_question
from surveys.authoring.draft.typed import probability_of
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Question
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.kinds.registry import Table, kind_name
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.messages import sentence

PARTNER = sentence(
    "This question is an anchor, because it has a known share of Yes. An anchor must come right "
    "after a protected yes-or-no question with the same design and probabilities. Move this "
    "question there, or empty “known share of Yes”."
)
SAME_PEOPLE = sentence(
    "This question is an anchor, so this question and the question before must be asked of the "
    "same people. Give both questions the same conditions and arms."
)
COMPLETE = sentence(
    "This question is an anchor. People must answer an anchor and the question before it. Tick "
    "“required” in both questions."
)


def known_share(question: Question) -> Fraction | None:
    """The share of yes that an author knows of an anchor; None of any other question.

    Raises ValueError for what is no share.
    """
    typed = (question.known_share or "").strip()
    if not typed or "known_share" not in draft_kind(question).fields:
        return None
    return probability_of(sentence("known share of Yes"), typed)


def anchor_reasons(items: Sequence[PromisedQuestion]) -> Iterator[str]:
    """What keeps anchors from telling how many people attend."""
    for number, item in enumerate(items, start=1):
        if item.known_yes is None:
            continue
        before = items[number - 2] if number > 1 else None
        for why in _against(item, before):
            yield of_question(number, item.text, why)


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
    is_one_kind = kind_name(item) == kind_name(before) and item.kind == before.kind
    channel, is_one_design = CHANNELS(item), item.design == before.design
    return bool(channel) and is_one_kind and is_one_design and channel == CHANNELS(before)


def _channel(item: LevelQuestion) -> Channel | None:
    return item.channel if item.is_randomized else None


def _no_channel(item: PromisedQuestion) -> None:
    return None


# Through what a question's reports go; None of a direct one, and where it is more than a channel.
CHANNELS: Table[[], Channel | None] = Table.with_levels(_channel, _no_channel)
