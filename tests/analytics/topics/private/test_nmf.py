"""The private report: what it finds, costs, refuses, and that partitions do not matter."""

import numpy as np
import pytest
from scipy import sparse

from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.privacy.quantisation import GRID
from analytics.text.bags import Bags
from analytics.text.vocabulary import public_vocabulary
from analytics.text.weighting import weigh_rows
from analytics.topics.checks import TopicsError
from analytics.topics.least_squares import solve
from analytics.topics.partitions import (
    LocalPartitions,
    count_topics,
    sum_outer_products,
    sum_refinement,
    total_co_occurrence,
)
from analytics.topics.private.nmf import (
    PrivateTopics,
    TopicsSettings,
    check_signal,
    find_private_topics,
)

THEMES, WORDS = 4, 20


def themed(respondents: int = 6000, seed: int = 1) -> Bags:
    """Respondents of four hidden themes, each with twenty words of its own; six words each."""
    rng = np.random.default_rng(seed)
    dense = np.zeros((respondents, THEMES * WORDS), dtype=np.int64)
    for row, theme in zip(dense, rng.integers(THEMES, size=respondents), strict=True):
        row[theme * WORDS + rng.choice(WORDS, 5, replace=False)] += 1
        row[rng.integers(THEMES * WORDS)] += 1
    names = tuple(f"t{theme}w{word:02}" for theme in range(THEMES) for word in range(WORDS))
    return Bags(names, sparse.csr_array(dense))


BAGS = themed()
COST = Budget(4, 1e-5, BAGS.respondents).limit


def noise(seed: int = 0) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


def report(
    parts: int = 1, settings: TopicsSettings | None = None, bags: Bags = BAGS
) -> PrivateTopics:
    chosen = settings or TopicsSettings(THEMES)
    return find_private_topics(LocalPartitions(bags.split(parts)), COST, noise(), chosen)


@pytest.mark.parametrize("refine", [False, True])
def test_hidden_themes_are_found(refine: bool) -> None:
    found = report(settings=TopicsSettings(THEMES, refine=refine))
    # Three directions beside the background tell four themes apart.
    assert found.topics in (THEMES - 1, THEMES)
    for top in found.top(5):
        assert len({word[:2] for word in top}) == 1


def test_the_bytes_do_not_depend_on_the_partitions() -> None:
    one, two, seven = (report(parts) for parts in (1, 2, 7))
    for other in (two, seven):
        assert one.loadings.tobytes() == other.loadings.tobytes()
        assert one.sizes.tobytes() == other.sizes.tobytes()
        assert one.co_occurrence is not None
        assert other.co_occurrence is not None
        assert one.co_occurrence.tobytes() == other.co_occurrence.tobytes()


def test_a_refined_report_does_not_depend_on_the_partitions_either() -> None:
    one, three = (report(parts, TopicsSettings(THEMES, refine=True)) for parts in (1, 3))
    assert one.loadings.tobytes() == three.loadings.tobytes()


@pytest.mark.parametrize("refine", [False, True])
def test_the_charge_is_the_cost_that_was_given_and_never_more(refine: bool) -> None:
    found = report(settings=TopicsSettings(THEMES, refine=refine))
    assert found.mu <= COST.mu
    assert found.mu >= 0.999 * COST.mu


def test_the_share_of_every_step_is_what_the_design_says() -> None:
    found = report()
    assert found.vocabulary.mu**2 == pytest.approx(0.20 * COST.mu**2, rel=1e-5)
    assert found.size_noise == pytest.approx(1 / (0.02**0.5 * COST.mu), rel=1e-3)
    assert found.spectrum is not None
    offdiagonal = 1 / (0.78**0.5 * COST.mu * 2**0.5)
    assert found.spectrum.offdiagonal_sd == pytest.approx(offdiagonal, rel=1e-4)


def test_sums_on_the_grid_are_those_of_single_respondents() -> None:
    vocabulary = public_vocabulary(BAGS.words)
    some = BAGS.rows(0, 50)
    singles = [some.rows(i, i + 1) for i in range(50)]
    total = total_co_occurrence(LocalPartitions(singles), vocabulary)
    assert (total == sum_outer_products(some, vocabulary)).all()


def test_no_respondent_moves_a_statistic_by_more_than_its_sensitivity() -> None:
    vocabulary = public_vocabulary(BAGS.words)
    topics = np.abs(np.random.default_rng(3).normal(size=(len(BAGS.words), 5)))
    topics /= np.linalg.norm(topics, axis=0)
    largest = np.zeros(3)
    for row in range(200):
        one = BAGS.rows(row, row + 1)
        squares, products = sum_refinement(one, vocabulary, topics, 0.1)
        moved = sum_outer_products(one, vocabulary), squares, products
        largest = np.maximum(largest, [np.linalg.norm(m) for m in moved])
    assert (largest <= GRID**2).all()
    # The bound is close to what happens where nothing is taken out as an outlier.
    assert (largest[:2] >= 0.9 * GRID**2).all()


def test_respondents_are_counted_under_the_topic_of_their_largest_exact_coefficient() -> None:
    rng = np.random.default_rng(4)
    vocabulary = public_vocabulary(BAGS.words)
    # Topics that share words, so that the largest product is not always the largest coefficient.
    topics = rng.random((len(BAGS.words), 8)) ** 4
    topics /= np.linalg.norm(topics, axis=0)
    wrong, by_product = 0, 0
    for row in range(300):
        one = BAGS.rows(row, row + 1)
        products = weigh_rows(one.counts) @ topics
        exact = solve(topics.T @ topics, products).argmax()
        wrong += count_topics(one, vocabulary, topics).argmax() != exact
        by_product += products.argmax() != exact
    assert wrong <= 0.05 * 300 < by_product


def test_sizes_count_respondents_and_their_intervals_hold_the_truth() -> None:
    found = report()
    assert found.sizes.sum() == pytest.approx(BAGS.respondents, abs=5 * 2 * found.size_noise)
    for low, high in found.size_intervals(5):
        assert 0 <= low <= high <= BAGS.respondents


def test_the_noise_of_a_loading_separates_words_of_a_topic_from_others() -> None:
    found = report()
    grey = found.within_noise()
    for k, top in enumerate(found.top(5)):
        places = [found.vocabulary.words.index(word) for word in top]
        assert not grey[places, k].any()
    assert grey.any()


def test_equal_texts_and_no_text_give_a_paid_report_without_topics() -> None:
    same = Bags(("a", "b"), sparse.csr_array(np.ones((5000, 2), dtype=np.int64)))
    empty = Bags((), sparse.csr_array((5000, 0), dtype=np.int64))
    for bags in (same, empty):
        found = report(bags=bags)
        assert (found.topics, found.sizes.size, found.diversity) == (0, 0, 0.0)
        assert 0 < found.mu <= COST.mu


def test_more_topics_than_the_noise_leaves_are_reduced() -> None:
    found = report(settings=TopicsSettings(40))
    assert found.asked == 40
    assert found.spectrum is not None
    assert found.topics <= found.spectrum.supported
    assert found.topics <= len(found.vocabulary.words) // 12


@pytest.mark.parametrize("topics", [0, -1, 51, 2.5, True, float("nan")])
def test_a_number_of_topics_that_cannot_be_is_refused(topics: int) -> None:
    with pytest.raises(ValueError, match="cannot be used"):
        TopicsSettings(topics)


@pytest.mark.parametrize(("respondents", "mu"), [(0, 1.0), (1, 900.0), (999, 0.5), (10, 0.0)])
def test_too_few_respondents_for_the_budget_are_refused_with_how_many_it_takes(
    respondents: int, mu: float
) -> None:
    with pytest.raises(TopicsError, match=r"respondents|spend"):
        check_signal(respondents, mu)
    check_signal(1000, 0.5)


def test_a_refusal_comes_before_any_noise_is_drawn() -> None:
    source = noise()
    with pytest.raises(TopicsError):
        find_private_topics(LocalPartitions([BAGS.rows(0, 20)]), COST, source)
    untouched = np.random.default_rng(0).random()
    assert source._rng.random() == untouched


def test_nothing_is_found_for_nothing() -> None:
    with pytest.raises(TopicsError, match="spend more"):
        find_private_topics(LocalPartitions([BAGS]), Cost(), noise())


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_vetted_noise_marks_a_report_as_fit_to_be_stored() -> None:
    found = find_private_topics(
        LocalPartitions([BAGS]), COST, VettedNoise(), TopicsSettings(THEMES)
    )
    assert found.is_private
    assert not report().is_private
