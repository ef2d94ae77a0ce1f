"""How much processor time the statistics take: regression, single questions, counting reports.

    python -m benchmarks.statistics

A logistic regression with a randomized outcome, 10^5 people and 2 covariates is fitted from raw
arrays, checks and standard errors included, to the maximum (a step of less than 10^-6 standard
errors). Time is that of the processor over all cores, so another program on the machine hardly
changes it. Below stand the ratios of ``benchmarks.frequencies``.
"""

import time
from dataclasses import dataclass
from statistics import median

import numpy as np

from benchmarks import frequencies
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Warner
from surveys.randomized_response.estimates import estimate_prevalence
from surveys.randomized_response.regression import OutcomeModel, fit_outcome_model

PEOPLE, TRUTH = 10**5, np.array([-0.5, 0.7, -0.4])
ROUNDS, REPEATS = 15, 1000
AIM_REGRESSION, AIM_ESTIMATE = 0.2, 100e-6
LINKS = ("logit", "probit", "cloglog", "cauchit")


@dataclass(frozen=True)
class Timing:
    """Median and largest processor seconds of one call."""

    name: str
    seconds: float
    worst: float


def measure_regression(link: str = "logit") -> tuple[Timing, OutcomeModel]:
    """One fit with 2 covariates, and the model it found."""
    covariates, reports = _survey()
    taken = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        model = fit_outcome_model(Warner(0.75), reports, covariates, link=link)
        taken.append(time.process_time() - begin)
    return Timing(f"regression, {link}", median(taken), max(taken)), model


def measure_estimate() -> Timing:
    """Estimate, standard error and interval of one question from its counts."""
    design, taken = Warner(0.75), []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for yes in range(REPEATS):
            estimate = estimate_prevalence(design, [REPEATS - yes, yes])
            _ = (estimate.prevalence, estimate.standard_error, estimate.interval(0.95))
        taken.append((time.process_time() - begin) / REPEATS)
    return Timing("one question from counts", median(taken), max(taken))


def main() -> None:
    """Measure and print."""
    for link in LINKS:
        timing, model = measure_regression(link)
        found = ", ".join(f"{value:.3f}" for value in model.coefficients)
        print(
            f"{timing.name}: {timing.seconds:.3f} s (worst {timing.worst:.3f}, aim below "
            f"{AIM_REGRESSION}), {model.iterations} iterations, coefficients {found}"
        )
    one = measure_estimate()
    print(
        f"{one.name}: {one.seconds * 1e6:.0f} µs (worst {one.worst * 1e6:.0f}, "
        f"aim below {AIM_ESTIMATE * 1e6:.0f})"
    )
    frequencies.main()


def _survey() -> tuple[FloatArray, FloatArray]:
    """Covariates (n, 2) and reports (n,) of a Warner design with p = 3/4."""
    rng = np.random.default_rng(1)
    covariates = rng.normal(size=(PEOPLE, 2))
    share = 1 / (1 + np.exp(-(TRUTH[0] + covariates @ TRUTH[1:])))
    true = rng.random(PEOPLE) < share
    flipped = rng.random(PEOPLE) < 0.25
    return covariates, (true != flipped).astype(float)


if __name__ == "__main__":
    main()
