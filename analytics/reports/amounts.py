"""Amounts of a budget in words: what is spent is never told as less, what is left never as more."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.utils.translation import gettext

from surveys.wording.language.numbers import localized


def rounded_up(epsilon: float, most: float | None = None) -> str:
    """An epsilon that was spent: never told as less, nor as more than ``most``, which also holds.

    Above 100 it protects no respondent, and the words say so.
    """
    told = Decimal(repr(epsilon)).quantize(Decimal("0.01"), ROUND_CEILING) if epsilon < 100 else 0
    if not told and epsilon:
        return gettext("more than 100")
    if most is not None and told > Decimal(repr(most)):
        return localized(f"{Decimal(repr(most)).normalize():f}")
    return localized(f"{told:.2f}")


def rounded_down(epsilon: float) -> str:
    """An epsilon that may still be spent: never told as more."""
    return localized(f"{Decimal(repr(epsilon)).quantize(Decimal('0.01'), ROUND_FLOOR):.2f}")


def amount(value: Decimal) -> str:
    """A decimal of the ledger with every digit that counts."""
    return localized(f"{value.normalize():f}") if value else "0"


def plain(number: float) -> str:
    """A number as people write it, without an exponent."""
    return localized(f"{Decimal(repr(number)).normalize():f}")


def share_of(part: Decimal, whole: Decimal) -> str:
    """A part in percent."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    small = 0 < percent < Decimal("0.01")
    return localized("< 0.01 %" if small else f"{float(percent):.3g} %")
