"""When answers are opened and among whom that hides a person, in words for respondents.

Documents from before there were openings have none of these sentences.
"""

from collections.abc import Iterator
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.openings import DAY, DESTROY, EVERY, OpeningPlan

WEEK = 7


def opening_summary(questionnaire: Questionnaire, last_day: date | None) -> str:
    """Until when answers stay sealed, in a few words for the first screen."""
    plan = questionnaire.opening
    if plan is None:
        return ""
    if not plan.is_sealed:
        return gettext(
            "Someone who sends the {others} answers stored together with yours can recognise yours."
        ).format(others=questionnaire.batch_size - 1)
    sealed = _in_short(plan, last_day)
    if plan.when == EVERY:
        return gettext(
            "{sealed}. You are hidden among people who answer honestly, unless links are given "
            "out one by one."
        ).format(sealed=sealed)
    return gettext("{sealed}. You are hidden among people who answer honestly.").format(
        sealed=sealed
    )


def _in_short(plan: OpeningPlan, last_day: date | None) -> str:
    if last_day is None:  # a draft's preview
        return gettext("Answers stay sealed until the survey closes")
    if plan.when != EVERY:
        return gettext("Answers stay sealed until {day}").format(
            day=date_format(last_day, "DATE_FORMAT")
        )
    if plan.days == WEEK:
        weekday = date_format(last_day + DAY, "l")
        return gettext("Answers are opened every {weekday}").format(weekday=weekday)
    return ngettext(
        "Answers are opened every day", "Answers are opened every {count} days", plan.days
    ).format(count=plan.days)


def opening_lines(questionnaire: Questionnaire, last_day: date | None) -> list[str]:
    """Until when answers stay sealed, and what that hides."""
    plan = questionnaire.opening
    if plan is None:
        return []
    if not plan.is_sealed:
        return [_live(questionnaire.batch_size)]
    honest = gettext(
        "You are hidden among people who answer honestly. No one can count these people, because "
        "some people may answer twice, or under false names."
    )
    if plan.when == EVERY:
        return [
            _every(plan, questionnaire.batch_size, last_day),
            honest,
            gettext(
                "Someone who gives people the link one by one can find out which answers came "
                "from whom."
            ),
        ]
    return [_at_the_close(last_day), honest]


def opening_details(questionnaire: Questionnaire, last_day: date | None) -> list[str]:
    """All of it: also what becomes of few answers and of texts, and when all is opened."""
    return [*opening_lines(questionnaire, last_day), *_details(questionnaire, last_day)]


def flooding_note(questionnaire: Questionnaire) -> str:
    """What a sender of nearly all other answers sees; empty in documents from before."""
    if questionnaire.opening is None:
        return ""
    if questionnaire.releases:
        return _flooding_of_tables(questionnaire)
    if questionnaire.seals:
        return gettext(
            "Someone who sends nearly all other answers would see what your browser sent, "
            "including unprotected answers. What you wrote stays locked even for that person."
        )
    return gettext(
        "Someone who sends nearly all other answers would see what your browser sent, including "
        "unprotected answers and texts."
    )


def _flooding_of_tables(questionnaire: Questionnaire) -> str:
    """The same where unprotected answers come to light as released tables alone."""
    read_texts = () if questionnaire.seals else questionnaire.numbered.texts
    if questionnaire.randomized and read_texts:
        return gettext(
            "Someone who sends nearly all other answers would see your texts, and what your "
            "browser sent for protected questions. All other answers stay blurred even for that "
            "person."
        )
    if questionnaire.randomized:
        return gettext(
            "Someone who sends nearly all other answers would see what your browser sent for "
            "protected questions. Unprotected answers stay blurred even for that person."
        )
    if read_texts:
        return gettext(
            "Someone who sends nearly all other answers would see what you wrote. All other "
            "answers stay blurred even for that person."
        )
    return gettext(
        "Even someone who sends nearly all other answers sees only tables in which your answers "
        "are blurred."
    )


def _details(questionnaire: Questionnaire, last_day: date | None) -> Iterator[str]:
    plan = questionnaire.opening
    if plan is None:
        return
    if not plan.is_sealed:
        yield from _live_texts(questionnaire)
        return
    if plan.when == EVERY and last_day is not None:
        yield gettext("When the survey closes on {day}, all answers are opened.").format(
            day=date_format(last_day, "DATE_FORMAT")
        )
    few = (
        gettext("If fewer than {count} answers come, all answers are destroyed unread.")
        if plan.below_k == DESTROY
        else gettext(
            "If fewer than {count} answers come, they are opened together. Then you are hidden "
            "only among these few people."
        )
    )
    yield few.format(count=questionnaire.batch_size)
    if questionnaire.seals:
        yield gettext(
            "When the survey closes, what you write is stored, still locked and separately from "
            "your other answers."
        )
    elif questionnaire.numbered.texts:
        yield gettext(
            "When the survey closes, what you write is opened separately from your other answers."
        )


def _live(least: int) -> str:
    return gettext(
        "Live: answers appear as soon as {count} answers have come. Someone who sends the "
        "{others} answers stored together with yours can recognise your answers."
    ).format(count=least, others=least - 1)


def _live_texts(questionnaire: Questionnaire) -> Iterator[str]:
    """Rows and texts of a batch appear at once, on pages and on the disk; no order joins them."""
    if questionnaire.numbered.texts:
        yield gettext(
            "The answers and texts of {count} people, yours included, are stored at the same "
            "time. Someone who reads the database, or keeps looking at the results, sees that "
            "your text comes from one of these people."
        ).format(count=questionnaire.batch_size)


def _at_the_close(last_day: date | None) -> str:
    if last_day is None:  # a draft's preview
        return gettext(
            "Your answers stay encrypted until the survey closes. Then the answers of all people "
            "are opened together, in random order. No one sees results earlier."
        )
    return gettext(
        "Your answers stay encrypted until the survey closes on {day}. Then the answers of all "
        "people are opened together, in random order. No one sees results earlier."
    ).format(day=date_format(last_day, "DATE_FORMAT"))


def _every(plan: OpeningPlan, least: int, last_day: date | None) -> str:
    chance = gettext(
        "At each opening, chance keeps at least half of the answers sealed, never fewer than "
        "{count}."
    )
    if plan.days == WEEK and last_day is not None:
        weekday = date_format(last_day + DAY, "l")
        opened = gettext("Answers are opened every {weekday}, in random order.").format(
            weekday=weekday
        )
    else:
        opened = ngettext(
            "Answers are opened every day, in random order.",
            "Answers are opened every {count} days, in random order.",
            plan.days,
        ).format(count=plan.days)
    return f"{opened} {chance.format(count=least)}"
