"""Numbers as a language writes them: 10,000 and 12.5 % in English, 10.000 and 12,5 % in German."""

from decimal import Decimal

from django.utils.formats import number_format


def grouped(number: int | str) -> str:
    """A number, or its decimal digits, with the separators of the language that is active."""
    return str(number_format(Decimal(number), force_grouping=True))


def decimal(number: float, places: int) -> str:
    """A number with so many decimal places; no minus before a zero."""
    rounded = round(number, places) + 0.0  # -0.0 + 0.0 is 0.0
    return str(number_format(f"{rounded:.{places}f}", places)).replace("-", "−")


def per_cent(share: float, places: int = 1) -> str:
    """A share in percent: ``12.3 %``."""
    return f"{decimal(100 * share, places)} %"
