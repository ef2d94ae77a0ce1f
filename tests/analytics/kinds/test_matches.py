"""Topics of two reports matched by their words, against enumeration of all pairings."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from analytics.kinds.documents import Topic, Word
from analytics.kinds.matches import LEAST_COSINE, Match, match_topics, mixture_distance
from tests.analytics.examples import GARDEN, TRAIN, a_report


def topic(**loadings: float) -> Topic:
    return Topic(tuple(Word(word, loading) for word, loading in loadings.items()))


def report(*topics: Topic):
    return a_report(topics=topics) if not topics else a_report(*topics)


def test_the_same_topics_in_another_order_are_found_with_cosine_one():
    one, two = topic(a=0.8, b=0.6), topic(c=0.6, d=0.8)
    found = match_topics(report(one, two), report(two, one))
    assert {(pair.first, pair.second) for pair in found} == {(0, 1), (1, 0)}
    assert all(pair.cosine == pytest.approx(1) for pair in found)


def test_the_cosine_is_that_of_the_vectors_and_words_of_one_side_count_against():
    found = match_topics(report(topic(a=3, b=4)), report(topic(a=3, c=4)))
    assert found == (Match(0, 0, pytest.approx(9 / 25), ("a",)),)


def test_words_within_the_noise_do_not_make_topics_alike():
    noisy = Topic((Word("a", 0.9), Word("b", 0.1, 0.3, True)))
    found = match_topics(report(noisy), report(topic(b=1.0)))
    assert found == (Match(0, None), Match(None, 0))


def test_pairs_are_the_best_of_all_pairings():
    rng = np.random.default_rng(5)
    for _ in range(20):
        tables = rng.random((2, 4, 6))
        first, second = (
            [topic(**dict(zip("abcdef", row.tolist(), strict=True))) for row in table]
            for table in tables
        )
        units = [table / np.linalg.norm(table, axis=1, keepdims=True) for table in tables]
        cosines = units[0] @ units[1].T
        best = max(
            sum(cosines[i, j] for i, j in enumerate(order))
            for order in itertools.permutations(range(4))
        )
        found = match_topics(report(*first), report(*second))
        assert math.fsum(pair.cosine for pair in found) == pytest.approx(best)


def test_every_topic_is_told_once_and_those_without_a_counterpart_too():
    first = report(topic(a=1.0), topic(b=1.0), topic(x=1.0))
    second = report(topic(b=1.0, c=0.1))
    found = match_topics(first, second)
    assert sorted(pair.first for pair in found if pair.first is not None) == [0, 1, 2]
    assert [(pair.first, pair.second) for pair in found if pair.cosine] == [(1, 0)]


def test_topics_that_hardly_share_a_word_are_not_called_counterparts():
    first, second = topic(a=1.0), topic(a=0.05, b=1.0)
    assert match_topics(report(first), report(second)) == (Match(0, None), Match(None, 0))
    assert LEAST_COSINE == 0.1


def test_reports_without_topics_or_clear_words_have_no_pairs():
    assert match_topics(report(), report()) == ()
    assert match_topics(report(), report(topic(a=1.0))) == (Match(None, 0),)
    assert match_topics(report(Topic(())), report(Topic(()))) == (Match(0, None), Match(None, 0))


def test_mixtures_of_the_same_topics_are_0_apart_and_of_no_common_word_1_41():
    same = mixture_distance(a_report(GARDEN, TRAIN), a_report(TRAIN, GARDEN))
    assert same.value == pytest.approx(0, abs=1e-6)
    apart = mixture_distance(a_report(GARDEN), a_report(TRAIN))
    assert apart.value == pytest.approx(2**0.5)
    assert apart.costs == ((pytest.approx(2**0.5),),)


def test_a_move_between_topics_costs_as_many_respondents_as_must_move():
    many = a_report(replace(GARDEN, size=750.0), replace(TRAIN, size=250.0))
    few = a_report(replace(GARDEN, size=500.0), replace(TRAIN, size=500.0))
    assert mixture_distance(many, few).value == pytest.approx(0.25 * 2**0.5)


def test_topics_weigh_the_same_where_sizes_are_unknown_and_nothing_has_no_distance():
    unknown = a_report(replace(GARDEN, size=None), replace(TRAIN, size=None))
    found = mixture_distance(unknown, a_report(GARDEN, TRAIN))
    assert (found.has_sizes, found.value) == (False, pytest.approx(0, abs=1e-6))
    assert mixture_distance(replace(unknown, topics=()), unknown) is None
