"""One design, count and reading have one number on all pages, from the planner to break-downs."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.checklist.checks import checks_of
from surveys.authoring.services import close
from surveys.models import Question, Survey
from surveys.planning.plans import plan_report
from surveys.questionnaire.plans.readings import expected_looks
from surveys.randomized_response.designs import Channel, ChannelMatrix
from surveys.randomized_response.planning import PlanRequest, Reading, half_width, scores_shown
from surveys.results.progress import progress_of
from surveys.results.queries import reading_now
from surveys.results.reading import method_of
from surveys.results.rows.plans import standing
from surveys.wording.readings import error_words
from tests import factories
from tests.stored import store_rows

DESIGNS = Question.Design
BIRTHDAY = {"harmless": "Is your birthday in spring?", "harmless_yes": "1/4"}
CHANNEL = "5/8, 1/4, 1/8\n1/4, 5/8, 1/8\n1/8, 1/8, 3/4"
EIGHTHS = [[Fraction(n, 8) for n in row] for row in ((5, 2, 1), (2, 5, 1), (1, 1, 6))]
SEVEN = tuple("abcdefg")
THREE = {"kind": "choice"}
EPSILON = Decimal("1.0986")
PLANNED = 1000

# Each design that a question can have: its fields, its answers, and what the planner is asked; of
# one that the planner does not offer, the design itself.
ASKED = {
    DESIGNS.DIRECT: ({}, (), {"design": "direct"}),
    DESIGNS.TWO_COINS: (THREE, ("A", "B", "C"), {"levels": 3}),
    DESIGNS.FORCED_RESPONSE: (
        {"forced": "1/6, 1/6"},
        (),
        {"design": "forced-response", "forced": (Fraction(1, 6), Fraction(1, 6))},
    ),
    DESIGNS.K_ARY: ({"epsilon": EPSILON}, (), {"design": "k-ary", "epsilon": float(EPSILON)}),
    DESIGNS.WARNER: ({"p_sensitive": "3/4"}, (), {"design": "warner", "p": 0.75}),
    DESIGNS.UNRELATED: (
        {"p_sensitive": "2/3", "harmless_yes": "1/2"},
        (),
        {"design": "unrelated-question", "p": Fraction(2, 3), "other": Fraction(1, 2)},
    ),
    DESIGNS.UNRELATED_SHOWN: (
        {"p_sensitive": "2/3", **BIRTHDAY},
        (),
        {"design": "unrelated-question", "p": Fraction(2, 3), "other": Fraction(1, 4)},
    ),
    DESIGNS.CROSSWISE: (BIRTHDAY, (), {"design": "crosswise", "other": Fraction(1, 4)}),
    DESIGNS.CHANNEL_MATRIX: (
        {"channel": CHANNEL, "required": False},
        (),
        ChannelMatrix(Channel.from_matrix(EIGHTHS)),
    ),
    **{
        design: (
            {"kind": "scale", "epsilon": EPSILON},
            SEVEN,
            {"design": name, "levels": 7, "epsilon": float(EPSILON)},
        )
        for design, name in (
            (DESIGNS.SCALE_HISTOGRAM, "long-scale-histogram"),
            (DESIGNS.SCALE_CDF, "long-scale-cdf"),
            (DESIGNS.SCALE_MEAN, "long-scale-mean"),
        )
    },
}
# Two unknown shares at once, and lists of hundreds of options: no page says what a plan makes of
# them before there are answers.
NOT_PLANNED = {DESIGNS.TWO_GROUPS, DESIGNS.SUBSET, DESIGNS.OUE}


def test_every_design_that_a_question_can_have_is_compared_here():
    assert set(ASKED) | NOT_PLANNED == set(DESIGNS)


def drafted(owner, design, **plan) -> Survey:
    fields, options, _ = ASKED[design]
    draft = factories.make_survey(
        owner, planned_responses=PLANNED, delete_on=timezone.now().date() + timedelta(99), **plan
    )
    asked = {"text": "Did you?", "required": True, "design": design, **fields}
    factories.add_question(draft, *options, **asked)
    return Survey.objects.get(pk=draft.pk)


def read(survey: Survey, reading: Reading) -> Survey:
    Survey.objects.filter(pk=survey.pk).update(planned_reading=reading)
    return Survey.objects.get(pk=survey.pk)


def of_planner(design, reading: Reading) -> str:
    """Live surveys have no openings: what is planned to be read at them is read all the time."""
    reading = Reading.ALWAYS if reading is Reading.AT_OPENINGS else reading
    return of_plan(design, reading, 1)


def of_plan(design, reading: Reading, openings: int) -> str:
    asked = ASKED[design][2]
    if isinstance(asked, ChannelMatrix):
        looks = expected_looks(openings)
        return error_words(half_width(scores_shown(asked), n=PLANNED, reading=reading, looks=looks))
    request = PlanRequest(
        **asked, method="normal", responses=PLANNED, reading=reading, openings=openings
    )
    (row,) = [row for row in plan_report(request).readings.rows if row.is_chosen]
    return error_words(row.error.value)


def of_checklist(draft: Survey) -> str:
    (lines,) = [check.lines for check in checks_of(draft) if check.key == "sample"]
    return " ".join(lines)


def of_dashboard(survey: Survey) -> str:
    progress = progress_of(survey, survey.revision)
    return standing(survey, survey.revision, progress, None).words


@pytest.mark.parametrize("design", ASKED)
def test_planner_checklist_and_dashboard_say_the_same_of_a_design_in_each_reading(owner, design):
    draft = drafted(owner, design)
    said = {one: f"± {of_planner(design, one)}" for one in Reading}
    for reading in Reading if design == DESIGNS.TWO_COINS else [Reading.ONCE]:
        assert f"{said[reading]} or less (95 % confidence)" in of_checklist(read(draft, reading))
    survey = factories.launched(draft)
    for reading in Reading:
        assert f"responses, at most {said[reading]} (95 %; " in of_dashboard(read(survey, reading))


@pytest.mark.parametrize("design", ASKED)
@pytest.mark.parametrize(("opening", "openings"), [("every", 4), ("close", 1)])
def test_openings_that_the_launch_fixes_have_one_number_on_planner_checklist_and_dashboard(
    owner, design, opening, openings
):
    last_day = timezone.now().date() + timedelta(27)
    plan = {"opening": opening, "close_on": last_day, "planned_reading": Reading.AT_OPENINGS}
    draft = drafted(owner, design, **plan)
    said = f"± {of_plan(design, Reading.AT_OPENINGS, openings)}"
    assert f"{said} or less (95 % confidence)" in of_checklist(draft)
    survey = factories.launched(draft)
    # The last day may be moved: what was planned at the launch stays.
    Survey.objects.filter(pk=survey.pk).update(close_on=last_day + timedelta(21))
    words = of_dashboard(Survey.objects.get(pk=survey.pk))
    assert f"responses, at most {said} (95 %; " in words
    last = (
        "at the last of 4 openings" if openings > 1 else "at the close, which is the only opening"
    )
    assert last in words


def as_page(client, survey: Survey, name: str, **query) -> str:
    client.force_login(survey.owner)
    page = client.get(reverse(f"surveys:{name}", args=[survey.pk]), query)
    return " ".join(unescape(page.content.decode()).split())


@pytest.mark.parametrize("reading", Reading)
def test_at_the_planned_number_the_pages_show_what_the_plan_said(client, owner, reading):
    """Half of a thousand reports are one answer: the count at which an interval is widest."""
    draft = drafted(owner, DESIGNS.TWO_COINS, planned_reading=reading, planned_error=Decimal(7))
    factories.add_question(draft, text="Group?", design="direct", required=True)
    survey = factories.launched(draft)
    said = of_planner(DESIGNS.TWO_COINS, reading)
    assert f"responses, at most ± {said} (" in as_page(client, survey, "dashboard")
    store_rows(survey.revision, ["0000", "0100"] * (PLANNED // 2))
    close(survey=survey, by=owner)
    survey = Survey.objects.get(pk=survey.pk)
    shown = as_page(client, survey, "dashboard")
    assert f"± <strong>{said}</strong>" in shown
    assert f", at most ± {said}" in as_page(client, survey, "report")
    is_enough = reading is Reading.ONCE
    assert ("The plan is reached. The error is ± " in shown) is is_enough
    assert ("The wanted error is not reached. The error is ± " in shown) is not is_enough
    assert ", and the plan asks for at most ± 7 points (looks" in shown
    chosen = f'<option value="{method_of(reading, None)}" selected>'
    broken_down = as_page(client, survey, "break-down", question="1", by="2")
    assert chosen in shown
    assert chosen in broken_down


def test_two_coins_with_three_answers_and_a_thousand_people_are_one_number_on_each_page(
    client, owner
):
    """They were ± 6.3 in the planner, ± 5.1 in the checklist and ± 11.7 on the dashboard."""
    draft = drafted(owner, DESIGNS.TWO_COINS)
    assert "± 6.29 points or less" in of_checklist(draft)
    client.force_login(owner)
    query = {"design": "two-coins", "levels": "3", "responses": "1000"}
    planner = client.get(reverse("surveys:planner"), query).content.decode()
    # In the reading "once", and by the exact method under both meanings.
    assert planner.count("± 6.29 points") == 3
    survey = factories.launched(draft)
    store_rows(survey.revision, ["00", "01", "02"] * 100)
    assert "responses, at most ± 6.29 points" in as_page(client, survey, "dashboard")


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("state", ["open", "closed"])
def test_dashboard_and_break_downs_never_differ_in_how_they_read(client, owner, reading, state):
    draft = drafted(owner, DESIGNS.TWO_COINS, planned_reading=reading)
    factories.add_question(draft, text="Group?", design="direct", required=True)
    survey = factories.launched(draft)
    for _ in range(2):  # below the planned number, and above it
        store_rows(survey.revision, ["0000", "0101", "0200"] * 200)
        if state == "closed" and Survey.objects.get(pk=survey.pk).state == "open":
            close(survey=survey, by=owner)
        survey = Survey.objects.get(pk=survey.pk)
        chosen = f'<option value="{reading_now(survey, survey.revision).method}" selected>'
        assert chosen in as_page(client, survey, "dashboard")
        assert chosen in as_page(client, survey, "break-down", question="1", by="2")


def test_a_survey_without_a_plan_is_read_all_the_time_while_open_and_once_when_it_is_over(owner):
    survey = factories.make_open_survey(owner)
    assert reading_now(survey, survey.revision).method == "confidence-sequence"
    close(survey=survey, by=owner)
    survey = Survey.objects.get(pk=survey.pk)
    assert reading_now(survey, survey.revision).method == "clopper-pearson"


def test_the_readings_of_a_plan_are_those_of_the_statistics():
    assert {one.value for one in Survey.Reading} == {one.value for one in Reading}
