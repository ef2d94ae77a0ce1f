"""Small populations, all their samples and all outcomes of the device, with probabilities."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from tests.randomized_response.designs import TransformedReports, Warner, transform_reports
from tests.randomized_response.samples import SampleEstimate

DESIGN = Warner(Fraction(2, 3))
TRUTH = np.array([0, 1, 1, 0, 1])
N = len(TRUTH)

Sample = tuple[int, ...]
Plan = Sequence[tuple[Sample, float]]
Estimator = Callable[[Sample, TransformedReports], SampleEstimate]


def simple_samples(size: int, people: Sequence[int] = range(N)) -> Plan:
    """Simple random sampling without replacement."""
    samples = list(combinations(people, size))
    return [(sample, 1 / len(samples)) for sample in samples]


def unequal_samples() -> Plan:
    """Two of five, pairs with unequal probabilities: a fixed size, all pi_ij > 0."""
    weights = {pair: 1.0 + pair[0] + 2 * pair[1] for pair in combinations(range(N), 2)}
    return [(pair, w / sum(weights.values())) for pair, w in weights.items()]


def joint_probabilities(plan: Plan) -> np.ndarray:
    joint = np.zeros((N, N))
    for sample, chance in plan:
        joint[np.ix_(sample, sample)] += chance
    return joint


def outcomes(
    sample: Sample, truth: Sequence[int] = TRUTH
) -> Iterator[tuple[TransformedReports, float]]:
    """All reports that the people of a sample can give."""
    matrix = DESIGN.channel.matrix
    for reports in product((0, 1), repeat=len(sample)):
        chance = math.prod(matrix[z, truth[i]] for i, z in zip(sample, reports, strict=True))
        yield transform_reports(DESIGN, reports), chance


def moments(
    plan: Plan, estimator: Estimator, truth: Sequence[int] = TRUTH
) -> tuple[float, float, float]:
    """(mean, variance, mean of the estimated variance) over all samples and outcomes."""
    rows = [
        (chance * weight, estimator(sample, reports))
        for sample, chance in plan
        for reports, weight in outcomes(sample, truth)
    ]
    weights = np.array([weight for weight, _ in rows])
    values = np.array([estimate.value for _, estimate in rows])
    variances = np.array([estimate.variance for _, estimate in rows])
    mean = float(weights @ values)
    return mean, float(weights @ (values - mean) ** 2), float(weights @ variances)
