"""Kuk's design: the respondent draws red and other cards and reports how many were red."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import ClassVar

import numpy as np

from ..checks import FloatArray, Probability, checked_positive_number, store_probabilities
from ..errors import DesignError
from .binary import SMALLEST_SLOPE
from .channel import Channel
from .design import Design

# More draws than anybody makes; the exact channel of as many takes a fraction of a second.
LARGEST_DRAWS = 100


@dataclass(frozen=True)
class Kuk(Design):
    """Draw ``draws`` cards with replacement from one of two decks and report the red ones.

    ``p_red_carrier`` and ``p_red_noncarrier``: share of red cards in the deck that carriers and
    all others use. The channel has draws + 1 rows and 2 columns. The score of r red cards is
    (r / draws - p_red_noncarrier) / (p_red_carrier - p_red_noncarrier), so the moment estimate
    uses the mean number of red cards; maximum likelihood uses all of the channel. Raises
    DesignError. Source: Kuk (1990), sections 2 and 3.
    """

    name: ClassVar[str] = "Kuk"
    p_red_carrier: Probability
    p_red_noncarrier: Probability
    draws: int = 1

    def __post_init__(self) -> None:
        store_probabilities(self, "p_red_carrier", "p_red_noncarrier")
        draws = checked_positive_number("draws", self.draws, DesignError)
        if draws > LARGEST_DRAWS:
            raise DesignError("draws", self.draws, f"no one draws more than {LARGEST_DRAWS} cards")
        object.__setattr__(self, "draws", draws)
        difference = self.p_red_carrier - self.p_red_noncarrier
        if abs(float(difference)) < SMALLEST_SLOPE:
            remedy = "two decks alike say nothing: use shares further apart, e.g. 0.7 and 0.2"
            raise DesignError("p_red_carrier - p_red_noncarrier", difference, remedy)

    @cached_property
    def channel(self) -> Channel:
        """Binomial columns, exact: a float share of red cards is the rational that it is."""
        decks = (_binomial(p, self.draws) for p in (self.p_red_noncarrier, self.p_red_carrier))
        return Channel.from_matrix(zip(*decks, strict=True))

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (2, draws + 1): linear in the number of red cards."""
        red = np.arange(self.draws + 1) / self.draws
        slope = float(self.p_red_carrier - self.p_red_noncarrier)
        yes = (red - float(self.p_red_noncarrier)) / slope
        return np.array([1 - yes, yes])


def _binomial(p: Probability, draws: int) -> list[Fraction]:
    """P(r red) for r = 0..draws."""
    red = Fraction(p)
    return [comb(draws, r) * red**r * (1 - red) ** (draws - r) for r in range(draws + 1)]
