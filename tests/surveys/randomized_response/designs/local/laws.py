"""The exact law of a report, by feeding a sampler every stream of words that can occur."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np

Law = dict[Any, Fraction]
Draw = Callable[[int, Iterable[int]], tuple[str, int]]

# Five standard errors: a correct program fails one comparison in 1.7 million.
SIGMAS = 5


def exact_law(draw: Draw, level: int, radices: int, words: int) -> Law:
    """P(code) when every word is uniform on [0, radices), a multiple of every bound in use."""
    streams = product(range(radices), repeat=words)
    tally = Counter(draw(level, iter(stream))[0] for stream in streams)
    return {code: Fraction(times, radices**words) for code, times in tally.items()}


class EveryDraw(np.random.Generator):
    """A generator that gives person i the i-th of all combinations of draws, each once.

    With as many people as there are combinations, shares among them are exact probabilities.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))
        self.combinations = 1

    def integers(self, low, high=None, size=None, **_kwargs):
        people, *rest = (size,) if isinstance(size, int) else size
        columns = [self._column(low, high, people) for _ in range(rest[0] if rest else 1)]
        return np.stack(columns, axis=1) if rest else columns[0]

    def _column(self, low: int, high: int, people: int) -> np.ndarray:
        drawn = low + np.arange(people) // self.combinations % (high - low)
        self.combinations *= high - low
        return drawn


def law_over_every_draw(draw: Callable, level: object, combinations: int) -> Law:
    """P(report) when the draws of a vectorised sampler take all their combinations."""
    rng = EveryDraw()
    reports = draw(np.array([level] * combinations), rng)
    assert rng.combinations == combinations, "give as many people as there are combinations"
    tally = Counter(tuple(np.ravel(report).tolist()) for report in reports)
    return {report: Fraction(times, combinations) for report, times in tally.items()}


def exact_largest_ratio(laws: Sequence[Law]) -> Fraction:
    """The largest P(report | v) / P(report | u) over all reports and all pairs of options."""
    return max(one[code] / other[code] for one in laws for other in laws for code in one)


def expected_counts(law: Law, supports: Callable[[Any], Sequence[bool]]) -> list[Fraction]:
    """The expected support of every option by one report."""
    rows = [[p * int(bit) for bit in supports(code)] for code, p in law.items()]
    return [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]


def assert_drawn_from(codes: Sequence[str], law: Law) -> None:
    """Every code occurs as often as the law says, within five standard errors."""
    n, tally = len(codes), Counter(codes)
    assert tally.keys() <= law.keys()
    for code, chance in law.items():
        p = float(chance)
        assert abs(tally[code] - n * p) <= SIGMAS * sqrt(n * p * (1 - p)), code


def assert_means(
    samples: np.ndarray, expected: Sequence[float], variances: Sequence[float]
) -> None:
    """The column means are the expected ones, within five standard errors."""
    error = SIGMAS * np.sqrt(np.asarray(variances) / len(samples))
    assert (np.abs(samples.mean(axis=0) - np.asarray(expected)) <= error).all()


def assert_variances(samples: np.ndarray, expected: Sequence[float]) -> None:
    """The column variances are the expected ones, within five standard errors of theirs."""
    spread = (samples - samples.mean(axis=0)) ** 2
    error = SIGMAS * spread.std(axis=0) / sqrt(len(samples))
    assert (np.abs(spread.mean(axis=0) - np.asarray(expected)) <= error).all()
