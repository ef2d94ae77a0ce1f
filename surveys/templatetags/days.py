"""Filters for days on pages of staff, as the language of the page writes them."""

from datetime import date

from django import template

from surveys.wording.language.days import day_words, moment_words

register = template.Library()


@register.filter(expects_localtime=True)
def day(shown: date | None) -> str:
    """A day; nothing where there is none."""
    return day_words(shown) if shown else ""


@register.filter(expects_localtime=True)
def moment(shown: date | None) -> str:
    """A day with its time."""
    return moment_words(shown) if shown else ""
