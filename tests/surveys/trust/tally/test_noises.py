"""Noise is any number of its range, proved to be in it, and for one list and one trustee alone."""

from fractions import Fraction

import pytest

from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import Table
from surveys.trust.tally.group import subtract, times
from surveys.trust.tally.noises import BadNoise, NoiseOf, check_noise, make_noise, noise_bits
from surveys.trust.tally.openings import small_log
from surveys.trust.tally.trustees import joint_key, trustee_of

SECRET = 12345
TABLE = Table(bytes(32), 1, joint_key([trustee_of("One", SECRET)]), 3)
NOISE = NoiseOf(TABLE, bytes(range(32)), 1, 3)


@pytest.mark.parametrize("value", range(-4, 4))
def test_each_number_of_the_range_is_locked_with_half_the_range_added(value):
    locked = check_noise(NOISE, 2, make_noise(NOISE, 2, value))
    assert small_log(subtract(locked.b, times(SECRET, locked.a)), 0, 7) == value + 4


@pytest.mark.parametrize("value", [-5, 4, 10**30])
def test_a_number_outside_the_range_is_not_locked(value):
    with pytest.raises(BadNoise):
        make_noise(NOISE, 0, value)


def test_noise_is_for_one_cell_one_trustee_one_list_and_one_table():
    made = make_noise(NOISE, 0, 1)
    others = [
        (NOISE, 1),
        (NoiseOf(TABLE, NOISE.list_digest, 2, 3), 0),
        (NoiseOf(TABLE, bytes(32), 1, 3), 0),
        (NoiseOf(Table(bytes(32), 2, TABLE.key, 3), NOISE.list_digest, 1, 3), 0),
        (NoiseOf(TABLE, NOISE.list_digest, 1, 2), 0),
        (NoiseOf(TABLE, NOISE.list_digest, 1, 4), 0),
    ]
    for noise, cell in others:
        with pytest.raises(TrustRefusal):
            check_noise(noise, cell, made)


@pytest.mark.parametrize(
    ("sigma", "bits"), [("1/1000", 1), ("1/10", 1), ("1/5", 2), ("4", 7), ("800000", 24)]
)
def test_the_range_reaches_ten_standard_deviations(sigma, bits):
    assert noise_bits(Fraction(sigma)) == bits
    assert 2 ** (bits - 1) >= 10 * Fraction(sigma)


@pytest.mark.parametrize("sigma", ["0", "-1", "900000", "1e400"])
def test_no_noise_and_too_much_are_refused(sigma):
    with pytest.raises(BadNoise):
        noise_bits(Fraction(sigma))
