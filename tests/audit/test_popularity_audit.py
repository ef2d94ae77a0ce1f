"""Orders of catalogues and of books: the default is never behind a peer by more than it may be.

Seeds are fixed, so that a run repeats; two standard errors of the difference are allowed.
"""

import numpy as np
import pytest

from benchmarks.popularity import ALIKE, CORRELATIONS, OURS, PEERS, expected_gains, simulated
from benchmarks.ranking import BOOKS, METHODS, SEEN, judged, read_histograms

MOST_BEHIND = 0.0005


@pytest.mark.audit
@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("alike", ALIKE)
def test_the_default_keeps_up_with_its_peers_however_popularity_tells(alike, correlation):
    orders = simulated(ALIKE[alike], correlation, 100, np.random.default_rng(21))
    for peer in PEERS:
        gaps, errors = orders.gains(peer)
        print(f"{alike}, {correlation}, less {peer}: {gaps} ({errors})")
        assert (gaps >= -MOST_BEHIND - 2 * errors).all(), peer


@pytest.mark.audit
@pytest.mark.parametrize("seen", SEEN)
def test_the_default_keeps_up_with_its_peers_on_books(seen):
    rng, histograms = np.random.default_rng(20), read_histograms(BOOKS)
    splits = np.array([list(judged(histograms, SEEN[seen], rng)) for _ in range(20)])
    names = list(METHODS)
    for peer in PEERS:
        gaps = splits[:, names.index(OURS)] - splits[:, names.index(peer)]
        errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
        print(f"{seen}, less {peer}: {gaps.mean(axis=0)} ({errors})")
        assert (gaps.mean(axis=0) >= -MOST_BEHIND - 2 * errors).all(), peer


@pytest.mark.audit
def test_books_rated_once_to_four_times_come_in_the_best_order_that_their_ratings_allow():
    gains = expected_gains(read_histograms(BOOKS))
    assert gains[OURS] >= gains["the best order"] - MOST_BEHIND
    assert gains[OURS] >= max(gains[peer] for peer in PEERS)
