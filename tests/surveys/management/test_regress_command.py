"""`manage.py regress`: the model of the library, from a file."""

import io
import json
from fractions import Fraction

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from surveys.randomized_response.designs import Direct, StochasticLieDetector, Warner
from surveys.randomized_response.regression import fit_outcome_model

WARNER = {"design": "warner", "set": ["p_direct=9/10"], "outcome": "told", "predictors": "ä,b"}
RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=(400, 2)), 4)
TOLD = (RNG.random(400) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
WEIGHTS = np.round(RNG.uniform(0.5, 2, 400), 3)
GROUPS = np.arange(400) % 2 + 1
# Everybody else says yes with probability 5/6 in group 1 and 1/6 in group 2; carriers say yes.
TOLD_IN_GROUPS = np.maximum(TOLD, RNG.random(400) < np.where(GROUPS == 1, 5 / 6, 1 / 6))


@pytest.fixture
def path(tmp_path):
    rows = zip(TOLD, X.tolist(), WEIGHTS, GROUPS, TOLD_IN_GROUPS, strict=True)
    lines = [
        f"{t},{a},{b},{w},{g},{'dice' if g == 1 else 'asked'},{tg},{int(g == 1)}"
        for t, (a, b), w, g, tg in rows
    ]
    path = tmp_path / "data.csv"
    path.write_text("told,ä,b,w,g,device,told_g,device_is_1\n" + "\n".join(lines) + "\n")
    return path


def run(path, **options):
    out = io.StringIO()
    call_command("regress", input=str(path), stdout=out, **{**WARNER, **options})
    return json.loads(out.getvalue())


def agrees(told, model):
    rows = told["coefficients"]
    assert [row["name"] for row in rows] == list(model.names)
    # 9/10 and 0.9 differ in the last digit.
    assert [row["estimate"] for row in rows] == pytest.approx(model.coefficients, abs=1e-8)
    assert [row["standard_error"] for row in rows] == pytest.approx(model.standard_errors, abs=1e-8)
    assert told["log_likelihood"] == pytest.approx(model.log_likelihood, abs=1e-8)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
def test_the_model_is_that_of_the_library(path, link):
    model = fit_outcome_model(Warner(0.9), TOLD, X, names=["ä", "b"], link=link)
    agrees(run(path, link=link), model)


@pytest.mark.parametrize("outcome", ["told", "told_rep"])
@pytest.mark.parametrize("heading", ["told", "told_rep"])
def test_a_column_of_reports_is_read_under_either_name(path, heading, outcome):
    path.write_text(path.read_text().replace("told,", f"{heading},", 1))
    agrees(run(path, outcome=outcome), fit_outcome_model(Warner(0.9), TOLD, X, names=["ä", "b"]))


def test_weights_give_sandwich_standard_errors(path):
    told = run(path, weights="w")
    agrees(told, fit_outcome_model(Warner(0.9), TOLD, X, names=["ä", "b"], weights=WEIGHTS))
    assert told["covariance"] == "sandwich"


def test_designs_may_differ_per_row(path, tmp_path):
    designs = tmp_path / "designs.json"
    designs.write_text(
        '{"dice": {"design": "warner", "p_direct": 0.9}, "asked": {"design": "direct"}}'
    )
    told = run(path, design=None, set=[], design_column="device", designs=str(designs))
    each = [Warner(0.9) if g == 1 else Direct() for g in GROUPS]
    agrees(told, fit_outcome_model(each, TOLD, X, names=["ä", "b"]))


def test_two_groups_have_their_unknown(path):
    settings = ["p_noncarrier_no_1=1/6", "p_noncarrier_no_2=5/6"]
    asked = {"outcome": "told_g", "groups": "g", "predictors": "ä"}
    told = run(path, design="stochastic_lie_detector", set=settings, **asked)
    model = fit_outcome_model(
        StochasticLieDetector(Fraction(1, 6), Fraction(5, 6)),
        TOLD_IN_GROUPS,
        X[:, 0],
        names=["ä"],
        groups=GROUPS,
    )
    assert told["auxiliary"]["name"] == "truthful_share"
    assert told["auxiliary"]["estimate"] == model.auxiliary.estimate
    assert told["log_likelihood"] == model.log_likelihood


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"design": None}, "Add --design, such as --design warner."),
        ({"level": "2"}, "--level 2 cannot be used: write a number such as 0.95"),
        ({"level": "x"}, "--level x cannot be used: write a number such as 0.95"),
        ({"predictors": "b,b"}, "--predictors: 'b' stands twice: write it once"),
        ({"groups": "g"}, "--groups cannot be used: this design has no groups"),
        (
            {"design": "cheater_detection", "set": ["p_forced_yes_1=0.7", "p_forced_yes_2=0.3"]},
            "Add --groups with the column of groups",
        ),
        (
            {"weights": "w", "covariance": "observed"},
            "--covariance observed cannot be used: with weights the likelihood is no likelihood: "
            "use --covariance sandwich",
        ),
        ({"design": "two_coins", "set": ["options=3"]}, "regression needs a yes/no design"),
        ({"design_column": "device"}, "Add --designs with a JSON file"),
        ({"outcome": "w"}, "the levels are '0', '1': name others with --levels"),
        ({"predictors": "g,device_is_1"}, "--predictors: column device_is_1 cannot be used: "),
    ],
)
def test_a_refusal_says_what_to_write_on_the_command_line(path, options, words):
    with pytest.raises(CommandError) as refused:
        call_command("regress", input=str(path), **{**WARNER, **options})
    assert words in str(refused.value)


def test_a_design_in_the_file_of_designs_is_refused_with_its_name(path, tmp_path):
    designs = tmp_path / "designs.json"
    designs.write_text('{"dice": {"design": "warner"}}')
    options = {**WARNER, "design": None, "design_column": "device", "designs": str(designs)}
    with pytest.raises(CommandError) as refused:
        call_command("regress", input=str(path), **options)
    assert str(refused.value).startswith("--designs, 'dice': The design warner is not complete. ")
    designs.write_text("dice")
    with pytest.raises(CommandError, match="--designs: line 1: this is no JSON"):
        call_command("regress", input=str(path), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"predictors": "b,bb"}, "did you mean 'b'?"),
        ({"predictors": "b,b"}, "stands twice"),
        ({"predictors": "device"}, "line 2, column 'device': 'dice'"),
        ({"predictors": "told,b"}, "told"),
        ({"outcome": "w"}, "the levels are '0', '1'"),
        ({"design": "k_ary", "set": ["options=3", "p_truth=0.8"]}, "yes/no"),
        ({"design": "oue", "set": ["options=3", "epsilon=1"]}, "yes/no design"),
        ({"design_column": "device"}, "go together"),
        ({"groups": "g"}, "groups"),
        ({"level": "2"}, "level"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_one_line(path, options, words):
    out = io.StringIO()
    with pytest.raises(CommandError) as told:
        call_command("regress", input=str(path), stdout=out, **{**WARNER, **options})
    assert words in str(told.value)
    assert "\n" not in str(told.value)
    assert out.getvalue() == ""


def test_a_weight_that_cannot_be_used_names_its_line(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("told,x,w\n1,0,1\n0,1,0\n")
    with pytest.raises(CommandError, match="line 3, column 'w'"):
        run(path, predictors="x", weights="w")
