"""The planner beyond an error: tests, the price of privacy, budgets, designs compared."""

import io
import json
from fractions import Fraction
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.planning.forms import PlanForm
from surveys.randomized_response.designs import TwoCoins, Warner
from surveys.randomized_response.planning import (
    BudgetQuestion,
    allocate_epsilon,
    compare_designs,
    exact_power,
    exact_power_two_samples,
    sample_size_one_sample,
)

TEST = {"share": "0.25", "null_share": "0.15", "alternative": "one-sided"}
BUDGET = {"budget": "2", "answers": "2, 3, 5"}


@pytest.fixture
def ask(client, owner):
    client.force_login(owner)

    def page(**query: str) -> str:
        response = client.get(reverse("surveys:planner"), query)
        assert response.status_code == 200
        return unescape(response.content.decode())

    return page


def plan(**options: str) -> str:
    out = io.StringIO()
    call_command("plan", stdout=out, **options)
    return out.getvalue()


def test_a_test_is_planned_with_the_smallest_n_that_reaches_the_power(ask):
    question = {"share": 0.25, "null_share": 0.15, "alternative": "one-sided"}
    n = sample_size_one_sample(Warner(Fraction(3, 4)), **question).n
    assert f"Needed for the test: {n}" in ask(**TEST)


def test_against_0_a_single_yes_decides_and_enough_people_are_asked_for_one(ask):
    """1 - 0.8^7 is below 80 %, 1 - 0.8^8 is 83.2 %; the normal approximation asks 1 person."""
    page = ask(share="0.2", design="direct")
    assert "Needed for the test: 8 people<" in page
    assert "the test needs 8 people to reject the hypothesis. Power 83.2 %" in page
    assert "With more people, the power never falls below 80.0 %" in page
    assert "epsilon of this design is infinite. To compare designs at the same epsilon" in page


def test_the_power_of_as_many_responses_as_planned_is_that_of_the_plan(ask):
    n = sample_size_one_sample(Warner(Fraction(3, 4)), share=0.25, null_share=0.15).n
    page = ask(**{**TEST, "responses": str(n), "alternative": "two-sided"})
    power = exact_power(Warner(Fraction(3, 4)), share=0.25, null_share=0.15, n=n).power
    assert f"the test needs {n} people to reject the hypothesis. Power {100 * power:.1f} %" in page
    assert f"With {n} responses, the power is {100 * power:.1f} %" in page


def test_two_groups_are_planned_and_the_power_of_some_responses_is_said(ask):
    page = ask(**{**TEST, "samples": "two", "responses": "900", "alternative": "two-sided"})
    assert "in each group" in page
    power = exact_power_two_samples(TwoCoins(2), share=0.25, other_share=0.15, n=900)
    assert f"With 900 responses in each group, the power is {100 * power:.1f} %" in page


def test_without_an_expected_share_or_a_budget_neither_is_shown(ask):
    page = ask()
    for heading in (
        "Needed for the test",
        "Designs with the same epsilon",
        "The epsilon of each question",
    ):
        assert heading not in page
    assert "The price of privacy" in page


def test_the_designs_are_compared_at_the_epsilon_of_the_chosen_one(ask):
    page = ask(**TEST, responses="400")
    rows = compare_designs(
        TwoCoins(2).epsilon, share=0.25, null_share=0.15, n=400, alternative="one-sided"
    )
    assert "400 people, epsilon 1.0986" in page
    assert all(f">{100 * row.standard_error:.2f} %</td>" in page for row in rows)
    places = [page.index(f'<th scope="row">{row.name}') for row in rows]
    assert places == sorted(places)
    assert page.count('<span class="mark">best</span>') == sum(row.is_best for row in rows)


def test_a_budget_is_shared_out_with_its_gain_over_an_even_split(ask):
    page = ask(**BUDGET, objective="maximum")
    found = allocate_epsilon([BudgetQuestion(k) for k in (2, 3, 5)], 2, objective="maximum")
    assert "The epsilon of each question" in page
    for epsilon in found.epsilons:
        assert f">{epsilon:.4f}".rstrip("0") in page
    assert "If epsilon is split evenly, the result is" in page


def test_the_price_of_privacy_is_a_picture_with_the_same_numbers_in_a_table(client, ask):
    page = ask(error="0.04")
    report = PlanForm.from_query({"error": "0.04"})
    assert report.is_valid()
    for row in report.report.extras.price:
        assert f">{row.shown[1]}</td>" in page
        assert f"epsilon {row.shown[0]}: {row.shown[1]}" in page
    picture = client.get(reverse("surveys:planner-price"), {"error": "0.04"})
    assert picture["Content-Type"] == "image/svg+xml"
    assert client.get(reverse("surveys:planner-price"), {"error": "x"}).status_code == 404


def test_the_price_of_privacy_needs_an_account(client):
    assert client.get(reverse("surveys:planner-price")).status_code == 302


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"share": "0.2", "null_share": "0.2"}, "Test: There is no difference to detect"),
        ({"share": "0.2", "null_share": "0.20001"}, "Test: The test needs more than 10^9 people"),
        ({"share": "0.2", "design": "direct"}, "Designs compared: "),
        ({"share": "0.2", "design": "forced-response", "forced": "1/4, 0"}, "Designs compared: "),
        ({"budget": "1000"}, "Budget: Give a budget from"),
    ],
)
def test_what_cannot_be_said_is_said_why_and_the_rest_stays(ask, query, words):
    page = ask(**query)
    assert words in page
    assert "Sample size by method" in page


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"share": "1.5"}, "share", "at most 1"),
        ({"share": "-1"}, "share", "Write a number such as"),
        ({"share": "NaN"}, "share", "Write a number such as"),
        ({"null_share": ""}, "null_share", "required"),
        ({"power": "1"}, "power", "above 0 and below 1"),
        ({"significance": "0"}, "significance", "above 0 and below 1"),
        (
            {"significance": "0.0000000001"},
            "significance",
            "Write at least 0.000000001 (one failure in",
        ),
        ({"alternative": "both"}, "alternative", "valid choice"),
        ({"answers": "2, 1"}, "answers", "how many options"),
        ({"answers": "2, x"}, "answers", "how many options"),
        ({"answers": "٣"}, "answers", "how many options"),
        ({"answers": ",".join(["2"] * 51)}, "answers", "up to 50"),
        ({"budget": "ln 0"}, "budget", "Write a number such as"),
    ],
)
def test_every_refusal_is_said_at_its_field(query, field, words):
    form = PlanForm.from_query(query)
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert words in " ".join(form.errors[field])


def test_the_command_writes_the_same_as_data():
    told = json.loads(plan(**TEST, **BUDGET, format="json"))
    n = sample_size_one_sample(TwoCoins(2), share=0.25, null_share=0.15, alternative="one-sided").n
    assert told["test"]["n"] == n > 555  # which the normal approximation asks
    assert told["test"]["power"] == told["test"]["exact_power"] >= 0.8
    assert len(told["budget"]["epsilons"]) == 3
    assert {row["name"] for row in told["designs"]} >= {"Warner", "k-ary response"}
    assert all(point["n"] for point in told["price_of_privacy"])
    assert str(n) in plan(**TEST)


def test_the_command_reads_many_questions_from_json_and_csv(tmp_path):
    questions = [{"error": 0.01, "failure": "0.1"}, {"design": "warner", "p": "0.7"}]
    source = tmp_path / "questions.json"
    source.write_text(json.dumps(questions))
    from_json = json.loads(plan(input=str(source)))
    assert from_json[0]["n"] == 27_254
    table = tmp_path / "questions.csv"
    table.write_text("error,failure,design,p\n0.01,0.1,,\n,,warner,0.7\n")
    assert json.loads(plan(input=str(table))) == from_json
    one = tmp_path / "one.json"
    one.write_text(json.dumps(questions[0]))
    assert json.loads(plan(input=str(one))) == from_json[:1]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("q.json", b"{", "not JSON"),
        ("q.json", b"[" * 100_000, "not JSON"),
        ("q.json", b"[]", "contains no question"),
        ("q.json", b"[3]", "question 1: write an object"),
        ("q.json", b'{"eror": 1}', "'eror' is not an option"),
        ("q.json", b'{"error": [1]}', "error: write a number or a text"),
        ("q.json", b'{"error": NaN}', "error: write a number or a text"),
        (
            "q.json",
            b'[{}, {"error": "2"}]',
            "question 2: --error: Write a number above 0 and below 1",
        ),
        ("q.json", b"\xff\xfe", "cannot be read as text in UTF-8"),
        ("q.csv", b"error,error\n1,2\n", "header names a column twice"),
        ("q.csv", b"error\n0.1,0.2\n", "is not an option"),
        ("q.csv", b'error\n"0.1', "not CSV"),
        ("q.csv", b"error\n", "contains no question"),
        ("q.csv", b"error\n0\n", "line 2: --error: "),
        ("q.txt", b"error", "ends in .json or .csv"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(tmp_path, name, content, words):
    source = tmp_path / name
    source.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        plan(input=str(source))
    assert words in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        plan(input=str(tmp_path / "none.json"))
