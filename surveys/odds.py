"""Epsilon in odds words, the form that people understand best (Nanayakkara et al. 2023)."""

import math

from surveys.questionnaire import Item, Questionnaire


def epsilon_words(item: Item) -> str:
    """One question's local epsilon, as a number and as odds."""
    if not item.is_randomized:
        return "not protected: sent as given"
    return f"{item.epsilon:.2f} ({odds_words(item.epsilon)})"


def total_words(questionnaire: Questionnaire) -> str:
    """What one respondent's randomized answers together can reveal; epsilons add up."""
    if not questionnaire.randomized:
        return "Nothing is randomized: every answer is sent as given."
    words = f"epsilon {questionnaire.total_epsilon:.2f}: {odds_words(questionnaire.total_epsilon)}"
    direct = len(questionnaire.direct)
    return f"{words}; {direct} asked directly" if direct else words


def odds_words(epsilon: float) -> str:
    """The largest factor by which a report can change anybody's odds about the truth."""
    if epsilon > math.log(1e6):
        return "odds change more than a million-fold: this hardly protects"
    factor = math.exp(epsilon)
    return (
        f"odds change at most {factor:,.3g}-fold"
        if factor < 100
        else (f"odds change at most {factor:,.0f}-fold")
    )
