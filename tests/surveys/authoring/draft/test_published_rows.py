"""The choice that rows may be published: frozen in the document, said to respondents, checked."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.authoring.checklist.checks import checks_of
from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire, may_publish_rows, sent_as_given
from surveys.web.addresses import start_address
from surveys.wording.protection import keeping_lines, publishing_line
from tests.factories import (
    MOTHER,
    add_budget,
    add_long_scale,
    add_pages,
    add_question,
    add_text,
    launched,
    make_survey,
)
from tests.surveys.authoring.asking import page_of
from tests.surveys.results.deposit.depositing import arms_draft
from tests.translated import translate_all

pytestmark = pytest.mark.django_db
ENGLISH = "Your protected answers may be published as they are sent: one row for each person"
SENTENCES = {
    "en": ENGLISH,
    "de": "Ihre geschützten Antworten dürfen so veröffentlicht werden, wie sie gesendet werden",
    "fr": "Vos réponses protégées peuvent être publiées telles qu’elles sont envoyées",
    "es": "Sus respuestas protegidas pueden publicarse tal como se envían",
    "ar": "قد تُنشر إجاباتك المحمية كما تُرسل",
}


def drafted(owner, **fields: object) -> Survey:
    draft = make_survey(owner, **{"publish_rows": True, **fields})
    add_question(draft)
    return draft


def test_a_document_has_the_choice_only_where_it_was_made(owner):
    chosen = draft_questionnaire(drafted(owner))
    other = draft_questionnaire(drafted(owner, publish_rows=False))
    assert chosen.to_document()["publish_rows"] is True
    assert "publish_rows" not in other.to_document()
    for questionnaire in (chosen, other):
        again = Questionnaire.from_document(json.loads(questionnaire.to_bytes()))
        assert again == questionnaire
        assert again.to_bytes() == questionnaire.to_bytes()


@pytest.mark.parametrize("written", ["yes", 1, None, False])
def test_nothing_else_in_a_document_is_read_as_the_choice(owner, written):
    document = draft_questionnaire(drafted(owner)).to_document()
    assert not Questionnaire.from_document({**document, "publish_rows": written}).publish_rows


def test_one_question_that_is_sent_as_given_keeps_all_rows_back(owner):
    draft = drafted(owner)
    add_pages(draft)
    add_text(draft)
    assert may_publish_rows(draft_questionnaire(draft))
    add_question(draft, text="Do you smoke?", design="direct")
    questionnaire = draft_questionnaire(draft)
    assert not may_publish_rows(questionnaire)
    assert sent_as_given(questionnaire) == (5,)
    assert publishing_line(questionnaire) == ""


def test_texts_alone_make_no_rows(owner):
    draft = make_survey(owner, publish_rows=True)
    add_text(draft)
    assert not may_publish_rows(draft_questionnaire(draft))


def test_the_odds_hold_for_all_readers_but_those_who_know_a_second_answer(owner):
    draft = drafted(owner)
    assert publishing_line(draft_questionnaire(draft)).endswith("hold for all readers.")
    add_question(draft, required=True, design="crosswise", harmless=MOTHER, harmless_yes="1/4")
    assert publishing_line(draft_questionnaire(draft)).endswith(
        "hold for anyone reading the rows without knowing your answer to a second question."
    )


def test_the_sentence_says_of_texts_that_they_are_in_no_row(owner):
    draft = drafted(owner)
    assert "Texts" not in publishing_line(draft_questionnaire(draft))
    add_text(draft)
    assert publishing_line(draft_questionnaire(draft)).endswith(
        "Texts that you write are never in these rows."
    )


@pytest.mark.usefixtures("_static_files")
def test_respondents_read_it_beside_their_odds_in_every_language(client, owner):
    draft = drafted(owner, also_in="de fr es ar")
    translate_all(draft, "de", "fr", "es", "ar")
    survey = launched(draft)
    assert questionnaire_of(survey.revision).publish_rows
    for language, sentence in SENTENCES.items():
        start = start_address(survey.pk, language)
        for address in (start, f"{start}how-it-works/"):
            page = client.get(address).content.decode()
            assert sentence in page, (language, address)


def test_respondents_read_nothing_of_it_where_it_was_not_chosen(client, owner):
    survey = launched(drafted(owner, publish_rows=False))
    page = client.get(start_address(survey.pk, "en")).content.decode()
    assert "may be published" not in page


def publishing(draft: Survey):
    return [check for check in checks_of(draft) if check.key == "publishing"]


def test_the_checklist_repeats_what_respondents_read(owner):
    (check,) = publishing(drafted(owner))
    assert not check.is_doubt
    assert check.lines[0].startswith(ENGLISH)
    assert check.field == "publish_rows"


def test_the_checklist_names_the_questions_for_which_the_mark_changes_nothing(owner):
    draft = drafted(owner)
    add_question(draft, text="Do you smoke?", design="direct")
    (check,) = publishing(draft)
    assert check.is_doubt
    assert check.lines[0].startswith("Question 2: the answers are not randomized")


def test_the_checklist_says_if_no_question_is_randomized_at_all(owner):
    draft = make_survey(owner, publish_rows=True)
    add_text(draft)
    (check,) = publishing(draft)
    assert check.lines == (
        "You allowed rows of answers to be published. This has no effect, because no question is "
        "randomized.",
    )


def test_the_checklist_says_nothing_where_nothing_was_chosen(owner):
    assert publishing(drafted(owner, publish_rows=False)) == []


def test_the_page_that_launches_repeats_the_sentence(client, owner):
    client.force_login(owner)
    page = client.get(page_of(drafted(owner), "launch")).content.decode()
    assert ENGLISH in page


def test_what_a_coin_cannot_ask_keeps_the_rows_of_a_live_survey_back(owner):
    """A row without these answers would be that of a person with a coin; openings hide them."""
    last_day = timezone.now().date() + timedelta(days=30)
    for opening, may in ((Survey.Opening.LIVE, False), (Survey.Opening.CLOSE, True)):
        draft = drafted(owner, opening=opening, close_on=last_day)
        add_long_scale(draft)
        questionnaire = draft_questionnaire(draft)
        assert questionnaire.own_coin.left_out
        assert may_publish_rows(questionnaire) is may
        assert bool(publishing_line(questionnaire)) is may
        (check,) = publishing(draft)
        assert ("who used their own coin" in check.lines[0]) is not may


@pytest.mark.parametrize("fields", [{}, {"delete_on": None}])
def test_respondents_read_that_published_rows_outlive_the_deletion(owner, fields):
    stays = "Published rows are not deleted."
    for chosen in (True, False):
        questionnaire = draft_questionnaire(drafted(owner, publish_rows=chosen, **fields))
        assert (stays in keeping_lines(questionnaire)[-1]) is chosen


def test_respondents_read_that_the_group_of_chance_stands_in_their_row(owner):
    group = "Your row shows the group that chance put you in."
    assert group in publishing_line(draft_questionnaire(arms_draft(owner)))
    assert group not in publishing_line(draft_questionnaire(drafted(owner)))


def test_a_budget_that_hides_who_took_part_keeps_rows_back(owner):
    for adjacency, may in (("add_or_remove_one", False), ("replace_one", True)):
        draft = drafted(owner)
        add_text(draft)
        add_budget(draft, adjacency=adjacency)
        assert may_publish_rows(draft_questionnaire(draft)) is may
        (check,) = publishing(draft)
        assert ("promises to hide who took part" in check.lines[0]) is not may
