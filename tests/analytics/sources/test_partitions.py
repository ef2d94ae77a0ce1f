"""Files in parts: everybody is whole, in one part, and nobody is left out."""

import codecs
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from distributed import LocalCluster
from pyarrow import parquet

from analytics.kinds.settings import Unwatched
from analytics.sources import partitions as sources
from analytics.sources.files import FileError, FileSource, read_bags
from analytics.sources.partitions import csv_ranges, csv_rows, partitions_of_file
from analytics.text.bags import Bags, count_words
from analytics.topics.partitions import count_respondents, total_word_weights
from tests.analytics.clusters import SETTINGS, cluster, themed_texts

TEXTS = [*themed_texts(500), "", 'with "quotes",\nand a line break', "😀 ünïcode"]
# Everybody wrote several texts, anywhere in the file.
NAMES = [f"person {number * 7 % 100}" for number in range(len(TEXTS))]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PART", 60)


@pytest.fixture(scope="module")
def one() -> Iterator[LocalCluster]:
    """A process of its own; that several give the same bytes is shown in ``test_executors``."""
    with cluster(1) as running:
        yield running


@pytest.fixture(params=["answers.csv", "answers.parquet"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    write(path, NAMES, TEXTS)
    return path


def write(path: Path, names: list[str], texts: list[str]) -> None:
    if path.suffix == ".csv":
        write_csv(path, names, texts)
    else:
        table = pyarrow.table({"who": names, "said": texts})
        parquet.write_table(table, path, row_group_size=40)


def write_csv(path: Path, names: list[str], texts: list[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "said"])
        writer.writerows(zip(names, texts, strict=True))


def rows(bags: Bags) -> list[tuple[tuple[str, int], ...]]:
    """Every respondent's words and how often, in plain values."""
    found = []
    for row in range(bags.respondents):
        start, stop = bags.counts.indptr[row : row + 2]
        words = [bags.words[i] for i in bags.counts.indices[start:stop]]
        found.append(tuple(sorted(zip(words, bags.counts.data[start:stop].tolist(), strict=True))))
    return found


def respondents_of(
    path: Path, respondent: str | None, column: str = "said"
) -> tuple[Counter[object], int]:
    """What is known of each respondent, and in how many parts they were."""
    with partitions_of_file(path, column, SETTINGS, respondent=respondent) as partitions:
        parts = list(partitions.map(rows))
    return Counter(one for part in parts for one in part), len(parts)


def test_rows_of_one_respondent_are_pooled_wherever_they_are(file: Path) -> None:
    found, parts = respondents_of(file, "who")
    assert parts > 5
    assert found == Counter(rows(count_words(TEXTS, SETTINGS.tokenizer, NAMES)))
    assert found.total() == len(set(NAMES))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_name_with_blanks_around_it_is_the_same_person(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answers{suffix}"
    names = [" " * (number % 3) + name + " " * (number % 2) for number, name in enumerate(NAMES)]
    write(path, names, TEXTS)
    found, parts = respondents_of(path, "who")
    assert parts > 5
    assert found == Counter(rows(count_words(TEXTS, SETTINGS.tokenizer, NAMES)))


def test_the_number_0_is_a_name_and_none_is_not(tmp_path: Path) -> None:
    path = tmp_path / "answers.parquet"
    parquet.write_table(pyarrow.table({"who": [0, 0, 1], "said": TEXTS[:3]}), path)
    assert respondents_of(path, "who")[0].total() == 2
    parquet.write_table(pyarrow.table({"who": [0, None, 1], "said": TEXTS[:3]}), path)
    with pytest.raises(FileError, match="row 2: the respondent is ''"):
        respondents_of(path, "who")


def test_without_a_column_of_respondents_every_row_is_one(file: Path) -> None:
    found, parts = respondents_of(file, None)
    assert parts > 5
    assert found == Counter(rows(count_words(TEXTS, SETTINGS.tokenizer)))


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_each_part_of_a_csv_reads_its_own_bytes_alone(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "answers.csv"
    write_csv(path, NAMES, TEXTS)
    content = mark + path.read_bytes()
    path.write_bytes(content)
    ranges = csv_ranges(str(path), "said", SETTINGS)
    assert len(ranges) == 9
    assert ranges[-1].last == len(content)
    found: Counter[object] = Counter()
    for part in ranges:
        alone = content[part.first : part.last]
        path.write_bytes(b"\xff" * part.first + alone + b"\xff" * (len(content) - part.last))
        for bags in part.read():
            assert bags.respondents <= 60
            found.update(rows(bags))
    assert found == Counter(rows(count_words(TEXTS, SETTINGS.tokenizer)))


def test_a_row_that_is_damaged_in_a_part_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    write_csv(path, NAMES, TEXTS)
    second = csv_ranges(str(path), "said", SETTINGS)[1]
    content = bytearray(path.read_bytes())
    content[second.first : second.first + 4] = b'"a"b'
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"1 row of a part of the file .*\n  line 62: "):
        list(second.read())


def test_a_row_of_parquet_that_is_no_text_is_told_by_its_number_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.parquet"
    texts = [text.encode() for text in TEXTS]
    texts[74] = b"\xff"
    said = pyarrow.array(texts).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"who": NAMES, "said": said}), path, row_group_size=40)
    with pytest.raises(FileError, match=r"1 row of a part of the file .*\n  row 75: byte 0xff"):
        respondents_of(path, None)
    assert_refused_alike(path, "who")


def test_workers_read_a_file_themselves(file: Path, one: LocalCluster) -> None:
    with partitions_of_file(file, "said", SETTINGS, respondent="who") as here:
        expected = total_word_weights(here)
    with partitions_of_file(
        file, "said", SETTINGS, respondent="who", scheduler=one.scheduler_address
    ) as there:
        assert count_respondents(there) == len(set(NAMES))
        assert total_word_weights(there) == expected


def test_an_unknown_column_is_refused_in_the_words_of_reading_here(file: Path) -> None:
    assert_refused_alike(file, None, column="says")
    assert_refused_alike(file, "whom")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"who,said\nada,fine\n,nobody's\n", "line 3: the respondent is ''"),
        (b"who,said\nada,fine\n  ,nobody's\n", "line 3: the respondent is ''"),
        (b"who,said\n" + b"a" * 201 + b",fine\n", "line 2: .* give 1 to 200 letters"),
        (b"who,said\nada,\xff\n", "line 2: byte 0xff is no UTF-8: save the file as UTF-8"),
        (b'who,said\nada,"never ends\n', "line 2: this is no CSV: .* quote cells"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_by_its_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with (
        pytest.raises(FileError, match=told),
        partitions_of_file(path, "said", SETTINGS, respondent="who") as partitions,
    ):
        count_respondents(partitions)


@pytest.mark.parametrize("respondent", [None, "who"])
@pytest.mark.parametrize(
    "content",
    [
        b"who,said,where\nada,late, crowded buses,north\n",
        b"who,said\nada,trains\nbob\n",
        b"who,said,said\nada,trains,buses\n",
        b"who,said\nada,\xff\n",
        b'who,said\nada,"a"b\n',
        b"who,said\n" + b'ada,"a"b\n' * 12 + b"bob,\xff\n" * 12,
        "who,said\n".encode("utf-16"),
        b"",
        b"\n \n",
        b",\n",
    ],
)
def test_what_reading_here_refuses_is_refused_in_its_words(
    tmp_path: Path, content: bytes, respondent: str | None
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert_refused_alike(path, respondent)


def assert_refused_alike(path: Path, respondent: str | None, column: str = "said") -> None:
    with pytest.raises(FileError) as here:
        read_bags(FileSource(path, column, respondent), SETTINGS, Unwatched())
    with pytest.raises(FileError) as there:
        respondents_of(path, respondent, column)
    assert str(there.value) == str(here.value)


@pytest.mark.parametrize(
    "table",
    [
        {"who": [b"ada", b"ada "], "said": TEXTS[:2]},
        {"who": [1.5, 2.5], "said": TEXTS[:2]},
        {"who": ["ada", "bob"], "said": [1, 2]},
    ],
)
def test_columns_of_other_kinds_are_refused_in_the_words_of_reading_here(
    tmp_path: Path, table: dict[str, list[object]]
) -> None:
    path = tmp_path / "bad.parquet"
    parquet.write_table(pyarrow.table(table), path)
    assert_refused_alike(path, "who")


def test_a_parquet_file_that_is_cut_or_damaged_is_refused_in_the_words_of_reading_here(
    tmp_path: Path,
) -> None:
    path = tmp_path / "short.parquet"
    write(path, NAMES, TEXTS)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    damaged = content[:4] + b"\xff" * (footer - 4) + content[footer:]
    for remaining in (content[:3], content[:-100], content[:4] + content[-100:], damaged):
        path.write_bytes(remaining)
        assert_refused_alike(path, None)


@pytest.mark.parametrize("respondent", [None, "who"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("blanks.csv", b" who, said \nada,trains\n"),
        ("rows.csv", b"\n\nwho,said\n\nada,trains\n\n"),
        ("spaces.csv", b" \nwho,said\nada,trains\n"),
        ("long.csv", b"who,said\nada," + b"tram " * 40_000 + b"\n"),
        ("LOUD.CSV", b"who,said\nada,trains\n"),
    ],
)
def test_what_reading_here_takes_is_taken(
    tmp_path: Path, name: str, content: bytes, respondent: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    here = read_bags(FileSource(path, "said", respondent), SETTINGS, Unwatched())
    assert respondents_of(path, respondent) == (Counter(rows(here.bags)), 1)


def test_a_thread_that_is_done_leaves_long_cells_to_the_others(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    write_csv(path, ["ada", "bob"], ["trains", "tram " * 40_000])
    usual, others = csv.field_size_limit(), csv_rows(str(path), "said", "who")
    assert next(others)[0] == "ada"
    csv_ranges(str(path), "said", SETTINGS)
    assert next(others)[0] == "bob"
    assert next(others, None) is None
    assert csv.field_size_limit() == usual


def test_a_file_with_another_delimiter_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(b"who;said\nada;trains\n")
    for respondent in (None, "who"):
        with pytest.raises(FileError, match="--delimiter without --cluster"):
            respondents_of(path, respondent)


def test_the_only_column_may_have_a_semicolon_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(b"said; in short\ntrains\n")
    with partitions_of_file(path, "said; in short", SETTINGS) as partitions:
        assert count_respondents(partitions) == 1


def test_a_file_that_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            partitions_of_file(tmp_path / name, "said", SETTINGS)
