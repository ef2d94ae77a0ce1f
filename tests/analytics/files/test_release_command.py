"""``manage.py release``: planned, charged to a ledger in a file before it is drawn, or refused."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analytics.files.ledgers import LedgerEntry, held, read, write
from analytics.files.promises import Promise
from analytics.files.releases import FileColumn, FileRelease, release_file
from analytics.kinds.tables.released import TableRelease
from analytics.management.commands.release import request_of
from analytics.privacy.accounting import Adjacency, Cost
from analytics.privacy.mechanisms import VettedNoise
from analytics.workloads.asks import Ask
from surveys import PROGRAM
from tests.fake_noise import FakeNoise

pytestmark = pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")

ROWS = "town,mood,age\n" + "North,Bad,20\nSouth,Good,45\n,Good,\nNorth,,29.5\n" * 50
USUAL = {
    "levels": ["town=North|South", "mood=Bad|Good"],
    "cuts": ["age=30,45"],
    "ask": ["mood=cdf"],
    "table": ["town", "town,age", "mood"],
    "epsilon": "2",
    "delta": "1e-6",
}
NOTHING = ("share", "adjacency", "ledger")
HALF = "1/2"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(ROWS)
    return tmp_path / "a.csv"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "l.json"


def run(file: Path, capsys, **changes) -> str:
    call_command("release", input=str(file), **{**USUAL, **changes})
    return capsys.readouterr().out


def refusal(file: Path, **changes) -> str:
    with pytest.raises(CommandError) as problem:
        call_command("release", input=str(file), **{**USUAL, **changes})
    return str(problem.value)


def asked(file: Path) -> FileRelease:
    return request_of({**USUAL, "input": str(file), **dict.fromkeys(NOTHING)})


def test_a_release_is_printed_with_margins_and_covariances(file, capsys):
    document = json.loads(run(file, capsys))
    assert document["program"] == PROGRAM
    town, both, mood = document["tables"]
    assert [cell["answers"] for cell in town["cells"]] == [["North"], ["South"], ["No answer"]]
    assert both["questions"] == ["town", "age"]
    assert both["cells"][0]["answers"] == ["North", "below 30"]
    assert mood["cells"][-1]["answers"] == ["all"]
    assert town["cells"][0]["margin"] > 0
    assert len(town["covariance"]) == 3
    assert TableRelease.from_document(document["release"]).is_private


def test_every_row_is_counted_and_empty_cells_are_no_answers(file):
    found = []
    release_file(asked(file), FakeNoise(np.zeros), found.append)
    tables = found[0].asked.tables
    town, both, mood = ([cell.people for cell in found[0].cells(one)] for one in tables)
    assert town == pytest.approx([100, 50, 50])
    assert both[:4] == pytest.approx([100, 0, 0, 0], abs=1e-6)  # North, below 30: 20 and 29.5
    assert both[6] == pytest.approx(50)  # South, 45 or more
    assert both[11] == pytest.approx(50)  # neither town nor age
    assert mood == pytest.approx([50, 150, 200])


def test_a_plan_reads_and_spends_nothing(file, capsys, ledger):
    file.unlink()
    told = run(file, capsys, plan=True, ledger=str(ledger))
    assert "town by age: 12 numbers, with a margin of typically ±" in told
    assert "no strategy with Gaussian noise has a typical margin below ±" in told
    assert "cost: mu^2 0." in told
    assert not ledger.exists()


def test_a_file_is_told_nothing_of_a_survey_or_of_what_it_promised(file, capsys, ledger):
    for changes in ({}, {"ledger": str(ledger)}):
        told = " ".join(json.loads(run(file, capsys, **changes))["method"])
        assert "differential privacy with ε" in told
        assert "survey" not in told
        assert "promised" not in told


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_the_output_goes_to_a_new_file(file, capsys, tmp_path, ending):
    output = tmp_path / f"out.{ending}"
    assert run(file, capsys, output=str(output)) == ""
    assert "North" in output.read_text()
    assert "the file exists: give a new name" in refusal(file, output=str(output))
    assert "ends in .json or .csv" in refusal(file, output=str(tmp_path / "out.html"))


def test_a_ledger_adds_up_and_refuses_what_goes_beyond_it(file, capsys, ledger):
    run(file, capsys, ledger=str(ledger), share=HALF)
    run(file, capsys, ledger=str(ledger), share=HALF)
    kept = read(ledger)
    assert [entry.kind for entry in kept.entries] == ["tables", "tables"]
    assert kept.spent <= kept.budget(200).limit
    assert "cost = mu^2" in refusal(file, ledger=str(ledger), share="1/1000")
    assert read(ledger) == kept


def test_texts_and_tables_of_a_file_share_its_ledger(file, capsys, ledger):
    run(file, capsys, ledger=str(ledger), share="9/10")
    with pytest.raises(CommandError, match="left"):
        call_command(
            *("topics", "--input", str(file), "--column", "town", "--epsilon", "2"),
            *("--delta", "1e-6", "--share", HALF, "--ledger", str(ledger)),
        )
    assert len(read(ledger).entries) == 1


class LooksAt(VettedNoise):
    """Vetted noise that notes what the ledger says at each draw."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.seen: list[int] = []

    def added_to(self, values, lattice_sd):
        self.seen.append(len(read(self._ledger).entries))
        return super().added_to(values, lattice_sd)


def test_it_is_charged_before_the_first_draw_exactly_what_it_says(file, ledger):
    noise = LooksAt(ledger)
    promise = Promise(1.0, 1e-6, Adjacency.REPLACE)
    column = FileColumn("mood", ("Bad", "Good"), ask=Ask.RANGES)
    request = FileRelease(file, (column,), (("mood",),), promise, ledger)
    release = release_file(request, noise, lambda made: None)
    assert set(noise.seen) == {1}
    assert read(ledger).spent == release.cost == request.planned.cost


@pytest.mark.noise(fails=1e-29, law="Discrete Gaussians, subgaussian: 2 exp(-(6 * 1.96)^2 / 2).")
def test_a_table_of_equal_rows_is_released_at_a_tenth_of_the_budget(file, ledger):
    names = "abcd"
    file.write_text("a,b,c,d\n" + "yes,yes,yes,yes\n" * 40_000)
    wide = {
        "levels": [f"{name}=yes|no" for name in names],
        "cuts": [],
        "ask": [],
        "table": ["a,b,c,d"],
        "epsilon": "4",
        "share": "1/10",
        "ledger": str(ledger),
    }
    made = []
    request = request_of({**USUAL, "input": str(file), **dict.fromkeys(NOTHING), **wide})
    release_file(request, VettedNoise(), made.append)
    (cell, *_) = made[0].cells((0, 1, 2, 3))
    assert abs(cell.people - 40_000) < 6 * cell.margin
    assert len(read(ledger).entries) == 1


def test_more_rows_than_fit_are_refused_before_the_ledger_is_charged(file, ledger, monkeypatch):
    monkeypatch.setattr("analytics.workloads.crosstabs._LARGEST_SUM", 2**26)
    told = refusal(file, ledger=str(ledger))
    assert "respondents" in told
    assert "put fewer questions into one table" in told
    assert not ledger.exists()


def test_a_ledger_that_another_run_holds_is_refused(file, ledger):
    with held(ledger):
        assert "another run is using it" in refusal(file, ledger=str(ledger))


BAD_ROWS = {
    "town,mood,age\nNorth,Bad,20\nEast,Good,30\n": "line 3, column 'town': 'East'",
    "town,mood,age\nNorth,Bad,NaN\n": "line 2, column 'age': 'NaN'",
    "town,mood,age\nNorth,Bad,1e4000\n": "line 2, column 'age'",
    "town,mood,age\nNorth,Bad\n": "line 2",
    "town,mood\nNorth,Bad\n": "age",
    "town,mood,age\n": "row",
    "": "empty",
}


@pytest.mark.parametrize("content", BAD_ROWS)
def test_a_file_that_cannot_be_used_is_refused_by_its_line_and_costs_nothing(file, ledger, content):
    file.write_text(content)
    assert BAD_ROWS[content] in refusal(file, ledger=str(ledger))
    assert not ledger.exists()


def test_one_respondent_can_be_released_and_a_delta_that_shows_one_cannot(file, capsys, ledger):
    assert "give less than 1/200" in refusal(file, delta="0.005", ledger=str(ledger))
    assert not ledger.exists()
    file.write_text("town,mood,age\nNorth,Bad,20\n")
    assert json.loads(run(file, capsys))["tables"]


MANY = "|".join(map(str, range(10_000)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"epsilon": "0"}, "--epsilon"),
        ({"epsilon": "NaN"}, "--epsilon"),
        ({"epsilon": "1e400"}, "--epsilon"),
        ({"epsilon": None, "delta": None}, "Add --epsilon and --delta"),
        ({"delta": "2"}, "--delta"),
        ({"share": "0"}, "spend more than nothing"),
        ({"share": "1e400"}, "--share"),
        ({"share": "NaN"}, "--share"),
        ({"cuts": ["age=45,30"]}, "write the numbers from low to high"),
        ({"cuts": ["age=NaN"]}, "write numbers, such as 30"),
        ({"cuts": ["age"]}, "write a column, = and the value of the column"),
        ({"levels": ["town=North", "town=South"]}, "give the option once for each column"),
        (
            {"levels": [f"town={MANY}", "mood=Bad|Good"]},
            "must have 1 to 200 possible answers, so combine answers into groups",
        ),
        ({"levels": ["town=North|No answer", "mood=Bad|Good"]}, "empty cells are counted so"),
        ({"levels": ["town=North|North", "mood=Bad|Good"]}, "have the same text"),
        ({"levels": [], "cuts": [], "ask": []}, "Describe a column"),
        ({"levels": ["age=1|2", "mood=Bad|Good"]}, "give its levels, or the numbers to cut it at"),
        ({"ask": ["mood=median"]}, "give counts, cdf or ranges"),
        ({"ask": ["height=cdf"]}, "describe this column with --levels or --cuts"),
        ({"table": ["town,height"]}, "describe this column with --levels or --cuts"),
        ({"table": ["town,town"]}, "name each question of a table once"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_by_its_option_and_costs_nothing(
    file, ledger, change, said
):
    assert said in refusal(file, ledger=str(ledger), **change)
    assert not ledger.exists()


def test_six_columns_of_ten_million_cells_are_refused_with_what_would_fit(file):
    levels = [f"c{n}={'|'.join(map(str, range(9)))}" for n in range(5)]
    levels.append(f"c5={'|'.join(map(str, range(99)))}")
    table = ",".join(f"c{n}" for n in range(6))
    said = refusal(file, levels=levels, cuts=[], ask=[], table=[table])
    assert "10,000,000 numbers in one table" in said
    assert "A table of “c0”, “c1”, “c2”, “c3” would fit: it has 10,000 numbers" in said


def test_a_column_of_one_level_is_released(file, capsys):
    file.write_text("town\nNorth\nNorth\n")
    told = run(file, capsys, levels=["town=North"], cuts=[], ask=[], table=[])
    assert len(json.loads(told)["tables"][0]["cells"]) == 2


def test_a_budget_that_is_short_by_a_trillionth_refuses(file, ledger):
    promise = Promise(2.0, 1e-6, Adjacency.ADD_OR_REMOVE)
    limit, cost = promise.cost.mu_squared, asked(file).planned.cost.mu_squared
    spent = Cost(limit - cost + Decimal("1e-12"))
    write(ledger, promise.terms.with_entry(LedgerEntry.of("tables", file, spent)))
    before = read(ledger)
    assert "is left" in refusal(file, ledger=str(ledger))
    assert read(ledger) == before
