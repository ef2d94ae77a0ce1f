"""``manage.py rank``: a file of histograms in, a ranking out, and no database in between."""

import csv
import io
import json
import sys
import time

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from ranking.methods.registry import Method
from ranking.methods.tables import rank_table
from ranking.posterior.gibbs import sample_hidden_ratings
from surveys.randomized_response.designs import KAry

TEXT = "name,bad,middling,good\nAlgebra,1,2,9\nČeština,0,0,3\nHistory,8,4,1\n"
COUNTS = np.array([[1, 2, 9], [0, 0, 3], [8, 4, 1]])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def rank(file, *options: str) -> str:
    output = io.StringIO()
    call_command("rank", *options, histograms=str(file), utilities="1,2,3", stdout=output)
    return output.getvalue()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_json_and_text_say_the_same(file):
    table = rank_table(COUNTS, Method((1.0, 2.0, 3.0)))
    order = table.ranking.order
    rows = rows_of(rank(file, "--format", "csv"))
    document = json.loads(rank(file, "--format", "json"))
    lines = rank(file).splitlines()[-3:]
    assert [row["name"] for row in rows] == [("Algebra", "Čeština", "History")[i] for i in order]
    assert [float(row["score"]) for row in rows] == table.posterior.scores[order].tolist()
    assert [item["score"] for item in document["items"]] == table.posterior.scores[order].tolist()
    for line, item in zip(lines, document["items"], strict=True):
        assert line.split()[2] == f"{item['score']:.4f}"
        assert line.endswith(item["name"])


def test_every_row_and_every_document_carries_the_method(file):
    options = ("--prior", "fixed:1,1,1", "--order", "cautious", "--level", "0.9")
    code = "utilities=1,2,3 prior=fixed:1,1,1 order=cautious level=0.9"
    assert {row["method"] for row in rows_of(rank(file, "--format", "csv", *options))} == {code}
    document = json.loads(rank(file, "--format", "json", *options))
    assert document["method"]["code"] == code
    assert document["method"]["ghost_ratings"] == [1, 1, 1]


def telling(path, header: str = "name"):
    """A file of ten items rated ten times, and ten rated a hundred times, which are far better."""
    rows = [f"Rare {i},{6 + i % 3},4" for i in range(10)]
    rows += [f"Often {i},{20 + i},80" for i in range(10)]
    path.write_text("\n".join([f"{header},1 bad,2 good", *rows]))
    return path


def ranked(file, *options: str) -> dict:
    output = io.StringIO()
    arguments = ("--format", "json", *options)
    call_command("rank", *arguments, histograms=str(file), utilities="0,1", stdout=output)
    return json.loads(output.getvalue())


def test_where_popularity_tells_it_is_the_default_and_each_item_has_its_prior_mean(tmp_path):
    document = ranked(telling(tmp_path / "units.csv"))
    prior = document["method"]["prior"]
    assert prior["code"] == "popularity"
    assert prior["pseudocounts"] == document["method"]["ghost_ratings"]
    assert sum(prior["pseudocounts"]) == pytest.approx(prior["strength"])
    means = {item["name"]: item["prior_mean"] for item in document["items"]}
    assert means["Rare 0"] < prior["mean"] < means["Often 0"]
    assert "for items with 10 rating(s) and" in document["method"]["note"]
    assert ranked(telling(tmp_path / "units.csv"), "--prior", "empirical")["method"]["prior"][
        "code"
    ] == "empirical"  # fmt: skip


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("name_adaptive", "promising items were shown more often"),
        ("Name_imported", "some ratings were imported"),
    ],
)
def test_a_file_whose_header_says_why_items_are_rated_often_is_not_ranked_by_it(
    tmp_path, header, words
):
    file = telling(tmp_path / "units.csv", header)
    assert ranked(file)["method"]["prior"]["code"] == "empirical"
    with pytest.raises(CommandError, match=f"--prior popularity cannot be used: {words}"):
        ranked(file, "--prior", "popularity")


def test_indistinguishable_items_are_told_so_in_every_form(tmp_path):
    file = tmp_path / "units.csv"
    file.write_text("A,5,6,4\nB,6,5,4\nC,1,1,0\n")
    text = rank(file, "--prior", "ml")
    assert "Ghost ratings without limit: every item has the average of all ratings." in text
    assert "The data show no real differences" in text
    prior = json.loads(rank(file, "--prior", "ml", "--format", "json"))["method"]["prior"]
    assert prior == {"code": "ml", "pseudocounts": None, "strength": None, "mean": 60 / 32}
    assert {row["rank"] for row in rows_of(rank(file, "--prior", "ml", "--format", "csv"))} == {"1"}


def test_top_leaves_out_the_others_but_ranks_among_all(file):
    document = json.loads(rank(file, "--format", "json", "--top", "1"))
    assert len(document["items"]) == 1
    assert document["items_ranked"] == 3


def test_ties_are_marked(tmp_path):
    file = tmp_path / "tied.json"
    file.write_text('{"A": [1, 1, 1], "B": [1, 1, 1], "C": [5, 0, 0]}')
    rows = rows_of(rank(file, "--format", "csv", "--prior", "fixed:1,1,1"))
    assert [(row["rank"], row["tied"]) for row in rows] == [
        ("1", "True"),
        ("1", "True"),
        ("3", "False"),
    ]


def test_names_that_a_spreadsheet_would_run_are_guarded(tmp_path):
    file = tmp_path / "units.json"
    file.write_text('{"=1+1": [1, 1, 1], "B": [1, 1, 1]}')
    assert "'=1+1" in rank(file, "--format", "csv", "--prior", "fixed:1,1,1")


@pytest.mark.parametrize("text", [TEXT, '{"Algebra": [1, 2, 9], "B": [0, 0, 3]}'])
def test_standard_input_is_read(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "Algebra" in rank("-")


def test_gibbs_can_be_repeated(file):
    options = ("--design", "k_ary", "--epsilon", "1.1", "--gibbs", "--seed", "7")
    document = json.loads(rank(file, "--format", "json", *options))
    design = KAry.from_epsilon(3, 1.1)
    drawn = sample_hidden_ratings(
        design, COUNTS, (1.0, 2.0, 3.0), rng=np.random.default_rng(7)
    ).posterior
    assert sorted(item["score"] for item in document["items"]) == sorted(drawn.scores.tolist())
    assert "Gibbs" in document["method"]["words"]


def test_a_last_count_of_not_rated_is_no_level(file):
    output = io.StringIO()
    options = ("--design", "k_ary", "--epsilon", "5", "--declines", "--format", "json")
    call_command("rank", *options, histograms=str(file), utilities="1,2", stdout=output)
    scores = {item["name"]: item["score"] for item in json.loads(output.getvalue())["items"]}
    assert scores["Algebra"] > scores["History"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--prior", "none"],
            "--prior none cannot be used: write one of these: empirical, popularity, ml, ",
        ),
        (["--seed", "-1", "--gibbs"], "--seed -1 cannot be used: write a whole number"),
        (["--design", "k_ary"], "Add --epsilon, such as --epsilon 1.1"),
        (["--epsilon", "1"], "Add --design k_ary"),
        (["--design", "k_ary", "--epsilon", "0"], "--epsilon 0 cannot be used: give a value"),
        (["--design", "k_ary", "--epsilon", "x"], "Write a number such as 1.1"),
        (["--declines"], "Add --design k_ary and --epsilon"),
        (["--prior", "fixed:1,1"], "write 3 numbers"),
        (["--design", "k_ary"], "--design and --epsilon"),
        (["--epsilon", "1"], "--design and --epsilon"),
        (["--design", "k_ary", "--epsilon", "0"], "epsilon"),
        (["--design", "k_ary", "--epsilon", "x"], "--epsilon: 'x' is not a number"),
        (["--design", "k_ary", "--epsilon", "nan"], "epsilon"),
        (["--design", "k_ary", "--epsilon", "1", "--prior", "ml"], "Leave --prior out"),
        (["--design", "k_ary", "--epsilon", "1", "--declines"], "give 4 counts"),
        (["--gibbs"], "randomized ratings"),
        (["--level", "95"], "--level"),
        (["--level", "nan"], "--level"),
        (["--top", "0"], "--top"),
    ],
)
def test_options_that_cannot_be_used_are_named(file, options, told):
    with pytest.raises(CommandError, match=told):
        rank(file, *options)


@pytest.mark.parametrize("utilities", ["1,2", "1,1,1", "a,b,c", "nan,1,2", "1,2,3,4"])
def test_utilities_that_do_not_fit_are_refused(file, utilities):
    with pytest.raises(CommandError, match=r"utilities|counts"):
        call_command("rank", histograms=str(file), utilities=utilities)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--utilities has 4 numbers, but each item has 3 counts. Write --utilities with 3"),
        (
            ["--declines", "--design", "k_ary", "--epsilon", "1"],
            "--utilities has 4 numbers and --declines adds a count, but each item has 3 counts. "
            "Write --utilities with 2",
        ),
    ],
)
def test_utilities_of_another_number_say_how_many_to_write(file, options, words):
    with pytest.raises(CommandError, match=words):
        call_command("rank", *options, histograms=str(file), utilities="1,2,3,4")


def test_an_item_without_ratings_needs_ghost_ratings(tmp_path):
    file = tmp_path / "units.csv"
    file.write_text("A,0,0,0\nB,1,2,3\n")
    with pytest.raises(CommandError, match=r"1 item\(s\) have no ratings"):
        rank(file, "--prior", "fixed:0,0,0")


@pytest.mark.parametrize(("name", "text"), [("a.txt", "A,1,2,3"), ("a.csv", ""), ("a.json", "[]")])
def test_files_without_items_are_refused(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(CommandError):
        rank(file)
    with pytest.raises(CommandError, match="cannot be read"):
        rank(tmp_path / "nothing.csv")


def test_lines_that_cannot_be_used_are_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("A,1,2,3\nB,1,2,x\nA,3,2,1\n")
    with pytest.raises(
        CommandError,
        match=r"line 2: count 3 must be a number of 0 or more, not “x”.*\n"
        r".*line 3: the name “A” is already used in",
    ):
        rank(file)


@pytest.mark.audit
def test_a_million_items_are_ranked_from_a_file(tmp_path):
    rng = np.random.default_rng()
    file = tmp_path / "many.csv"
    with file.open("w") as output:
        for number, row in enumerate(rng.integers(0, 50, (10**6, 3)).tolist()):
            output.write(f"item {number},{row[0]},{row[1]},{row[2]}\n")
    start = time.perf_counter()
    rows = rows_of(rank(file, "--format", "csv", "--top", "100"))
    print(f"A million items from a file, the top 100: {time.perf_counter() - start:.1f} s")
    assert len(rows) == 100
    assert [int(row["rank"]) for row in rows] == sorted(int(row["rank"]) for row in rows)
