"""Who could learn a true answer from what was sent: one word for the whole survey, and why."""

from enum import IntEnum

from django.utils.translation import gettext

from surveys.questionnaire.document import ONE_PROMISE, Questionnaire
from surveys.wording.protection import second_questions
from surveys.wording.reports import LITTLE, largest_ratio

# The largest total epsilon of a respondent's protected answers for each word, in nats: odds that
# change at most 20-fold, 403-fold and 162,755-fold.
MOST_FOR_NO, MOST_FOR_NOT_SURE, MOST_FOR_PARTLY = 3.0, 6.0, 12.0


class Learning(IntEnum):
    """Whether a true answer can be learned from all that one person sent, from no to yes."""

    NO = 0
    NOT_FOR_SURE = 1
    PARTLY = 2
    YES = 3


def learning(questionnaire: Questionnaire) -> Learning:
    """What all protected answers of one person together tell, for any truths.

    Never better than what the least protected question tells alone. Surveys that were launched
    before there was one promise for all questions keep the word for their least protected one,
    but for those whose answers tell the truth together: that word would be untrue.
    """
    alone = Learning.NO if leaves_doubt(questionnaire) else Learning.NOT_FOR_SURE
    if questionnaire.wording < ONE_PROMISE and not questionnaire.draw.shares_second:
        return alone
    return max(alone, of_total(questionnaire.loss.epsilon))


def of_total(epsilon: float) -> Learning:
    """The word for a total epsilon, in nats; the epsilons of one person's answers add up."""
    bounds = (MOST_FOR_NO, MOST_FOR_NOT_SURE, MOST_FOR_PARTLY)
    return Learning(sum(epsilon > bound for bound in bounds))


def leaves_doubt(questionnaire: Questionnaire) -> bool:
    """Whether every protected report proves little on its own."""
    return all(largest_ratio(item) <= LITTLE for item in questionnaire.randomized)


def who_learns(questionnaire: Questionnaire) -> str:
    """Whether those who see what was sent can learn a true answer from it, in a word or three."""
    word = learning(questionnaire)
    if word is Learning.NO and second_questions(questionnaire):
        return gettext("Not from this")
    return {
        Learning.NO: gettext("No"),
        Learning.NOT_FOR_SURE: gettext("Not for sure"),
        Learning.PARTLY: gettext("Partly"),
        Learning.YES: gettext("Yes"),
    }[word]


def strength(questionnaire: Questionnaire) -> str:
    """What the word says, where it is not "No"; empty if it is. Every page says it so.

    Pages that explain the coins say it after them: the coins of the practice may protect better
    than a survey's own.
    """
    word = learning(questionnaire)
    if word is Learning.PARTLY:
        return gettext("Each answer leaves some doubt, but together they say a lot.")
    if word is Learning.YES:
        return gettext("Taken together, your answers are hardly protected.")
    if word is Learning.NOT_FOR_SURE and leaves_doubt(questionnaire):
        return gettext("Each answer proves little, but together they prove something.")
    if word is Learning.NOT_FOR_SURE:
        return gettext("At least one question is protected only lightly.")
    return ""


def hides_answers(questionnaire: Questionnaire) -> bool:
    """Whether pages may say that what was true cannot be known: they say "No" first."""
    return learning(questionnaire) is Learning.NO


def learning_note(questionnaire: Questionnaire) -> str:
    """Why the word is not "No"; empty if it is. The odds themselves stand below it."""
    word = learning(questionnaire)
    if word is Learning.PARTLY:
        return gettext(
            "“Partly”: each answer leaves some doubt, but together they say a lot (see below)."
        )
    if word is Learning.YES:
        return gettext("“Yes”: taken together, your answers are hardly protected (see below).")
    if word is Learning.NOT_FOR_SURE and leaves_doubt(questionnaire):
        return gettext(
            "“Not for sure”: each answer proves little, but together they prove something (see "
            "below)."
        )
    if word is Learning.NOT_FOR_SURE:
        return gettext(
            "“Not for sure”: at least one question is protected only lightly (see below)."
        )
    return ""
