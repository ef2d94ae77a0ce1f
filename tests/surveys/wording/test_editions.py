"""Promises in the words of their survey's edition: what was launched before keeps its words."""

import json
import string
from dataclasses import replace
from datetime import date
from functools import cache
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.utils.translation import gettext

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting.rows import START, start_context
from surveys.questionnaire.document import CLEAR, FIRST, PLAIN, Questionnaire
from surveys.questionnaire.formats import early
from surveys.web.locales import EARLIER, speaking
from tests.factories import add_text
from tests.families import make_family_draft
from tests.locale import catalogues
from tests.locale.editions import NEWEST_OF, SPOKEN, words_of
from tests.locale.make import po_file
from tests.locale.sources import marked_texts
from tests.surveys.wording.test_protection import survey, yes_no

NEW = survey(yes_no())
each_catalogue = pytest.mark.parametrize("name", sorted(NEWEST_OF))
# The English ones of the first edition; they stand for their translations.
FIRST_PROMISES = {
    "Your answer stays in this browser. It is part of your answer to question {first}, of which "
    "only the result of the coins is sent.",
    "All answers, and whatever internal reports took from your texts, are deleted on {day} at the "
    "latest.",
    "Only totals are opened, once, with chance added: no total tells whether you are in it.",
    "How often each report to a protected question came may be published as it is: that tells less "
    "about you than what you sent.",
    "Some questions are asked only of people with certain answers to questions that are not "
    "protected. Whether you are asked one tells nothing else, and what this site's script sends is "
    "as long either way.",
}


@cache
def earlier(name: str) -> list[catalogues.Entry]:
    return catalogues.read(po_file("respondents", name))[1:]


def spoken_in(questionnaire: Questionnaire, locale: str, text: str) -> str:
    language, _, informal = locale.partition("-")
    with speaking(replace(questionnaire, informal=bool(informal)), language):
        return gettext(text)


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_new_survey_names_the_newest_edition_in_its_document():
    assert NEW.to_document()["wording"] == CLEAR
    assert [newer for newer, _ in EARLIER] == [PLAIN, CLEAR]


def test_a_document_without_an_edition_has_the_first():
    document = json.loads(NEW.to_bytes())
    assert early.upgraded({"items": []})["wording"] == FIRST
    del document["wording"]
    assert Questionnaire.from_document(document).wording == FIRST
    again = Questionnaire.from_document({**document, "wording": PLAIN - 1})
    assert json.loads(again.to_bytes())["wording"] == PLAIN - 1


def test_there_is_a_catalogue_for_each_edition_that_ended_and_each_way_to_speak():
    assert len(NEWEST_OF) == len(EARLIER) * len(SPOKEN)
    assert all(earlier(name) for name in NEWEST_OF)


@each_catalogue
def test_the_words_of_an_edition_are_of_sentences_that_are_said_in_others_today(name):
    said = {(entry.msgid, entry.plural) for entry in marked_texts()}
    for entry in earlier(name):
        assert (entry.msgid, entry.plural) in said
        assert entry.is_complete
        assert names(entry.translations[-1]) == names(entry.plural or entry.msgid)
        assert entry.translations != tuple(filter(None, (entry.msgid, entry.plural)))


@each_catalogue
def test_what_the_program_reads_is_compiled_from_the_catalogue(name):
    compiled = po_file("respondents", name).with_suffix(".mo").read_bytes()
    read = catalogues.read(po_file("respondents", name))
    assert compiled == catalogues.compiled(words_of(name, read))


@pytest.mark.parametrize("locale", SPOKEN)
@pytest.mark.parametrize(("newer", "edition"), EARLIER)
def test_a_survey_of_before_keeps_its_words_and_says_all_else_as_today(newer, edition, locale):
    before, today = replace(NEW, wording=newer - 1), replace(NEW, wording=CLEAR)
    name = next(
        name for name in NEWEST_OF if name.lower() == f"{locale}-{edition}".replace("-", "_", 1)
    )
    kept = {entry.msgid: entry.translations[0] for entry in earlier(name)}
    for entry in marked_texts():
        if entry.plural:  # a language has other forms of one and of many
            continue
        words = spoken_in(before, locale, entry.msgid)
        assert words == kept.get(entry.msgid, spoken_in(today, locale, entry.msgid))


@pytest.mark.django_db
def test_the_first_page_of_a_survey_of_before_shows_what_it_promised(owner):
    draft = make_family_draft(owner, delete_on=date(2999, 3, 1))
    add_text(draft)
    new = draft_questionnaire(draft)
    before = replace(new, wording=PLAIN - 1)
    shown = {}
    for one in (new, before):
        with speaking(one):
            shown[one.wording] = unescape(render_to_string(START, start_context(one)))
    for beginning in (
        "It is part of your answer to question",
        "All answers, and whatever internal",
    ):
        assert beginning in shown[PLAIN - 1]
        assert beginning not in shown[CLEAR]


def test_the_words_of_the_first_edition_are_never_changed():
    """Surveys that are open promise them."""
    assert {entry.translations[0] for entry in earlier("en_W3")} >= FIRST_PROMISES
