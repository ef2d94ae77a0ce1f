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
        "line 2: the name “Café” is already used in line 1. Choose another name"
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
        "line 2: count 2 must be a number of 0 or more, not “x”",
        "line 3: Give every item a name.",
        "line 4: count 1 must be a number of 0 or more, not “-1”",
        "line 5: there are 1 count(s), but a scale has at least 2 levels",
        "line 6: the name “C” is already used in line 5. Choose another name",
        "line 7: count 1 must be a number of 0 or more, not “nan”",
        "line 8: a count is too large. The largest possible count is 2^53",
        "line 9: “F�” contains the invisible character U+200B. Remove this character.",
        "line 11: “G�H” contains the invisible character U+000A. Remove this character.",
    ]


def test_rows_of_another_length_are_refused_by_their_line():
    assert refusal("A,1,2\nB,1,2,3\n") == [
        "line 2: there are 3 count(s) here, but 2 in line 1. Write equally many counts for all "
        "items"
    ]
    assert refusal("A," + ",".join(["1"] * 12)) == [
        "line 1: there are 12 counts, but a scale has at most 11 levels"
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The file contains no items."),
        ("name,1,2\n", "The file contains no items."),
        ('A,1,2\n"B,1,2', "line 2: the file is not valid CSV"),
        ("A,1,2\nB\x00,1,2", "line 2:"),
    ],
)
def test_a_file_without_items_or_that_is_no_csv_says_so(text, told):
    assert refusal(text)[0].startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"A": [1, 2],\n "B": }', "line 2: the file is not valid JSON"),
        ("3", 'write {"name": [counts], ...}'),
        (
            '{"A": [1, 2], "A": [1, 2]}',
            "entry 2: the name “A” is already used in entry 1. Choose another name",
        ),
        ('{"A": [1, true]}', "entry 1: count 2 must be a number of 0 or more, not “True”"),
        ('{"A": [1, NaN]}', "entry 1: count 2 must be a number of 0 or more, not “nan”"),
        ('{"A": {"x": 1}}', "entry 1: the counts are not a list of numbers"),
        (
            '[{"name": 3, "counts": [1, 2]}]',
            "entry 1: the name is not a text. Write the name in quotation marks",
        ),
        ('[["A", 1, 2]]', 'entry 1: write an object with "name" and "counts"'),
        ("[" * 100_000, "the JSON file cannot be read"),
    ],
)
def test_json_is_refused_by_its_entry(text, told):
    assert refusal(text, form="json")[0].startswith(told)


def test_text_that_is_not_utf8_is_refused_by_its_line():
    with pytest.raises(
        HistogramsUnreadable, match=r"line 2: the text is not in UTF-8\. Save the file as UTF-8"
    ):
        read_histograms("A,1,2\nÄ,1,2".encode("latin-1"), form="csv")


def test_many_problems_are_counted_and_the_first_told():
    lines = refusal("\n".join(f"{n},x,1" for n in range(1000)))
    assert len(lines) == MOST_PROBLEMS + 1
    assert lines[-1] == "and 980 more problems"


def test_starting_counts_are_whole_numbers_or_absent():
    found = csv_of("A\nB\n", counts=False, largest=10)
    assert (found.names, found.counts.shape) == (("A", "B"), (2, 0))
    assert refusal("A,1,2\nB,0.5,1\nC,11,1", counts=False, largest=10) == [
        "line 2: write how many ratings each level of the scale has: a whole number up to 10 for "
        "each level",
        "line 3: write how many ratings each level of the scale has: a whole number up to 10 for "
        "each level",
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
