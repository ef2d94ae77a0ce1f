"""Random numbers that are the same in every run; what tests bound holds for any seed."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261122)
