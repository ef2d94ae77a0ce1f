"""Estimates and variances are those of pure-ldp and multi-freq-ldpy, where theirs are unbiased.

``ldp_peers.py`` wrote the numbers; its comments say how to run it again.
"""

import json
from typing import Any

import numpy as np
import pytest

from tests.oracles.files import HERE
from tests.randomized_response.designs import RSFDUE, CountMeanSketch, FakeBits, HadamardResponse
from tests.randomized_response.estimates import estimate_frequencies, total_frequency_variance

ORACLE = json.loads((HERE / "ldp_peers.json").read_text())
EPSILON = ORACLE["epsilon"]


@pytest.mark.parametrize("case", ORACLE["hadamard"], ids=lambda case: str(case["options"]))
def test_shares_by_hadamard_response(case: dict[str, Any]) -> None:
    protocol = HadamardResponse.from_epsilon(case["options"], EPSILON)
    counts = protocol.aggregate(np.array(case["reports"]))
    estimate = estimate_frequencies(protocol, counts, len(case["reports"]))
    assert estimate.frequencies == pytest.approx(case["shares"], abs=1e-12)


@pytest.mark.parametrize("case", ORACLE["sketch"], ids=lambda case: str(case["options"]))
def test_counts_by_a_count_mean_sketch(case: dict[str, Any]) -> None:
    """Theirs take 1 / g for the chance of sharing a bucket, which is 1e-11 less."""
    protocol = CountMeanSketch.from_epsilon(
        case["options"], EPSILON, case["buckets"], case["functions"], 0
    )
    reports = np.array(case["reports"])
    estimate = estimate_frequencies(protocol, protocol.aggregate(reports), len(reports))
    assert estimate.frequencies * len(reports) == pytest.approx(case["counts"], abs=1e-6)


@pytest.mark.parametrize("case", ORACLE["fake_data"], ids=lambda case: str(case["options"]))
@pytest.mark.parametrize("fake", FakeBits)
def test_variances_by_fake_data(case: dict[str, Any], fake: FakeBits) -> None:
    protocol = RSFDUE(tuple(case["options"]), 0.5, 1 / (case["odds"] + 1), fake)
    variances = [
        total_frequency_variance(protocol.attribute(j), [case["frequency"]], case["n"])[0]
        for j in range(len(case["options"]))
    ]
    assert variances == pytest.approx(case[fake.value])
