"""Promises in the words of their survey's edition: what was launched before keeps its words."""

import json
from dataclasses import replace
from datetime import date
from html import unescape

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting.rows import START, start_context
from surveys.questionnaire.document import FIRST, PLAIN, Questionnaire
from surveys.questionnaire.formats import early
from surveys.web.locales import INFORMAL
from surveys.wording.language.editions import EDITIONS, promise
from tests.factories import add_text
from tests.families import make_family_draft
from tests.surveys.wording.test_protection import survey, yes_no

VALUES = {"first": "4", "day": "1 March 2027"}
LOCALES = [*dict(settings.LANGUAGES), *INFORMAL.values()]
NEW = survey(yes_no())
BEFORE = replace(NEW, wording=PLAIN - 1)


def test_a_new_survey_names_the_newest_edition_in_its_document():
    newest = max(number for editions in EDITIONS.values() for number in editions)
    assert NEW.to_document()["wording"] == newest == PLAIN


def test_a_document_without_an_edition_has_the_first():
    document = json.loads(NEW.to_bytes())
    assert early.upgraded({"items": []})["wording"] == FIRST
    del document["wording"]
    assert Questionnaire.from_document(document).wording == FIRST
    again = Questionnaire.from_document({**document, "wording": PLAIN - 1})
    assert json.loads(again.to_bytes())["wording"] == PLAIN - 1


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", EDITIONS)
def test_a_survey_of_before_keeps_its_words_in_every_language(name, locale):
    with override(locale):
        said = {one: promise(name, one, **VALUES) for one in (NEW, BEFORE)}
        first = promise(name, replace(NEW, wording=FIRST), **VALUES)
    assert said[BEFORE] == first
    assert said[NEW] != first
    assert "{" not in said[NEW] + first


@pytest.mark.django_db
def test_the_first_page_of_a_survey_of_before_shows_what_it_promised(owner):
    draft = make_family_draft(owner, delete_on=date(2999, 3, 1))
    add_text(draft)
    questionnaire = draft_questionnaire(draft)
    new, before = (
        unescape(render_to_string(START, start_context(replace(questionnaire, wording=number))))
        for number in (PLAIN, PLAIN - 1)
    )
    for name in ("follow_up", "deletion_with_texts"):
        *_, earlier, newest = EDITIONS[name].values()
        beginning = earlier.partition("{")[0].removeprefix("Your answer stays in this browser. ")
        assert beginning in before
        assert beginning not in new
        assert newest.rpartition("}")[2] in new


@pytest.mark.parametrize("name", EDITIONS)
def test_every_promise_has_a_first_edition_and_none_is_newer_than_new_surveys(name):
    assert min(EDITIONS[name]) == FIRST
    assert max(EDITIONS[name]) <= NEW.wording


def test_the_words_of_the_first_edition_are_never_changed():
    """Surveys that are open promise them. The English ones stand for their translations."""
    assert {name: editions[FIRST] for name, editions in EDITIONS.items()} == {
        "follow_up": "Your answer stays in this browser. It is part of your answer to question "
        "{first}, of which only the result of the coins is sent.",
        "deletion_with_texts": "All answers, and whatever internal reports took from your texts, "
        "are deleted on {day} at the latest.",
        "locked_totals": "Only totals are opened, once, with chance added: no total tells whether "
        "you are in it.",
        "published_totals": "How often each report to a protected question came may be published "
        "as it is: that tells less about you than what you sent.",
        "open_rules": "Some questions are asked only of people with certain answers to questions "
        "that are not protected. Whether you are asked one tells nothing else, and what this "
        "site's script sends is as long either way.",
    }
