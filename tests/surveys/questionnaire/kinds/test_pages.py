"""Pages of information and consent: nothing of them is sent, and without consent nothing at all."""

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.models import Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import Malformed
from surveys.questionnaire.submission import body_length, parse
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from tests import factories
from tests.bodies import body_of
from tests.posting import post

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def asked(owner) -> Survey:
    """A page of information and one of consent, then a protected question."""
    draft = factories.make_survey(owner)
    factories.add_pages(draft)
    factories.add_question(draft, required=True)
    return factories.launched(draft)


def test_a_page_has_no_field_and_no_place_in_the_row(asked):
    questionnaire = questionnaire_of(asked.revision)
    assert questionnaire.form.names[3:] == ("q003",)
    assert [place for _, place in questionnaire.row.offsets] == [0, 0, 0]
    assert [item.label("") for item in questionnaire.items[:2]] == ["(nothing is sent)"] * 2


def test_the_survey_reads_back_from_its_document(asked):
    document = asked.revision.document
    assert Questionnaire.from_document(document) == questionnaire_of(asked.revision)
    assert [entry["form"] for entry in document["items"]] == ["information", "consent", "levels"]


def test_a_field_for_a_page_is_refused(asked):
    questionnaire, body = questionnaire_of(asked.revision), body_of(asked.revision)
    assert len(body) == body_length(questionnaire)
    with_consent = body.replace(b"&q003", b"&q002=01&q003")
    with pytest.raises(Malformed):
        parse(with_consent, questionnaire=questionnaire, revision=str(asked.revision.pk))


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
def test_what_is_stored_and_shown_again_says_nothing_of_pages(asked, own_coin):
    reply = post(asked, body_of(asked.revision, own_coin=own_coin))
    assert reply.status_code == 200
    assert "Taking part" not in reply.content.decode()
    assert Response.objects.get().answers == "00"
    assert next(responses_csv(asked.revision)).strip() == "q003_rep"


def test_the_codebook_says_what_was_agreed_to(asked):
    found = codebook(asked.revision, responses=1)
    assert [column["name"] for column in found["columns"]] == ["q003"]
    assert [(page["number"], page["page"]) for page in found["pages"]] == [
        (1, "information"),
        (2, "consent"),
    ]


def test_pages_alone_are_no_survey(owner):
    draft = factories.make_survey(owner)
    factories.add_pages(draft)
    with pytest.raises(
        NotReady, match="only pages of information and consent, which send no answers"
    ):
        draft_questionnaire(draft)
