"""Methods are written in one line, and read back the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.methods.registry import (
    AveragePrior,
    EmpiricalPrior,
    FixedPrior,
    MaximumLikelihoodPrior,
    Method,
    PopularityPrior,
    check_origin,
    joined,
    learned_prior,
    read_prior,
    read_utilities,
)
from ranking.posterior.errors import PriorError, UtilityError
from surveys.randomized_response.designs import KAry

FINITE = st.floats(-1e9, 1e9)


@given(st.lists(FINITE, min_size=2, max_size=11).filter(lambda some: max(some) - min(some) > 1e-6))
def test_utilities_survive_being_written(values):
    assert read_utilities(joined(tuple(values))) == tuple(values)


@given(
    st.one_of(
        st.just(EmpiricalPrior()),
        st.just(MaximumLikelihoodPrior()),
        st.just(PopularityPrior()),
        st.floats(0, 1e9).map(AveragePrior),
        st.lists(st.floats(0, 1e9), min_size=2, max_size=11).map(lambda g: FixedPrior(tuple(g))),
    )
)
def test_priors_survive_being_written(prior):
    assert read_prior(prior.code) == prior


def test_a_true_minus_sign_is_a_minus():
    assert read_utilities("−10, –5, 1") == (-10, -5, 1)


@pytest.mark.parametrize(
    "text",
    ["", "1", "1,1", "0,1e-7", "1,,2", "1,nan", "1,inf", "1,1e10", "1;2", "1,0x10", "1,2_0", "1,٣"],
)
def test_utilities_that_order_nothing_are_refused(text):
    with pytest.raises(UtilityError):
        read_utilities(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "average",
        "average:",
        "average:-1",
        "average:nan",
        "average:1,2",
        "fixed:",
        "fixed:1",
        "fixed:1,-1",
        "fixed:a,b",
        "empirical:3",
        "ml:1",
        "EMPIRICAL",
    ],
)
def test_priors_that_say_nothing_are_refused(text):
    with pytest.raises(PriorError):
        read_prior(text)


# Ten items rated ten times and ten rated a hundred times, which are far better.
TELLING = np.array([[6 + i % 3, 4] for i in range(10)] + [[20 + i, 80] for i in range(10)])


def test_the_default_follows_popularity_where_it_tells_and_never_where_it_was_made():
    u = np.array([0.0, 1.0])
    assert learned_prior(TELLING, u) == PopularityPrior()
    assert learned_prior(TELLING[:10], u) == EmpiricalPrior()
    assert learned_prior(TELLING, u, "adaptive") == EmpiricalPrior()
    assert learned_prior(TELLING, u, "imported") == EmpiricalPrior()


@pytest.mark.parametrize(
    ("origin", "words"),
    [("adaptive", "promising items were shown more often"), ("imported", "ratings were imported")],
)
def test_where_popularity_was_made_the_prior_by_it_is_refused_with_what_to_choose(origin, words):
    with pytest.raises(PriorError, match=f"{words}.*Choose “empirical”"):
        check_origin(PopularityPrior(), origin)
    check_origin(PopularityPrior(), "")
    check_origin(EmpiricalPrior(), origin)


def test_the_line_says_how_randomized_ratings_were_ordered():
    channel = KAry.from_epsilon(2, 1.0).channel
    assert "prior=empirical" in Method((0.0, 1.0)).code
    assert "prior=linear-bayes" in Method((0.0, 1.0), channel=channel).code
    assert "prior=gibbs" in Method((0.0, 1.0), channel=channel, hidden=True).code


def test_too_many_or_too_long_utilities_are_refused():
    for text in (",".join("123456789012"), "1," + "9" * 70):
        with pytest.raises(UtilityError):
            read_utilities(text)
