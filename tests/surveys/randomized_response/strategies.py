"""What hypothesis draws: channels, designs and counts."""

from fractions import Fraction

from hypothesis import strategies as st

from tests.randomized_response.designs import (
    Channel,
    Design,
    ForcedResponse,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
    Warner,
)


@st.composite
def exact_channels(draw: st.DrawFn, *, largest: int = 10**6) -> Channel:
    """Rational channels of 2 to 5 true and reported levels, not always invertible."""
    reported, true = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    weight = st.integers(0, largest)
    column = st.lists(weight, min_size=reported, max_size=reported).filter(any)
    columns = [[Fraction(w, sum(c)) for w in c] for c in (draw(column) for _ in range(true))]
    return Channel.from_matrix(zip(*columns, strict=True))


@st.composite
def float_channels(draw: st.DrawFn) -> Channel:
    exact = draw(exact_channels())
    return Channel.from_matrix(exact.matrix.tolist())


@st.composite
def mixtures(draw: st.DrawFn) -> ForcedResponseOptions:
    weights = draw(st.lists(st.integers(0, 20), min_size=2, max_size=6))
    truth = draw(st.integers(1, 40))
    total = sum(weights) + truth
    return ForcedResponseOptions(tuple(Fraction(w, total) for w in weights))


fractions = st.fractions(min_value=0, max_value=1, max_denominator=1000)
warner_designs = fractions.filter(lambda p: p != Fraction(1, 2)).map(Warner)
forced_designs = (
    st.tuples(fractions, fractions)
    .filter(lambda pair: sum(pair) < 1)
    .map(lambda pair: ForcedResponse(*pair))
)
k_ary_designs = st.builds(KAry.from_epsilon, st.integers(2, 6), st.floats(0.05, 8))
two_coin_designs = st.builds(TwoCoins, st.integers(2, 6))


def binary_designs() -> st.SearchStrategy[Design]:
    return st.one_of(warner_designs, forced_designs)


def categorical_designs() -> st.SearchStrategy[Design]:
    return st.one_of(k_ary_designs, two_coin_designs, mixtures())


def counts_for(levels: int, largest: int = 1000) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, largest), min_size=levels, max_size=levels).filter(any)
