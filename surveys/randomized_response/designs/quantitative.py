"""Scrambled numbers z = S y + T: laws and moments of S and T, Eichhorn-Hayre, BarLev, Diana-Perri.

S and T are drawn by the respondent from known laws. With D = E(S) and m = E(T), r = (z - m)/D is
unbiased for y, and Var(r | y) = (A y^2 + B y + C)/D^2 with A = Var(S), B = 2 Cov(S, T), C = Var(T).
As E(r^2 | y) = y^2 + Var(r | y), the quadratic (A r^2 + B r + C)/(D^2 + A) is unbiased for that
variance. Putting r for y into the variance itself, as is commonly printed, overstates it on average
by the factor 1 + A/D^2.

These laws have unbounded or continuous noise: no finite epsilon follows from their moments, and
floating-point draws leak. They are for reports made with a respondent's own device; what a browser
draws is ``DiscretisedScrambling``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_number, checked_probability
from ..columns import checked_column, refuse_where
from ..errors import CountsError, DesignError
from ..labels import index_of
from .transform import TransformedReports

# A smaller mean factor would turn rounding errors into answers.
SMALLEST_MEAN_FACTOR = 1e-9
# Far beyond every unit of measurement, and small enough that no square leaves the range of a float.
LARGEST_NUMBER = 1e50


@dataclass(frozen=True)
class ScramblingLaw:
    """D = E(S), m = E(T), and Var(S), Cov(S, T), Var(T), None if a design does not know them."""

    mean_factor: float
    mean_shift: float
    second_moments: tuple[float, float, float] | None = None


class LinearScrambling(ABC):
    """A design whose report is z = S y + T. Parameters are in the units of the answer."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def law(self) -> ScramblingLaw:
        """Moments of the scrambling variables."""

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """r = (z - m)/D with unbiased variance estimates; ``reports`` z: numbers, shape (n,).

        The variances are None if the design does not know the second moments. Raises CountsError.
        """
        values = self._values(reports)
        law = self.law
        if law.second_moments is None:
            return TransformedReports(values, None, index_of(reports))
        denominator = law.mean_factor**2 + law.second_moments[0]
        return TransformedReports(values, self._quadratic(values) / denominator, index_of(reports))

    def transform_plugged_in(self, reports: ArrayLike) -> TransformedReports:
        """The same values with r put in for y, for comparison with packages that print this.

        Biased upward by the factor 1 + A/D^2. Raises CountsError, DesignError without the second
        moments.
        """
        values = self._values(reports)
        spread = self._quadratic(values) / self.law.mean_factor**2
        return TransformedReports(values, spread, index_of(reports))

    def _values(self, reports: ArrayLike) -> FloatArray:
        z = checked_column("reports", reports, CountsError)
        remedy = f"give numbers up to {LARGEST_NUMBER:g}: use larger units"
        refuse_where("reports", z, np.abs(z) > LARGEST_NUMBER, remedy, CountsError)
        return np.asarray((z - self.law.mean_shift) / self.law.mean_factor)

    def _quadratic(self, values: FloatArray) -> FloatArray:
        if self.law.second_moments is None:
            remedy = "give the standard deviations of the scrambling variables"
            raise DesignError("sigma_w, sigma_u", None, remedy)
        factor, both, shift = self.law.second_moments
        return np.asarray(factor * values**2 + 2 * both * values + shift)

    def _check(self, *, probability: str = "", numbers: str = "", spreads: str = "") -> None:
        """Check fields, named in words, and store floats; then that D is not 0."""
        for name in probability.split():
            object.__setattr__(self, name, float(checked_probability(name, getattr(self, name))))
        for name in numbers.split() + spreads.split():
            number = float(checked_number(name, getattr(self, name)))
            if abs(number) > LARGEST_NUMBER:
                remedy = f"give at most {LARGEST_NUMBER:g}: use larger units"
                raise DesignError(name, getattr(self, name), remedy)
            object.__setattr__(self, name, number)
        for name in spreads.split():
            if getattr(self, name) < 0:
                raise DesignError(name, getattr(self, name), "a standard deviation is 0 or more")
        mean = self.law.mean_factor
        if abs(mean) < SMALLEST_MEAN_FACTOR:
            remedy = "at a mean factor of 0 a report says nothing of the answer: use a larger one"
            raise DesignError("mean factor", mean, remedy)


@dataclass(frozen=True)
class EichhornHayre(LinearScrambling):
    """z = S y with E(S) = ``mu``, sd(S) = ``sigma``: D = mu, A = sigma^2.

    Raises DesignError. Source: Eichhorn and Hayre (1983).
    """

    name: ClassVar[str] = "Eichhorn-Hayre"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        self._check(numbers="mu", spreads="sigma")

    @property
    def law(self) -> ScramblingLaw:
        return ScramblingLaw(self.mu, 0.0, (self.sigma**2, 0.0, 0.0))


@dataclass(frozen=True)
class _SometimesScrambled(LinearScrambling):
    """The answer with probability ``p``; ``mu`` and ``sigma`` are of what else is reported."""

    p: float
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        self._check(probability="p", numbers="mu", spreads="sigma")


@dataclass(frozen=True)
class BarLev(_SometimesScrambled):
    """The answer with probability ``p``, otherwise S y with E(S) = ``mu``, sd(S) = ``sigma``.

    D = p + (1 - p) mu, A = p + (1 - p)(mu^2 + sigma^2) - D^2. Raises DesignError. Source: Bar-Lev,
    Bobovitch and Boukai (2004).
    """

    name: ClassVar[str] = "Bar-Lev"

    @property
    def law(self) -> ScramblingLaw:
        mean = self.p + (1 - self.p) * self.mu
        # Within the two branches, and between their means 1 and mu: no difference of large numbers.
        spread = (1 - self.p) * (self.sigma**2 + self.p * (self.mu - 1) ** 2)
        return ScramblingLaw(mean, 0.0, (spread, 0.0, 0.0))


@dataclass(frozen=True)
class Eriksson(_SometimesScrambled):
    """The answer with probability ``p``, otherwise a number from a deck that ignores it.

    ``mu`` and ``sigma``: mean and standard deviation of a number drawn from the deck. D = p,
    m = (1 - p) mu, A = p(1 - p), B = -2 p (1 - p) mu, C = (1 - p)(sigma^2 + p mu^2). Raises
    DesignError. Source: Eriksson (1973).
    """

    name: ClassVar[str] = "Eriksson"

    @property
    def law(self) -> ScramblingLaw:
        p, other = self.p, 1 - self.p
        both = -p * other * self.mu
        shift = other * (self.sigma**2 + p * self.mu**2)
        return ScramblingLaw(p, other * self.mu, (p * other, both, shift))


@dataclass(frozen=True)
class ChaudhuriChristofides(LinearScrambling):
    """z = S y + T, S and T from two independent decks.

    Means ``mu_factor``, ``mu_shift`` and standard deviations ``sigma_factor``, ``sigma_shift`` of
    a card: D = mu_factor, A = sigma_factor^2, B = 0, C = sigma_shift^2. Raises DesignError.
    Source: Chaudhuri and Christofides (2013), section 5.3.
    """

    name: ClassVar[str] = "Chaudhuri-Christofides"
    mu_factor: float
    mu_shift: float
    sigma_factor: float
    sigma_shift: float

    def __post_init__(self) -> None:
        self._check(numbers="mu_factor mu_shift", spreads="sigma_factor sigma_shift")

    @property
    def law(self) -> ScramblingLaw:
        second_moments = (self.sigma_factor**2, 0.0, self.sigma_shift**2)
        return ScramblingLaw(self.mu_factor, self.mu_shift, second_moments)


class _TwoVariables(LinearScrambling):
    """Designs with independent W and U, whose standard deviations may be unknown together.

    Their published estimators need only the means; the randomization variance needs all four.
    """

    mu_w: float
    mu_u: float
    sigma_w: float | None
    sigma_u: float | None

    def __post_init__(self) -> None:
        others = " ".join(name for name in ("p", "beta") if hasattr(self, name))
        known = [name for name in ("sigma_w", "sigma_u") if getattr(self, name) is not None]
        if len(known) == 1:
            raise DesignError(known[0], getattr(self, known[0]), "give both sigma_w and sigma_u")
        self._check(probability=others, numbers="mu_w mu_u", spreads=" ".join(known))


@dataclass(frozen=True)
class DianaPerri1(_TwoVariables):
    """The answer with probability ``p``, otherwise W (y + U).

    D = p + (1 - p) mu_w, m = (1 - p) mu_w mu_u. ``sigma_w`` and ``sigma_u`` are needed only for the
    randomization variance. Raises DesignError. Source: Diana and Perri (2010), first model.
    """

    name: ClassVar[str] = "Diana-Perri 1"
    p: float
    mu_w: float
    mu_u: float
    sigma_w: float | None = None
    sigma_u: float | None = None

    @property
    def law(self) -> ScramblingLaw:
        p, other = self.p, 1 - self.p
        scrambled = _scaled_sum(1.0, 1.0, self)
        mean = p + other * scrambled.mean_factor
        shift = other * scrambled.mean_shift
        if scrambled.second_moments is None:
            return ScramblingLaw(mean, shift)
        factor, both, shifts = scrambled.second_moments
        # Within the scrambled branch, and between (1, 0) and its mean (mu_w, mu_w mu_u).
        far = scrambled.mean_factor - 1, scrambled.mean_shift
        second_moments = (
            other * (factor + p * far[0] ** 2),
            other * (both + p * far[0] * far[1]),
            other * (shifts + p * far[1] ** 2),
        )
        return ScramblingLaw(mean, shift, second_moments)


@dataclass(frozen=True)
class DianaPerri2(_TwoVariables):
    """z = W (``beta`` U + (1 - ``beta``) y).

    D = (1 - beta) mu_w, m = beta mu_w mu_u. ``sigma_w`` and ``sigma_u`` are needed only for the
    randomization variance. Raises DesignError. Source: Diana and Perri (2010), second model.
    """

    name: ClassVar[str] = "Diana-Perri 2"
    beta: float
    mu_w: float
    mu_u: float
    sigma_w: float | None = None
    sigma_u: float | None = None

    @property
    def law(self) -> ScramblingLaw:
        return _scaled_sum(1 - self.beta, self.beta, self)


@dataclass(frozen=True)
class Saha(_TwoVariables):
    """z = W (y + U): D = mu_w, m = mu_w mu_u.

    ``sigma_w`` and ``sigma_u`` are needed only for the randomization variance. Raises DesignError.
    Source: Saha (2007).
    """

    name: ClassVar[str] = "Saha"
    mu_w: float
    mu_u: float
    sigma_w: float | None = None
    sigma_u: float | None = None

    @property
    def law(self) -> ScramblingLaw:
        return _scaled_sum(1.0, 1.0, self)


def _scaled_sum(factor: float, shift: float, design: _TwoVariables) -> ScramblingLaw:
    """Law of z = W (factor y + shift U): S = factor W, T = shift W U."""
    w, u = design.mu_w, design.mu_u
    if design.sigma_w is None or design.sigma_u is None:
        return ScramblingLaw(factor * w, shift * w * u)
    w_spread, u_spread = design.sigma_w**2, design.sigma_u**2
    product = w_spread * (u_spread + u**2) + w**2 * u_spread
    second_moments = (factor**2 * w_spread, factor * shift * w_spread * u, shift**2 * product)
    return ScramblingLaw(factor * w, shift * w * u, second_moments)


QUANTITATIVE_REGISTRY: dict[str, type[LinearScrambling]] = {
    "eichhorn_hayre": EichhornHayre,
    "bar_lev": BarLev,
    "eriksson": Eriksson,
    "chaudhuri_christofides": ChaudhuriChristofides,
    "diana_perri_1": DianaPerri1,
    "diana_perri_2": DianaPerri2,
    "saha": Saha,
}
