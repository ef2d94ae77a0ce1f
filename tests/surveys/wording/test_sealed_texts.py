"""Where texts are sealed for researchers' keys, respondents read who can open them, and who not."""

from dataclasses import replace

import pytest
from django.conf import settings
from django.utils.translation import override

from surveys.collecting.published.renderings import LaunchedPage, how_it_works_page, start_page
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.openings import OpeningPlan
from surveys.questionnaire.plans.schedules import ReleasePlan
from surveys.questionnaire.plans.seals import SealKey, Seals
from surveys.wording.openings import flooding_note, opening_details
from surveys.wording.protection import keeping_lines, total_odds
from surveys.wording.texts import direct_mark, readers_line, reports_explained, reports_line
from tests.surveys.wording.test_texts import BUDGET, DIRECT, TEXT

KEYS = (SealKey("Registry", "ab" * 32), SealKey("Institute", "cd" * 32))
ONE, TWO = Seals(KEYS[:1]), Seals(KEYS)
CLOSE = OpeningPlan("close")
ALONE = {"releases": ReleasePlan(1, 100, "together"), "budget": BUDGET, "opening": CLOSE}
READ = Questionnaire("T", "I", "O", "C", 1, (TEXT, DIRECT), opening=CLOSE)
LOCKED = replace(READ, seals=ONE)


def test_one_key_or_both_open_what_people_write():
    assert readers_line(LOCKED) == (
        "What you write is locked in your browser. Only the researchers' key can open it; this "
        "server cannot."
    )
    assert "Only both keys of the researchers together can open it" in readers_line(
        replace(READ, seals=TWO)
    )
    assert reports_line(LOCKED).startswith(
        "The texts are locked: only the key of Registry opens them."
    )
    assert "the keys of Registry and Institute together open them" in reports_line(
        replace(READ, seals=TWO)
    )


@pytest.mark.parametrize("releases", [{}, ALONE])
@pytest.mark.parametrize("budget", [None, BUDGET])
def test_no_sentence_says_that_texts_are_read_or_opened_here(releases, budget):
    locked = replace(LOCKED, **{"budget": budget, **releases})
    said = [
        readers_line(locked),
        *reports_explained(locked),
        direct_mark(locked),
        total_odds(locked),
        flooding_note(locked),
        *opening_details(locked, None),
        *keeping_lines(locked),
    ]
    words = " ".join(said)
    for wrong in (
        "can read",
        "texts are read",
        "Texts are read",
        "may read the texts",
        "unprotected answers and texts",
        "see what you wrote",
        "see your texts",
        "what you write is opened",
        "reports took from your texts",
    ):
        assert wrong not in words, wrong
    assert "still locked" in words


@pytest.mark.django_db
@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_start_page_and_how_it_works_say_it_in_each_language(survey, language):
    page = LaunchedPage(survey.pk, survey.revision.pk, b"", LOCKED, [language], None)
    with override(language):
        assert readers_line(LOCKED).replace("'", "&#x27;") in start_page(page)
        assert "Registry" in how_it_works_page(page)
