"""Rankings as files: the same numbers in each, and Parquet where its library is."""

import importlib.util
import io
import json
import sys

import numpy as np
import pytest

from ranking.methods.registry import FixedPrior, Method
from ranking.methods.tables import rank_table
from ranking.pages.exports import MOST_PLAUSIBLE, Listing, json_text, parquet
from surveys.randomized_response.designs import KAry
from surveys.web.downloads import ParquetMissing

COUNTS = np.array([[1, 2, 9], [0, 0.5, 3], [8, 4, 1]])
NAMES = ("Algebra", "Čeština", "History")


def listing(counts=COUNTS, **options) -> Listing:
    method = Method((1.0, 2.0, 3.0), FixedPrior((1.0, 1.0, 1.0)), **options)
    table = rank_table(counts, method)
    return Listing(table, NAMES, table.ranking.order)


def test_rows_hold_what_the_table_says():
    found = listing()
    rows = list(found.rows())
    table, order = found.table, found.table.ranking.order
    assert [row["name"] for row in rows] == [NAMES[item] for item in order]
    assert [row["standard_deviation"] for row in rows] == (
        table.posterior.standard_deviations[order].tolist()
    )
    assert {row["method"] for row in rows} == {table.method.code}
    first = next(row for row in rows if row["name"] == "Čeština")
    assert (first["count_1"], first["count_2"], first["ratings"]) == (0, 0.5, 3.5)


def test_a_document_has_no_number_that_json_does_not_know():
    channel = KAry.from_epsilon(3, 2.0).channel
    found = listing(np.array([[5, 5, 50], [0, 0, 0], [30, 20, 10]]), channel=channel)
    document = json.loads(json_text(found.document(survey="Units")))
    unrated = next(item for item in document["items"] if item["name"] == "Čeština")
    assert unrated["corrected_mean"] is None
    assert document["survey"] == "Units"
    assert document["method"]["ghost_ratings"] is None


def test_plausible_ranks_are_left_out_of_long_files():
    counts = np.ones((MOST_PLAUSIBLE + 1, 3))
    table = rank_table(counts, Method((1.0, 2.0, 3.0), FixedPrior((1.0, 1.0, 1.0))))
    names = [str(item) for item in range(len(counts))]
    long, short = (Listing(table, names, np.arange(n)) for n in (len(counts), len(counts) - 1))
    assert {row["best_plausible_rank"] for row in long.rows()} == {None}
    assert None not in {row["best_plausible_rank"] for row in short.rows()}


def test_without_its_library_parquet_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ParquetMissing, match=r"pip install \"pyarrow>=17\""):
        parquet(listing())


def test_parquet_holds_the_rows_and_the_method_where_its_library_is():
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(ParquetMissing):
            parquet(listing())
        return
    from pyarrow import parquet as files

    table = files.read_table(io.BytesIO(parquet(listing())))
    assert table.to_pylist() == list(listing().rows())
    assert table.schema.metadata[b"method"].decode() == listing().table.method.words
