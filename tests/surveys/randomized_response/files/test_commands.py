"""The package's own command, without Django."""

import json

import pytest

from tests.randomized_response import __main__ as command
from tests.randomized_response.planning import invitations_needed

WARNER = ["--design", "warner", "--set", "p_direct=3/4"]


def answer(capsys, *arguments: str) -> str:
    assert command.main(arguments) == 0
    return capsys.readouterr().out


def refusal(capsys, *arguments: str) -> str:
    """The one line that says what cannot be used."""
    assert command.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_plan_has_a_size_by_every_method_that_has_one(capsys):
    """Warner's 3/4 adds p (1 - p) / (2 p - 1)^2 / n = 3/4 / n: 3/4 / (0.05^2 * 0.05) = 6,000."""
    plan = json.loads(answer(capsys, "plan", *WARNER, "--format", "json"))
    assert plan["sizes"]["chebyshev"] == 6000
    assert plan["sizes"].keys() == {"chebyshev", "normal", "exact"}
    assert "--meaning population" in plan["reasons"]["hoeffding"]
    assert "6,000" in answer(capsys, "plan", *WARNER)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--error", "x"], "--error x"),
        (["--error", "1/0"], "--error 1/0"),
        (["--failure", "1"], "--failure 1"),
        (["--population", "-3"], "--population -3"),
        (["--set", "p_direct=1/2"], "p_direct"),
        (["--meaning", "population", "--population", "10"], "all 10 people are too few"),
    ],
)
def test_a_plan_that_cannot_be_made_says_why_in_one_line(capsys, arguments, words):
    design = WARNER if "--set" not in arguments else WARNER[:2]
    assert words in refusal(capsys, "plan", *design, *arguments)


CLASSES = ("--cluster_size", "25", "--intraclass-correlation", "0.05", "--response-rate", "0.4")


def test_a_plan_of_a_sample_has_its_effects_and_invitations(capsys):
    asked = ("plan", *WARNER, "--meaning", "population", "--error", "0.05", *CLASSES)
    plan = json.loads(answer(capsys, *asked, "--weight_variation", "0.5", "--format", "json"))
    sample = plan["sample"]
    assert (sample["weights_effect"], sample["clusters_effect"]) == (1.25, 1.48)
    for method, n in plan["sizes"].items():
        assert sample["invitations"][method] == invitations_needed(n, response_rate=0.4)
    assert "independently of each other" in plan["reasons"]["hoeffding"]
    text = answer(capsys, *asked)
    assert "clusters its sampling part by 1.48" in text
    assert f"{invitations_needed(1763, response_rate=0.4):,}" in text
    assert "sample" not in json.loads(answer(capsys, "plan", *WARNER, "--format", "json"))


def test_a_plan_with_arms_has_its_answers_in_each(capsys):
    text = answer(capsys, "plan", *WARNER, "--meaning", "population", "--arms", "2, 1")
    assert "answers of each arm" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--cluster_size", "25"), "--intraclass_correlation: Write how similar"),
        (("--response_rate", "0"), "--response_rate: Write a number above 0 and below 1"),
        (("--response_rate", "nan"), "--response_rate: Write a number"),
        (("--arms", "1"), "--arms: Write 2 to 6 weights, one for each arm"),
        (
            ("--meaning", "population", "--population", "9999", "--response_rate", "0.01"),
            "too few people answer",
        ),
    ],
)
def test_a_sample_that_there_is_not_is_refused_in_one_line(capsys, arguments, words):
    assert words in refusal(capsys, "plan", *WARNER, *arguments)


def test_a_protocol_of_bits_is_not_planned_here(capsys):
    words = refusal(capsys, "plan", "--design", "olh", "--set", "options=5", "--set", "epsilon=1")
    assert "one channel" in words


def test_an_estimate_is_a_table_for_people_or_json(capsys, tmp_path):
    table = tmp_path / "counts.csv"
    table.write_text("no,yes\n60,40\n")
    asked = ["estimate", "--input", str(table), *WARNER, "--counts", "no,yes"]
    (found,) = json.loads(answer(capsys, *asked))["estimates"]
    assert found["estimate"] == pytest.approx(0.3)
    assert "0.3" in answer(capsys, *asked, "--format", "table")
    assert "cannot be read" in refusal(capsys, "estimate", "--input", "nowhere.csv", *WARNER)


def test_a_regression_has_a_row_for_each_coefficient(capsys, tmp_path):
    table = tmp_path / "reports.csv"
    rows = [f"{(i // 2) % 2},{i % 7}" for i in range(200)]
    table.write_text("\n".join(["said,age", *rows]) + "\n")
    asked = ["regress", "--input", str(table), *WARNER, "--outcome", "said", "--predictors", "age"]
    found = json.loads(answer(capsys, *asked))
    assert [row["name"] for row in found["coefficients"]] == ["intercept", "age"]
    assert "column" in refusal(capsys, *asked[:-1], "height")


def test_without_a_command_the_usage_is_shown(capsys):
    with pytest.raises(SystemExit) as end:
        command.main([])
    assert end.value.code == 2
    assert "{plan,estimate,regress,columns}" in capsys.readouterr().err
