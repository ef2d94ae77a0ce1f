"""The planner: its numbers, its addresses, and what it says to nonsense."""

import re
from decimal import Decimal
from fractions import Fraction
from html import unescape
from urllib.parse import parse_qsl

import pytest
from django.urls import reverse

from surveys.planning.forms import PlanForm
from surveys.randomized_response.designs import (
    Crosswise,
    KAry,
    OptimisedScale,
    Purpose,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from surveys.randomized_response.planning import (
    METHOD_LABELS,
    PLANNED_DESIGNS,
    Meaning,
    plan_sample_size,
)
from tests import factories

pytestmark = pytest.mark.one_database


@pytest.fixture
def ask(client, owner):
    client.force_login(owner)

    def page(**query: str) -> str:
        response = client.get(reverse("surveys:planner"), query)
        assert response.status_code == 200
        return unescape(response.content.decode())

    return page


def test_who_asks_two_of_ten_needs_five_times_as_many_people(ask, owner):
    factories.make_survey(owner)
    page = ask(drawn="2/10", responses="5000")
    assert "Ask <strong>7,870</strong> people" in page  # 1,574 * 10 / 2
    assert "who is asked this question: about 1,574 people, and slightly fewer in half" in page
    assert "Save 7,870 as plan" in page
    buys = re.compile(r"The error with \d+ responses.*?</table>", re.DOTALL)
    bought = [buys.search(one)[0] for one in (page, ask(responses="1000"))]
    of_population = [re.findall(r">([^<]*)</td>\s*</tr>", one) for one in bought]
    assert of_population[0] == of_population[1]
    assert len(of_population[0]) == 4
    assert "Write a number above 0 and below 1, such as 2/10" in ask(drawn="10/2")


def test_who_asks_two_of_ten_plans_for_the_draw_of_who_is_asked(ask):
    """Even direct answers err: for all who take part, one in five of them is a sample."""
    question = {"design": "direct", "method": "normal", "meaning": "respondents"}
    page = ask(**question, drawn="2/10")
    assert "Ask <strong>1,540</strong> people" in page
    assert "Two things add error: the randomizing, and the chance that decides who is asked" in page
    assert "Ask <strong>1</strong> person" in ask(**question)
    again = PlanForm.from_query({**question, "drawn": "2/10", "responses": "1540"})
    assert again.is_valid()
    chosen = next(row for row in again.report.errors if row.is_chosen)
    assert 0.0495 < chosen.respondents.value <= 0.05


def test_the_planner_leads_with_the_exact_number_and_says_what_chebyshevs_buys(ask, owner):
    factories.make_survey(owner)
    page = ask()
    assert "Ask <strong>1,574</strong> people" in page
    assert "With 1,574 answers, the 95 % interval of any share is at most ± 5 points." in page
    assert "Chebyshev's inequality needs 8,000 answers. This method uses only the variance" in page
    assert "Save 1,574 as plan" in page


def test_a_method_that_is_chosen_leads_and_the_exact_number_stands_beside_it(ask):
    page = ask(method="chebyshev")
    assert "Ask <strong>8,000</strong> people" in page
    assert "The exact method needs 1,574 answers. With 1,574 answers, the 95 % interval" in page


def test_a_number_that_does_not_exist_is_not_set_beside_the_exact_one(ask):
    page = ask(population="2000")
    assert "Ask <strong>1,574</strong> people" in page
    assert "method needs" not in page
    assert "inequality needs" not in page
    assert "Chebyshev, the whole population: Even all 2000 people are too few" in page


def test_the_tutorials_question_has_both_answers(ask):
    """n >= 3/(4 c q^2) = 75,000 for these people, 1/(c q^2) = 100,000 for the population."""
    question = {"error": "0.01", "failure": "0.1", "method": "chebyshev"}
    page = ask(**question)
    assert "Ask <strong>100,000</strong> people" in page
    assert "75,000" in page
    assert "27,056" in page
    people = ask(**question, meaning="respondents")
    assert "Ask <strong>75,000</strong> people" in people


@pytest.mark.parametrize(
    ("query", "design"),
    [
        ({"design": "warner", "p": "0.7"}, Warner(Fraction(7, 10))),
        ({"design": "two-coins", "levels": "3"}, TwoCoins(3)),
        (
            {"design": "unrelated-question", "p": "2/3", "other": "1/4"},
            UnrelatedQuestion(Fraction(2, 3), Fraction(1, 4)),
        ),
        ({"design": "crosswise", "other": "1/6"}, Crosswise(Fraction(1, 6))),
        ({"design": "k-ary", "levels": "4", "epsilon": "2"}, KAry.from_epsilon(4, 2.0)),
    ],
)
@pytest.mark.parametrize("method", METHOD_LABELS)
def test_every_method_plans_every_design(query, design, method):
    form = PlanForm.from_query({**query, "method": method, "error": "0.04"})
    assert form.is_valid()
    expected = plan_sample_size(
        design,
        error=Fraction("0.04"),
        failure_probability=Fraction("0.05"),
        method=method,
        meaning=Meaning.POPULATION,
    )
    assert form.report.n == expected.n
    assert next(row for row in form.report.sizes if row.is_chosen).population.value == expected.n


def test_a_long_scale_is_planned_by_its_variance_and_not_by_an_exact_law():
    query = {"design": "long-scale-cdf", "levels": "7", "epsilon": "1", "error": "0.04"}
    form = PlanForm.from_query({**query, "method": "normal"})
    assert form.is_valid()
    design = OptimisedScale(7, Purpose.CDF, 1.0)
    terms = dict(failure_probability=Fraction("0.05"), meaning=Meaning.POPULATION)
    expected = plan_sample_size(design, error=Fraction("0.04"), method="normal", **terms)
    assert form.report.n == expected.n
    exact = PlanForm.from_query({**query, "method": "exact"})
    assert "mixes options unevenly" in str(exact.errors["method"])


def test_epsilon_may_be_written_as_a_logarithm():
    forms = [
        PlanForm.from_query({"design": "k-ary", "epsilon": text})
        for text in ("ln 3", "ln(3)", "LN3")
    ]
    assert all(form.is_valid() for form in forms)
    assert [round(form.report.epsilon, 9) for form in forms] == [1.098612289] * 3


def test_the_epsilon_is_said_as_odds(ask):
    assert "1.0986 (the odds of a guess about a person change at most 3-fold)" in ask()
    assert "not protected" in ask(design="direct")
    forced = ask(design="forced-response", forced="1/4, 0")
    assert "infinite: some reported answers would prove what is not true of a person" in forced


def test_a_finite_population_needs_fewer(ask):
    question = {"error": "0.2", "method": "chebyshev"}
    some, all_ = (
        PlanForm.from_query(question),
        PlanForm.from_query({**question, "population": "500"}),
    )
    assert some.is_valid()
    assert all_.is_valid()
    assert all_.report.n < some.report.n
    assert "population of 500" in ask(population="500", error="0.2")


def test_the_error_that_some_responses_buy_is_shown_on_request(ask):
    assert "The error with" not in ask()
    page = ask(responses="6366", failure="0.1")
    assert "The error with 6366 responses" in page
    assert "± 3.96 points" in page


def test_an_address_asks_the_same_again(ask):
    page = ask(design="warner", p="0.8", error="0.02")
    link = re.search(r'href="/surveys/plan/\?([^"]*)">Link', page)
    again = PlanForm.from_query(dict(parse_qsl(link[1])))
    assert again.is_valid()
    assert f"<strong>{again.report.people_words}</strong>" in page


def test_the_curve_says_the_same_as_its_table(client, ask):
    page = ask(error="0.03", method="chebyshev")
    alt = re.search(r'<img class="chart"[^>]*alt="([^"]*)"', page)[1]
    assert "± 3 points 22,223" in alt
    query = {"error": "0.03", "method": "chebyshev"}
    picture = client.get(reverse("surveys:planner-curve"), query)
    assert picture["Content-Type"] == "image/svg+xml"
    assert "22,223" in picture.content.decode()


GARBAGE = [
    "",
    " ",
    "0",
    "1",
    "-1",
    "-0.5",
    "1.5",
    "2",
    "NaN",
    "nan",
    "inf",
    "1e400",
    "1e-400",
    "0x1",
    "1/0",
    "0/5",
    "1/3/5",
    "½",
    "٣",
    "²",
    "😀",
    "9" * 12,
    "9" * 400,
    "0." + "0" * 14 + "1",
    "'; drop",
    "<script>",
    "0,5",
    "\x00",
    "__import__",
    "1" + "0" * 11 + "/1",
    "0.5",
    "1/2",
    "0.4999999999",
    "ln 0",
    "ln 1",
    "ln",
    "ln 999999",
]
FIELDS = list(PlanForm.base_fields)


def designs_that_read(name: str) -> list[str]:
    """Those whose parameter it is, and one other."""
    readers = [design for design, planned in PLANNED_DESIGNS.items() if name in planned.parameters]
    others = [design for design in PLANNED_DESIGNS if design not in readers]
    return [*readers, others[0]]


@pytest.mark.parametrize("name", FIELDS)
def test_garbage_is_answered_in_words_at_its_field(client, owner, name):
    refused = []  # the form is tried with all texts, the page with one that it refuses
    for design in designs_that_read(name):
        for text in GARBAGE:
            query = {"design": design, name: text}
            form = PlanForm.from_query(query)
            refused += [] if form.is_valid() else [query]
            assert "None" not in str(form.errors.get_json_data()), query
    client.force_login(owner)
    for query in refused[:1]:
        page = client.get(reverse("surveys:planner"), query)
        assert page.status_code == 200, query
        assert "The plan cannot be calculated yet" in page.content.decode(), query
        picture = client.get(reverse("surveys:planner-curve"), query)
        assert picture.status_code == 404


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"design": "warner", "p": "1/2"}, "p", "another value"),
        (
            {"design": "crosswise", "other": "1/2"},
            "other",
            "a harmless question with a smaller share of Yes",
        ),
        ({"design": "unrelated-question", "p": "0"}, "p", "asked sometimes"),
        ({"design": "two-coins", "levels": "1"}, "levels", "one answer asks nothing"),
        (
            {"design": "forced-response", "forced": "1/2, 1/2"},
            "forced",
            "leave nothing, or almost nothing, for the truth",
        ),
        (
            {"design": "forced-response", "forced": "1/2"},
            "forced",
            "probabilities, one for each answer",
        ),
        ({"design": "k-ary", "epsilon": "0"}, "epsilon", "above 0"),
        ({"design": "k-ary", "epsilon": "800"}, "epsilon", "up to 700"),
        ({"design": "multiple-choice", "parts": "33"}, "parts", "2 to 32"),
        ({"design": "table", "parts": "21"}, "parts", "2 to 20"),
        ({"design": "table", "parts": "4", "sent": "5"}, "sent", "1 to 4"),
        ({"design": "multiple-choice", "sent": "0"}, "sent", "from 1 to 50"),
        ({"design": "rounded-number"}, "method", "A mean has no exact distribution"),
        ({"design": "rounded-number", "numbers": "102"}, "numbers", "2 to 101"),
        ({"design": "long-scale-cdf", "levels": "2"}, "levels", "3 to 12 levels"),
        ({"design": "long-scale-mean", "levels": "13"}, "levels", "3 to 12 levels"),
        ({"design": "long-scale-cdf", "levels": "7", "epsilon": "11"}, "epsilon", "0.01 to 10"),
        ({"error": "0"}, "error", "above 0 and below 1"),
        ({"failure": "1"}, "failure", "above 0 and below 1"),
        ({"failure": "0.0000000001"}, "failure", "Write at least 0.000000001 (one failure in"),
        ({"error": "0.00001"}, "error", "more than 10^9"),
        (
            {"method": "hoeffding", "meaning": "respondents"},
            "meaning",
            "the whole population",
        ),
        (
            {"meaning": "respondents", "population": "9"},
            "population",
            "Leave the population size empty",
        ),
        ({"population": "10"}, "error", "too few"),
        ({"population": "-4"}, "population", "greater than or equal to 1"),
        ({"responses": "1.5"}, "responses", "whole number"),
    ],
)
def test_every_refusal_is_said_at_its_field_with_a_remedy(query, field, words):
    form = PlanForm.from_query(query)
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert words in " ".join(form.errors[field])
    assert "Meaning." not in " ".join(form.errors[field])


def test_several_mistakes_are_all_said_at_once():
    form = PlanForm.from_query({"design": "warner", "p": "x", "error": "0", "responses": "y"})
    assert set(form.errors) == {"p", "error", "responses"}


def test_a_parameter_of_another_design_cannot_be_wrong():
    assert PlanForm.from_query({"design": "two-coins", "p": "nonsense", "epsilon": "-"}).is_valid()


def test_more_responses_than_people_are_refused_in_words(ask):
    page = ask(population="500", error="0.2", responses="501")
    assert "population has only 500 people" in page


def test_a_plan_is_saved_for_one_of_my_surveys(client, owner):
    survey = factories.make_survey(owner)
    client.force_login(owner)
    given = {"survey": str(survey.pk), "responses": "22223", "reading": "always"}
    given |= {"error": "1/30", "failure": "0.1"}
    response = client.post(reverse("surveys:save-plan"), given, follow=True)
    words = "now asks for 22,223 responses. Results are read: all the time."
    assert words in response.content.decode()
    survey.refresh_from_db()
    assert (survey.planned_responses, survey.planned_reading) == (22223, "always")
    assert (survey.planned_error, survey.planned_failure) == (Decimal("3.3334"), Decimal("0.1"))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"survey": "x", "responses": "5"},
        {"responses": "5"},
        {"responses": "0"},
        {"responses": "-5"},
        {"responses": "9" * 11},
        {"responses": "٣"},
        {"responses": "1e9"},
        {"responses": "5", "reading": "daily"},
        {"responses": "5", "error": "2"},
        {"responses": "5", "failure": "0"},
    ],
)
def test_a_plan_that_makes_no_sense_is_not_saved(client, owner, given):
    survey = factories.make_survey(owner)
    client.force_login(owner)
    whole = {"reading": "once", "error": "0.05", "failure": "0.05"}
    query = {**whole, **given}
    if given != {"responses": "5"}:
        query = {"survey": str(survey.pk), **query}
    response = client.post(reverse("surveys:save-plan"), query, follow=True)
    assert "was not saved" in response.content.decode()
    survey.refresh_from_db()
    assert survey.planned_responses is None
