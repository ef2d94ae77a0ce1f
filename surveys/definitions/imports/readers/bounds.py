"""Bounds of numbers and days: those of the form, or as a proposal the widest that there are."""

from decimal import Decimal

from surveys.definitions.imports.entries import Entry
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.rules.text import number_of
from surveys.definitions.rules.tree import is_day
from surveys.randomized_response.messages import sentence

# All that fits into a field of ten characters.
WIDEST = ("-999999999", "999999999")
WIDEST_DAYS = ("1900-01-01", "2099-12-31")
MOST_PLACES = 4
USUAL_PLACES = 2  # of a number that may have any


def set_number_bounds(entry: Entry, low: str, high: str, remarks: Remarks, spot: Spot) -> None:
    """Bound a number by these texts; where one is no number, by the widest."""
    entry.minimum, entry.maximum = number_of(low), number_of(high)
    is_bounded = bool(entry.minimum and entry.maximum)
    entry.minimum, entry.maximum = entry.minimum or WIDEST[0], entry.maximum or WIDEST[1]
    if is_bounded and Decimal(entry.minimum) >= Decimal(entry.maximum):
        entry.minimum, entry.maximum = WIDEST
        is_bounded = False
    if not is_bounded:
        remarks.changed(
            spot,
            f"{low} {high}".strip(),
            sentence(
                "A number needs a smallest and a largest value. The import proposes {least} and "
                "{most}.",
                least=entry.minimum,
                most=entry.maximum,
            ),
            sentence("Choose the smallest and the largest number that make sense."),
        )


def set_decimal_places(entry: Entry, remarks: Remarks, spot: Spot, decimals: int | None) -> None:
    """How many decimal places a number has; where the form allows any, a few."""
    numbers = (entry.minimum, entry.maximum, *entry.special, "")
    wanted = USUAL_PLACES if decimals is None else decimals
    entry.decimal_places = min(MOST_PLACES, max(wanted, *map(_decimals_in, numbers)))
    if decimals is None:
        remarks.changed(
            spot,
            "",
            sentence("Numbers may have up to {count} decimal places.", count=entry.decimal_places),
            sentence("Choose how many decimal places make sense."),
        )


def set_day_bounds(entry: Entry, low: str, high: str, remarks: Remarks, spot: Spot) -> None:
    """Bound a date by these texts; where one is no day, by the widest."""
    is_bounded = is_day(low) and is_day(high) and low < high
    if is_bounded:
        entry.first_day, entry.last_day = low, high
        return
    entry.first_day = low if is_day(low) and low < WIDEST_DAYS[1] else WIDEST_DAYS[0]
    entry.last_day = high if is_day(high) and high > entry.first_day else WIDEST_DAYS[1]
    remarks.changed(
        spot,
        f"{low} {high}".strip(),
        sentence(
            "A date needs a first and a last possible day. The import proposes {first} and {last}.",
            first=entry.first_day,
            last=entry.last_day,
        ),
        sentence("Choose the first and the last day that make sense."),
    )


def _decimals_in(number: str) -> int:
    return len(number.partition(".")[2])
