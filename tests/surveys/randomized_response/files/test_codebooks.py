"""Columns of a survey's files by its codebook: figures and regressions, without Django."""

import json

import numpy as np
import pytest

from tests.randomized_response import __main__ as command
from tests.randomized_response.designs import Direct, ForcedResponse
from tests.randomized_response.estimates import MeanEstimate, tilted_mean_interval
from tests.randomized_response.regression import fit_outcome_model

WORDS = ("No", "Yes", "Prefer not to say")
YES_NO = [{"label": label, "code": f"{code:02d}"} for code, label in enumerate(WORDS[:2])]
PLACES = [{"label": f"Place {code}", "code": f"{code:03d}"} for code in range(40)]
THREE = {"weights": [[3, 1], [1, 3]], "denominator": 4}
BOOK = {
    "columns": [
        {"name": "stole", "column": "stole_rep", "kind": "yes_no", "design": "two_coins"}
        | {"levels": YES_NO, "not_asked": "--", **THREE}
        | {"debiased": [{"column": "stole_yes", "label": "Debiased", "look_ups": []}]},
        {"name": "ticked", "kind": "ticks", "design": "two_coins", "levels": YES_NO, **THREE}
        | {"not_asked": "--", "how_to_read": "…", "parts_sent": 1}
        | {
            "columns": [
                {"name": "ticked_a", "column": "ticked_a_rep", "text": "Option A"},
                {"name": "ticked_b", "column": "ticked_b_rep", "text": "Option B"},
            ]
        },
        {"name": "age", "column": "age", "kind": "number", "design": "direct"}
        | {"minimum": "18", "maximum": "99", "decimal_places": 0}
        | {"declined": "...", "not_asked": "---"},
        {"name": "drinks", "column": "drinks_rep", "kind": "number", "design": "k_ary", **THREE}
        | {"levels": [{"label": "low", "code": "00"}, {"label": "high", "code": "01"}]}
        | {"scores": ["-5", "15"], "not_asked": "--"},
        {"name": "born", "column": "born", "kind": "choice", "design": "direct"}
        | {"levels": PLACES, "not_asked": "---"},
        {"name": "where", "column": "where_rep", "kind": "choice", "design": "oue"}
        | {"levels": PLACES[:9], "how_to_read_marks": "…", "code_width": 4, "not_asked": "----"}
        | {"marked_if_true": "1/2", "marked_if_not": "1/4", "marks_in_every_report": None},
        {"name": "same", "column": "same", "kind": "yes_no", "design": "direct"}
        | {"levels": [*YES_NO, {"label": WORDS[2], "code": "02", "declines": True}]}
        | {"not_asked": "--"},
        {
            "name": "rated",
            "columns": [{"name": "x", "column": "x"}],
            "items": {"1": "A"},
            "not_asked": "--",
        },
        {"name": "when", "column": "when", "kind": "date", "first": "2026-01-01"},
    ]
}


@pytest.fixture
def estimate(capsys, tmp_path):
    """Estimates from a file with these columns, or the one line that refuses it."""

    def estimated(columns: dict[str, list[str]], reports: str, *more: str, book=BOOK):
        book_path, file = tmp_path / "book.json", tmp_path / "answers.csv"
        book_path.write_text(json.dumps(book))
        rows = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
        file.write_text("\n".join(rows) + "\n")
        asked = ["--input", str(file), "--codebook", str(book_path), "--reports", reports]
        if command.main(["estimate", *asked, *more]):
            return capsys.readouterr().err
        return json.loads(capsys.readouterr().out)["estimates"]

    return estimated


def test_a_question_of_parts_is_estimated_part_by_part_and_each_by_itself(estimate):
    columns = {
        "ticked_a_rep": ["01"] * 6 + ["00"] * 4 + [""] * 10 + ["--"],
        "ticked_b_rep": [""] * 10 + ["01"] * 3 + ["00"] * 7 + ["--"],
    }
    found = estimate(columns, "ticked")
    yes = {row["label"]: (row["estimate"], row["n"]) for row in found if row["name"] == "Yes"}
    assert yes == {"Option A": (pytest.approx(0.7), 10), "Option B": (pytest.approx(0.1), 10)}
    words = {"01": "Yes", "00": "No", "": "(not sent)", "--": "(not asked)"}
    in_words = {name: [words[cell] for cell in cells] for name, cells in columns.items()}
    assert estimate(in_words, "ticked") == found
    assert estimate(columns, "ticked_b") == [row for row in found if row["label"] == "Option B"]


def test_numbers_have_the_mean_and_the_interval_within_their_bounds(estimate):
    ages = ["018", "020", "099", "...", "---", "020"]
    (mean,) = estimate({"age": ages}, "age")
    expected = tilted_mean_interval([18, 20, 99], [1, 2, 1], 18, 99)
    assert (mean["name"], mean["n"], mean["estimate"]) == ("mean", 4, 39.25)
    assert mean["interval"] == {"low": expected.low, "high": expected.high}
    assert (mean["design"], mean["epsilon"]) == ("Direct", None)
    assert "line 3" in estimate({"age": ["18", "17"]}, "age")
    assert "line 2" in estimate({"age": ["none"]}, "age")


def test_a_rounded_number_and_a_debiased_column_have_the_mean_of_their_scores(estimate):
    expected = MeanEstimate((-5.0, 15.0), (30, 10))
    (rounded,) = estimate({"drinks_rep": ["00"] * 30 + ["01"] * 10 + ["--"]}, "drinks")
    assert (rounded["estimate"], rounded["n"]) == (0.0, 40)
    assert rounded["standard_error"] == pytest.approx(expected.standard_error)
    cells = ["-0.5"] * 30 + ["1.5"] * 10 + [""]
    (made,) = estimate({"stole_yes": cells}, "stole_yes", "--method", "wilson")
    assert (made["name"], made["estimate"], made["n"]) == ("stole_yes", 0.0, 40)
    assert made["interval"]["low"] < 0 < made["interval"]["high"]


def test_marks_of_a_long_list_have_the_frequency_of_each_option(estimate):
    codes = ["0100"] * 6 + ["0301"] * 2 + ["0000"] * 2 + ["----"]
    found = {row["name"]: row["estimate"] for row in estimate({"where_rep": codes}, "where")}
    assert found["Place 0"] == pytest.approx((8 / 10 - 1 / 4) / (1 / 4))
    assert found["Place 1"] == pytest.approx((2 / 10 - 1 / 4) / (1 / 4))
    assert found["Place 8"] == found["Place 1"]
    for cell in ("2 of 9 options marked: Place 1", "zzzz", "010"):
        refused = estimate({"where_rep": ["0100", cell]}, "where")
        assert "line 3" in refused
        assert "take the file of codes" in refused


def test_a_list_that_was_asked_directly_needs_no_weights_in_the_codebook(estimate):
    found = estimate({"born": ["000"] * 3 + ["039", "---"]}, "born")
    shares = {row["name"]: row["estimate"] for row in found if row["estimate"]}
    assert shares == {"Place 0": 0.75, "Place 39": 0.25}
    assert len(found) == 40


def test_weights_strata_and_inclusion_go_with_means_too(estimate):
    columns = {"age": ["18", "20", "40", "30"], "w": ["1", "2", "1", "2"], "s": list("aabb")}
    (weighted,) = estimate(columns, "age", "--weights", "w")
    assert weighted["estimate"] == pytest.approx((18 + 40 + 40 + 60) / 6)
    (by_strata,) = estimate(columns, "age", "--weights", "w", "--strata", "s")
    assert by_strata["standard_error"] != weighted["standard_error"]
    columns["pi"] = ["0.5", "0.5", "0.25", "0.25"]
    total, mean = estimate(columns, "age", "--inclusion", "pi")
    assert (total["name"], mean["name"]) == ("total", "mean")
    assert total["estimate"] == pytest.approx(2 * 38 + 4 * 70)
    assert "leave out who was not asked" in estimate(
        {"age": ["18", "---"], "pi": ["0.5", "0.5"]}, "age", "--inclusion", "pi"
    )


@pytest.mark.parametrize(
    ("columns", "reports", "more", "words"),
    [
        ({"age": ["18"]}, "none", (), "it has no column 'none': choose one of stole, ticked"),
        ({"a": ["18"]}, "age", (), "there is no column 'age'"),
        ({"when": ["2026-01-01"]}, "when", (), "has no levels to estimate shares of"),
        ({"x": ["1"]}, "rated", (), "ratings of items are estimated by the command rank"),
        ({"age": ["18"]}, "age", ("--method", "wilson"), "numbers that were given have one"),
        ({"age": ["---"]}, "age", (), "has no number: every cell is empty"),
        ({"where_rep": ["----"]}, "where", (), "has no marks"),
        ({"where_rep": ["0100"], "w": ["1"]}, "where", ("--weights", "w"), "of one channel"),
        ({"drinks_rep": ["02"]}, "drinks", (), "line 2"),
        ({"age": ["18"], "w": ["1"], "pi": ["1"]}, "age",
         ("--weights", "w", "--inclusion", "pi"), "give one of them"),
        ({"age": ["18"], "s": ["a"]}, "age", ("--strata", "s"), "Add --weights or --inclusion"),
        ({"age": ["18"]}, "age", ("--design", "warner"), "the codebook says it already"),
        ({"age": ["18"]}, "age", ("--names", "a,b"), "--names: the codebook says it already"),
        ({"age": ["18"]}, "age", ("--groups", "g"), "--groups: the codebook says it already"),
        ({"age": ["18"]}, "age", ("--population-size", "nan"), "--population-size nan"),
    ],
)  # fmt: skip
def test_what_cannot_be_estimated_is_said_in_one_line(estimate, columns, reports, more, words):
    assert words in estimate(columns, reports, *more)


@pytest.mark.parametrize(
    "damage",
    [
        {"scores": ["a", "b"]},
        {"scores": ["1"]},
        {"scores": ["1e999", "2"]},
        {"denominator": 0},
        {"denominator": "x"},
        {"weights": [[3, 1]]},
        {"levels": 3},
        {"levels": [{"label": None, "code": "00"}, {"label": "high", "code": "01"}]},
        {"levels": [{"label": "low", "code": {}}, {"label": "high", "code": "01"}]},
        {"levels": [{"label": "low", "code": "00"}]},
        {"column": 7},
        {"column": None},
        {"columns": []},
        {"scores": ["1e99999999", "2"]},
        {"not_asked": None},
    ],
)
def test_a_damaged_codebook_is_said_and_no_traceback_shown(estimate, damage):
    drinks = {**BOOK["columns"][3], **damage}
    refused = estimate({"drinks_rep": ["00"]}, "drinks", book={"columns": [drinks]})
    assert isinstance(refused, str)
    assert refused.count("\n") == 1


def test_words_that_look_like_codes_of_others_are_not_guessed(estimate):
    shifted = [{"label": f"{code + 1:03d}", "code": f"{code:03d}"} for code in range(40)]
    book = {"columns": [{**BOOK["columns"][4], "levels": shifted}]}
    cells = {"born": ["001", "001", "002"]}
    refused = estimate(cells, "born", book=book)
    assert "'001' is the code of an answer and the words of another one" in refused
    in_words = estimate(cells, "born", "--cells", "words", book=book)
    in_codes = estimate(cells, "born", "--cells", "codes", book=book)
    shares = [{row["name"]: row["n"] for row in found if row["estimate"]}
              for found in (in_words, in_codes)]  # fmt: skip
    assert [sorted(each) for each in shares] == [["001", "002"], ["002", "003"]]
    certain = estimate({"born": ["040", "001"]}, "born", book=book)
    assert {row["name"] for row in certain if row["estimate"]} == {"001", "040"}


def test_a_part_that_chance_sent_of_no_one_hides_no_other(estimate):
    columns = {"ticked_a_rep": ["01"] * 3 + ["00"], "ticked_b_rep": [""] * 4}
    found = estimate(columns, "ticked")
    assert [row["n"] for row in found] == [4, 4, 0]
    assert (found[2]["label"], found[2]["estimate"]) == ("Option B", None)
    assert "no report of it was sent" in found[2]["notes"][0]
    assert "has no answers" in estimate({**columns, "ticked_a_rep": [""] * 4}, "ticked")


@pytest.mark.parametrize("at", [40, 200, 400])
def test_a_broken_parquet_file_is_refused_in_one_line(capsys, tmp_path, at):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"age": [f"{20 + n % 70:03d}" for n in range(2000)]})
    parquet.write_table(table, tmp_path / "answers.parquet")
    content = bytearray((tmp_path / "answers.parquet").read_bytes())
    content[at] ^= 0xFF
    (tmp_path / "answers.parquet").write_bytes(content)
    (tmp_path / "book.json").write_text(json.dumps(BOOK))
    files = [
        "--input",
        str(tmp_path / "answers.parquet"),
        "--codebook",
        str(tmp_path / "book.json"),
    ]
    if command.main(["estimate", *files, "--reports", "age"]):
        assert capsys.readouterr().err.count("\n") == 1


# ---- Regression ----------------------------------------------------------------------------------

RNG = np.random.default_rng(11)
PEOPLE = 300
AGES = RNG.integers(18, 60, PEOPLE)
BORN = RNG.integers(0, 3, PEOPLE)
STOLE = (RNG.random(PEOPLE) < np.where(BORN == 1, 0.7, 0.4)).astype(int)


@pytest.fixture
def regress(capsys, tmp_path):
    """The model of these options, or the one line that refuses it; some answers are missing."""

    def fitted(*options: str, book=BOOK):
        book_path, file = tmp_path / "book.json", tmp_path / "answers.csv"
        book_path.write_text(json.dumps(book))
        lines = ["stole_rep,age,born,extra,stole_yes,same,arm"]
        for row in range(PEOPLE):
            stole = "--" if row % 50 == 0 else f"{STOLE[row]:02d}"
            age = "..." if row % 60 == 1 else f"{AGES[row]:03d}"
            ends = "02" if row % 3 == 2 else "01", f"{row % 2:02d}"
            lines.append(f"{stole},{age},{BORN[row]:03d},{row % 7 + 1},0.5,{','.join(ends)}")
        file.write_text("\n".join(lines) + "\n")
        asked = ["--input", str(file), "--codebook", str(book_path), "--outcome", "stole"]
        if command.main(["regress", *asked, *options]):
            return capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return fitted


def kept() -> np.ndarray:
    rows = np.arange(PEOPLE)
    return (rows % 50 != 0) & (rows % 60 != 1)


def test_a_model_by_a_number_and_a_direct_choice_is_that_of_the_package(regress):
    found = regress("--predictors", "age,born")
    rows, design = kept(), ForcedResponse(0.25, 0.25)
    reference = int(np.bincount(BORN[rows]).argmax())
    dummies = {f"born Place {n}": (n == BORN)[rows] for n in range(3) if n != reference}
    model = fit_outcome_model(
        design,
        STOLE[rows],
        np.column_stack([AGES[rows], *dummies.values()]).astype(float),
        names=["age", *dummies],
    )
    assert [row["name"] for row in found["coefficients"]] == list(model.names)
    estimates = [row["estimate"] for row in found["coefficients"]]
    assert estimates == pytest.approx(model.coefficients, abs=1e-8)
    assert (found["answer"], found["left_out"]) == ("Yes", int((~rows).sum()))
    assert found["n"] == int(rows.sum())


def test_the_arm_is_a_predictor_and_who_declined_one_is_left_out(regress):
    book = {**BOOK, "arm_column": "arm"}
    book["arms"] = [{"code": "00", "label": "Phone"}, {"code": "01", "label": "Web"}]
    found = regress("--predictors", "arm", book=book)
    assert [row["name"] for row in found["coefficients"]] == ["intercept", "arm Phone"]
    twice = {**BOOK["columns"][6], "levels": [*YES_NO, {"label": "x", "code": "02"}]}
    counted = {"columns": [*BOOK["columns"][:6], twice]}
    answered = regress("--predictors", "same", book=counted)
    assert [row["name"] for row in answered["coefficients"]] == ["intercept", "same x"]
    assert answered["left_out"] == 6  # who was not asked the outcome


def test_another_answer_a_direct_outcome_and_columns_of_ones_own(regress):
    yes, no = regress("--predictors", "age"), regress("--predictors", "age", "--answer", "no")
    assert no["coefficients"][1]["estimate"] == pytest.approx(-yes["coefficients"][1]["estimate"])
    direct = regress("--outcome", "born", "--answer", "001", "--predictors", "extra")
    model = fit_outcome_model(Direct(2), (BORN == 1).astype(int), np.arange(PEOPLE) % 7 + 1.0)
    estimates = [row["estimate"] for row in direct["coefficients"]]
    assert estimates == pytest.approx(model.coefficients, abs=1e-8)
    weighted = regress("--predictors", "age", "--weights", "extra")
    assert weighted["covariance"] == "sandwich"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--predictors", "stole_yes"), "holds randomized reports, or what was made of them"),
        (("--outcome", "born", "--predictors", "stole"), "Add --answer with the answer"),
        (("--outcome", "born", "--answer", "Place 1", "--predictors", "stole"), "randomized"),
        (("--answer", "Maybe"), "Add --answer with the answer whose share is modelled"),
        (("--outcome", "age"), "has no levels"),
        (("--outcome", "born", "--predictors", "same"), "Add --answer"),
        (("--predictors", "same"), "all who are left gave the same answer to it"),
        (("--outcome", "ticked"), "has several columns: choose one of ticked_a_rep"),
        (("--predictors", "ticked"), "has several columns"),
        (("--predictors", "nothing"), "there is no column 'nothing'"),
        (("--design", "warner"), "--design: the codebook says it already"),
        (("--groups", "extra"), "--groups: the codebook says it already"),
    ],
)
def test_what_cannot_be_fitted_is_said_in_one_line(regress, options, words):
    assert words in regress(*options)
