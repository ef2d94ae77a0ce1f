"""The fake noise is the same whatever else is drawn, and has the law of the real one."""

import numpy as np
import pytest

from tests.fake_noise import FakeNoise

ZEROS = np.zeros(2000, dtype=np.int64)


@pytest.mark.parametrize("law", ["added_to", "laplace_added_to"])
def test_a_draw_does_not_depend_on_those_of_other_sizes_before_it(law):
    alone, later = FakeNoise(), FakeNoise()
    getattr(later, law)(np.zeros(3, dtype=np.int64), 7.0)
    first = getattr(alone, law)(ZEROS, 5.0)
    assert (first == getattr(later, law)(ZEROS, 5.0)).all()
    assert (first != getattr(alone, law)(ZEROS, 5.0)).any()
    assert (first != getattr(FakeNoise(seed=2), law)(ZEROS, 5.0)).any()


def test_its_size_is_what_is_asked_for():
    """The seed is fixed, so that this is the same in every run."""
    assert FakeNoise().added_to(ZEROS, 5.0).std() == pytest.approx(5, rel=0.1)
    assert FakeNoise().laplace_added_to(ZEROS, 5.0).std() == pytest.approx(5 * 2**0.5, rel=0.1)


def test_numbers_can_be_given_instead():
    assert (FakeNoise(np.zeros).added_to(ZEROS + 4, 5.0) == 4).all()
    assert FakeNoise(np.ones).laplace_added_to(ZEROS, 5.0).tolist() == [1] * 2000
