"""Locales of respondents' pages: a language, how a survey addresses people, and in which words.

German and French can say "du" and "tu". Django then speaks a locale of its own while it makes a
page, such as ``de-du``, whose catalogue has the sentences that differ. A survey that was launched
when a promise had other words keeps these, as ``wording`` in its document says: it speaks
``de-w4``, whose catalogue has the words that such surveys promised. Addresses, ``lang`` and
headers keep the language: the survey says how it speaks, and the page need not.
"""

from collections.abc import Iterable
from typing import Protocol

from django.urls import LocalePrefixPattern, URLResolver
from django.utils.translation import get_language, override

from surveys.web.addresses import Pattern

INFORMAL = {"de": "de-du", "fr": "fr-tu"}
# Editions of the wording that launched surveys keep: the number of the next one, and the locales'
# end. How to say a promise in better words: docs/translating.md.
EARLIER = ((4, "w3"), (5, "w4"))


class Addressing(Protocol):
    """What decides how people are addressed: a draft, or a launched questionnaire."""

    @property
    def language(self) -> str: ...

    @property
    def informal(self) -> bool: ...

    @property
    def wording(self) -> int: ...


def locale_in(one: Addressing, language: str) -> str:
    """What Django speaks on pages of this survey in this language."""
    spoken = INFORMAL.get(language, language) if one.informal else language
    edition = next((name for newer, name in EARLIER if one.wording < newer), "")
    return f"{spoken}-{edition}" if edition else spoken


def offers_informal(languages: Iterable[str]) -> bool:
    """Whether people can be addressed in two ways in one of these languages."""
    return not INFORMAL.keys().isdisjoint(languages)


def speaking(one: Addressing, language: str = "") -> override:
    """Speak as this survey does: in this language, or in its own."""
    return override(locale_in(one, language or one.language))


def written_language() -> str:
    """The language of the page, as its address and ``lang`` say it; empty if none is active."""
    return (get_language() or "").partition("-")[0]


class _Prefix(LocalePrefixPattern):
    """The language as the first part of an address, however people are addressed in it."""

    @property
    def language_prefix(self) -> str:
        return f"{written_language()}/"


def below_languages(*patterns: Pattern) -> list[Pattern]:
    """Addresses that begin with the language of their page."""
    return [URLResolver(_Prefix(), list(patterns))]
