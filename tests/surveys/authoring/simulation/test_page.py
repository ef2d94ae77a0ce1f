"""The checklist's simulated people: what is typed, what is refused, truth beside estimate."""

import pytest
from django.http import QueryDict
from django.utils.translation import override

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.simulation.forms import MOST_PEOPLE, SimulationForm
from surveys.models import Survey
from tests import factories
from tests.surveys.authoring.asking import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
USUAL = {"people": "100", "shares1": "30, 60, 10"}


@pytest.fixture
def draft(owner) -> Survey:
    survey = factories.make_survey(owner)
    factories.add_question(survey)
    return survey


def form_of(draft: Survey, **typed: str) -> SimulationForm:
    query = QueryDict(mutable=True)
    query.update({**USUAL, **typed})
    return SimulationForm(query, questionnaire=draft_questionnaire(draft))


def test_the_page_shows_the_truth_beside_the_estimate(client, owner, draft):
    client.force_login(owner)
    page = client.get(page_of(draft, "checklist")).content.decode()
    assert "Choose the true values" in page
    assert "intervals contain the true value" not in page
    page = client.get(page_of(draft, "checklist"), USUAL).content.decode()
    assert "of 3 intervals contain the true value" in page
    assert '<th scope="row"><bdi>Prefer not to say</bdi></th>' in page
    assert "(100 people)" in page


def test_a_draft_that_is_not_ready_is_not_simulated(client, owner, draft):
    factories.add_question(draft, text="")
    client.force_login(owner)
    page = client.get(page_of(draft, "checklist"), USUAL).content.decode()
    assert "Choose the true values" not in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"people": str(MOST_PEOPLE + 1)}, "from 20 to 500"),
        ({"people": "-5"}, "from 20 to 500"),
        ({"people": "٣٠"}, "from 20 to 500"),
        ({"people": "\0"}, "Null characters are not allowed."),
        (
            {"shares1": "50, 50"},
            "Enter 3 percentages, one for each option, such as 20, 40, 40.",
        ),
        ({"shares1": "50, 50, x"}, "Enter a percentage from 0 to 100"),
        (
            {"shares1": "50, 40, 20"},
            "The percentages add up to 110 %. Change the percentages so that they add up to 100 %.",
        ),
        ({"shares1": "1" * 401}, "at most 400 characters"),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_what_to_do(draft, typed, said):
    form = form_of(draft, **typed)
    assert not form.is_valid()
    assert said in str(form.errors)


@pytest.mark.parametrize("typed", ["12.5, 80, 7.5", "12,5; 80; 7,5", "12.5 %, 80 %, 7.5 %"])
def test_percentages_are_read_as_people_write_them(draft, typed):
    form = form_of(draft, shares1=typed)
    assert form.is_valid(), form.errors
    # Yes is shown first and is the second level.
    assert form.cleaned_data["shares1"] == pytest.approx((0.8, 0.125, 0.075))


@pytest.mark.parametrize(
    "typed", ["12,5; 80; 7,5", "12,5 80 7,5", "12.5; 80; 7.5", "12,5 %, 80 %, 7,5 %"]
)
def test_on_german_pages_a_percentage_with_a_comma_is_one(draft, typed):
    with override("de"):
        form = form_of(draft, shares1=typed)
        assert form.is_valid(), form.errors
        assert form.cleaned_data["shares1"] == pytest.approx((0.8, 0.125, 0.075))


def test_on_german_pages_commas_alone_part_no_percentages(draft):
    """They may be 90.5 and 5 as well as 90, 5 and 5, which make 100."""
    with override("de"):
        form = form_of(draft, shares1="90,5,5")
        assert not form.is_valid()
        said = str(form.errors["shares1"])
    assert "Geben Sie 3 Prozentzahlen ein, eine für jede Antwort, etwa 20; 40; 40." in said


def test_german_pages_show_percentages_as_they_read_them(draft):
    with override("de"):
        form = SimulationForm(QueryDict(), questionnaire=draft_questionnaire(draft))
        shown = form["shares1"].value()
        assert shown == "20; 40; 40"
        assert "Semikolons" in str(form["shares1"].help_text)
        assert form_of(draft, shares1=shown).is_valid()


def test_two_looks_draw_anew(draft):
    form = form_of(draft, people="500")
    assert form.is_valid()
    first, second = (form.outcome().questions[0].rows[0].estimate for _ in range(2))
    assert first != second or form.outcome().questions[0].rows[0].estimate != first
