"""A membership audit: an attacker's false alarms and misses, with and without one respondent.

A mechanism is run many times with a canary's text and as many times without it, and an attack gives
every output a score. Any threshold is a test with a false positive rate a and a false negative rate
b; a mu-GDP mechanism has Phi^{-1}(1 - a) - Phi^{-1}(b) <= mu for every test (Dong, Roth and Su
2022, equation 6). One half of the runs chooses the threshold and the other half is counted, so that
the exact binomial bounds of a and b hold; together they give a lower bound of mu (Nasr et al. 2023,
Tight auditing of differentially private machine learning, section 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from analytics.privacy.checks import FloatArray
from analytics.privacy.errors import AuditError
from surveys.randomized_response.checks import checked_level

FEWEST_RUNS = 100
Scores = Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class MembershipAudit:
    """What an attack proved. ``runs`` is how many were counted on each side.

    ``mu`` is a lower bound that is above the truth with probability at most 1 - ``level``. The
    rates are the observed ones; a score above ``threshold`` says "took part".
    """

    mu: float
    level: float
    threshold: float
    runs: int
    false_positive_rate: float
    false_negative_rate: float

    def contradicts(self, stated_mu: float) -> bool:
        """Whether the mechanism leaks more than it states."""
        return self.mu > stated_mu


def audit_membership(
    scores_with: Scores, scores_without: Scores, level: float = 0.99
) -> MembershipAudit:
    """The mu that scores with and without the canary prove at this confidence, 0 or more.

    Both are sequences of at least 100 finite numbers, of equal length, one per independent run, in
    an order that says nothing. Raises AuditError.
    """
    present, absent = (
        _checked("scores_with", scores_with),
        _checked("scores_without", scores_without),
    )
    if len(present) != len(absent):
        raise AuditError("scores_without", len(absent), f"give {len(present)} runs on both sides")
    confidence, half = checked_level(level), len(present) // 2
    threshold = _best_threshold(present[:half], absent[:half])
    runs = len(present) - half
    missed = int(np.sum(present[half:] <= threshold))
    alarms = int(np.sum(absent[half:] > threshold))
    each = (1 - confidence) / 2
    mu = -float(
        scipy.special.ndtri(_at_most(alarms, runs, each))
        + scipy.special.ndtri(_at_most(missed, runs, each))
    )
    return MembershipAudit(max(mu, 0.0), confidence, threshold, runs, alarms / runs, missed / runs)


def _best_threshold(present: FloatArray, absent: FloatArray) -> float:
    """The threshold with the largest bound on these runs, at the level that will be used."""
    values = np.sort(np.concatenate([present, absent]))
    missed = np.searchsorted(np.sort(present), values, side="right")
    alarms = len(absent) - np.searchsorted(np.sort(absent), values, side="right")
    bounds = scipy.special.ndtri(_at_most(alarms, len(absent), 0.005)) + scipy.special.ndtri(
        _at_most(missed, len(present), 0.005)
    )
    return float(values[int(np.argmin(bounds))])


def _at_most(count: Any, runs: int, failure: float) -> Any:
    """The exact (Clopper-Pearson) upper bound of a rate; 1 when every run counts."""
    below = np.minimum(count, runs - 1)
    bound = scipy.special.betaincinv(below + 1.0, runs - below, 1 - failure)
    return np.where(np.asarray(count) >= runs, 1 - 1e-16, bound)


def _checked(argument: str, scores: Scores) -> FloatArray:
    values = np.asarray(scores)
    if values.ndim != 1 or values.dtype.kind not in "iuf" or len(values) < FEWEST_RUNS:
        raise AuditError(argument, values.shape, f"give at least {FEWEST_RUNS} numbers, one a run")
    if not np.isfinite(values).all():
        where = int(np.argmin(np.isfinite(values)))
        raise AuditError(f"{argument}[{where}]", float(values[where]), "give finite scores")
    return values.astype(np.float64)
