"""What becomes of free texts, in words: who reads them, and what reports on them may tell."""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.text_budgets import TextBudget
from surveys.wording.odds import MILLION_FOLD, factor_words


def reports_line(questionnaire: Questionnaire) -> str:
    """What reports on its texts may tell about one respondent; empty where nobody writes any."""
    if not questionnaire.texts:
        return ""
    readers = gettext("The people who run this survey can read the texts.")
    budget = questionnaire.text_budget
    return f"{readers} {_blurred(budget) if budget else _unprotected()}"


def reports_explained(questionnaire: Questionnaire) -> list[str]:
    """The same with what it does and does not cover, paragraph by paragraph."""
    if not questionnaire.texts:
        return []
    return [reports_line(questionnaire), *_details(questionnaire)]


def _blurred(budget: TextBudget) -> str:
    return gettext(
        "Reports on these texts are blurred: all of them together change the odds of any guess "
        "about you {times}, with a chance of one in {chance} that this fails."
    ).format(times=_times(budget.nats), chance=_chance(budget.one_in))


def _unprotected() -> str:
    return gettext(
        "No protected report on them is promised: nothing about them is published through one, and "
        "whatever these people tell about them otherwise is not blurred."
    )


def _details(questionnaire: Questionnaire) -> Iterator[str]:
    budget = questionnaire.text_budget
    if budget is None:
        return
    yield gettext(
        "Blurred means: a report is counted over all texts, and random numbers are added before "
        "anybody sees it, so that it comes out nearly alike whatever you write. A ledger adds up "
        "what all reports on all texts of this survey may tell, and refuses what would go beyond "
        "this limit. The limit was set before the first answer and cannot be changed."
    )
    if budget.adjacency == "replace_one":
        yield gettext(
            "Reports hide what you wrote, not that you took part: the number of texts is exact."
        )
    else:
        yield gettext("The number of texts is told exactly; it is not blurred.")
    if not questionnaire.invitation_only:
        yield gettext(
            "The limit holds for each time that you answer. Whoever answers twice tells more."
        )
    yield gettext(
        "Not covered: what the people who may read the texts tell others, and what they take from "
        "them for themselves without blurring. That is marked as internal, and each look is noted."
    )


def _times(epsilon: float) -> str:
    if epsilon > MILLION_FOLD:
        return gettext("more than a million-fold, which hardly protects")
    return gettext("at most {factor}-fold").format(factor=factor_words(epsilon))


def _chance(one_in: int) -> str:
    return gettext("a million") if one_in == 1_000_000 else f"{one_in:,}"
