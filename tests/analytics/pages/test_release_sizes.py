"""The files of a release, which anybody may ask for, stay small however many tables it has."""

import json
from itertools import combinations

import numpy as np
import pytest

from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.planned import PlannedTables
from analytics.kinds.tables.released import release_tables
from analytics.pages.releases.exports import MOST_COVARIANCES, Download
from analytics.privacy.accounting import Adjacency, Budget
from analytics.privacy.mechanisms import SeededNoise


def download(questions: int, levels: int) -> Download:
    """All questions of so many levels, each by itself and in pairs; the pairs come first."""
    variables = (Variable(f"q{n}", tuple(map(str, range(levels)))) for n in range(questions))
    pairs, alone = combinations(range(questions), 2), combinations(range(questions), 1)
    asked = AskedTables(tuple(variables), (*pairs, *alone))
    terms = Budget(4.0, 1e-6, 100, Adjacency.ADD_OR_REMOVE)
    rng = np.random.default_rng(1)
    rows = rng.integers(0, levels, (100, questions))
    planned = PlannedTables.of(asked, terms.limit, terms.adjacency)
    return Download(release_tables(planned, rows, SeededNoise(rng), terms), {}, ())


@pytest.fixture(scope="module")
def large() -> Download:
    return download(18, 11)


def test_the_largest_document_is_some_megabytes(large):
    document = large.document()
    assert len(json.dumps(document, indent=1)) < 7.5e6
    assert len(document["tables"]) == 171
    given = [one["covariance"] for one in document["tables"] if one["covariance"] is not None]
    assert 0.8 * MOST_COVARIANCES < sum(len(one) ** 2 for one in given) <= MOST_COVARIANCES


def test_the_smallest_tables_have_theirs_in_every_file(large):
    tables = large.document()["tables"]
    has_its_own = {place for place, one in enumerate(tables, start=1) if one["covariance"]}
    assert has_its_own >= set(range(154, 172))  # each question by itself
    assert {row["table"] for row in large.covariances()} == has_its_own


def test_of_a_small_release_all_are_given():
    made = download(3, 4)
    tables = made.document()["tables"]
    assert [len(one["covariance"]) for one in tables] == [16] * 3 + [4] * 3
    assert {row["table"] for row in made.covariances()} == set(range(1, 7))
