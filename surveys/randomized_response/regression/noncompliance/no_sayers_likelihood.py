"""PatternData, PatternPoint: likelihood of several answers, with a class that never says yes.

A share s of people gives the safe report to each question, against a device too. All others
answer as their devices ask, and their truths x (one 0 or 1 per question) follow a log-linear model,
P(x) proportional to exp(d_x' b), with a term per question and one per pair. A pattern y of reports
has the probability

    f = (1 - s) g + s [y is safe],    g = sum_x P(y | x) P(x),

P(y | x) being the product of the devices. With c_x = d_x less its mean, dP(x)/db = P(x) c_x, and
the second derivative is P(x) (c_x c_x' - C), C the covariance of d. Source: Cruyff, van den Hout,
van der Heijden and Boeckenholt (2007).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import scipy

from ...checks import FloatArray
from ..devices import IntArray


def all_patterns(questions: int) -> IntArray:
    """Every pattern of 0 and 1, the last question fastest: (2^questions, questions)."""
    return np.array(list(product((0, 1), repeat=questions)), dtype=np.int64)


@dataclass(frozen=True)
class PatternData:
    """``devices`` (P, P): P(reported pattern | true pattern); ``terms`` (P, m): d_x per pattern.

    ``people`` (P,): how many reported each pattern, weighted if they have weights; ``safe``: the
    number of the safe pattern. Parameters: b (m,), then s.
    """

    devices: FloatArray
    terms: FloatArray
    people: FloatArray
    safe: int

    def at(self, parameters: FloatArray) -> "PatternPoint":
        """The likelihood at a parameter vector (m + 1,)."""
        return PatternPoint(self, parameters)


@dataclass(frozen=True)
class PatternPoint:
    """The likelihood and its derivatives at one parameter vector."""

    data: PatternData
    parameters: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Sum of ln f; -inf where a reported pattern has become impossible."""
        reported = self.data.people > 0
        if not self.chances[reported].min() > 0:
            return -np.inf
        return float(self.data.people[reported] @ np.log(self.chances[reported]))

    @property
    def score(self) -> FloatArray:
        """(q,)"""
        return np.asarray(self.pattern_scores @ self.data.people)

    @cached_property
    def pattern_scores(self) -> FloatArray:
        """Derivatives of ln f of one person with each pattern: (q, P)."""
        return np.asarray(self._slopes / self._positive)

    @cached_property
    def observed(self) -> FloatArray:
        """(q, q)"""
        scores, per_chance = self.pattern_scores, self.data.people / self._positive
        information = (scores * self.data.people) @ scores.T
        # Of f only the parts by b twice, and by b and s, have a second derivative.
        follows = (1 - self.parameters[-1]) * (per_chance @ self.data.devices) * self.truths
        information[:-1, :-1] -= (self._centred.T * follows) @ self._centred
        information[:-1, :-1] += follows.sum() * self._spread
        mixed = self._by_terms @ per_chance
        information[:-1, -1] += mixed
        information[-1, :-1] += mixed
        return information

    @property
    def expected(self) -> FloatArray:
        """(q, q)"""
        slopes = self._slopes
        return np.asarray(self.data.people.sum() * (slopes / self._positive) @ slopes.T)

    @cached_property
    def truths(self) -> FloatArray:
        """P(true pattern) of people who follow their devices: (P,)."""
        return np.asarray(scipy.special.softmax(self.data.terms @ self.parameters[:-1]))

    @cached_property
    def chances(self) -> FloatArray:
        """P(reported pattern) = f: (P,)."""
        chances = (1 - self.parameters[-1]) * self._of_followers
        chances[self.data.safe] += self.parameters[-1]
        return np.asarray(chances)

    @property
    def mean_slopes(self) -> FloatArray:
        """Derivatives of the mean of d by b, which are the covariance of d: (m, m)."""
        return self._spread

    @cached_property
    def _of_followers(self) -> FloatArray:
        return np.asarray(self.data.devices @ self.truths)

    @cached_property
    def _centred(self) -> FloatArray:
        """d_x less its mean: (P, m)."""
        return np.asarray(self.data.terms - self.truths @ self.data.terms)

    @cached_property
    def _spread(self) -> FloatArray:
        """The covariance of d: (m, m)."""
        return np.asarray((self._centred.T * self.truths) @ self._centred)

    @cached_property
    def _by_terms(self) -> FloatArray:
        """dg/db: (m, P)."""
        return np.asarray((self._centred.T * self.truths) @ self.data.devices.T)

    @cached_property
    def _slopes(self) -> FloatArray:
        """df/d(b, s): (q, P)."""
        by_share = -self._of_followers
        by_share[self.data.safe] += 1
        return np.vstack([(1 - self.parameters[-1]) * self._by_terms, by_share])

    @cached_property
    def _positive(self) -> FloatArray:
        return np.maximum(self.chances, np.finfo(float).tiny)
