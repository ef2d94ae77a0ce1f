"""Numbers of pure-ldp and multi-freq-ldpy: writes ldp_peers.json, by hand, outside of the tests.

    pip install --target /tmp/peers pure-ldp==1.2.0 scikit-learn
    PYTHONPATH=/tmp/peers:. python tests/oracles/ldp_peers.py > tests/oracles/ldp_peers.json

and beside them multi_freq_ldpy/mdim_freq_est/Variance_RSpFD.py of multi-freq-ldpy 0.2.5, which
needs nothing else. Hadamard response: their estimates of shares from reports. Count-mean sketch:
their estimates of counts from our reports and our hash functions. RS+FD: their variances.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from surveys.randomized_response.designs import CountMeanSketch

EPSILON = 1.0


def hadamard(options: int) -> dict[str, Any]:
    from pure_ldp.frequency_oracles.hadamard_response.internal.k2k_hadamard import (
        Hadamard_Rand_high_priv,
    )

    peer = Hadamard_Rand_high_priv(options, EPSILON)
    reports = np.random.default_rng(options).integers(0, peer.outsz, 200).tolist()
    shares = peer.decode_string(reports, iffast=1, normalization=-1).tolist()
    return {"options": options, "reports": reports, "shares": shares}


def sketch(options: int, buckets: int, functions: int) -> dict[str, Any]:
    from pure_ldp.frequency_oracles.apple_cms import CMSServer

    ours = CountMeanSketch.from_epsilon(options, EPSILON, buckets, functions, 0)
    rng = np.random.default_rng(options)
    reports = ours.draw(rng.integers(0, options, 150), rng)
    # Their constructor asks for an array of the shape None, which numpy 2 refuses.
    peer = CMSServer.__new__(CMSServer)
    root = np.exp(EPSILON / 2)
    peer.k, peer.m, peer.c, peer.n = functions, buckets, (root + 1) / (root - 1), 0
    peer.ones, peer.sketch_matrix = np.ones(buckets), np.zeros((functions, buckets))
    peer.is_hadamard, peer.last_estimated = False, 0

    def by(function: int) -> Callable[[str], int]:
        return lambda level: int(ours._hashed(np.array(function), np.array(int(level))))

    peer.hash_funcs = [by(function) for function in range(functions)]
    for function, *packed in reports.tolist():
        bits = np.unpackbits(np.array(packed, np.uint8), count=buckets, bitorder="little")
        peer.aggregate((2 * bits.astype(int) - 1, function))
    counts = [float(peer.estimate(v, suppress_warnings=True)) for v in range(options)]
    return {
        "options": options,
        "buckets": buckets,
        "functions": functions,
        "reports": reports.tolist(),
        "counts": counts,
    }


def fake_data(options: list[int], odds: float, frequency: float) -> dict[str, Any]:
    from multi_freq_ldpy.mdim_freq_est.Variance_RSpFD import VAR_RSpFD_UE_rnd, VAR_RSpFD_UE_zero

    p, q, d, n = 0.5, 1 / (odds + 1), len(options), 100
    return {
        "options": options,
        "odds": odds,
        "frequency": frequency,
        "n": n,
        "zero": [VAR_RSpFD_UE_zero(p, q, d, n, frequency) for _ in options],
        "random": [VAR_RSpFD_UE_rnd(p, q, k, d, n, frequency) for k in options],
    }


def main() -> None:
    content = {
        "origin": "pure-ldp 1.2.0, multi-freq-ldpy 0.2.5",
        "epsilon": EPSILON,
        "hadamard": [hadamard(options) for options in (3, 7, 20)],
        "sketch": [sketch(6, 8, 4), sketch(30, 20, 3)],
        "fake_data": [
            fake_data([2, 5], 3.0, 0.3),
            fake_data([4, 4, 10], 9.0, 0.0),
            fake_data([3], 2.0, 1.0),
        ],
    }
    print(json.dumps(content))


if __name__ == "__main__":
    main()
