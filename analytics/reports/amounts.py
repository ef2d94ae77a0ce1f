"""Amounts of a budget in words: spent is never shown as less, left is never shown as more."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import exp

from django.utils.translation import gettext

from surveys.reports.documents import Block, ResultColumn, ResultTable, Row, Text
from surveys.wording.language.numbers import localized

GUESSES = (0.01, 0.1, 0.5)


def rounded_up(epsilon: float, most: float | None = None) -> str:
    """An epsilon that was spent: never shown as less, nor as more than ``most``, which also holds.

    Above 100 it protects no respondent, and the words say so.
    """
    shown = Decimal(repr(epsilon)).quantize(Decimal("0.01"), ROUND_CEILING) if epsilon < 100 else 0
    if not shown and epsilon:
        return gettext("more than 100")
    if most is not None and shown > Decimal(repr(most)):
        return localized(f"{Decimal(repr(most)).normalize():f}")
    return localized(f"{shown:.2f}")


def rounded_down(epsilon: float) -> str:
    """An epsilon that may still be spent: never shown as more."""
    return localized(f"{Decimal(repr(epsilon)).quantize(Decimal('0.01'), ROUND_FLOOR):.2f}")


def amount(value: Decimal) -> str:
    """A decimal of the ledger with every digit that counts."""
    return localized(f"{value.normalize():f}") if value else "0"


def plain(number: float) -> str:
    """A number as people write it, without an exponent."""
    return localized(f"{Decimal(repr(number)).normalize():f}")


def share_of(part: Decimal, total: Decimal) -> str:
    """A part in percent."""
    if not total:
        return "–"
    percent = 100 * part / total
    small = 0 < percent < Decimal("0.01")
    return localized("< 0.01 %" if small else f"{float(percent):.3g} %")


def guess_rows(epsilon: float) -> tuple[Row, ...]:
    """How a guess of some certainty may rise: odds p/(1-p) grow at most e^epsilon-fold."""
    return tuple(
        {
            "before": localized(f"{100 * before:g} %"),
            "after": _percent_up(1 / (1 + (1 - before) / before * exp(-epsilon))),
        }
        for before in GUESSES
    )


def guess_blocks(epsilon: float, words: str) -> tuple[Block, ...]:
    """What an epsilon, which a page writes as ``words``, means for guesses about one person."""
    columns = (
        ResultColumn("before", gettext("Certainty before"), is_number=True),
        ResultColumn("after", gettext("Certainty afterwards, at most"), is_number=True),
    )
    caption = gettext("What epsilon {epsilon} means for a reader who guesses what one person wrote")
    label = gettext("What epsilon {epsilon} means").format(epsilon=words)
    rows = guess_rows(epsilon)
    return (
        ResultTable(caption.format(epsilon=words), columns, rows, label, names=0),
        Text(
            gettext(
                "Reports do not hide whether a person took part or wrote anything: the numbers of "
                "answers and of texts are exact."
            ),
            is_help=True,
        ),
    )


def _percent_up(share: float) -> str:
    percent = Decimal(repr(100 * share)).quantize(Decimal("0.1"), ROUND_CEILING)
    return localized(f"{percent} %") if percent < 100 else gettext("nearly 100 %")
