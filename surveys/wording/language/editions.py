"""EDITIONS: sentences that promise, in the words of each edition; a survey keeps its own.

A launched document names its edition as ``wording``. To say a promise in better words, write them
below the earlier ones, under the next number, and let new surveys begin with that.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_noop

from surveys.questionnaire.document import FIRST, PLAIN, Questionnaire
from surveys.wording.language.messages import looked_up

EDITIONS: Mapping[str, Mapping[int, str]] = {
    "follow_up": {
        FIRST: gettext_noop(
            "Your answer stays in this browser. It is part of your answer to question {first}, of "
            "which only the result of the coins is sent."
        ),
        PLAIN: gettext_noop(
            "Your answer stays in this browser. Together with question {first} it makes one "
            "answer. Only the result of the coins for that answer is sent."
        ),
    },
    "deletion_with_texts": {
        FIRST: gettext_noop(
            "All answers, and whatever internal reports took from your texts, are deleted on {day} "
            "at the latest."
        ),
        PLAIN: gettext_noop(
            "All answers are deleted on {day} at the latest, and so is everything that internal "
            "reports took from your texts."
        ),
    },
    "locked_totals": {
        FIRST: gettext_noop(
            "Only totals are opened, once, with chance added: no total tells whether you are in it."
        ),
        PLAIN: gettext_noop(
            "Only totals are opened, once, with chance added. No total shows whether you are in it."
        ),
    },
    "published_totals": {
        FIRST: gettext_noop(
            "How often each report to a protected question came may be published as it is: that "
            "tells less about you than what you sent."
        ),
        PLAIN: gettext_noop(
            "For each protected question, it may be published exactly how often each answer was "
            "sent. That reveals less about you than what you sent."
        ),
    },
    "open_rules": {
        FIRST: gettext_noop(
            "Some questions are asked only of people with certain answers to questions that are "
            "not protected. Whether you are asked one tells nothing else, and what this site's "
            "script sends is as long either way."
        ),
        PLAIN: gettext_noop(
            "Some questions are asked only of people with certain answers to questions that are "
            "not protected. Whether you are asked one reveals nothing else. What this site's "
            "script sends is equally long in both cases."
        ),
    },
}


def promise(name: str, questionnaire: Questionnaire, **values: str) -> str:
    """A sentence that promises, in the words of the survey's edition."""
    editions = EDITIONS[name]
    edition = max(number for number in editions if number <= questionnaire.wording)
    return looked_up(editions[edition], **values)
