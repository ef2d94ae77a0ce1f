"""Constraints: bounds, special answers, exclusive options, lengths; all else is lost."""

import pytest

from surveys.definitions.imports.readers.constraints import constraint_of


@pytest.mark.parametrize(
    ("text", "is_integer", "bounds"),
    [
        ("", True, ("", "")),
        (". >= 0", True, ("0", "")),
        (".>0 and .<10", True, ("1", "9")),
        (".>0 and .<10", False, ("0", "10")),
        (". > -3 and . <= 2.50", True, ("-2", "2.5")),
        ("(. >= 1) and (. <= 5 and . <= 4)", True, ("1", "4")),
    ],
)
def test_bounds_of_a_number(text, is_integer, bounds):
    constraint = constraint_of(text, "number")
    assert constraint.bounds(is_integer=is_integer) == bounds
    assert constraint.lost == []


def test_days():
    assert constraint_of(". > date('2000-01-01')", "date").days == ("2000-01-01", "")


@pytest.mark.parametrize(
    ("text", "special"),
    [
        ("(. >= 2 and . <= 54) or . = 999", ["999"]),
        (". = -9 or (. >= 2 and . <= 54) or . = -8.0", ["-9", "-8"]),
    ],
)
def test_numbers_beside_the_bounds_are_special(text, special):
    constraint = constraint_of(text, "number")
    assert (constraint.special, constraint.bounds(is_integer=True)) == (special, ("2", "54"))


def test_at_most_three_are_special():
    constraint = constraint_of("(. >= 0) or . = -1 or . = -2 or . = -3 or . = -4", "number")
    assert len(constraint.special) == 3
    assert "at most 3 special answers" in str(constraint.lost)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (". != 3", "number"),
        (". = 3", "number"),
        (". >= 0 or . <= 3", "number"),
        ("(. >= 0 and . <= ${x}) or . = 9", "number"),
        ("selected(., 'a')", "ticks"),
        ("not(selected(., 'a'))", "ticks"),
        ("not(selected(., 'a') and selected(., 'a'))", "ticks"),
        ("not(count-selected(.) > 1 and selected(., 'a'))", "ticks"),
        ("string-length(.) > 3", "text"),
        ("string-length(.) <= ${x}", "text"),
        (". <= '2020-13'", "date"),
        ("((", "number"),
        ("1", "number"),
    ],
)
def test_what_is_no_bound_is_lost_once_and_bounds_nothing(text, kind):
    constraint = constraint_of(text, kind)
    assert len(constraint.lost) == 1
    assert (constraint.limits, constraint.special, constraint.exclusive) == ([], [], [])
    assert constraint.longest == 0
