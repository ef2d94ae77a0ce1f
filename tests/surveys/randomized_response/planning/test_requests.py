"""A request for a plan is valid from birth, and its plan is what the functions say one by one."""

from fractions import Fraction

import pytest

from tests.randomized_response.designs import (
    Crosswise,
    Direct,
    ForcedResponse,
    KAry,
    Kuk,
    RoundedNumber,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
    channel_of,
)
from tests.randomized_response.errors import StatisticsError
from tests.randomized_response.planning import (
    PLANNED_DESIGNS,
    REQUEST_FIELDS,
    Meaning,
    PlanRequest,
    Reading,
    allocate_epsilon,
    field_of,
    half_width,
    people_needed,
    plan_sample_size,
    plan_survey,
    sample_size_one_sample,
    scores_shown,
)
from tests.randomized_response.planning.request_fields import RequestError

REFUSED = [
    ({"design": "coins"}, "design"),
    ({"error": 0}, "error"),
    ({"error": "0.05"}, "error"),
    ({"failure": Fraction(1, 10**10)}, "failure"),
    ({"share": 1.5}, "share"),
    ({"drawn": 0}, "drawn"),
    ({"levels": 51}, "levels"),
    ({"openings": 401}, "openings"),
    ({"population": 0}, "population"),
    ({"reading": "daily"}, "reading"),
    ({"forced": (Fraction(1, 4),)}, "forced"),
    ({"answers": (2, 1)}, "answers"),
    ({"error": None}, "error"),
    ({"design": "multiple-choice", "parts": 33}, "parts"),
    ({"design": "table", "parts": 3, "sent": 4}, "sent"),
    ({"design": "warner", "p": Fraction(1, 2)}, "p"),
    ({"design": "k-ary", "epsilon": 800.0}, "epsilon"),
]


@pytest.mark.parametrize(("fields", "name"), REFUSED)
def test_a_request_that_cannot_be_planned_names_its_field(fields, name):
    with pytest.raises(StatisticsError) as refused:
        PlanRequest(**fields)
    argument = refused.value.argument
    assert name in (argument, field_of(fields.get("design", "two-coins"), refused.value))


def test_what_is_typed_is_what_the_fields_hold_where_nothing_is():
    for name, asked in REQUEST_FIELDS.items():
        usual = getattr(PlanRequest(), name)
        assert usual == (asked.read(name, asked.usual) if asked.usual else None)


@pytest.mark.parametrize("design", PLANNED_DESIGNS)
def test_every_design_is_planned_with_its_usual_parameters(design):
    levels = 5 if design.startswith("long-scale") else 2
    request = PlanRequest(design=design, method="normal", levels=levels)
    plan = plan_survey(request)
    direct = plan_sample_size(
        request.channel_design,
        error=request.error,
        failure_probability=request.failure,
        method="normal",
        meaning=Meaning.POPULATION,
    )
    assert plan.n == direct.n
    assert plan.people == -(-plan.n // request.share_answering)
    assert plan.price or isinstance(request.channel_design, RoundedNumber)


def test_the_parts_of_a_plan_are_what_the_functions_say():
    request = PlanRequest(
        design="warner", p=0.75, share=0.2, null_share=0.1, budget=2.0, answers=(2, 3)
    )
    plan, design = plan_survey(request), Warner(Fraction(3, 4))
    assert plan.test.plan == sample_size_one_sample(design, share=0.2, null_share=0.1)
    assert plan.budget.value == allocate_epsilon(plan.budget.questions, 2.0).value
    rows = {row.reading: row for row in plan.readings}
    shares = scores_shown(design)
    always = {"reading": Reading.ALWAYS, "failure_probability": request.failure}
    assert rows[Reading.ALWAYS].people == people_needed(shares, error=request.error, **always)
    assert rows[Reading.ALWAYS].error == half_width(shares, n=plan.n, **always)
    assert dict(dict(plan.curve)[request.error])["exact"] == plan.n


@pytest.mark.parametrize(
    "design",
    [Warner(0.7), TwoCoins(3), KAry(4, 0.6), Crosswise(0.2), UnrelatedQuestion(0.6, 0.3),
     ForcedResponse(0.1, 0.2), Direct(2)],
    ids=str,
)  # fmt: skip
def test_a_design_itself_stands_for_its_name_and_its_parameters(design) -> None:
    asked = PlanRequest(design=design)
    matrix = channel_of(asked.channel_design).matrix
    assert matrix == pytest.approx(channel_of(design).matrix, abs=1e-12)


def test_a_design_that_no_request_plans_for_names_those_that_one_does() -> None:
    with pytest.raises(RequestError, match="plan_sample_size"):
        PlanRequest(design=Kuk(0.2, 0.6, 5))


@pytest.mark.parametrize(
    "more",
    [{"design": "crosswise", "p": 0.6}, {"design": "forced-response", "epsilon": 1.0},
     {"design": Warner(0.7), "levels": 3}],
)  # fmt: skip
def test_a_parameter_of_another_design_is_refused_and_not_forgotten(more) -> None:
    with pytest.raises(RequestError, match="leave it out"):
        PlanRequest(**more)


def test_a_design_may_be_written_with_underscores() -> None:
    assert PlanRequest(design="Unrelated_Question").design == "unrelated-question"


def test_a_part_that_has_no_answer_keeps_its_refusal_and_the_rest_is_planned():
    plan = plan_survey(PlanRequest(design="direct", share=0.2, null_share=0.2))
    assert plan.n > 0
    assert isinstance(plan.test, StatisticsError)
    assert "the epsilon of this design is infinite" in plan.comparison.remedy
    population = {row.method: row.respondents for row in plan.sizes}
    assert isinstance(population["hoeffding"], StatisticsError)


def test_epsilon_of_a_question_with_parts_is_that_of_all_that_is_sent():
    request = PlanRequest(design="multiple-choice", parts=6, sent=2, epsilon=2.0)
    assert request.channel_design.epsilon == pytest.approx(KAry.from_epsilon(2, 1.0).epsilon)
    assert request.person_epsilon == pytest.approx(2.0)
    assert request.share_answering == Fraction(1, 3)
