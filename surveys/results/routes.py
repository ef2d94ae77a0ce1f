"""Route: of whom a question was asked, where a rule or chance decides: in words, and of enough?"""

import re
from dataclasses import dataclass

from django.utils.translation import get_language, gettext, ngettext

from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.results.queries import ItemCounts
from surveys.wording.language.numbers import count_words
from surveys.wording.routes import rule_words

# Answers stand in quotes; an odd one at the end opens nothing.
QUOTED_OR_YOU = re.compile("(“[^“”]*”)|you ")


@dataclass(frozen=True)
class Route:
    """Whom a question was asked. Of fewer people than a batch nothing is shown.

    ``missing`` says how many rows have no answer to it and why; empty where all have.
    """

    words: str = ""
    hides_estimates: bool = False
    missing: str = ""


def route_of(questionnaire: Questionnaire, counts: ItemCounts, responses: int) -> Route:
    """The route to one question, among so many responses; a text says not who was asked."""
    item = counts.item
    missing = missing_words(questionnaire, counts)
    if item.rule is None:
        return Route(missing=missing)
    if not item.is_sent:
        return Route(asked_words(item, questionnaire), missing=missing)
    asked = responses - counts.by_code[item.not_asked]
    is_counted = bool(counts.by_code)
    hides = is_counted and asked < questionnaire.batch_size
    return Route(asked_words(item, questionnaire), hides, missing)


def missing_words(questionnaire: Questionnaire, counts: ItemCounts) -> str:
    """How many rows have no answer to a question, and every reason that they may have.

    A rule that reads protected answers leaves no row out: all people send a report. Which of two
    reasons a row has is not stored.
    """
    item: Question = counts.family or counts.item
    count = counts.by_code[item.not_asked] if item.is_sent else 0
    if not count:
        return ""
    rule = questionnaire.routes.open_rules[questionnaire.items.index(item)]
    drawn = questionnaire.asked is not None and item.is_randomized
    return _missing(
        count,
        is_ruled=rule is not None,
        is_drawn=drawn,
        by_hand=item.is_offered_with_own_coin,
    ).format(count=count_words(count))


def _missing(count: int, *, is_ruled: bool, is_drawn: bool, by_hand: bool) -> str:
    """Of two of these, chance and a coin alone may leave rows out of one launched question."""
    if is_ruled:
        return ngettext(
            "{count} person is left out: the person did not meet the condition of this question "
            "and was not asked.",
            "{count} people are left out: these people did not meet the condition of this "
            "question and were not asked.",
            count,
        )
    if is_drawn and by_hand:
        return ngettext(
            "{count} more person is left out: chance did not choose this question for this person.",
            "{count} more people are left out: chance did not choose this question for these "
            "people.",
            count,
        )
    if is_drawn:
        return ngettext(
            "{count} more row has no answer to this question and is left out. The reason: "
            "chance did not choose the question for this person, or the question cannot be asked "
            "with a person's own coin.",
            "{count} more rows have no answer to this question and are left out. The reason: "
            "chance did not choose the question for these people, or the question cannot be "
            "asked with a person's own coin.",
            count,
        )
    return ngettext(
        "{count} more row has no answer to this question and is left out. The reason: this "
        "question cannot be asked with a person's own coin.",
        "{count} more rows have no answer to this question and are left out. The reason: this "
        "question cannot be asked with a person's own coin.",
        count,
    )


def asked_words(item: Question, questionnaire: Questionnaire) -> str:
    """For staff: among whom a question's estimates are; empty if it is asked of all."""
    if item.rule is None:
        return ""
    rule = rule_words(questionnaire, item.rule)
    if get_language() in (None, "en"):
        # In English "you" and "they" go with the same verbs; in other languages the sentence
        # quotes what respondents read. What stands in quotes is an answer, in its author's words.
        rule = QUOTED_OR_YOU.sub(lambda match: match[1] or "they ", rule)
    asked = gettext("Asked only of people who meet this condition: {rule}.").format(rule=rule)
    return f"{asked} {WHOSE_ANSWERS(item)}"


def _among_asked(item: Question) -> str:
    return gettext("The estimates describe the people who were asked.")


def _in_family(item: FollowUpQuestion) -> str:
    return gettext(
        "The answers to this question are part of the reported answer to question {number}."
    ).format(number=item.family)


def _among_all(item: LevelQuestion) -> str:
    if item.hidden is None:
        return _among_asked(item)
    return gettext(
        "All people send a reported answer to this question. For people who were not asked, "
        "“{answer}” counts as the true answer."
    ).format(answer=item.levels[item.hidden.level].text)


WHOSE_ANSWERS: Table[[], str] = Table.with_levels(_among_all, _among_asked, follow_up=_in_family)


def drawn_words(questionnaire: Questionnaire) -> str:
    """For staff: how many people are asked a protected question; empty if all are."""
    if questionnaire.asked is None:
        return ""
    return gettext("Asked of about {asked} in {size} people, chosen by chance.").format(
        asked=questionnaire.asked, size=len(questionnaire.randomized)
    )
