"""Numbers and days as a language writes them: 10,000 and 12.5 % in English, 10.000 in German."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from django.utils.formats import date_format, get_format, number_format
from django.utils.functional import lazy
from django.utils.translation import gettext


def localized(digits: str) -> str:
    """What Python wrote, "1,234.5", with the separators of the language that is active."""
    marks = {",": get_format("THOUSAND_SEPARATOR"), ".": get_format("DECIMAL_SEPARATOR")}
    return digits.translate(str.maketrans(marks))


def percent(value: float | None, digits: int = 1) -> str:
    """A share in words: ``12.3 %``; a dash where there is none."""
    return "–" if value is None else per_cent(value, digits)


def number_words(value: float | None, places: int = 2) -> str:
    """A number without needless zeros; a dash where there is none."""
    if value is None:
        return "–"
    text = _without_minus_zero(value, places)
    short = text.rstrip("0").rstrip(".") if places else text
    return localized(short).replace("-", "−")


def _without_minus_zero(value: float, places: int) -> str:
    """A number as Python writes it; what is rounded to zero has no minus."""
    text = f"{value:,.{places}f}"
    return text if text.strip("-0.") else text.lstrip("-")


def count_words(count: int) -> str:
    """A number of people or answers, with its thousands apart."""
    return localized(f"{count:,}")


def parted(parts: Iterable[object]) -> str:
    """Several numbers as a field takes them: "1, 2", or "1; 2" where decimals have a comma."""
    return ("; " if get_format("DECIMAL_SEPARATOR") == "," else ", ").join(map(str, parts))


parted_lazy = lazy(parted, str)


def grouped(number: int | str) -> str:
    """A number, or its decimal digits, with the separators of the language that is active."""
    return str(number_format(Decimal(number), force_grouping=True))


def decimal(number: float, places: int) -> str:
    """A number with so many decimal places; no minus before a zero."""
    plain = _without_minus_zero(number, places).replace(",", "")
    return str(number_format(plain, places)).replace("-", "−")


def per_cent(share: float, places: int = 1) -> str:
    """A share in percent: ``12.3 %``."""
    return f"{decimal(100 * share, places)} %"


def day_words(day: date) -> str:
    """A day for pages of staff."""
    # Translators: how Django's filter "date" writes a day; German has a full stop behind the j.
    return date_format(day, gettext("j F Y"))


def moment_words(moment: date) -> str:
    """A day with its time, to the minute."""
    return date_format(moment, gettext("j F Y, H:i"))
