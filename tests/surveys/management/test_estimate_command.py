"""`manage.py estimate`: the numbers of the library, from files that people have."""

import io
import json
import random

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import (
    FrequencyProtocol,
    LinearScrambling,
    TwoCoins,
    TwoGroupDesign,
    Warner,
    channel_of,
    transform_reports,
)
from surveys.randomized_response.estimates import estimate_prevalence
from surveys.randomized_response.files.named_designs import DESIGNS, named_design
from surveys.randomized_response.samples import (
    estimate_simple_mean,
    estimate_total,
    estimate_weighted_distribution,
)
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.numbers import NumberReport
from tests import factories
from tests.bodies import body_of

SETTINGS = {
    "warner": "p_direct=3/4",
    "forced_response": "p_forced_yes=1/6 p_forced_no=1/6",
    "unrelated_question": "p_sensitive=0.7 q_other_yes=1/3",
    "crosswise": "p_harmless_yes=0.25",
    "triangular": "p_harmless_yes=0.25",
    "mangat": "p_noncarrier_no=0.7",
    "rappor": "f=1/2 p=1/2 q=3/4",
    "kuk": "p_red_carrier=0.7 p_red_noncarrier=0.2 draws=3",
    "unrelated_question_twice": "p_sensitive_1=0.7 p_sensitive_2=0.3",
    "devore": "p_sensitive=0.7",
    "mangat_singh": "p_truth_first=0.3 p_direct=0.7",
    "mangat_singh_singh": "p_sensitive=0.7 q_other_yes=0.2",
    "mangat_two_stage_unrelated": "p_truth_first=0.3 p_sensitive=0.7 q_other_yes=0.2",
    "singh_joarder": "p_direct=0.7",
    "christofides": "p_cards=0.2,0.3,0.5",
    "k_ary": "options=3 epsilon=ln(3)",
    "two_coins": "options=3",
    "forced_response_options": "p_forced=1/6,1/6,1/6",
    "discretised_scrambling": 'minimum=0 maximum=4 step=1 noise={"ratio":"1/2"}',
    "channel_matrix": 'matrix=[["3/4","1/4"],["1/4","3/4"]]',
    "optimised_scale": "options=3 purpose=cdf largest_epsilon=1.1",
    "direct": "options=3",
    "unrelated_question_two_groups": "p_sensitive_1=0.7 p_sensitive_2=0.3",
    "stochastic_lie_detector": "p_noncarrier_no_1=2/12 p_noncarrier_no_2=10/12",
    "cheater_detection": "p_forced_yes_1=0.7 p_forced_yes_2=0.3",
    "symmetric_cheater_detection": (
        "p_forced_yes_1=0.7 p_forced_no_1=0.1 p_forced_yes_2=0.3 p_forced_no_2=0.1"
    ),
    "anchored_crosswise": "p_harmless_yes=0.15 p_anchor_yes=0.15",
    "eichhorn_hayre": "mu=2 sigma=0.5",
    "bar_lev": "p=0.5 mu=2 sigma=0.5",
    "eriksson": "p=0.5 mu=2 sigma=0.5",
    "chaudhuri_christofides": "mu_factor=2 mu_shift=1 sigma_factor=1 sigma_shift=1",
    "diana_perri_1": "p=0.5 mu_w=2 mu_u=1 sigma_w=1 sigma_u=1",
    "diana_perri_2": "beta=0.5 mu_w=2 mu_u=1 sigma_w=1 sigma_u=1",
    "saha": "mu_w=2 mu_u=1 sigma_w=1 sigma_u=1",
    **dict.fromkeys(("grr", "sue", "oue", "the", "blh", "olh"), "options=4 epsilon=1.1"),
    "subset_selection": "options=4 epsilon=1.1",
    "hadamard_response": "options=4 epsilon=1.1",
    "l_grr": "options=4 p_permanent=0.7 p_instantaneous=0.8",
    **dict.fromkeys(
        ("l_sue", "l_oue", "l_osue", "l_soue"), "options=4 permanent=3/4,1/4 instantaneous=2/3,1/3"
    ),
}
WARNER = {"design": "warner", "set": ["p_direct=3/4"]}


def run(path, text="", **options):
    if text:
        path.write_text(text)
    out = io.StringIO()
    call_command("estimate", input=str(path), stdout=out, **options)
    return json.loads(out.getvalue())["estimates"]


def refusal(path, text, **options):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    out = io.StringIO()
    with pytest.raises(CommandError) as told:
        call_command("estimate", input=str(path), stdout=out, **(options or WARNER))
    assert out.getvalue() == ""
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "input.csv"


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_of_the_registries_can_be_named_and_estimated_from(name, path):
    pairs = SETTINGS[name].split(" ")
    design = named_design(name, dict(pair.split("=", 1) for pair in pairs))
    options = {"design": name, "set": pairs}
    if isinstance(design, LinearScrambling):
        found = run(path, "z\n1\n2\n4.5\n", reports="z", **options)
        assert found[0]["estimate"] == estimate_simple_mean(design.transform([1, 2, 4.5])).value
        return
    if isinstance(design, FrequencyProtocol):
        per_report = design.supported or 2
        counts = np.array([100 * per_report // 4] * 4)
        text = "a,b,c,d,n\n" + ",".join(map(str, counts)) + ",100\n"
    else:
        size = 4 if isinstance(design, TwoGroupDesign) else channel_of(design).reported_levels
        text = ",".join(f"r{i}" for i in range(size)) + "\n" + ",".join(["30"] * size) + "\n"
    found = run(path, text, **options)
    assert found
    assert {row["design"] for row in found} == {found[0]["design"]}
    for row in found:
        assert row["interval"]["low"] <= row["interval"]["high"]
        assert row["n"] > 0


def test_counts_in_csv_and_json_give_the_numbers_of_the_library(path, tmp_path):
    expected = estimate_prevalence(Warner(0.75), [40, 60])
    rows = run(path, "label,no,yes\nété,40,60\nb,1,0\n", **WARNER)
    interval = expected.interval(0.95)
    assert rows[0] == {
        "label": "été",
        "name": "yes",
        "estimate": expected.prevalence,
        "standard_error": expected.standard_error,
        "interval": {"low": interval.low, "high": interval.high},
        "level": 0.95,
        "method": "clopper-pearson",
        "notes": [],
        "design": "Warner (p_direct = 3/4)",
        "epsilon": pytest.approx(np.log(3)),
        "n": 100,
    }
    assert rows[1]["standard_error"] is None
    text = '[{"label": "été", "counts": [40, 60]}, {"label": "b", "counts": [1, 0]}]'
    assert run(tmp_path / "input.json", text, **WARNER) == rows


@pytest.mark.parametrize("method", ["wald", "chebyshev", "confidence-sequence"])
def test_the_method_and_level_asked_for_are_used(path, method):
    (row,) = run(path, "no,yes\n40,60\n", method=method, level="0.8", **WARNER)
    expected = estimate_prevalence(Warner(0.75), [40, 60]).interval(0.8, method)
    assert row["interval"] == {"low": expected.low, "high": expected.high}
    assert row["method"] == method


def test_a_third_is_exact(path):
    (row,) = run(path, "no,yes\n2,1\n", design="warner", set=["p_direct=2/3"])
    assert row["estimate"] == 0.0


def test_two_coins_are_for_a_yes_no_question_unless_options_says_otherwise(path):
    (row,) = run(path, "no,yes\n40,60\n", design="two_coins")
    expected = estimate_prevalence(TwoCoins(2), [40, 60])
    assert row["design"] == "Two coins (options = 2)"
    assert row["estimate"] == expected.prevalence
    three = run(path, "a,b,c\n40,60,50\n", design="two_coins", set=["options=3"])
    assert [row["name"] for row in three] == ["option 0", "option 1", "option 2"]


def test_counts_of_another_number_of_options_are_refused_with_the_setting_to_add(path):
    refused = refusal(path, "label,a,b,c\nx,4,6,5\n", design="two_coins")
    assert "has 2 counts per row, not 3 (a, b, c)" in refused
    assert "--set options=3" in refused
    assert "--counts" in refused


REPORTS = "r,w,pi,s\n1,1,0.5,a\n0,2,0.25,a\n1,3,0.2,b\n0,1,0.5,b\n"


def test_weighted_reports_give_weighted_shares(path):
    (row,) = run(path, REPORTS, reports="r", weights="w", **WARNER)
    expected = estimate_weighted_distribution(Warner(0.75), [1, 0, 1, 0], [1, 2, 3, 1])
    assert row["estimate"] == expected.shares[1]
    assert row["standard_error"] == expected.standard_errors[1]
    assert row["notes"]


@pytest.mark.parametrize("unit", [{}, {"strata": "s"}, {"clusters": "c"}])
def test_weights_with_strata_or_clusters_give_the_numbers_of_the_package(path, unit):
    cells = "r,w,s,c\n1,1,a,1\n0,2,a,2\n1,3,b,1\n0,1,b,3\n1,1,b,3\n0,4,a,2\n"
    labels = {"s": list("aabbba"), "c": list("121332")}
    (row,) = run(path, cells, reports="r", weights="w", **unit, **WARNER)
    used = {name: labels[column] for name, column in unit.items()}
    reports, weights = [1, 0, 1, 0, 1, 0], [1, 2, 3, 1, 1, 4]
    expected = estimate_weighted_distribution(Warner(0.75), reports, weights, **used)
    interval = expected.interval(1)
    assert row["estimate"] == expected.shares[1]
    assert row["standard_error"] == expected.standard_errors[1]
    assert row["interval"] == {"low": interval.low, "high": interval.high}
    assert row["method"] == interval.method == "korn-graubard"
    (wilson,) = run(path, cells, reports="r", weights="w", method="wilson", **unit, **WARNER)
    assert wilson["interval"]["high"] == expected.interval(1, method="wilson").high


def test_a_method_for_equal_answers_is_refused_with_those_for_weights(path):
    refused = refusal(path, REPORTS, reports="r", weights="w", method="clopper-pearson", **WARNER)
    assert "korn-graubard, wilson, score, wald" in refused


def test_a_stratum_with_one_person_is_refused_by_its_name(path):
    cells = "r,w,s\n1,1,a\n0,2,a\n1,3,lonely\n"
    assert "lonely" in refusal(path, cells, reports="r", weights="w", strata="s", **WARNER)


def test_inclusion_probabilities_give_a_total_and_a_mean(path):
    total, mean = run(path, REPORTS, reports="r", inclusion="pi", **WARNER)
    expected = estimate_total(transform_reports(Warner(0.75), [1, 0, 1, 0]), [0.5, 0.25, 0.2, 0.5])
    assert (total["name"], mean["name"]) == ("yes total", "yes mean")
    assert total["estimate"] == expected.value
    assert total["standard_error"] == expected.standard_error
    assert mean["estimate"] == pytest.approx(expected.value / 13)


@pytest.mark.parametrize("label", ["(not asked)", "(not asked on this path)"])
def test_people_who_were_not_asked_are_left_out_also_in_files_from_before(tmp_path, label):
    levels = [{"label": "No", "code": "00"}, {"label": "Yes", "code": "01"}]
    column = {"name": "q001", "levels": levels, "denominator": 4, "not_asked": "--"}
    book = {"columns": [{**column, "weights": [[3, 1], [1, 3]]}]}
    (tmp_path / "book.json").write_text(json.dumps(book))
    cells = "q001\n" + f"Yes\nNo\n{label}\n" * 10
    book_path = str(tmp_path / "book.json")
    found = run(tmp_path / "input.csv", cells, reports="q001", codebook=book_path)
    assert {figure["n"] for figure in found} == {20}
    assert [figure["estimate"] for figure in found] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("asked_for", ["q001", "q001_rep"])
@pytest.mark.parametrize("in_book", ["q001", "q001_rep"])
@pytest.mark.parametrize("in_file", ["q001", "q001_rep"])
def test_a_column_of_reports_is_read_under_either_name(tmp_path, in_file, in_book, asked_for):
    """Downloads have the ending since columns of reports say so; those from before do not."""
    levels = [{"label": "No", "code": "00"}, {"label": "Yes", "code": "01"}]
    column = {"name": in_book, "levels": levels, "denominator": 4, "not_asked": "--"}
    book = {"columns": [{**column, "weights": [[3, 1], [1, 3]]}]}
    (tmp_path / "book.json").write_text(json.dumps(book))
    path, cells = tmp_path / "input.csv", f"{in_file},w\n" + "01,1\n00,2\n" * 10
    found = run(path, cells, reports=asked_for, codebook=str(tmp_path / "book.json"))
    assert [figure["estimate"] for figure in found] == pytest.approx([0.5, 0.5])
    (weighted,) = run(path, reports=asked_for, levels="00,01", weights="w", **WARNER)
    assert weighted["estimate"] == pytest.approx(2 * (1 / 3 - 1 / 4))


def test_a_column_that_has_the_name_asked_for_goes_before_one_with_the_ending(path):
    (row,) = run(path, "r,r_rep\n1,0\n1,0\n0,1\n0,1\n1,0\n", reports="r", **WARNER)
    assert row["estimate"] == estimate_prevalence(Warner(0.75), [2, 3]).prevalence


@pytest.mark.parametrize("make", [factories.make_open_survey, factories.make_other_survey])
@pytest.mark.parametrize("values", ["", "?values=codes"])
def test_a_download_gives_the_estimates_of_the_dashboard(client, owner, tmp_path, make, values):
    survey, rng = make(owner), random.Random(1)
    for _ in range(60):
        items = questionnaire_of(survey.revision).items
        codes = [
            rng.choice(item.reported_levels).code if isinstance(item, Leveled) else "018"
            for item in items
        ]
        body = body_of(survey.revision, codes, own_coin=False)
        receive(survey_id=survey.pk, body=body)
    for _ in range(10):  # who uses a coin of their own is not asked everything
        body = body_of(survey.revision, own_coin=True)
        receive(survey_id=survey.pk, body=body)
    client.force_login(owner)
    download = client.get(reverse("surveys:responses", args=[survey.pk]) + values)
    (tmp_path / "input.csv").write_bytes(b"".join(download.streaming_content))
    book = client.get(reverse("surveys:codebook", args=[survey.pk])).content
    (tmp_path / "book.json").write_bytes(book)
    for number, counts in enumerate(item_counts(survey.revision), start=1):
        report = question_report(number, counts, Reading())
        if isinstance(report, NumberReport):
            continue
        book_path, column = str(tmp_path / "book.json"), f"q{number:03d}_rep"
        found = run(tmp_path / "input.csv", codebook=book_path, reports=column)
        if isinstance(counts.item, GroupedQuestion):
            names, shown = ["prevalence", "other_prevalence"], report.rows[::2]
        else:  # the page has the order in which answers are shown
            names, shown = [row.label for row in report.rows], report.rows
        assert {row["name"]: _numbers(row) for row in found} == {
            name: (row.share, row.standard_error, row.interval.low, row.interval.high, report.n)
            for name, row in zip(names, shown, strict=True)
        }


def _numbers(row):
    ends = row["interval"]
    return row["estimate"], row["standard_error"], ends["low"], ends["high"], row["n"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("no,yes\n", "no row under it"),
        ("no,yes\n1,2\n3\n", "line 3: 1 cells under 2 names"),
        ("no,yes\n1,2\n\n3,4,5\n", "line 4: 3 cells under 2 names"),
        ("no,yes\n1,2\n3,-4\n", "line 3, column 'yes': '-4'"),
        ("no,yes\n1,2\n3,1.5\n", "line 3, column 'yes': '1.5'"),
        ("no,yes\n1,nan\n", "line 2, column 'yes': 'nan'"),
        ("no,yes\n1,\n", "an empty cell"),
        ("no,yes\n0,0\n", "line 2: counts = (0, 0) cannot be used"),
        ("no,no\n1,2\n", "column 'no' stands twice"),
        ("no;yes\n1;2\n", "not separated by commas"),
        ("no,yes,x\n1,2,3\n", "has 2 counts per row, not 3"),
        ('no,yes\n"1,2\n', "this is no CSV"),
        ("no,yes\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"no,yes\n1,2\n1,\xe9\n", "line 3: byte 0xe9"),
    ],
)
def test_bad_counts_are_refused_in_one_line_that_names_the_place(path, text, words):
    assert words in refusal(path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "no records"),
        ("[1]", "record 1"),
        ('[{"counts": [1, 2]}, {"counts": [1]}]', "record 2: 'counts[1]' is not in every record"),
        ('[{"counts": [1, NaN]}]', "'NaN' cannot be used"),
        ('[{"no": 1, "no": 2}]', "stands twice"),
        ('[{"counts": [1, 2]', "this is no JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_json_is_refused(tmp_path, text, words):
    assert words in refusal(tmp_path / "input.json", text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"design": "warmer"}, "did you mean warner?"),
        ({"design": "warner"}, "set p_direct"),
        ({"design": "warner", "set": ["p_direkt=3/4"]}, "did you mean p_direct?"),
        ({"design": "warner", "set": ["p_direct=1/0"]}, "p_direct"),
        ({"design": "warner", "set": ["p_direct=1/2"]}, "says nothing"),
        ({"design": "warner", "set": ["p_direct=nan"]}, "write a number"),
        ({**WARNER, "level": "95"}, "--level"),
        ({**WARNER, "counts": "no,yess"}, "did you mean 'yes'?"),
        ({**WARNER, "reports": "answers"}, "there is no column 'answers'"),
        ({**WARNER, "weights": "yes"}, "--reports"),
        ({"design": "saha", "set": SETTINGS["saha"].split()}, "--reports"),
    ],
)
def test_options_that_cannot_be_used_are_refused_with_a_remedy(path, options, words):
    assert words in refusal(path, "no,yes\n1,2\n", **options)


SAHA = {"design": "saha", "set": ["mu_w=1", "mu_u=1"]}
OUE = {"design": "oue", "set": ["options=2", "epsilon=1"]}
BY_LEVELS = {**WARNER, "reports": "r", "levels": "0,1"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Add --design, such as --design warner, or --codebook."),
        ({"design": "warner", "set": ["p_direct"]}, "--set p_direct has no value"),
        ({"design": "warner", "set": ["p_direct=1", "p_direct=1"]}, "--set p_direct stands twice"),
        ({**WARNER, "counts": "w,pi,w"}, "--counts: 'w' stands twice: write it once"),
        ({**WARNER, "counts": "w,,pi"}, "--counts: a name is empty"),
        ({**WARNER, "level": "x"}, "--level x cannot be used: write a number such as 0.95"),
        ({**WARNER, "level": "1"}, "--level 1 cannot be used: write a number such as 0.95"),
        ({**WARNER, "population_size": "x"}, "--population-size x cannot be used: write a number"),
        ({**OUE, "counts": "r,w"}, "there is no column 'n' with the number of reports: "),
        ({**OUE, "counts": "r,w"}, "name it with --n"),
        ({**OUE, "reports": "r"}, "leave out --reports and name the counts with --counts"),
        ({**WARNER, "weights": "w"}, "Add --reports with the column of reports"),
        ({**WARNER, "counts": "r,pi"}, "line 2, column 'pi': '0.5' cannot be used: a count is"),
        ({**BY_LEVELS, "levels": "0"}, "write --levels with 2 names"),
        ({**BY_LEVELS, "names": "a"}, "write --names with 2 names, one per option, not 1"),
        ({**BY_LEVELS, "weights": "w", "method": "chebyshev"}, "--method chebyshev cannot be used"),
        (
            {**BY_LEVELS, "weights": "w", "strata": "s", "method": "clopper-pearson"},
            "--method clopper-pearson cannot be used: with weights choose one of korn-graubard",
        ),
        ({**BY_LEVELS, "strata": "s"}, "Add --weights or --inclusion"),
        (
            {**BY_LEVELS, "population_size": "2"},
            "--population-size 2 cannot be used: give at least",
        ),
        (
            {**BY_LEVELS, "inclusion": "pi", "population_size": "2"},
            "--population-size 2 cannot be used: give at least",
        ),
        ({**BY_LEVELS, "inclusion": "w"}, "line 3, column 'w': '2' cannot be used: give the prob"),
        (SAHA, "Add --reports with their column"),
        ({**SAHA, "reports": "w", "weights": "w"}, "write --inclusion in place of --weights"),
    ],
)
def test_a_refusal_says_what_to_write_on_the_command_line(path, options, words):
    refused = refusal(path, REPORTS, **{"label": None, **options})
    assert words in refused
    assert " = None cannot" not in refused


def test_a_codebook_that_is_no_json_is_named(path, tmp_path):
    (tmp_path / "book.json").write_text("no,yes")
    refused = refusal(path, REPORTS, codebook=str(tmp_path / "book.json"), reports="r")
    assert refused.startswith("--codebook: line 1: this is no JSON")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("estimate", input=str(tmp_path / "none.csv"), **WARNER)


def test_a_byte_order_mark_blank_lines_and_quoted_newlines_are_read(path):
    path.write_bytes('\ufefflabel,no,yes\r\n\r\n"a\nb",40,60\r\n'.encode())
    assert run(path, **WARNER)[0]["label"] == "a\nb"


def test_a_line_after_a_quoted_newline_is_named_by_its_own_number(path):
    assert "line 4, column 'yes'" in refusal(path, 'label,no,yes\n"a\nb",1,2\nc,1,x\n')
    assert "line 2, column 'yes'" in refusal(path, 'label,no,yes\n"a\nb",1,x\nc,1,2\n')


def test_standard_input_is_read(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"no,yes\n40,60\n")

    monkeypatch.setattr("sys.stdin", Stdin)
    out = io.StringIO()
    call_command("estimate", input="-", stdout=out, **WARNER)
    assert json.loads(out.getvalue())["estimates"][0]["estimate"] == pytest.approx(0.7)


def test_the_table_for_people_has_the_same_numbers(path):
    path.write_text("label,no,yes\na,40,60\n")
    out = io.StringIO()
    call_command("estimate", input=str(path), stdout=out, format="table", **WARNER)
    assert "0.0984732" in out.getvalue()
    assert "epsilon 1.09861" in out.getvalue()
