"""A draft tried on simulated respondents."""

import re

import pytest
from django.urls import reverse

from surveys.authoring.services import launch
from surveys.models import AuditEntry, Response, Survey
from surveys.staff.members.services import add_member
from tests import factories
from tests.families import make_family_draft


@pytest.fixture
def draft(owner) -> Survey:
    survey = factories.make_survey(owner)
    factories.add_one_of_each(survey)
    return survey


def page_of(client, survey, query: str = "", user=None, status: int = 200) -> str:
    client.force_login(user or survey.owner)
    response = client.get(reverse("surveys:trial", args=[survey.pk]) + query)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def test_the_form_asks_for_every_question_with_levels_and_simulates_nothing_yet(client, draft):
    page = page_of(client, draft)
    assert page.count("Assumed true shares") == 6
    assert 'id="whole"' not in page
    assert 'role="alert"' not in page


def test_bias_coverage_and_power_are_shown_for_every_question(client, draft):
    page = page_of(client, draft, "?n=500&runs=50&cheating=20&inattentive=5")
    assert "The whole survey, simulated 50 times with 500 respondents" in page
    for number in range(1, 7):
        assert f'id="question-{number}"' in page
    assert page.count("<strong>Biased") == 6
    # 20 % cheating and 5 % inattentive: 0.75 * 20 + 0.05 * 50 = 17.5, so 2.5 points too low.
    assert '<td class="number">−2.5</td>' in page


def test_a_question_gets_one_verdict_and_yes_and_no_have_the_same_power(client, owner):
    survey = factories.make_survey(owner)
    factories.add_question(survey, text="Ever?", required=True)
    for n in (500, 620, 800, 1500):
        page = page_of(client, survey, f"?n={n}&runs=60&shares1=20,80")
        rows = re.findall(r"<th scope=\"row\">(?:Yes|No)</th>.*?</tr>", page)
        assert len(rows) == 2
        assert len({re.findall(r"<td class=\"number\">([^<]*)</td>", row)[-1] for row in rows}) == 1
        assert len(re.findall("Enough power|Too little power", page)) == 1


def test_the_same_seed_gives_the_same_page_and_another_one_does_not(client, draft):
    def figures(query: str) -> list[str]:
        return re.findall(r"<td class=\"number\">[^<]*</td>", page_of(client, draft, query))

    assert figures("?n=90&runs=40") == figures("?n=90&runs=40&seed=1")
    assert figures("?n=90&runs=40") != figures("?n=90&runs=40&seed=2")


def test_questions_that_are_not_simulated_are_named(client, draft):
    assert "not simulated" not in page_of(client, draft)
    factories.add_other_designs(draft)
    number = [question.design for question in draft.questions.all()].index("two_groups") + 1
    page = page_of(client, draft, "?n=90&runs=1")
    assert f"Question {number} is not simulated." in " ".join(page.split())
    assert "simulated 1 time with 90 respondents" in page
    assert "every simulated question detected a difference of" in page
    assert "at least one interval of each question excluded a share that far" in page
    factories.add_ticks(draft)
    words = " ".join(page_of(client, draft, "?n=90&runs=1").split())
    assert f"Questions {number}, {draft.questions.count()} are not simulated." in words


def test_nothing_is_stored_and_nothing_recorded(client, draft):
    before = AuditEntry.objects.count()
    page_of(client, draft, "?n=90&runs=40")
    assert Response.objects.count() == 0
    assert AuditEntry.objects.count() == before


def test_editors_may_and_analysts_may_not(client, draft):
    editor, analyst = factories.make_user("grace"), factories.make_user("alan")
    add_member(survey=draft, username="grace", role="editor", by=draft.owner)
    add_member(survey=draft, username="alan", role="analyst", by=draft.owner)
    assert "Simulate" in page_of(client, draft, user=editor)
    page_of(client, draft, user=analyst, status=403)
    page_of(client, draft, user=factories.make_user("eve"), status=404)


def test_only_the_dashboard_of_a_draft_leads_there(client, draft):
    address = reverse("surveys:trial", args=[draft.pk])
    client.force_login(draft.owner)
    dashboard = reverse("surveys:dashboard", args=[draft.pk])
    assert address in client.get(dashboard).content.decode()
    launch(survey=draft, by=draft.owner)
    assert address not in client.get(dashboard).content.decode()
    page_of(client, draft, status=404)


def test_a_draft_that_cannot_be_launched_says_what_is_missing(client, owner):
    page = page_of(client, factories.make_survey(owner, contact=""))
    assert "This draft cannot be simulated yet" in page
    assert "Add at least one question" in page


def test_a_draft_without_levels_has_nothing_to_simulate(client, owner):
    survey = factories.make_survey(owner)
    factories.add_question(survey, text="Why?", kind="text", design="direct")
    assert "Nothing to simulate" in page_of(client, survey)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?n=0", "Write a whole number from 1"),
        ("?n=1e9", "Write a whole number from 1"),
        ("?n=%D9%A3", "Write a whole number from 1"),
        ("?n=10&runs=99999", "Write a whole number from 1"),
        ("?n=10&seed=-1", "Write a whole number from 0"),
        ("?n=10&cheating=nan", "Enter a percentage from 0 to 100"),
        ("?n=10&cheating=101", "Enter a percentage from 0 to 100"),
        ("?n=10&cheating=60&inattentive=60", "are more than 100 % of the respondents"),
        ("?n=10&difference=0", "above 0"),
        ("?n=10&difference=81", "no share is that far from the assumed share of 80 %"),
        ("?n=10&shares1=50", "Enter 2 percentages"),
        ("?n=10&shares1=50,60", "The percentages add up to 110 %"),
        ("?n=10&shares1=50,55", "The percentages add up to 105 %"),
        ("?n=10&shares1=a,b", "Enter a percentage from 0 to 100"),
        ("?n=10&safe1=7", "not one of the available choices"),
        ("?n=10&method=guess", "not one of the available choices"),
        ("?n=10&device=%00", "not one of the available choices"),
    ],
)
def test_what_cannot_be_simulated_is_refused_at_its_field(client, draft, query, words):
    page = page_of(client, draft, query)
    assert words in page
    assert 'id="whole"' not in page


def test_with_a_coin_of_ones_own_only_what_is_asked_that_way_is_simulated(client, owner):
    survey = factories.make_survey(owner)
    factories.add_question(survey, text="Coins?", required=True)
    factories.add_question(survey, text="Odds?", design="k_ary", epsilon="1.234", required=True)
    both = page_of(client, survey, "?n=50&runs=5")
    alone = page_of(client, survey, "?n=50&runs=5&device=coin")
    assert both.count("<caption") == alone.count("<caption") + 1


def test_thousands_may_be_set_apart(client, draft):
    assert 'id="whole"' in page_of(client, draft, "?n=1,000&runs=5")


def test_three_thirds_written_with_one_place_are_everybody(client, draft):
    assert 'id="whole"' in page_of(client, draft, "?n=50&runs=5&shares5=25,25,25,25")
    query = "?n=50&runs=5&shares3=25,33.3,33.3,8.4"
    assert 'id="whole"' in page_of(client, draft, query)


def test_a_draft_that_draws_questions_has_wider_intervals_for_those(client, owner):
    widths = []
    for asked in (None, 1):
        survey = factories.make_survey(owner, title=f"asked {asked}", asked=asked)
        for text in ("First?", "Second?"):
            factories.add_question(survey, text=text, required=True)
        factories.add_question(survey, text="Car?", design="direct", required=True)
        page = page_of(client, survey, "?n=4000&runs=60")
        assert ("Asked of about 1 in 2 people, chosen by chance." in page) == (asked == 1)
        rows = re.findall(r"<th scope=\"row\">Yes</th>.*?</tr>", page)
        cells = [re.findall(r"<td class=\"number\">([^<]*)</td>", row) for row in rows]
        widths.append([float(row[4]) for row in cells])  # the column "Width of intervals"
    ratios = [after / before for before, after in zip(*widths, strict=True)]
    assert ratios[:2] == pytest.approx([2**0.5] * 2, rel=0.05)
    assert ratios[2] == pytest.approx(1, rel=0.05)


def test_questions_of_an_arm_have_wider_intervals(client, owner):
    widths = []
    for arms in ("", "One: 1\nOther: 3"):
        survey = factories.make_survey(owner, title=f"arms {bool(arms)}", arms=arms)
        for text, arm in (("First?", "One"), ("Second?", "Other"), ("Third?", "")):
            named = arm if arms else ""
            factories.add_question(survey, text=text, required=True, design="direct", arms=named)
        page = page_of(client, survey, "?n=4000&runs=60")
        assert ("only respondents in these arms answer it" in page) == bool(arms)
        rows = re.findall(r"<th scope=\"row\">Yes</th>.*?</tr>", page)
        cells = [re.findall(r"<td class=\"number\">([^<]*)</td>", row) for row in rows]
        widths.append([float(row[4]) for row in cells])
    ratios = [after / before for before, after in zip(*widths, strict=True)]
    assert ratios == pytest.approx([2, (4 / 3) ** 0.5, 1], rel=0.07)


def test_where_no_person_may_be_asked_a_question_more_are_needed(client, owner):
    survey = factories.make_survey(owner, asked=1)
    for _ in range(9):
        factories.add_question(survey, required=True)
    page = page_of(client, survey, "?n=2&runs=60")
    assert "Simulate more people" in page


def test_a_family_is_simulated_by_the_shares_of_its_ways(client, owner):
    draft = make_family_draft(owner)
    client.force_login(owner)
    address = reverse("surveys:trial", args=[draft.pk])
    page = client.get(address, {"n": "300", "runs": "20"}).content.decode()
    assert "Once → Much → Prefer not to say" in page
    assert "Often → No" in page
