"""A random intercept for 500 clusters of 30,000 people: processor time, now and before.

    python -m benchmarks.random_intercept

Both fits see the same reports in the same process. ``random_intercept_before`` differenced the
likelihood for every slope and looked for the modes of all clusters from 0 each time; it is kept
here until the ratio has been seen on enough machines, and nothing else imports it. The aim is a
third of its processor time at most, with the same estimates.
"""

import time
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from benchmarks import random_intercept_before
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import ForcedResponse
from surveys.randomized_response.regression import fit_random_intercept_model

PEOPLE, CLUSTERS = 30_000, 500
DESIGN = ForcedResponse(1 / 6, 1 / 6)
AIM = 1 / 3
# Of a standard error: what differences of log likelihoods left open.
SAME = 1e-3


@dataclass(frozen=True)
class Comparison:
    """Processor seconds of both, and the largest difference of estimates in standard errors."""

    now: float
    before: float
    difference: float

    @property
    def ratio(self) -> float:
        return self.now / self.before


def compare(people: int = PEOPLE, clusters: int = CLUSTERS, seed: int = 1) -> Comparison:
    """Fit one survey with three covariates by both."""
    data = survey(people, clusters, seed)
    now, model = _timed(fit_random_intercept_model, *data)
    before, old = _timed(random_intercept_before.fit_random_intercept_model, *data)
    found = (_numbers(model), _numbers(old))
    errors = np.append(old.standard_errors, old.random_intercept_sd_error)
    moved = np.abs(found[0][0] - found[1][0]) / errors
    widened = np.abs(found[0][1] / found[1][1] - 1)
    return Comparison(now, before, float(max(moved.max(), widened.max())))


def survey(people: int, clusters: int, seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Reports, clusters and three covariates, with a deviation of 0.7 between clusters."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, clusters, people)
    covariates = np.column_stack([rng.normal(size=(people, 2)), rng.random(people) < 0.5])
    eta = -0.5 + covariates @ [0.6, -0.4, 0.3] + rng.normal(0, 0.7, clusters)[cluster]
    no, yes = DESIGN.channel.rows[1]
    chance = float(no) + (float(yes) - float(no)) * expit(eta)
    return (rng.random(people) < chance).astype(int), cluster, covariates


def _timed(fit, reports, cluster, covariates):  # type: ignore[no-untyped-def]
    begin = time.process_time()
    model = fit(DESIGN, reports, cluster, covariates)
    return time.process_time() - begin, model


def _numbers(model) -> tuple[FloatArray, FloatArray]:  # type: ignore[no-untyped-def]
    """Estimates and standard errors, the deviation between clusters last."""
    return (
        np.append(model.coefficients, model.random_intercept_sd),
        np.append(model.standard_errors, model.random_intercept_sd_error),
    )


def main() -> None:
    found = compare()
    print(f"{PEOPLE:,} people in {CLUSTERS} clusters, 25 nodes, three covariates")
    print(f"now {found.now:.2f} s, before {found.before:.2f} s of processor time")
    print(f"ratio {found.ratio:.3f} (aim {AIM:.3f})")
    print(f"largest difference {found.difference:.1e} standard errors (aim {SAME:.0e})")


if __name__ == "__main__":
    main()
