"""`manage.py plan` says what the planner's page says."""

import io
import json
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse


def plan(**options: str) -> str:
    out = io.StringIO()
    call_command("plan", stdout=out, **options)
    return out.getvalue()


QUESTIONS = [
    {"error": "0.01", "failure": "0.1"},
    {"design": "warner", "p": "0.7", "method": "normal", "meaning": "respondents"},
    {"design": "k-ary", "levels": "4", "epsilon": "ln 5", "method": "exact"},
    {"design": "forced-response", "forced": "1/6, 1/6", "population": "20000", "error": "1/20"},
    {"design": "direct", "levels": "3", "method": "hoeffding", "responses": "1000"},
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_command_and_the_page_give_the_same_numbers(client, owner, question):
    client.force_login(owner)
    page = unescape(client.get(reverse("surveys:planner"), question).content.decode())
    told = json.loads(plan(**question, format="json"))
    text = plan(**question)
    assert f"Ask <strong>{told['n']:,}</strong>" in page
    assert f"Ask {told['n']:,} " in text
    assert told["assumption"] in page
    for answers in told["sizes"].values():
        for n in answers.values():
            shown = "–" if n is None else f"{n:,}"
            assert f">{shown}</td>" in page
            assert shown in text


def test_the_tutorials_question():
    told = json.loads(plan(error="0.01", failure="0.1", method="chebyshev", format="json"))
    assert told["n"] == 100_000
    assert told["sizes"]["chebyshev"] == {"respondents": 75_000, "population": 100_000}
    assert told["sizes"]["normal"]["population"] == 27_056


def test_the_exact_number_leads_and_chebyshevs_stands_beside_it():
    lines = plan().splitlines()
    assert lines[0] == "Ask 1,574 people."
    assert "Chebyshev's inequality needs 8,000 answers. " in lines[1]
    assert json.loads(plan(format="json"))["n"] == 1574


def test_the_error_that_some_responses_buy():
    assert "± 3.96 points" in plan(failure="0.1", responses="6366")


def test_a_design_without_protection_has_no_epsilon_in_json():
    assert json.loads(plan(design="direct", format="json"))["epsilon"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"design": "warner", "p": "1/2"}, "--p: With 1/2, a reported answer says nothing"),
        ({"error": "0"}, "--error: Write a number above 0 and below 1"),
        ({"error": "nan"}, "--error: Write a number such as"),
        ({"meaning": "respondents", "method": "hoeffding"}, "--meaning: "),
        ({"levels": "1"}, "--levels: "),
        (
            {"meaning": "respondents", "method": "hoeffding"},
            "--meaning: This method can describe only the whole population, because it uses "
            "only the range of the reported answers. Choose --meaning population.",
        ),
        (
            {"meaning": "respondents", "population": "9"},
            "--population: With --meaning respondents, the respondents are the population",
        ),
        ({"input": "none.json"}, "--input: none.json cannot be read: No such file or directory."),
        ({"population": "10"}, "--error: Even all 10 people are too few"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_option_and_a_remedy(options, words):
    with pytest.raises(CommandError, match=words.replace("(", r"\(")):
        plan(**options)


def test_a_name_in_a_file_that_is_no_choice_is_answered_with_the_choices(tmp_path):
    file = tmp_path / "plans.json"
    file.write_text('{"design": "warmer"}')
    with pytest.raises(
        CommandError, match=r"--design: warmer is not a choice\. Write one of these: two"
    ):
        plan(input=str(file))


def test_every_mistake_is_named_at_once():
    with pytest.raises(CommandError) as refused:
        plan(error="x", failure="y", responses="z")
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == [
        "--error",
        "--failure",
        "--responses",
    ]
