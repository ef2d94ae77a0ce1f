"""A drafted ranking: what is put in an order, asked directly or one pair through a device."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext

from surveys.authoring.draft.building import (
    common_fields,
    device_reasons,
    levels_of,
    option_texts,
    option_values,
)
from surveys.authoring.draft.kinds import OF_PARTS, DraftKind
from surveys.authoring.draft.parts import OPTIONS, channel_of, design_reasons, part_reasons
from surveys.authoring.simulation.draws import (
    Answering,
    DrawnPeople,
    Shares,
    answer_slots,
    draw_parts,
)
from surveys.kinds.levels.promise import Level, level_code
from surveys.kinds.ranking.promise import (
    MOST_RANKED,
    RankedPairQuestion,
    RankingQuestion,
    pair_texts,
)
from surveys.models import Question
from surveys.randomized_response.messages import sentence


def drafted_ranking(question: Question) -> RankingQuestion | RankedPairQuestion:
    """The question as it would be promised: the whole order, or a pair through a device."""
    ranked = option_texts(question)
    if question.design == Question.Design.DIRECT:
        levels = levels_of(question, [str(rank) for rank in range(1, len(ranked) + 1)])
        display = tuple(range(len(levels)))
        common = common_fields(question)
        return RankingQuestion(
            **common,
            levels=levels,
            display=display,
            parts=ranked,
            values=option_values(question),
            sent=len(ranked),
        )
    undrawn = RankedPairQuestion(
        **common_fields(question),
        levels=(Level(level_code(0), gettext("No")), Level(level_code(1), gettext("Yes"))),
        display=(1, 0),
        ranked=ranked,
        parts=pair_texts(ranked),
        sent=1,
    )
    return replace(undrawn, **channel_of(question, undrawn))


def ranking_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a ranking from being launched."""
    reasons = list(_order_reasons(question))
    yield from reasons or device_reasons(question, drafted_ranking)


def _order_reasons(question: Question) -> Iterator[str]:
    ranked = option_texts(question)
    yield from part_reasons(OPTIONS, ranked, most=MOST_RANKED)
    yield from design_reasons(question, MOST_RANKED)
    if question.design != Question.Design.DIRECT and not question.required:
        yield sentence(
            "A protected question for a ranking must always be answered. If people could "
            "decline openly, others would see that a person declined. Tick “required”, or ask "
            "the question directly."
        )
    if len({option.position for option in question.options.all()}) < len(ranked):
        yield sentence(
            "Two options have the same position. Number the options in the order in which "
            "respondents see them."
        )


def _draw_ranking(item: RankingQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    orders = np.tile(np.arange(item.size), (people.count, 1))
    answering = answer_slots(item, people, people.rng.permuted(orders, axis=1))
    return Answering(None, answering.given, answering.values)


def _draw_pairs(item: RankedPairQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    answering = draw_parts(item, people, shares)
    return Answering(None, answering.given, answering.values)


DRAFTS = {
    Question.Kind.RANKING: DraftKind(
        build=drafted_ranking,
        reasons=ranking_reasons,
        fields=frozenset({"option_lines", "random_options"}),
        designs=OF_PARTS,
    )
}
DRAWS = {RankingQuestion: _draw_ranking, RankedPairQuestion: _draw_pairs}
