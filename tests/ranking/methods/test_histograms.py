"""Files of histograms: what is read, and what each line is refused for."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.methods.histograms import (
    MOST_PROBLEMS,
    HistogramsUnreadable,
    histogram_rows,
    read_histograms,
)
from surveys.web.downloads import table_csv


def csv_of(text: str, **options: object):
    return read_histograms(text.encode(), form="csv", **options)


def refusal(text: str, form: str = "csv", **options: object) -> list[str]:
    with pytest.raises(HistogramsUnreadable) as problem:
        read_histograms(text.encode(), form=form, **options)
    return problem.value.lines


@pytest.mark.parametrize(
    "text",
    [
        "name,1,2\nAlgebra,3,4\nČeština,0,5\n",
        "\ufeffAlgebra,3,4\r\nČeština,0,5\r\n",
        "unit;bad;good\n\nAlgebra;3;4\n\n Čes\u030ctina ; 0 ; 5",
        "name\tbad\tgood\nAlgebra\t3\t4.0\nČeština\t0\t5e0",
    ],
)
def test_csv_is_read_with_any_separator_header_byte_order_mark_and_composition(text):
    found = csv_of(text.replace("s\u030ct", "št"))
    assert found.names == ("Algebra", "Čeština")
    assert found.counts.tolist() == [[3, 4], [0, 5]]


def test_names_are_composed_so_that_two_spellings_of_one_name_are_one():
    composed, decomposed = "Cafe\u0301", "Caf\u00e9"
    assert refusal(f"{composed},1,2\n{decomposed},1,2") == [
        "line 2: “Café” stands in line 1 already"
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"A": [1, 2], "B": [0, 0.5]},
        [{"name": "A", "counts": [1, 2]}, {"counts": [0, 0.5], "name": "B"}],
    ],
)
def test_json_is_read_as_an_object_or_a_list(content):
    found = read_histograms(json.dumps(content).encode(), form="json")
    assert (found.names, found.counts.tolist()) == (("A", "B"), [[1, 2], [0, 0.5]])


def test_every_line_that_cannot_be_used_is_named():
    text = (
        'name,1,2\nA,1,x\n,1,2\nB,-1,2\nC,1\nC,1,2,3\nD,nan,1\nE,1e400,1\nF\u200b,1,2\n"G\nH",1,2'
    )
    assert refusal(text) == [
        "line 2: count 2 is “x”: write a number of 0 or more",
        "line 3: Give every item a name.",
        "line 4: count 1 is “-1”: write a number of 0 or more",
        "line 5: 1 count(s): a scale has at least 2 levels",
        "line 6: “C” stands in line 5 already",
        "line 7: count 1 is “nan”: write a number of 0 or more",
        "line 8: a count is too large: at most 2^53 can be told apart",
        "line 9: “F�” contains the invisible character U+200B: remove it.",
        "line 11: “G�H” contains the invisible character U+000A: remove it.",
    ]


def test_rows_of_another_length_are_refused_by_their_line():
    assert refusal("A,1,2\nB,1,2,3\n") == ["line 2: 3 count(s), but line 1 has 2"]
    assert refusal("A," + ",".join(["1"] * 12)) == [
        "line 1: 12 counts: a scale has at most 11 levels"
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There is no item in this file."),
        ("name,1,2\n", "There is no item in this file."),
        ('A,1,2\n"B,1,2', "line 2: this is no CSV"),
        ("A,1,2\nB\x00,1,2", "line 2:"),
    ],
)
def test_a_file_without_items_or_that_is_no_csv_says_so(text, told):
    assert refusal(text)[0].startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"A": [1, 2],\n "B": }', "line 2: this is no JSON"),
        ("3", 'write {"name": [counts], ...}'),
        ('{"A": [1, 2], "A": [1, 2]}', "entry 2: “A” stands in entry 1 already"),
        ('{"A": [1, true]}', "entry 1: count 2 is “True”"),
        ('{"A": [1, NaN]}', "entry 1: count 2 is “nan”"),
        ('{"A": {"x": 1}}', "entry 1: the counts are no list"),
        ('[{"name": 3, "counts": [1, 2]}]', "entry 1: the name is no text"),
        ('[["A", 1, 2]]', 'entry 1: write an object with "name" and "counts"'),
        ("[" * 100_000, "this is no JSON that can be read"),
    ],
)
def test_json_is_refused_by_its_entry(text, told):
    assert refusal(text, form="json")[0].startswith(told)


def test_text_that_is_not_utf8_is_refused_by_its_line():
    with pytest.raises(HistogramsUnreadable, match="line 2: this is not text in UTF-8"):
        read_histograms("A,1,2\nÄ,1,2".encode("latin-1"), form="csv")


def test_many_problems_are_counted_and_the_first_told():
    lines = refusal("\n".join(f"{n},x,1" for n in range(1000)))
    assert len(lines) == MOST_PROBLEMS + 1
    assert lines[-1] == "and 980 more problems"


def test_starting_counts_are_whole_numbers_or_absent():
    found = csv_of("A\nB\n", counts=False, largest=10)
    assert (found.names, found.counts.shape) == (("A", "B"), (2, 0))
    assert refusal("A,1,2\nB,0.5,1\nC,11,1", counts=False, largest=10) == [
        "line 2: write whole numbers of ratings, up to 10, for every level",
        "line 3: write whole numbers of ratings, up to 10, for every level",
    ]


def test_what_is_written_is_read_back():
    names, counts = ("A, with a comma", "name", "“quoted”"), np.array([[1.0, 2], [0, 7], [3, 3]])
    text = "".join(table_csv(histogram_rows(names, counts, ("bad", "good"))))
    found = csv_of(text)
    assert (found.names, found.counts.tolist()) == (names, counts.tolist())


@pytest.mark.parametrize("origin", ["", "adaptive", "imported"])
def test_a_file_says_where_its_numbers_of_ratings_come_from(origin):
    rows = histogram_rows(("A", "B"), np.array([[1.0, 2], [3, 4]]), ("bad", "good"), origin)
    found = csv_of("".join(table_csv(rows)))
    assert (found.origin, found.names, found.levels) == (origin, ("A", "B"), ("1 bad", "2 good"))


@given(st.binary(max_size=200), st.sampled_from(["csv", "json"]))
def test_no_bytes_at_all_do_anything_but_be_read_or_refused(content, form):
    with contextlib.suppress(HistogramsUnreadable):
        found = read_histograms(content, form=form)
        assert len(set(found.names)) == len(found.names) == len(found.counts)
        assert np.isfinite(found.counts).all()
        assert (found.counts >= 0).all()
