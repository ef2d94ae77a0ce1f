"""Pages of information and consent have up to 4,000 characters, in paragraphs."""

import pytest
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaires, item_of
from surveys.models import Question, Survey
from tests.factories import add_question
from tests.question_forms import save_question
from tests.surveys.authoring.test_question_fields import address_of

pytestmark = pytest.mark.django_db
CONSENT = "\r\n".join(["  We keep your answers. ", "", "For a year."])
KEPT = "We keep your answers.\n\nFor a year."


@pytest.fixture
def page(draft) -> Question:
    return add_question(draft, text="Your data", kind="agree", design="direct")


@pytest.mark.parametrize("kind", ["info", "agree"])
def test_paragraphs_stay_on_a_page_and_become_one_line_in_help(staff, draft, kind):
    question = add_question(draft, text="Read", kind=kind, design="direct")
    save_question(staff, question, kind=kind, help=CONSENT)
    question.refresh_from_db()
    assert question.help == KEPT
    save_question(staff, question, kind="yes_no", help=CONSENT)
    question.refresh_from_db()
    assert question.help == "We keep your answers.  For a year."


@pytest.mark.parametrize(("kind", "most"), [("agree", 4000), ("yes_no", 500)])
def test_a_text_that_is_longer_is_refused_and_stays_on_the_form(staff, draft, kind, most):
    question = add_question(draft, text="Read", kind=kind, design="direct")
    save_question(staff, question, kind=kind, help="x" * most)
    question.refresh_from_db()
    assert len(question.help) == most
    refused = save_question(staff, question, kind=kind, help="x" * (most + 1))
    assert "help" in refused.context["adminform"].form.errors
    assert "x" * (most + 1) in refused.content.decode()


def test_a_page_that_becomes_a_question_is_not_launched_with_so_long_a_help(draft):
    question = add_question(draft, design="direct", help="x" * 501)
    with pytest.raises(NotReady, match="Shorten the help text to 500 characters"):
        item_of(question)


def test_people_read_paragraphs_in_the_page_and_with_their_own_coin(staff, draft, page):
    add_question(draft, design="direct")
    Question.objects.filter(pk=page.pk).update(help=KEPT)
    for name in ("preview", "preview_own_coin"):
        text = staff.get(reverse(f"admin:surveys_survey_{name}", args=[draft.pk])).content.decode()
        assert "<p>We keep your answers.</p>" in text
        assert "<p>For a year.</p>" in text


def test_a_translation_of_a_page_may_be_as_long(staff, draft, page):
    add_question(draft, design="direct", help="Shortly.")
    Question.objects.filter(pk=page.pk).update(help=KEPT)
    Survey.objects.filter(pk=draft.pk).update(also_in="de")
    address = reverse("admin:surveys_survey_translations", args=[draft.pk, "de"])
    texts = {source.text: source.longest for source in staff.get(address).context["form"].texts}
    assert (texts[KEPT], texts["Shortly."]) == (4000, 500)


def test_the_launched_document_has_the_paragraphs(draft, page):
    add_question(draft, design="direct")
    Question.objects.filter(pk=page.pk).update(help=KEPT)
    [questionnaire] = draft_questionnaires(draft)
    assert questionnaire.items[0].to_document()["help"] == KEPT


def test_the_form_of_a_page_says_how_long_it_may_be(staff, page):
    assert (
        "A page of information or consent can have up to 4,000 characters and several paragraphs."
        in staff.get(address_of(page)).content.decode()
    )
