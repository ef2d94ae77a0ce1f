"""Epsilon as odds in words: how many times the odds may change (Nanayakkara et al. 2023)."""

import math
from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.wording.language.numbers import decimal, grouped

MILLION_FOLD = math.log(1e6)  # beyond it, a number of times says no more


def epsilon_words(item: Question) -> str:
    """One question's local epsilon, as a number and as odds."""
    if not item.is_randomized:
        return gettext("not protected: answers are sent as given")
    return f"{decimal(item.epsilon, 2)} ({odds_words(item.epsilon)}){LIMITS(item)}"


def _second_answer(item: Question) -> str:
    return gettext(
        "; this limit is not valid against a person who knows the answer to the second question"
    )


def _all_parts(item: PartsQuestion) -> str:
    if item.slots == 1:
        return ""
    return gettext(", for all {count} sent answers together").format(count=item.slots)


# What an epsilon is about, where that is not one answer against everybody.
LIMITS: Table[[], str] = Table.mostly(
    lambda item: "",
    paired=_second_answer,
    compared=_second_answer,
    grouped=_second_answer,
    rating=lambda item: gettext(", for all {count} ratings together").format(count=item.slots),
    ticks=_all_parts,
    matrix=_all_parts,
)


def total_words(questionnaire: Questionnaire) -> str:
    """What one respondent's randomized answers together can reveal; epsilons add up."""
    counted = len(questionnaire.tally.table_of) if questionnaire.tally else 0
    locked = (
        gettext("; questions counted while locked: {count}").format(count=counted)
        if counted
        else ""
    )
    if not questionnaire.randomized:
        unchanged = gettext("No answer is randomized: every answer is sent as given.")
        return gettext("No answer is randomized") + locked if counted else unchanged
    words = _all_words(questionnaire)
    if questionnaire.asked is not None:
        size = len(questionnaire.randomized)
        subset = gettext("; each person is asked {asked} of {size} protected questions")
        words += subset.format(asked=questionnaire.asked, size=size)
    return words + "".join(_given_words(questionnaire)) + locked


def _given_words(questionnaire: Questionnaire) -> Iterator[str]:
    """How many answers are sent as they are: those chosen or typed as asked, and texts."""
    texts = len(questionnaire.numbered.texts)
    if direct := len(questionnaire.direct) - texts:
        yield gettext("; questions asked directly: {count}").format(count=direct)
    if texts:
        yield gettext("; questions answered in people’s own words: {count}").format(count=texts)


def _all_words(questionnaire: Questionnaire) -> str:
    total = questionnaire.loss.epsilon
    if questionnaire.draw.shares_second:
        return gettext(
            "epsilon infinite: several questions share a second question, so the reported "
            "answers together reveal the true answers"
        )
    is_exact = questionnaire.loss.is_exact
    words = (
        gettext("epsilon {total}: {odds}")
        if is_exact
        else gettext("epsilon at most {total}: {odds}")
    )
    return words.format(total=decimal(total, 2), odds=odds_words(total))


def odds_words(epsilon: float) -> str:
    """The largest factor by which a report can change anybody's odds about the truth."""
    if epsilon > MILLION_FOLD:
        return gettext(
            "the odds of a guess about a person can change more than a million-fold, which is "
            "hardly any protection"
        )
    return gettext("the odds of a guess about a person change at most {factor}-fold").format(
        factor=factor_words(epsilon)
    )


def factor_words(epsilon: float) -> str:
    """e^epsilon to three digits, for an epsilon below 700."""
    factor = math.exp(epsilon)
    return grouped(f"{factor:.3g}" if factor < 100 else f"{factor:.0f}")
