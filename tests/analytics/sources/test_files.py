"""Texts from files: every bad row is told by its line, and nothing is made of a file with one."""

import builtins
import csv
import json
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from analytics.kinds.settings import Settings, Stopped, Unwatched
from analytics.sources.files import FileError, FileSource, FileTexts, NoParquetLibrary, read_bags

SETTINGS = Settings(stems=False)


def read(
    path: Path, column: str = "text", settings: Settings = SETTINGS, **names: Any
) -> FileTexts:
    return read_bags(FileSource(path, column, **names), settings, Unwatched())


def written(tmp_path: Path, content: str | bytes, name: str = "answers.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def counted(found: FileTexts) -> list[dict[str, int]]:
    """Words of every respondent, as plain counts."""
    table = found.bags.counts.toarray()
    words = found.bags.words
    return [{words[w]: int(row[w]) for w in np.flatnonzero(row)} for row in table]


EXPECTED = [{"rent": 2, "landlord": 1}, {"bus": 1}, {}]
ROWS = [("a", "rent rent landlord"), ("b", "bus"), ("c", "")]


def as_format(tmp_path: Path, suffix: str, rows: list[tuple[str, Any]]) -> Path:
    path = tmp_path / f"answers{suffix}"
    if suffix == ".csv":
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows([("who", "text"), *rows])
    elif suffix == ".jsonl":
        lines = (json.dumps({"who": who, "text": text}) for who, text in rows)
        path.write_text("\n".join(lines) + "\n")
    else:
        parquet.write_table(
            pyarrow.table({"who": [r[0] for r in rows], "text": [r[1] for r in rows]}), path
        )
    return path


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_all_formats_give_the_same_words(tmp_path: Path, suffix: str) -> None:
    found = read(as_format(tmp_path, suffix, ROWS))
    assert counted(found) == EXPECTED
    assert (found.texts, found.bags.respondents) == (3, 3)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_texts_of_one_respondent_are_pooled(tmp_path: Path, suffix: str) -> None:
    path = as_format(tmp_path, suffix, [("b", "bus"), ("a", "rent"), (" b ", "rent bus")])
    found = read(path, respondent="who")
    assert counted(found) == [{"bus": 2, "rent": 1}, {"rent": 1}]
    assert found.keys == ("b", "a")
    assert found.texts == 3


def test_without_a_respondent_column_every_row_is_one_and_is_called_by_its_line(
    tmp_path: Path,
) -> None:
    assert read(as_format(tmp_path, ".csv", ROWS)).keys == ("line 2", "line 3", "line 4")
    assert "one row of the file" in FileSource(Path("a.csv"), "text").unit


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_under_which_the_header_names_the_column(
    tmp_path: Path, delimiter: str
) -> None:
    path = written(tmp_path, f"who{delimiter}text\r\n1{delimiter}bus\r\n")
    assert counted(read(path)) == [{"bus": 1}]
    assert counted(read(path, delimiter=delimiter)) == [{"bus": 1}]


def test_a_byte_order_mark_blank_lines_and_quoted_line_ends_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeff\r\n"text",who\r\n"bus\r\nrent",1\r\n\r\nflat,2\r\n')
    found = read(path)
    assert counted(found) == [{"bus": 1, "rent": 1}, {"flat": 1}]
    assert found.keys == ("line 3", "line 6")


def test_a_byte_order_mark_before_json_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeff{"text": "bus"}\n\n{"text": null}', "a.jsonl")
    assert counted(read(path)) == [{"bus": 1}, {}]


def test_unicode_is_read_as_people_see_it(tmp_path: Path) -> None:
    texts = [
        "Straße STRASSE",
        "שלום עולם",
        "🙂🙂",
        "bu\u00ads bus",
        "ｂｕｓ",
        "bus\u200b",
        "a\x00\x07bus",
    ]
    found = read(as_format(tmp_path, ".jsonl", [("x", t) for t in texts]))
    assert counted(found)[:3] == [{"strasse": 2}, {"שלום": 1, "עולם": 1}, {"🙂": 2}]
    assert [row.get("bus") for row in counted(found)[3:6]] == [2, 1, 1]


BAD_CSV = {
    "a cell too many": (b"text\nbus\nrent,flat\n", "line 3: 2 cells under 1 names"),
    "a cell too few": (b"who,text\n1,bus\n2\n", "line 3: 1 cells under 2 names"),
    "bytes that are no UTF-8": (b"text\nbus\nM\xfcnchen\n", "line 3: byte 0xfc is no UTF-8"),
    "letters after a quoted cell": (b'text\n"bus"s\nrent\n', "line 2: this is no CSV"),
    "a quotation mark that never ends": (b'text\nbus\n"rent\nflat\n', "line 3: this is no CSV"),
    "an empty file": (b"", "empty"),
    "blank lines alone": (b"\n \n", "empty"),
    "a header alone": (b"text\n", "no rows"),
    "UTF-16": ("text\nbus\n".encode("utf-16"), "UTF-16: save the file as UTF-8"),
    "a column that stands twice": (b"text,text\na,b\n", "twice"),
    "another name": (b"Texte\nbus\n", "did you mean 'Texte'"),
    "no such name": (b"a,b\n1,2\n", "there are a, b"),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_a_bad_csv_is_told_by_its_line(tmp_path: Path, case: str) -> None:
    content, told = BAD_CSV[case]
    with pytest.raises(FileError) as caught:
        read(written(tmp_path, content))
    assert told in str(caught.value)


BAD_JSON = {
    "no JSON": (b'{"text": "bus"}\n{"text": bus}\n', "line 2: this is no JSON"),
    "no object": (b'["bus"]\n', "line 1: write one object a line"),
    "no such name": (b'{"texts": "bus"}\n', "line 1: there is no 'text'"),
    "a number for a text": (b'{"text": 3}\n', "line 1: 'text' is no text"),
    "half a character": (b'{"text": "\\ud83d bus"}\n', "line 1: half a character"),
    "bytes that are no UTF-8": (b'{"text": "\xff"}\n', "line 1: byte 0xff"),
    "nesting without end": (b"[" * 100_000 + b"\n", "line 1: this is no JSON"),
    "a number of many digits": (b'{"text": ' + b"9" * 5000 + b"}\n", "line 1: this is no JSON"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_bad_json_is_told_by_its_line(tmp_path: Path, case: str) -> None:
    content, told = BAD_JSON[case]
    with pytest.raises(FileError) as caught:
        read(written(tmp_path, content, "a.jsonl"))
    assert told in str(caught.value)


@pytest.mark.parametrize("who", ["null", '""', '"  "', "true", "1.5", "[1]", '"\\ud800"'])
def test_a_respondent_without_a_name_is_a_bad_row(tmp_path: Path, who: str) -> None:
    path = written(tmp_path, f'{{"text": "bus", "who": {who}}}\n', "a.jsonl")
    with pytest.raises(FileError, match="line 1"):
        read(path, respondent="who")


def test_every_bad_row_is_told_up_to_twenty_and_the_rest_is_counted(tmp_path: Path) -> None:
    lines = ["a,text", *(["1,bus"] * 5), *(["rent"] * 25)]
    with pytest.raises(FileError) as caught:
        read(written(tmp_path, "\n".join(lines)))
    told = str(caught.value).splitlines()
    assert told[0].startswith("25 rows of the file cannot be used")
    assert [line.split(":")[0].strip() for line in told[1:21]] == [
        f"line {n}" for n in range(7, 27)
    ]
    assert told[21].strip() == "and 5 more"


@pytest.mark.parametrize("name", ["answers.txt", "answers", "answers.xlsx", "answers.json"])
def test_other_kinds_of_files_are_refused_with_those_that_are_read(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(FileError, match=r"\.csv, \.jsonl, \.parquet"):
        read(written(tmp_path, "text\nbus\n", name))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_file_that_is_not_there_or_is_a_folder_is_told(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"folder{suffix}").mkdir()
    for name in ("missing", "folder"):
        with pytest.raises(FileError, match="cannot be read"):
            read(tmp_path / f"{name}{suffix}")


def test_what_only_calls_itself_parquet_is_told(tmp_path: Path) -> None:
    for content in (b"", b"PAR1", b"text\nbus\n", b"PAR1" + b"\0" * 64 + b"PAR1"):
        with pytest.raises(FileError, match="Parquet"):
            read(written(tmp_path, content, "a.parquet"))


def test_a_parquet_column_of_numbers_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": [1, 2], "who": [1.5, 2.5]}), path)
    with pytest.raises(FileError, match="int64"):
        read(path)
    parquet.write_table(pyarrow.table({"text": ["bus", None], "who": [1.5, 2.5]}), path)
    with pytest.raises(FileError, match="double"):
        read(path, respondent="who")


def test_parquet_dictionaries_nulls_and_numbered_respondents_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = pyarrow.array(["bus", None, "rent"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": texts, "who": [7, 7, 8]}), path)
    found = read(path, respondent="who")
    assert counted(found) == [{"bus": 1}, {"rent": 1}]
    assert found.keys == ("7", "8")


def test_parquet_texts_that_are_no_utf8_are_told_by_their_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    bad = pyarrow.array([b"bus", b"\xff\xfe"]).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": bad}), path)
    with pytest.raises(FileError, match="row 2: byte 0xff"):
        read(path)


def test_without_pyarrow_the_refusal_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args)

    path = as_format(tmp_path, ".parquet", ROWS)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NoParquetLibrary, match=r"pip install \"pyarrow>=17\""):
        read(path)


def test_one_respondent_with_a_million_words_is_one_cell(tmp_path: Path) -> None:
    path = written(tmp_path, "text\n" + "bus rent " * 500_000 + "\n")
    before = csv.field_size_limit()
    assert counted(read(path)) == [{"bus": 500_000, "rent": 500_000}]
    assert csv.field_size_limit() == before


@pytest.mark.audit
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_large_file_is_read_as_a_stream(tmp_path: Path, suffix: str) -> None:
    path = as_format(tmp_path, suffix, [("a", "bus" + " " * 300)] * 250_000)
    assert path.stat().st_size > 75e6
    tracemalloc.start()
    found = read(path, respondent="who")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted(found) == [{"bus": 250_000}]
    assert peak < 0.6 * path.stat().st_size


class Recorder:
    def __init__(self, stop_after: int = 10**9) -> None:
        self.told: list[float] = []
        self.stop_after = stop_after

    def reach(self, stage: str, fraction: float) -> None:
        assert stage == "Reading answers"
        self.told.append(fraction)
        if len(self.told) > self.stop_after:
            raise Stopped


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_reading_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path, suffix: str) -> None:
    path = as_format(tmp_path, suffix, [("a", "bus")] * 45_000)
    watch = Recorder()
    read_bags(FileSource(path, "text"), SETTINGS, watch)
    assert watch.told == sorted(watch.told)
    assert watch.told[-1] == 1.0
    assert len(watch.told) >= 5
    with pytest.raises(Stopped):
        read_bags(FileSource(path, "text"), SETTINGS, Recorder(stop_after=2))


def test_the_refusal_without_pyarrow_comes_back_from_another_process() -> None:
    again = pickle.loads(pickle.dumps(NoParquetLibrary()))
    assert (type(again), str(again)) == (NoParquetLibrary, str(NoParquetLibrary()))
