"""AnchoredData, AnchoredPoint: likelihood of a crosswise report and its anchor, by covariates.

A person who attends answers both questions as asked, with the chance h of the sensitive trait; one
who does not answers both at random. With t the chance of attending, both reports together have

    f = t (u h + v (1 - h)) + i (1 - t),

where u, v and i are the chances of the two reports of an attentive carrier, of an attentive
non-carrier and of an inattentive person (1/4): the reports of one person are independent given
those three kinds. By the linear predictors eta of h and zeta of t

    f_eta = t (u - v) h',    f_zeta = t' (u h + v (1 - h) - i),    f_eta,zeta = t' (u - v) h'

and so on, since f is linear in each of h and t. The observed information is the squared score less
f''/f; the expected one sums f' f'^T / f over the four pairs of reports. Source: Atsusaka and
Stevenson (2023), the likelihood of their regression with the trait as a predictor, without its
outcome.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...checks import FloatArray
from ...designs.two_group import AnchoredCrosswise
from ..covariates import Columns
from ..devices import IntArray, PerPerson
from ..links import Link, link_called
from ..outcome_likelihood import Truth
from ..scoring import ByPerson


def kind_chances(design: AnchoredCrosswise) -> FloatArray:
    """P(report, anchor report | kind of person): (3 kinds, 4 pairs), pair = 2 report + anchor."""
    question, anchor = design.channel(1).matrix, design.channel(2).matrix
    return np.stack([np.outer(question[:, k], anchor[:, k]).ravel() for k in range(3)])


@dataclass(frozen=True)
class PairChance:
    """f of each person and its derivatives by the two linear predictors: (n,) each."""

    inattentive: PerPerson
    non_carrier: PerPerson
    carrier: PerPerson
    trait: Truth
    attention: Truth

    @cached_property
    def probability(self) -> FloatArray:
        """f"""
        attending = self.attention.yes * self._of_attentive
        return np.asarray(attending + self.attention.no * self.inattentive)

    @cached_property
    def by_trait(self) -> FloatArray:
        return np.asarray(self.attention.yes * self._contrast * self.trait.slope)

    @cached_property
    def by_attention(self) -> FloatArray:
        return np.asarray(self.attention.slope * (self._of_attentive - self.inattentive))

    @property
    def by_trait_twice(self) -> FloatArray:
        return np.asarray(self.attention.yes * self._contrast * self.trait.curvature)

    @property
    def by_attention_twice(self) -> FloatArray:
        return np.asarray(self.attention.curvature * (self._of_attentive - self.inattentive))

    @property
    def by_both(self) -> FloatArray:
        return np.asarray(self.attention.slope * self._contrast * self.trait.slope)

    @cached_property
    def _of_attentive(self) -> FloatArray:
        return np.asarray(self.carrier * self.trait.yes + self.non_carrier * self.trait.no)

    @property
    def _contrast(self) -> PerPerson:
        return self.carrier - self.non_carrier


@dataclass(frozen=True)
class AnchoredData:
    """``pairs`` (n,): 2 report + anchor report; ``chances`` (3, 4) of the kinds of people.

    ``weights`` (n,) of mean 1, or None where all count once. Parameters: those of the trait, then
    those of attention, both for orthogonal columns.
    """

    pairs: IntArray
    chances: FloatArray
    trait: Columns
    attention: Columns
    link: Link
    weights: FloatArray | None = None

    def weighted(self, values: FloatArray) -> FloatArray:
        """Values of people, (..., n), times their weights."""
        return values if self.weights is None else values * self.weights

    def predictors(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The linear predictors of trait and attention: (n,) each."""
        count = self.trait.count
        eta = parameters[:count] @ self.trait.orthogonal
        return eta, parameters[count:] @ self.attention.orthogonal

    @property
    def guessed(self) -> float:
        """The log likelihood if no one attended."""
        return float(self.weighted(np.log(self.chances[0, self.pairs])).sum())

    def at(self, parameters: FloatArray) -> "AnchoredPoint":
        """The likelihood at a parameter vector (q,)."""
        return AnchoredPoint(self, parameters)


@dataclass(frozen=True)
class AnchoredPoint(ByPerson):
    """The likelihood and its derivatives at one parameter vector."""

    data: AnchoredData
    parameters: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Sum of ln f, weighted; -inf where a pair of reports has become impossible."""
        chance = self._reported.probability
        if not chance.min() > 0:
            return -np.inf
        return float(self.data.weighted(np.log(chance)).sum())

    @cached_property
    def person_scores(self) -> FloatArray:
        """Unweighted, (q, n)."""
        by_trait, by_attention = self._slopes
        data = self.data
        return np.vstack(
            [data.trait.orthogonal * by_trait, data.attention.orthogonal * by_attention]
        )

    @cached_property
    def observed(self) -> FloatArray:
        """(q, q)"""
        pair, f = self._reported, _positive(self._reported.probability)
        first, last = self._slopes
        return self._assembled(
            first**2 - pair.by_trait_twice / f,
            first * last - pair.by_both / f,
            last**2 - pair.by_attention_twice / f,
        )

    @cached_property
    def expected(self) -> FloatArray:
        """(q, q)"""
        first, mixed, last = (np.zeros_like(self.attentive) for _ in range(3))
        for pair in range(self.data.chances.shape[1]):
            possible = self._pair(self.data.chances[:, pair])
            f = _positive(possible.probability)
            first += possible.by_trait**2 / f
            mixed += possible.by_trait * possible.by_attention / f
            last += possible.by_attention**2 / f
        return self._assembled(first, mixed, last)

    @property
    def attentive(self) -> FloatArray:
        """The chance of attending: (n,)."""
        return self._attention.yes

    def _assembled(self, first: FloatArray, mixed: FloatArray, last: FloatArray) -> FloatArray:
        x, z, weighted = (
            self.data.trait.orthogonal,
            self.data.attention.orthogonal,
            self.data.weighted,
        )
        side = (x * weighted(mixed)) @ z.T
        return np.block([[(x * weighted(first)) @ x.T, side], [side.T, (z * weighted(last)) @ z.T]])

    @cached_property
    def _trait(self) -> Truth:
        return Truth(self.data.predictors(self.parameters)[0], self.data.link)

    @cached_property
    def _attention(self) -> Truth:
        return Truth(self.data.predictors(self.parameters)[1], link_called("logit"))

    @cached_property
    def _reported(self) -> PairChance:
        return self._pair(self.data.chances[:, self.data.pairs])

    def _pair(self, chances: FloatArray) -> PairChance:
        return PairChance(chances[0], chances[1], chances[2], self._trait, self._attention)

    @cached_property
    def _slopes(self) -> tuple[FloatArray, FloatArray]:
        """Derivatives of ln f by both linear predictors: (n,) each."""
        f = _positive(self._reported.probability)
        return self._reported.by_trait / f, self._reported.by_attention / f


def _positive(chance: FloatArray) -> FloatArray:
    return np.maximum(chance, np.finfo(float).tiny)
