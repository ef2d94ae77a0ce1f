"""Weak protection in words: how far all that one person sends moves odds, and what lowers it."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate

from django.utils.formats import localize
from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire
from surveys.wording.language.numbers import decimal
from surveys.wording.learning import MOST_FOR_NO, Learning, learning, of_total, who_learns
from surveys.wording.odds import odds_words


def weakness_of(questionnaire: Questionnaire) -> Iterator[str]:
    """Nothing, unless all protected answers of a person together tell more than "No" allows."""
    if of_total(questionnaire.loss.epsilon) is not Learning.NO:
        yield _weakness(questionnaire)
        yield from _offers(questionnaire)


def _weakness(questionnaire: Questionnaire) -> str:
    return gettext(
        "All protected answers of one person together have an epsilon of {epsilon}: {odds}. "
        "Respondents read “{word}” where they are told who can learn their true answers."
    ).format(
        epsilon=decimal(questionnaire.loss.epsilon, 2),
        odds=odds_words(questionnaire.loss.epsilon),
        word=who_learns(questionnaire),
    )


def _offers(questionnaire: Questionnaire) -> Iterator[str]:
    """What would lower the odds, with the odds that it would lead to."""
    sums = list(accumulate(sorted(item.epsilon for item in questionnaire.randomized)))
    count, few = questionnaire.draw.count, sum(total <= MOST_FOR_NO for total in sums)
    if few:
        yield gettext(
            "Ask fewer protected questions: with the best protected {few} alone, {odds}."
        ).format(few=few, odds=odds_words(sums[few - 1]))
    yield from _smaller_subsets(questionnaire)
    yield gettext(
        "Protect each of them more strongly: with an epsilon of {epsilon} for each of {count}, "
        "{odds}. The planner says how many more people it takes."
    ).format(
        epsilon=localize(Decimal(f"{MOST_FOR_NO / count:.2g}")),
        count=count,
        odds=odds_words(MOST_FOR_NO),
    )


def _smaller_subsets(questionnaire: Questionnaire) -> Iterator[str]:
    """How many protected questions each person can be asked for a better word, and what it costs.

    The same number for two words is named once, with the better one.
    """
    size, counts = len(questionnaire.randomized), range(questionnaire.draw.count - 1, 0, -1)
    offered = {
        next((m for m in counts if learning(replace(questionnaire, asked=m)) <= word), 0)
        for word in (Learning.NO, Learning.NOT_FOR_SURE)
        if word < learning(questionnaire)
    }
    for asked in sorted(offered - {0}):
        fewer = replace(questionnaire, asked=asked)
        yield gettext(
            "Ask each person {asked} of the {size} protected questions, drawn by chance: {odds}, "
            "and respondents read “{word}”. Each question is then answered by about {asked} in "
            "{size} people."
        ).format(
            asked=asked,
            size=size,
            odds=odds_words(fewer.loss.epsilon),
            word=who_learns(fewer),
        )
