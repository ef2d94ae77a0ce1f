"""Release, PureRelease: integer sums plus discrete Gaussian or Laplace noise, drawn here alone.

Statistics are exact integer sums (``quantisation``). Noise is drawn once, after the sum, by the
discrete Gaussian of OpenDP: exact arithmetic on the integers, seeded by the operating system's
cryptographic generator; floating-point noise leaks (Mironov 2012). What a release costs is the
charge of ``lattice``. Sensitivities are derived in docs/privacy-proofs.md.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import opendp.prelude as dp
import scipy

from analytics.privacy.checks import (
    LARGEST,
    FloatArray,
    IntArray,
    checked_integers,
    checked_positive,
)
from analytics.privacy.errors import NoiseError
from analytics.privacy.lattice import (
    NARROWEST,
    charged_mu,
    checked_lattice_sd,
    lattice_sd_for,
    step,
)
from analytics.privacy.records import Arrays, Drawing, released

dp.enable_features("contrib")

# Sums and noise of this size leave room for each other in 64 bits.
_LARGEST_SUM = 2**61
# Lists of Python integers are what OpenDP takes: a block of them is some megabytes.
_BLOCK = 2**16


class Noise(Protocol):
    """A source of discrete Gaussian noise. ``is_private`` must be true for anything stored."""

    @property
    def is_private(self) -> bool: ...

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        """``values`` plus independent noise of this standard deviation, same shape, int64."""


class PureNoise(Protocol):
    """A source of discrete Laplace noise, for promises of pure epsilon."""

    @property
    def is_private(self) -> bool: ...

    def laplace_added_to(self, values: IntArray, scale: float) -> IntArray:
        """``values`` plus independent noise k with probability ~ exp(-|k| / scale), int64."""


class VettedNoise:
    """Noise for releases, from OpenDP's sampler. It cannot be seeded."""

    is_private = True

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        """Some 10 to 15 microseconds an entry. Raises NoiseError."""
        checked, sd = _checked_release(values, lattice_sd)
        measurement, result = _measurement(sd), np.empty(checked.size, dtype=np.int64)
        for block in _blocks(checked.size):
            result[block] = measurement(checked.ravel()[block].tolist())
        return result.reshape(checked.shape)

    def laplace_added_to(self, values: IntArray, scale: float) -> IntArray:
        """Some 7 microseconds an entry. Raises NoiseError."""
        checked, width = _checked_release(values, scale)
        measurement, result = _laplace_measurement(width), np.empty(checked.size, dtype=np.int64)
        for block in _blocks(checked.size):
            result[block] = measurement(checked.ravel()[block].tolist())
        return result.reshape(checked.shape)

    def drawn_within(self, sigma: Fraction, half: int, count: int) -> list[int]:
        """So many numbers from ``-half`` to below ``half``, each drawn anew outside of that.

        For a trustee, whose noise is locked in so many bits: ``half`` is at least ten sigma, so
        that less than 2 in 10^22 is cut off. The scale is the next float that is not below sigma.
        """
        scale = float(sigma)
        while Fraction(scale) < sigma:
            scale = math.nextafter(scale, math.inf)
        measurement, drawn = _measurement(scale), list[int]()
        while len(drawn) < count:
            drawn += [one for one in measurement([0] * count) if -half <= one < half]
        return drawn[:count]


class SeededNoise:
    """Repeatable noise for tests and demonstrations of equality. Never for a stored report.

    A rounded normal draw y is kept with probability proportional to exp(-y^2 / 2 sigma^2) over its
    own probability, which leaves the discrete Gaussian.
    """

    is_private = False

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        """Raises NoiseError."""
        checked, sd = _checked_release(values, lattice_sd)
        noise, missing = np.zeros(checked.size, dtype=np.int64), np.arange(checked.size)
        while missing.size:
            drawn = np.rint(self._rng.normal(0.0, sd, missing.size))
            kept = self._rng.random(missing.size) < _acceptance(drawn, sd)
            noise[missing[kept]] = drawn[kept].astype(np.int64)
            missing = missing[~kept]
        return checked + noise.reshape(checked.shape)

    def laplace_added_to(self, values: IntArray, scale: float) -> IntArray:
        """The difference of two geometric numbers. Raises NoiseError."""
        checked, width = _checked_release(values, scale)
        stop = -math.expm1(-1 / width)
        first, second = (self._rng.geometric(stop, checked.shape) for _ in range(2))
        return checked + first - second


@dataclass(frozen=True, eq=False)
class Release:
    """A noisy integer statistic and its price.

    ``values`` are in lattice units; ``values / unit`` estimates the statistic of unit vectors.
    ``mu`` is what is charged for add-or-remove-one; ``is_private`` is false for test noise, and
    then the release must not be stored. ``lattice_sd`` is the noise of an entry (of the diagonal,
    for a symmetric matrix).
    """

    values: IntArray
    unit: int
    mu: float
    lattice_sd: float
    is_private: bool

    def parts(self) -> tuple[Mapping[str, Any], Arrays]:
        """Itself as plain values and arrays, for ``read_release``."""
        header = {name: getattr(self, name) for name in ("unit", "mu", "lattice_sd", "is_private")}
        return header, {"values": self.values}

    @property
    def estimate(self) -> FloatArray:
        """The statistic in its own units, float64."""
        return np.asarray(self.values / self.unit)

    @property
    def noise_sd(self) -> float:
        """The noise in the units of ``estimate``."""
        return self.lattice_sd / self.unit


def read_release(header: Mapping[str, Any], arrays: Arrays) -> Release:
    """The release whose ``parts`` these are."""
    return Release(values=arrays["values"], **header)


def release_sum(
    total: IntArray, *, sensitivity: int, mu: float, noise: Noise, unit: int | None = None
) -> Release:
    """A vector or matrix of sums over respondents, with noise for a charge of at most ``mu``.

    ``total`` is an int64 array; adding or removing a respondent moves it by an L2 (for matrices:
    Frobenius) distance of at most ``sensitivity``, in lattice units: ``grid`` for a sum of
    quantised vectors, ``grid**2`` for a sum of their outer products. ``unit`` (by default the
    sensitivity) is what 1 is in lattice units. Raises NoiseError.
    """
    moved = _whole("sensitivity", sensitivity)
    sd = lattice_sd_for(moved, mu)
    scale = _whole("unit", moved if unit is None else unit)

    def draw(source: Drawing) -> Release:
        values = source.added_to(total, sd)
        return Release(values, scale, charged_mu(moved, sd), sd, source.is_private)

    return released(noise, draw, read_release)


@dataclass(frozen=True, eq=False)
class PureRelease:
    """A noisy integer statistic with discrete Laplace noise, and the epsilon that it costs."""

    values: IntArray
    epsilon: float
    scale: float
    is_private: bool

    def parts(self) -> tuple[Mapping[str, Any], Arrays]:
        """Itself as plain values and arrays, for ``read_pure_release``."""
        header = {name: getattr(self, name) for name in ("epsilon", "scale", "is_private")}
        return header, {"values": self.values}

    @property
    def lattice_sd(self) -> float:
        """The standard deviation of an entry's noise."""
        return laplace_sd(self.scale)


def read_pure_release(header: Mapping[str, Any], arrays: Arrays) -> PureRelease:
    """The release whose ``parts`` these are."""
    return PureRelease(values=arrays["values"], **header)


def laplace_scale_for(sensitivity: int, epsilon: float) -> float:
    """The least double whose discrete Laplace noise is epsilon-DP, one lattice unit or more.

    P(k) / P(k - s) <= exp(s / scale) in every coordinate, so that integers moved by at most
    ``sensitivity`` in L1 cost sensitivity / scale, in any dimension (Ghosh, Roughgarden and
    Sundararajan 2012). Both are taken as the rationals that they are. Raises NoiseError.
    """
    moved = _whole("sensitivity", sensitivity)
    promised = checked_positive("epsilon", epsilon, NoiseError)
    scale = max(moved / promised, NARROWEST)
    while Fraction(scale) * Fraction(promised) < moved:
        scale = math.nextafter(scale, math.inf)
    if scale > LARGEST:
        raise NoiseError("epsilon", epsilon, "give a larger one: its noise spans over 1e15 units")
    return scale


def laplace_sd(scale: float) -> float:
    """sqrt(2 r) / (1 - r) for r = exp(-1 / scale)."""
    return math.sqrt(2 * math.exp(-1 / scale)) / -math.expm1(-1 / scale)


def release_pure(
    total: IntArray, *, sensitivity: int, epsilon: float, noise: PureNoise
) -> PureRelease:
    """Sums over respondents with noise that costs at most ``epsilon``.

    Adding or removing a respondent (or replacing one, if that is what ``sensitivity`` bounds) moves
    ``total`` by an L1 distance of at most ``sensitivity``. Raises NoiseError.
    """
    scale = laplace_scale_for(sensitivity, epsilon)
    cost = sensitivity / scale
    while Fraction(cost) * Fraction(scale) < sensitivity:
        cost = math.nextafter(cost, math.inf)

    def draw(source: Any) -> PureRelease:
        values = source.laplace_added_to(total, scale)
        return PureRelease(values, cost, scale, source.is_private)

    return released(noise, draw, read_pure_release)


def release_symmetric(
    total: IntArray, *, sensitivity: int, mu: float, noise: Noise, unit: int | None = None
) -> Release:
    """A symmetric matrix of sums, with symmetric noise for a charge of at most ``mu``.

    The law of C + (Z + Z') / 2 on the lattice: independent discrete Gaussians on and above the
    diagonal, of standard deviation sd and sd / sqrt(2), which is equal noise on the isometric half
    of the matrix, so that the Frobenius norm is the sensitivity (section 4 of the proofs).
    ``sensitivity`` bounds the Frobenius norm of one respondent's matrix: ``grid**2`` for the outer
    product of a quantised vector with itself. Raises NoiseError.
    """
    moved, matrix = _whole("sensitivity", sensitivity), _checked_symmetric(total)
    above_sd = lattice_sd_for(moved / math.sqrt(2), mu)
    sd = max(lattice_sd_for(moved, mu), above_sd * math.sqrt(2))
    scale = _whole("unit", moved if unit is None else unit)
    charge = moved * max(step(above_sd) / math.sqrt(2), step(sd)) * (1 + 1e-15)

    def draw(source: Drawing) -> Release:
        values = _symmetric_values(matrix, source, sd, above_sd)
        return Release(values, scale, charge, sd, source.is_private)

    return released(noise, draw, read_release)


def _symmetric_values(matrix: IntArray, noise: Drawing, sd: float, above_sd: float) -> IntArray:
    """Noise on the diagonal, and on what is above it, mirrored."""
    values = np.diag(noise.added_to(matrix.diagonal(), sd))
    rows, columns = np.triu_indices(len(matrix), 1)
    if rows.size:
        values[rows, columns] = noise.added_to(matrix[rows, columns], above_sd)
        values[columns, rows] = values[rows, columns]
    return values


def isometric_half(matrix: Any) -> FloatArray:
    """A symmetric D x D matrix as D (D + 1) / 2 numbers with the same norm.

    The diagonal, then sqrt(2) times what is above it, row by row. Raises NoiseError.
    """
    values = _checked_symmetric(matrix)
    rows, columns = np.triu_indices(len(values), 1)
    return np.concatenate([values.diagonal(), math.sqrt(2) * values[rows, columns]])


@lru_cache(maxsize=64)
def _measurement(sd: float) -> dp.Measurement:
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    return dp.m.make_gaussian(*space, scale=sd)


@lru_cache(maxsize=64)
def _laplace_measurement(scale: float) -> dp.Measurement:
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_laplace(*space, scale=scale)


def _blocks(size: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, size, _BLOCK))


def _acceptance(drawn: FloatArray, sd: float) -> FloatArray:
    """exp(-y^2 / 2 sd^2) / P(rounded normal = y), relative to its largest value, at y = 0."""
    distance = np.abs(drawn)
    mass = scipy.special.ndtr((0.5 - distance) / sd) - scipy.special.ndtr((-0.5 - distance) / sd)
    centre = scipy.special.ndtr(0.5 / sd) - scipy.special.ndtr(-0.5 / sd)
    weight = np.exp(-((drawn / sd) ** 2) / 2)
    return np.asarray(np.where(mass > 0, weight * centre / np.maximum(mass, 1e-300), 1.0))


def _checked_release(values: Any, lattice_sd: float) -> tuple[IntArray, float]:
    checked = checked_integers("values", values, NoiseError)
    largest = max(int(checked.max()), -int(checked.min()))
    if largest > _LARGEST_SUM:
        raise NoiseError("values", largest, "entries of at most 2^61 leave room for the noise")
    return checked, checked_lattice_sd(lattice_sd)


def _whole(argument: str, value: object) -> int:
    number = checked_positive(argument, value, NoiseError)
    if number != int(number):
        raise NoiseError(argument, value, "give a whole number of lattice units")
    return int(number)


def _checked_symmetric(matrix: Any) -> Any:
    values = np.asarray(matrix)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.size == 0:
        raise NoiseError("matrix", values.shape, "give a square matrix")
    if not np.array_equal(values, values.T):
        raise NoiseError("matrix", values.shape, "give a symmetric matrix")
    return values
