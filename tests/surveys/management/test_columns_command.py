"""`manage.py columns` makes the columns of a download from a file of reports and its codebook."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.models import Survey
from surveys.randomized_response.files import parquet_columns
from tests import factories
from tests.conftest import ROOT
from tests.stored import store_rows
from tests.surveys.results.test_debiased_columns import MAKERS, answered

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
QUERIES = {"words": "", "codes": "&values=codes"}
YES_NO = [{"code": "00", "label": "No"}, {"code": "01", "label": "Yes"}]
VALUES = {"00": -0.5, "01": 1.5, "--": None}
QUESTION = {
    "column": "q001_rep",
    "protected": True,
    "levels": YES_NO,
    "not_asked": "--",
    "debiased": [
        {
            "column": "q001_yes",
            "label": "Debiased",
            "look_ups": [{"of": ["q001_rep"], "values": VALUES}],
        }
    ],
}
BOOK = {"columns": [QUESTION]}


def download(client, survey: Survey, tmp_path: Path, query: str) -> Path:
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]) + query)
    path = tmp_path / "responses.csv"
    path.write_bytes(b"".join(reply.streaming_content))
    return path


def codebook(client, survey: Survey, tmp_path: Path) -> Path:
    client.force_login(survey.owner)
    path = tmp_path / "codebook.json"
    path.write_bytes(client.get(reverse("surveys:codebook", args=[survey.pk])).content)
    return path


def made(path: Path, book: Path, **options: str) -> bytes:
    into = path.with_name("with-columns.csv")
    call_command("columns", str(path), codebook=str(book), into=str(into), **options)
    content = into.read_bytes()
    into.unlink()
    return content


def run(tmp_path: Path, table: str | bytes, book: object = BOOK, **options: str) -> str:
    """What is made of a small table; no file stays if there is a refusal."""
    path, book_path = tmp_path / "input.csv", tmp_path / "book.json"
    path.write_bytes(table if isinstance(table, bytes) else table.encode())
    book_path.write_text(book if isinstance(book, str) else json.dumps(book))
    try:
        return made(path, book_path, **options).decode()
    finally:
        assert not path.with_name("with-columns.csv").exists()


def refusal(tmp_path: Path, table: str | bytes, book: object = BOOK, **options: str) -> str:
    with pytest.raises(CommandError) as refused:
        run(tmp_path, table, book, **options)
    words = str(refused.value)
    assert "\n" not in words
    return words


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("cells", QUERIES)
def test_the_columns_are_those_of_the_download_to_the_byte(client, owner, tmp_path, maker, cells):
    """Of every kind and design, in words and codes; a file that has them stays as it is."""
    survey = answered(MAKERS[maker](owner), 60)
    book, query = codebook(client, survey, tmp_path), QUERIES[cells]
    full = download(client, survey, tmp_path, f"?{query}").read_bytes()
    alone = download(client, survey, tmp_path, f"?columns=reports{query}")
    assert alone.read_bytes() != full
    assert made(alone, book) == full
    alone.write_bytes(full)
    assert made(alone, book) == full


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("cells", QUERIES)
def test_the_columns_in_parquet_are_those_of_the_download(client, owner, tmp_path, maker, cells):
    survey = answered(MAKERS[maker](owner), 60)
    client.force_login(owner)
    book, query = codebook(client, survey, tmp_path), QUERIES[cells]
    files = []
    for asked in (f"?{query}", f"?columns=reports{query}"):
        reply = client.get(reverse("surveys:responses-parquet", args=[survey.pk]) + asked)
        files.append(b"".join(reply.streaming_content))
    expected = pq.read_table(io.BytesIO(files[0]))
    for content in files:
        path = tmp_path / "responses.parquet"
        path.write_bytes(content)
        found = pq.read_table(io.BytesIO(made(path, book)))
        assert found.equals(expected)
        assert found.schema.metadata == expected.schema.metadata


def test_a_cell_of_a_parquet_file_that_is_no_report_is_named_by_row_and_column(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(parquet_columns, "BLOCK", 2)
    table = pyarrow.table({"x": [1, 2, 3], "q001_rep": ["01", "--", "7"]})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    words = refusal(tmp_path, sink.getvalue())
    assert words.startswith("row 3, column 'q001_rep': '7' is no report of this question")


def test_without_the_library_of_parquet_the_csv_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "give the CSV" in refusal(tmp_path, b"PAR1")


def test_columns_of_earlier_versions_without_the_ending_are_found(tmp_path):
    assert run(tmp_path, "q001,x\n01,5\n--,6\n") == "q001,q001_yes,x\r\n01,1.5,5\r\n--,,6\r\n"


def test_words_and_codes_are_told_apart_by_themselves(tmp_path):
    words = "q001_rep\nYes\n(not asked)\n'No\n"
    assert run(tmp_path, words).splitlines()[1:] == ["Yes,1.5", "(not asked),", "'No,-0.5"]
    assert run(tmp_path, "q001_rep\n01\n00\n").splitlines()[1:] == ["01,1.5", "00,-0.5"]


def test_where_words_look_like_codes_of_other_answers_one_has_to_say_which_they_are(tmp_path):
    """An answer "00" whose code is 01 would be read as the other answer."""
    levels = [{"code": "00", "label": "01"}, {"code": "01", "label": "00"}]
    book = {"columns": [{**QUESTION, "levels": levels}]}
    assert "add --cells codes or --cells words" in refusal(tmp_path, "q001_rep\n00\n", book)
    assert run(tmp_path, "q001_rep\n00\n", book, cells="codes").endswith("00,-0.5\r\n")
    assert run(tmp_path, "q001_rep\n00\n", book, cells="words").endswith("00,1.5\r\n")


def test_other_columns_stay_as_they_are(tmp_path):
    table = 'weight,q001_rep,"a, b"\r\n1.5,01,"two\nlines"\r\n2,00,"=1+1"\r\n'
    lines = list(csv.reader(run(tmp_path, table).splitlines(keepends=True)))
    assert lines == [
        ["weight", "q001_rep", "q001_yes", "a, b"],
        ["1.5", "01", "1.5", "two\nlines"],
        ["2", "00", "-0.5", "=1+1"],
    ]


def test_a_cell_that_is_no_report_is_named_by_line_and_column(tmp_path):
    table = 'q001_rep,x\n01,"two\nlines"\n7,1\n'
    words = refusal(tmp_path, table)
    assert words.startswith("line 4, column 'q001_rep': '7' is no report of this question: '00'")
    assert "line 3, column 'q001': an empty cell" in refusal(tmp_path, "q001,x\n01,2\n,3\n")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("q001_rep\n01,2\n", "line 2: 2 cells under 1 names"),
        ("q001_rep,q001_rep\n01,01\n", "stands twice in the header"),
        ('q001_rep\n"01\n', "this is no CSV"),
        ("a;q001_rep\n1;01\n", "not separated by commas"),
        (b"q001_rep\n\xff\xfe01\n", "no UTF-8"),
        ("q001_rep\n01\n".encode("utf-16"), "no UTF-8"),
        (b"PAR1\x00\x01", "no Parquet file that can be read"),
        (b"PAR1" + bytes(range(256)) * 40 + b"PAR1", "no Parquet file that can be read"),
        (bytes(range(256)) * 20, ""),
        ("x\n1\n", "none of its columns of reports is in the file"),
    ],
)
def test_files_that_cannot_be_used_are_refused_in_one_line(tmp_path, table, words):
    assert words in refusal(tmp_path, table)


def changed(**fields: object) -> dict[str, object]:
    return {"columns": [{**QUESTION, **fields}]}


def looked_up(**fields: object) -> dict[str, object]:
    one = {"of": ["q001_rep"], "values": VALUES, **fields}
    return changed(debiased=[{"column": "q001_yes", "label": "", "look_ups": [one]}])


@pytest.mark.parametrize(
    ("book", "words"),
    [
        ("", "--codebook: the file is empty"),
        ("{", "no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ([], "this is no codebook"),
        ({"columns": 3}, "this is no codebook"),
        ({"columns": [3]}, "damaged"),
        ({"columns": ["protected"]}, "damaged"),
        ({"columns": []}, "no question of this survey is randomized"),
        ({"columns": [{"name": "q001", "protected": False}]}, "no question of this survey"),
        ({"columns": [{"name": "q001", "protected": True}]}, "download the codebook again"),
        (changed(debiased=5), "damaged"),
        (changed(debiased=QUESTION["debiased"] * 2), "damaged"),
        (changed(levels=None), "damaged"),
        (changed(not_asked=["--"]), "damaged"),
        (changed(levels=[{"code": None, "label": "No"}]), "damaged"),
        (changed(column=None), "damaged"),
        (looked_up(of=["q002_rep"]), "damaged"),
        (looked_up(of=[]), "damaged"),
        (looked_up(values={"00": 1, "--": None}), "damaged"),
        (looked_up(values={**VALUES, "01": "many"}), "damaged"),
        (looked_up(values={**VALUES, "01": "nan"}), "damaged"),
        (looked_up(values={**VALUES, "01": []}), "damaged"),
        (looked_up(values=[1, 2]), "damaged"),
    ],
)
def test_codebooks_that_cannot_be_used_are_refused_in_one_line(tmp_path, book, words):
    assert words in refusal(tmp_path, "q001_rep\n01\n", book)


def test_a_column_that_is_missing_is_named(client, owner, tmp_path):
    draft = factories.make_survey(owner)
    factories.add_one_of_each(draft)
    survey = factories.launched(draft)
    book = codebook(client, survey, tmp_path)
    path = tmp_path / "responses.csv"
    path.write_text("q001_rep,q002_rep,q004_rep,q006,q007\n00,00,00,00,00\n")
    with pytest.raises(CommandError, match="the file has no column q003_rep, q005_rep: give it"):
        made(path, book)


def test_a_codebook_of_another_survey_meets_cells_that_it_does_not_know(client, owner, tmp_path):
    draft = factories.make_survey(owner)
    factories.add_question(draft, *"abc", text="Which?", kind="choice", design="k_ary", epsilon=1)
    other = codebook(client, factories.launched(draft), tmp_path)
    path = tmp_path / "responses.csv"
    path.write_text("q001_rep\nNo\n")
    with pytest.raises(CommandError, match="line 2, column 'q001_rep': 'No' is no report"):
        made(path, other)


def test_an_existing_file_is_never_written_over(tmp_path):
    path, book, into = tmp_path / "in.csv", tmp_path / "book.json", tmp_path / "out.csv"
    path.write_text("q001_rep\n01\n")
    book.write_text(json.dumps(BOOK))
    into.write_text("mine")
    for target in (into, path):
        with pytest.raises(CommandError, match="exists already: name a new file"):
            call_command("columns", str(path), codebook=str(book), into=str(target))
    assert (into.read_text(), path.read_text()) == ("mine", "q001_rep\n01\n")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("file", "nowhere.csv", "'nowhere.csv' cannot be read: No such file or directory"),
        ("file", "a\0b", "cannot be read"),
        ("codebook", "nowhere.json", "--codebook: 'nowhere.json' cannot be read"),
        ("into", "nowhere/out.csv", "--into: 'nowhere/out.csv' cannot be written"),
        ("into", "a\0b", "--into: "),
        ("into", ".", "exists already"),
    ],
)
def test_paths_that_cannot_be_used_are_named(tmp_path, monkeypatch, option, value, words):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q001_rep\n01\n")
    Path("book.json").write_text(json.dumps(BOOK))
    options = {"file": "in.csv", "codebook": "book.json", "into": "out.csv", option: value}
    with pytest.raises(CommandError) as refused:
        call_command("columns", options.pop("file"), **options)
    assert words in str(refused.value)
    assert not Path("out.csv").exists()


def test_of_no_rows_the_header_has_the_columns(client, owner, tmp_path):
    draft = factories.make_survey(owner)
    factories.add_question(draft, required=True)
    survey = factories.launched(draft)
    alone = download(client, survey, tmp_path, "?columns=reports")
    assert made(alone, codebook(client, survey, tmp_path)) == b"q001_rep,q001_yes\r\n"
    client.force_login(owner)
    reply = client.get(reverse("surveys:responses-parquet", args=[survey.pk]))
    alone.write_bytes(b"".join(reply.streaming_content))
    table = pq.read_table(io.BytesIO(made(alone, tmp_path / "codebook.json")))
    assert (table.column_names, table.num_rows) == (["q001_rep", "q001_yes"], 0)
    store_rows(survey.revision, ["01"])
    alone = download(client, survey, tmp_path, "?columns=reports")
    assert made(alone, codebook(client, survey, tmp_path)).endswith(b"\r\nYes,1.5\r\n")


RUN = """
import sys
from pathlib import Path
from surveys.randomized_response.__main__ import main
assert main(["columns", *sys.argv[1:]]) == 0
status = Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0])
"""


def peak(tmp_path: Path, rows: int) -> int:
    """The largest memory, in KiB, of a process that makes the columns of so many rows."""
    path, book, into = tmp_path / f"{rows}.csv", tmp_path / "book.json", tmp_path / f"{rows}.out"
    with path.open("w") as file:
        file.write("q001_rep,serial\n")
        file.writelines(f"0{row % 2},{row}\n" for row in range(rows))
    book.write_text(json.dumps(BOOK))
    command = [sys.executable, "-c", RUN, str(path), "--codebook", str(book), "--into", str(into)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert f"{rows:,} rows; debiased columns: 1." in done.stdout
    assert into.read_bytes().count(b"\n") == rows + 1
    return int(done.stdout.split()[-1])


def test_memory_does_not_grow_with_rows(tmp_path):
    """The second file has 3 MB, and takes 60 MB as lists of texts."""
    small = peak(tmp_path, 1_000)
    assert peak(tmp_path, 300_000) - small < 4_000
