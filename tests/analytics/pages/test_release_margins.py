"""Margins are never shown smaller than they are, and what none goes below never larger."""

import pytest

from analytics.reports.release_page import at_least, in_people, in_points


@pytest.mark.parametrize(
    ("margin", "shown"),
    [
        (0.04, "±0.1"),
        (12.61, "±12.7"),
        (12.6, "±12.6"),
        (0.1 + 0.2, "±0.3"),
        (99.91, "±100.0"),
        (100.2, "±101"),
        (12_345.1, "±12,346"),
        (1e-13, "±0.0"),
        (0, "±0.0"),
    ],
)
def test_a_margin_in_people_is_rounded_up(margin, shown):
    assert in_people(margin) == shown


@pytest.mark.parametrize(
    ("margin", "shown"),
    [
        (0.149, "±0.2"),
        (0.1, "±0.1"),
        (2.31, "±2.4"),
        (0.0312, "±0.032"),
        (0.0991, "±0.100"),
        (0.00201, "±0.0021"),
        (0.02, "±0.020"),
        (1e-13, "±0"),
        (0, "±0"),
    ],
)
def test_a_margin_in_points_is_rounded_up(margin, shown):
    assert in_points(margin) == shown


@pytest.mark.parametrize(
    ("bound", "shown"), [(12.69, "±12.6"), (12.7, "±12.7"), (0.04, "±0.0"), (100.9, "±100")]
)
def test_what_no_margin_goes_below_is_rounded_down(bound, shown):
    assert at_least(bound) == shown
