"""Weak protection in words: how far all that one person sends moves odds, and what lowers it."""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.authoring.drafts import DraftRows
from surveys.authoring.protection.ways import Trials
from surveys.models import Survey
from surveys.questionnaire.document import Questionnaire
from surveys.wording.language.numbers import decimal
from surveys.wording.learning import Learning, of_total, who_learns
from surveys.wording.odds import odds_words


def weakness_of(survey: Survey, rows: DraftRows, questionnaire: Questionnaire) -> Iterator[str]:
    """Nothing, unless all protected answers of a person together tell more than "No" allows.

    ``questionnaire`` is what the draft's questions, its ``rows``, make together.
    """
    if of_total(questionnaire.loss.epsilon) is not Learning.NO:
        yield _weakness(questionnaire)
        for way in Trials(survey, rows.anew()[1], questionnaire).ways():
            yield gettext("{change}. After this change: {state} {price}").format(
                change=way.change.words, state=way.leads_to, price=way.change.price
            )
        yield gettext("The list of questions has a button for each change named above.")


def _weakness(questionnaire: Questionnaire) -> str:
    return gettext(
        "All protected answers of one person together have an epsilon of {epsilon}: {odds}. "
        "Respondents read “{word}” in the table that shows who can learn their true answers."
    ).format(
        epsilon=decimal(questionnaire.loss.epsilon, 2),
        odds=odds_words(questionnaire.loss.epsilon),
        word=who_learns(questionnaire),
    )
