"""SubsetSelection: a report is a set of w options, more often one with the truth in it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_between, checked_options, store_probabilities
from ...errors import ReportError
from ...messages import sentence
from ..categorical import odds_within
from ..words import WordStream
from .bits import DrawnBits, IntegerBits, encode, pack
from .protocol import (
    Array,
    Support,
    SupportCounts,
    checked_draw,
    checked_levels,
    common_denominator,
    ratio,
)


@dataclass(frozen=True)
class IntegerSubset(IntegerBits):
    """What a browser draws: the truth is in the subset if u < ``truth_weight``.

    u is uniform on [0, ``denominator``), denominator <= 2^32; the other members are a uniformly
    random subset of the other options.
    """

    options: int
    subset_size: int
    truth_weight: int
    denominator: int

    def __post_init__(self) -> None:
        checked_draw(self.denominator, truth_weight=self.truth_weight)
        _ = self.protocol

    @property
    def protocol(self) -> "SubsetSelection":
        """The same probabilities as exact Fractions."""
        p_truth = Fraction(self.truth_weight, self.denominator)
        return SubsetSelection(self.options, self.subset_size, p_truth)

    @cached_property
    def support(self) -> Support:
        return self.protocol.support

    @property
    def largest_ratio(self) -> Fraction | None:
        return self.protocol.largest_ratio

    def code_from_words(self, true_level: int, words: Iterable[int]) -> tuple[str, int]:
        """(code, words used): the draw a browser makes, word for word.

        First u decides whether the truth is in. Then the other options, in ascending order, are
        shuffled from the front (Fisher and Yates) as far as members are missing: member i is
        swapped with the one at i + (a uniform number below what is left). Raises SamplingError.
        """
        (level,) = checked_levels([true_level], self.options)
        stream = WordStream(words)
        truth_in = stream.below(self.denominator) < self.truth_weight
        others = [option for option in range(self.options) if option != level]
        for i in range(self.subset_size - truth_in):
            j = i + stream.below(len(others) - i)
            others[i], others[j] = others[j], others[i]
        members = others[: self.subset_size - truth_in] + [int(level)] * truth_in
        ones = np.zeros((1, self.options), dtype=np.bool_)
        ones[0, members] = True
        return encode(pack(ones), self.options)[0], stream.used

    def _draw_block(self, levels: NDArray[np.int64], rng: np.random.Generator) -> Array:
        truth_in = rng.integers(0, self.denominator, size=len(levels)) < self.truth_weight
        order = np.argsort(_distinct_keys(len(levels), self.options, rng), axis=1)
        people = np.arange(len(levels))[:, None]
        shuffled = order[order != levels[:, None]].reshape(len(levels), self.options - 1)
        ones = np.zeros((len(levels), self.options), dtype=np.bool_)
        ones[people, shuffled[:, : self.subset_size - 1]] = True
        ones[people[:, 0], shuffled[:, self.subset_size - 1]] |= ~truth_in
        ones[people[:, 0], levels] = truth_in
        return pack(ones)


@dataclass(frozen=True)
class SubsetSelection(DrawnBits):
    """Report w of the k options: the truth is among them with probability ``p_truth``.

    p = w e^eps / (w e^eps + k - w); the other members are any of the other options, so another
    option is in with q = (p (w - 1) + (1 - p) w) / (k - 1), which is the published
    ((w - 1) w e^eps + (k - w) w) / ((k - 1)(w e^eps + k - w)). A subset with v has probability
    p / C(k-1, w-1) if v is true and (1 - p) / C(k-1, w) if an option outside is: their ratio is
    e^eps = p (k - w) / ((1 - p) w). Raises DesignError. Source: Ye and Barg (2018); Wang et al.
    (2016), "Mutual information optimally local private discrete distribution estimation".
    """

    name: ClassVar[str] = sentence("Subset selection")
    options: int = field()
    subset_size: int
    p_truth: Probability

    def __post_init__(self) -> None:
        options = checked_options(self.options)
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "subset_size", _checked_size(self.subset_size, options))
        store_probabilities(self, "p_truth")
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float, subset_size: int | None = None) -> Self:
        """With the given subset size, or the one with the smallest variance."""
        levels, odds = checked_options(options), odds_within(epsilon)
        size = _best_size(levels, odds) if subset_size is None else subset_size
        weight = _checked_size(size, levels) * odds
        return cls(levels, size, weight / (weight + levels - size))

    @cached_property
    def support(self) -> Support:
        k, w, p = self.options, self.subset_size, self.p_truth
        return Support(p, (p * (w - 1) + (1 - p) * w) / (k - 1))

    @property
    def supported(self) -> int | None:
        return self.subset_size

    @property
    def likelihood_ratio(self) -> Fraction | None:
        k, w, p = self.options, self.subset_size, Fraction(self.p_truth)
        return ratio(p * (k - w), (1 - p) * w)

    @cached_property
    def integer_form(self) -> IntegerSubset:
        """Integers a browser can draw from, never less private than this protocol.

        Exact if ``p_truth`` has a denominator of at most 2^32, else rounded towards w/k.
        """
        p = Fraction(self.p_truth)
        denominator = common_denominator(p)
        above = p > Fraction(self.subset_size, self.options)
        weight = math.floor(p * denominator) if above else math.ceil(p * denominator)
        return IntegerSubset(self.options, self.subset_size, weight, denominator)

    def aggregate(self, reports: Array) -> SupportCounts:
        counts = super().aggregate(reports)
        self._check_sizes(reports)
        return counts

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        ones = super().supports(reports)
        self._check_sizes(reports)
        return ones

    def _check_sizes(self, reports: Array) -> None:
        sizes = np.bitwise_count(reports).sum(axis=1)
        wrong = np.flatnonzero(sizes != self.subset_size)
        if len(wrong):
            remedy = f"a subset has exactly {self.subset_size} of the options"
            raise ReportError(f"reports[{wrong[0]}]", int(sizes[wrong[0]]), remedy)


def _best_size(options: int, odds: Fraction) -> int:
    """The size with the smallest mean variance, next to k / (e^eps + 1) on one side or the other.

    Ye and Barg (2018), theorem III.1 and the remark on rounding; the two are compared exactly.
    """
    ideal = options / (odds + 1)
    candidates = {min(max(1, size), options - 1) for size in (math.floor(ideal), math.ceil(ideal))}
    return min(sorted(candidates), key=lambda size: _mean_variance(options, size, odds))


def _mean_variance(options: int, size: int, odds: Fraction) -> Fraction:
    """n times the sum over the options of the variance given the true answers."""
    weight = size * odds
    support = SubsetSelection(options, size, weight / (weight + options - size)).support
    p, q = support.fractions
    return (p * (1 - p) + (options - 1) * q * (1 - q)) / (p - q) ** 2


def _checked_size(value: object, options: int) -> int:
    remedy = f"give a size from 1 to {options - 1}"
    return checked_between("subset_size", value, 1, options - 1, remedy)


def _distinct_keys(people: int, options: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Random 64-bit keys, drawn again for a person with a tie: their order is exactly uniform."""
    keys = rng.integers(0, 2**64, size=(people, options), dtype=np.uint64)
    while (tied := (np.diff(np.sort(keys, axis=1), axis=1) == 0).any(axis=1)).any():
        keys[tied] = rng.integers(0, 2**64, size=(int(tied.sum()), options), dtype=np.uint64)
    return keys
