"""The planner for multiple choice, tables and rounded numbers: by channels of real questions."""

import math

import pytest
from django.urls import reverse
from scipy.stats import norm

from surveys.authoring.drafts import item_of
from surveys.kinds.matrix.promise import MOST_ROWS
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.planning.forms import PlanForm
from surveys.planning.plans import PlanReport
from surveys.randomized_response.designs import KAry, RoundedNumber
from surveys.randomized_response.estimates import DistributionEstimate, MeanEstimate
from surveys.randomized_response.planning import PLANNED_DESIGNS, Meaning, plan_sample_size
from tests import factories
from tests.conftest import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Z = norm.ppf(0.975)
SCALE = 10**6  # whole counts of more people, whose standard error is as much smaller


def report_of(**query: str) -> PlanReport:
    form = PlanForm.from_query({"method": "normal", **query})
    assert form.is_valid(), form.errors
    return form.report


def standard_error(item, true_share: float, n: int) -> float:
    """Of level 1 in the estimate of one part, from the counts that n people should send."""
    matrix = item.channel.matrix
    others = (1 - true_share) / (matrix.shape[1] - 1)
    law = [true_share if level == 1 else others for level in range(matrix.shape[1])]
    counts = tuple(round(share * n * SCALE) for share in matrix @ law)
    return DistributionEstimate(item.channel, counts).standard_errors[1] * math.sqrt(SCALE)


@pytest.mark.parametrize(
    ("fields", "query"),
    [
        ({}, {"epsilon": "ln 3"}),  # two coins
        ({"design": "k_ary", "epsilon": 2, "shown": 2}, {"epsilon": "2", "sent": "2"}),
    ],
)
def test_each_option_of_a_multiple_choice_reaches_the_planned_error(owner, fields, query):
    draft = factories.make_survey(owner)
    item = item_of(factories.add_ticks(draft, *"abcdef", **fields))
    report = report_of(design="multiple-choice", parts="6", error="0.04", **query)
    assert report.epsilon == pytest.approx(item.epsilon, rel=1e-6)
    reached = Z * standard_error(item, 0.5, report.n)
    assert reached == pytest.approx(0.04, rel=1e-3)
    assert report.people == math.ceil(report.n * 6 / item.slots)


def test_each_row_of_a_table_reaches_the_planned_error(owner):
    draft = factories.make_survey(owner)
    question = factories.add_matrix(
        draft, "Never", "Once", "Often", design="k_ary", epsilon=3, table_rows="a\nb\nc\nd\ne"
    )
    item = item_of(question)
    report = report_of(design="table", parts="5", levels="3", epsilon="3", error="0.05")
    assert report.epsilon == pytest.approx(item.epsilon, rel=1e-6)
    worst = max(standard_error(item, share / 100, report.n) for share in range(101))
    assert Z * worst == pytest.approx(0.05, rel=1e-3)
    assert report.people == 5 * report.n


def test_the_mean_of_a_number_reaches_the_planned_part_of_its_range(owner):
    """The worst answers are those of people of whom half are at each end."""
    item = item_of(factories.add_rounded(factories.make_survey(owner)))  # 0 to 100, epsilon 2
    report = report_of(design="rounded-number", epsilon="2", error="0.02")
    assert report.epsilon == pytest.approx(item.epsilon, rel=1e-6)
    reports = item.channel.matrix[:, [0, -1]].mean(axis=1)
    counts = tuple(round(share * report.n * SCALE) for share in reports)
    estimate = MeanEstimate(tuple(float(score) for score in item.scores), counts)
    reached = Z * estimate.standard_error * math.sqrt(SCALE)
    assert reached == pytest.approx(0.02 * 100, rel=1e-3)


@pytest.mark.parametrize("method", ["chebyshev", "hoeffding", "normal", "exact"])
def test_a_part_is_planned_as_a_question_that_chance_asks(method):
    query = {"design": "multiple-choice", "parts": "6", "sent": "2", "epsilon": "2"}
    report = report_of(**query, method=method)
    plan = plan_sample_size(
        KAry.from_epsilon(2, 1.0),
        error=0.05,
        failure_probability=0.05,
        method=method,
        meaning=Meaning.POPULATION,
    )
    assert (report.n, report.people) == (plan.n, 3 * plan.n)
    drawn = report_of(**query, method=method, drawn="1/2")
    assert drawn.people == 6 * plan.n


def test_the_page_says_what_is_sent_of_each_person(client, owner):
    client.force_login(owner)
    page = client.get(reverse("surveys:planner"), {"design": "multiple-choice"}).content.decode()
    assert "Ask <strong>9,444</strong> people" in page  # 6 * 1,574
    assert (
        "answer has 6 parts (options or rows). Chance draws 1 of them, and nothing else is sent."
        in page
    )
    assert "Each part gets about 1,574 answers" in page


def test_the_page_plans_a_mean_and_says_that_it_is_one(client, owner):
    client.force_login(owner)
    query = {"design": "rounded-number", "method": "normal", "share": "0.2", "budget": "2"}
    page = client.get(reverse("surveys:planner"), query).content.decode()
    design = RoundedNumber.from_epsilon(101, math.log(3))
    assert f"{design.label}." in page
    assert "The estimate is the mean in an unlimited population" in page
    assert "a question for a number has no share to test" in page
    assert "The epsilon of each question" in page


def test_a_request_has_as_many_parts_as_a_question_may_have():
    assert PLANNED_DESIGNS["multiple-choice"].most_parts == MOST_TICKS_OPTIONS
    assert PLANNED_DESIGNS["table"].most_parts == MOST_ROWS


def test_each_design_shows_its_own_parameters():
    """Where the browser can tell which one is chosen; the style names every design."""
    style = (ROOT / "static/surveys/web/pages.css").read_text()
    for design, planned in PLANNED_DESIGNS.items():
        value = "|=long-scale" if design.startswith("long-scale") else f"={design}"
        (line,) = [one for one in style.splitlines() if f"[value{value}]:checked" in one]
        assert all(f".{name}" in line for name in planned.parameters), line
