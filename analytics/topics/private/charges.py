"""Charged: what was released and the mu that it was charged; the total mu of several."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Charged:
    """One release, in plain words, and its add-or-remove ``mu`` (Gaussian differential privacy)."""

    step: str
    mu: float


def total_mu(charges: Iterable[Charged]) -> float:
    """The mu of all releases together: releases compose to sqrt(sum of mu^2)."""
    return math.sqrt(sum(charge.mu**2 for charge in charges))
