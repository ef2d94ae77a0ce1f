"""grouped: a number as a language writes it: 10,000 in English, 10.000 in German."""

from decimal import Decimal

from django.utils.formats import number_format


def grouped(number: int | str) -> str:
    """A number, or its decimal digits, with the separators of the language that is active."""
    return str(number_format(Decimal(number), force_grouping=True))
