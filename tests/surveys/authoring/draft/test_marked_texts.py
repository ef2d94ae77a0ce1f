"""Emphasis and lists in an author's texts: chosen for a draft, frozen, shown wherever texts are."""

import json
import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from surveys.authoring.draft.languages import source_texts
from surveys.authoring.drafts import draft_questionnaire, draft_questionnaires
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.collecting import rows
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.xlsforms.files import workbook_of
from surveys.kinds.family.promise import FollowUpQuestion
from surveys.models import Question, Survey, Translation
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire, plain_introduction, plain_sections
from tests import factories
from tests.bodies import body_of
from tests.factories import add_pages, add_question, launched, make_survey
from tests.families import add_family
from tests.posting import post
from tests.question_forms import save_question

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
HELP = "*Please*:\n- rest\n- **drink**"
SHOWN_HELP = "<p><em>Please</em>:</p>\n<ul><li>rest</li><li><strong>drink</strong></li></ul>"
PAGES = ("start", "own-coin")
OTHER_PAGES = ("how-it-works", "dashboard", "codebook", "report")


def drafted(owner, **fields: object) -> Survey:
    introduction = "Why *we* ask:\n1. this\n2. that"
    draft = make_survey(owner, **{"marked_up": True, "introduction": introduction, **fields})
    section = {"section": "Health", "section_text": "About *you*."}
    add_question(draft, text="Do you *not* sleep?", help=HELP, **section)
    add_pages(draft)
    draft.questions.update(help=HELP)
    return draft


def page(client, name: str, survey: Survey) -> str:
    room = "respondent" if name in (*PAGES, "how-it-works") else "surveys"
    reply = client.get(reverse(f"{room}:{name}", args=[survey.pk]), follow=True)
    assert reply.status_code == 200
    return reply.content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_respondents_see_emphasis_and_lists(client, owner, name):
    shown = page(client, name, launched(drafted(owner)))
    assert "<bdi>Do you <em>not</em> sleep?</bdi>" in shown
    assert shown.count(SHOWN_HELP) == 3  # of the question, and on the two pages
    assert f'<div class="hint" dir="auto">{SHOWN_HELP}</div>' in shown
    assert "<bdi>About <em>you</em>.</bdi>" in shown
    assert "*" not in shown.partition("<main")[2]


def test_the_first_page_says_why_with_a_list(client, owner):
    shown = page(client, "start", launched(drafted(owner)))
    assert '<p>Why <em>we</em> ask:</p>\n<ol><li value="1">this</li><li value="2">that' in shown


@pytest.mark.parametrize("name", PAGES)
def test_stars_are_stars_in_a_survey_that_does_not_choose_marks(client, owner, name):
    survey = launched(drafted(owner, marked_up=False))
    assert "marked_up" not in questionnaire_of(survey.revision).to_document()
    shown = page(client, name, survey)
    assert "<bdi>Do you *not* sleep?</bdi>" in shown
    assert f'<p class="hint"><bdi>{HELP}</bdi></p>' in shown
    assert shown.count("<p>*Please*:<br>- rest<br>- **drink**</p>") == 2
    assert "<bdi>About *you*.</bdi>" in shown
    assert "<em>" not in shown


def test_a_launched_document_has_the_texts_as_they_were_typed(owner):
    questionnaire = draft_questionnaire(drafted(owner))
    document = json.loads(questionnaire.to_bytes())
    assert document["marked_up"] is True
    assert document["items"][0]["text"] == {"en": "Do you *not* sleep?"}
    assert document["items"][0]["help"] == {"en": HELP}
    again = Questionnaire.from_document(document)
    assert again == questionnaire
    assert again.to_bytes() == questionnaire.to_bytes()


@pytest.mark.parametrize("written", ["yes", 1, None, False])
def test_nothing_else_in_a_document_is_read_as_the_choice(owner, written):
    document = {**draft_questionnaire(drafted(owner)).to_document(), "marked_up": written}
    assert Questionnaire.from_document(document).items[0].text == "Do you *not* sleep?"


def test_staff_and_files_read_words_without_stars(owner):
    survey = launched(drafted(owner))
    questionnaire = questionnaire_of(survey.revision)
    assert questionnaire.items[0].text == "Do you not sleep?"
    assert questionnaire.items[0].help == "Please:\n- rest\n- drink"
    assert plain_introduction(questionnaire) == "Why we ask:\n1. this\n2. that"
    assert [section.text for section in plain_sections(questionnaire)] == ["About you."]


def every_kind(owner) -> Survey:
    draft = make_survey(owner, marked_up=True)
    factories.add_other_designs(draft)
    add_family(draft)
    factories.add_ticks(draft)
    factories.add_matrix(draft)
    factories.add_ranking(draft)
    factories.add_rounded(draft)
    factories.add_rating(draft)
    for number, question in enumerate(draft.questions.all(), start=1):
        draft.questions.filter(pk=question.pk).update(
            text=f"{question.text} *m{number}m*", help=f"**h{number}h**"
        )
    return draft


def test_every_kind_of_question_has_its_marks(owner):
    promised = draft_questionnaire(every_kind(owner))
    in_page = render_to_string(rows.START, rows.start_context(promised))
    own_coin = render_to_string(rows.OWN_COIN, rows.own_coin_context(promised))
    for number, item in enumerate(promised.items, start=1):
        words, words_of_help = f"<em>m{number}m</em>", f"<strong>h{number}h</strong>"
        assert words in in_page, item.kind
        assert words_of_help in in_page, item.kind
        if isinstance(item, FollowUpQuestion):  # by hand answered with the first of its family
            continue
        assert words in own_coin, item.kind
        assert words_of_help in own_coin or not item.is_offered_with_own_coin, item.kind
    assert not re.search(r"\*[mh]", in_page + own_coin)


def test_what_is_sent_is_said_without_stars(client, owner):
    survey = launched(drafted(owner))
    receipt = post(survey, body_of(survey.revision), client).content.decode()
    client.force_login(owner)
    for content in (receipt, *(page(client, name, survey) for name in OTHER_PAGES)):
        assert "Do you not sleep?" in content
        assert "*not*" not in content


def test_emphasis_stands_around_quotes_too(client, owner):
    draft = make_survey(owner, marked_up=True)
    add_question(draft, text="Do you own a car?", design="direct")
    why = "Why did you say *{what you wrote in 1}* & **not** {partner's 1}?"
    add_question(draft, text=why)
    survey = launched(draft)
    shown = page(client, "start", survey)
    assert '<em><bdi data-quoted="q001">what you wrote in 1</bdi></em> &amp; <strong>not' in shown
    assert '<bdi data-quoted="q001">partner&#x27;s 1</bdi>?' in shown
    plain = "Why did you say what you wrote in 1 & not partner's 1?"
    assert questionnaire_of(survey.revision).items[1].text == plain
    own_coin = page(client, "own-coin", survey)
    assert "<em>what you wrote in 1</em> &amp; <strong>not</strong> partner&#x27;s 1?" in own_coin


def test_help_keeps_its_lines_where_they_may_be_a_list(staff, draft):
    question = add_question(draft)
    for marked_up, kept in ((True, HELP), (False, HELP.replace("\n", " "))):
        Survey.objects.filter(pk=draft.pk).update(marked_up=marked_up)
        save_question(staff, Question.objects.get(pk=question.pk), help=HELP)
        question.refresh_from_db()
        assert question.help == kept


def test_marks_of_a_translation_are_its_own(owner):
    draft = drafted(owner, also_in="de")
    source = {"Do you *not* sleep?": "Schlafen Sie **nicht**?"}
    for one in source_texts(draft, list(draft.questions.all())):
        words = source.get(one.text, f"{one.text} ä")
        Translation.objects.create(survey=draft, language="de", digest=one.digest, text=words)
    _, german = draft_questionnaires(draft)
    assert german.items[0].text == "Schlafen Sie nicht?"
    assert german.items[0].marked_text == "Schlafen Sie **nicht**?"


@pytest.mark.parametrize(("write", "name"), [(to_bytes, "a.json"), (workbook_of, "a.xlsx")])
def test_a_file_of_the_draft_makes_the_same_draft(owner, write, name):
    first = drafted(owner, batch_size=5)
    plan = plan_import(write(definition_of(first)), name)
    second = store(fitted(plan), by=owner)
    assert second.marked_up
    assert [question.help for question in second.questions.all()] == [HELP] * 3
    assert to_bytes(definition_of(second)) == to_bytes(definition_of(first))
