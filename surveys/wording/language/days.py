"""Days as a language writes them: 3 March 2026 in English, 3. März 2026 in German."""

from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext


def day_words(day: date) -> str:
    """A day for pages of staff."""
    # Translators: how Django's filter "date" writes a day; German has a full stop behind the j.
    return date_format(day, gettext("j F Y"))


def moment_words(moment: date) -> str:
    """A day with its time, to the minute."""
    return date_format(moment, gettext("j F Y, H:i"))
