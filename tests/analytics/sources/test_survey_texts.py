"""The texts of a question, by this process and by others: the same ones, each once."""

import pickle
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from uuid import UUID

import pytest
from django.db import connection

from analytics.sources.executors import ExecutorError, open_partitions
from analytics.sources.partitions import ADDRESS
from analytics.sources.survey_texts import partitions_of_question, ranges_of_question
from analytics.text.bags import Bags
from analytics.topics.partitions import count_respondents, total_word_weights
from surveys.models import Comment, Revision, Survey
from tests.analytics.clusters import SETTINGS, Given, cluster, themed_texts
from tests.conftest import environment
from tests.factories import make_open_survey
from tests.stored import store_texts

# What changes something, however little, is refused: workers only read.
WRITES = {"query": "SELECT nextval('django_migrations_id_seq')::text", "parameters": ()}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
TEXTS = [*themed_texts(200), "", "ein Wort – noch eins", "😀 \u202eright to left"]


@pytest.fixture
def survey(owner) -> Survey:
    survey = make_open_survey(owner)
    write(survey.revision, 2, TEXTS)
    write(survey.revision, 3, ["not asked for"] * 7)
    write(make_open_survey(owner).revision, 2, ["of another survey"] * 7)
    return survey


def write(revision: Revision, question: int, texts: list[str]) -> None:
    store_texts(revision, question, texts)


def words_of(partitions) -> Counter[str]:
    with partitions:
        assert count_respondents(partitions) == len(TEXTS)
        return total_word_weights(partitions)


def expected() -> Counter[str]:
    return words_of(open_partitions([Given(tuple(TEXTS))]))


def test_every_comment_to_the_question_is_read_once_and_no_other(survey):
    assert words_of(partitions_of_question(survey.revision, 2, SETTINGS)) == expected()


def test_comments_are_in_the_order_of_their_keys(survey):
    def rows(bags: Bags) -> list[int]:
        return bags.counts.sum(axis=1).tolist()

    keys = Comment.objects.filter(revision=survey.revision, question=2).order_by("pk")
    lengths = [len(text.split()) for text in keys.values_list("text", flat=True)]
    with partitions_of_question(survey.revision, 2, SETTINGS) as partitions:
        (found,) = partitions.map(rows)
    plain = [(a, b) for a, b in zip(found, lengths, strict=True) if b == 6]
    assert len(plain) == 200
    assert all(a == b for a, b in plain)
    assert [place for place, b in enumerate(lengths) if not b] == [
        place for place, a in enumerate(found) if not a
    ]


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_ranges_of_keys_hold_every_key_once(survey, parts):
    bounds = [
        source.parameters[-2:] for source in ranges_of_question(survey.revision, 2, SETTINGS, parts)
    ]
    first, last = UUID(int=0), UUID(int=2**128 - 1)
    assert (as_key(bounds[0][0]), as_key(bounds[-1][1])) == (first, last)
    for (_, end), (start, _) in pairwise(bounds):
        assert as_key(end).int + 1 == as_key(start).int


def as_key(value: object) -> UUID:
    """PostgreSQL takes a key, SQLite its digits."""
    return value if isinstance(value, UUID) else UUID(str(value))


def test_a_part_carries_neither_a_text_nor_a_password(survey):
    sources = ranges_of_question(survey.revision, 2, SETTINGS, 7)
    carried = pickle.dumps(sources)
    assert b"word" not in carried.replace(b"most_words", b"").replace(b"stop_words", b"")
    assert b"postgres" not in carried


def test_without_an_address_a_worker_says_what_it_needs(survey, monkeypatch):
    monkeypatch.delenv(ADDRESS, raising=False)
    (source,) = ranges_of_question(survey.revision, 2, SETTINGS, 1)
    with pytest.raises(ExecutorError, match="address of the PostgreSQL database"):
        list(source.read())


def test_workers_read_ranges_of_keys_from_postgresql_and_are_refused_with_sqlite(
    survey, monkeypatch
):
    if connection.vendor == "sqlite":
        with pytest.raises(ExecutorError, match="with SQLite leave DENIABLE_DASK_SCHEDULER out"):
            partitions_of_question(survey.revision, 2, SETTINGS, "tcp://127.0.0.1:8786")
        return
    # What a worker's environment has when it starts, and nobody sends it.
    monkeypatch.setenv(ADDRESS, environment()[ADDRESS])
    with cluster(2) as two:
        monkeypatch.delenv(ADDRESS)
        address = two.scheduler_address
        writing = replace(next(iter(ranges_of_question(survey.revision, 2, SETTINGS, 1))), **WRITES)
        with (
            open_partitions([writing], address) as partitions,
            pytest.raises(ExecutorError, match="ReadOnlySqlTransaction"),
        ):
            count_respondents(partitions)
        sources = ranges_of_question(survey.revision, 2, SETTINGS, 7)
        assert words_of(open_partitions(sources, address)) == expected()
        assert words_of(partitions_of_question(survey.revision, 2, SETTINGS, address)) == expected()
