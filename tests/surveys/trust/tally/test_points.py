"""A point that is none, or has a part of small order, is refused wherever one is first used."""

import pytest

from surveys.trust.tally.group import ORDER, NotInGroup, add, read_point, times, times_base

FIELD = 2**255 - 19
# Points of order 2, 4 and 8, written as RFC 8032, 5.1.2 says.
OF_ORDER_2 = (FIELD - 1).to_bytes(32, "little")
OF_ORDER_4 = bytes(32)
OF_ORDER_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
SMALL = (OF_ORDER_2, OF_ORDER_4, OF_ORDER_8)
GOOD = times_base(7)
MIXED = tuple(add(GOOD, small) for small in SMALL)
# The neutral point and one of order 4, with the field's order added; then y that no point has.
UNCANONICAL = ((FIELD + 1).to_bytes(32, "little"), FIELD.to_bytes(32, "little"))
NO_POINT = (b"\xff" * 32, (2).to_bytes(32, "little"))


@pytest.mark.parametrize("content", [*SMALL, *MIXED, *UNCANONICAL, *NO_POINT], ids=bytes.hex)
def test_it_is_refused_where_it_is_read_and_where_it_is_multiplied(content):
    for use in (read_point, lambda point: times(5, point)):
        with pytest.raises(NotInGroup):
            use(content)


@pytest.mark.parametrize("number", [1, 2, ORDER - 1])
def test_a_point_of_full_order_is_taken(number):
    point = times_base(number)
    assert read_point(point) == times(1, point) == point


@pytest.mark.parametrize("number", [0, ORDER, -ORDER])
def test_a_multiple_that_would_be_neutral_is_refused(number):
    with pytest.raises(NotInGroup):
        times(number, GOOD)
