"""Formal address in translations: which texts of respondents have a form with "du" or "tu" beside.

German says "Sie" also for "they" and "she", as the first word of a sentence, where only the verb
tells them apart.
"""

import re
from collections.abc import Iterable

from django.utils.translation import to_locale

from surveys.web.locales import INFORMAL
from tests.locale.catalogues import Entry

# Directories of catalogues that hold what differs, with the language they differ from.
BASE_OF = {to_locale(locale): language for language, locale in INFORMAL.items()}
BEGINS = r"(?:^|(?<=[.!?:] ))"
NOT_ADDRESSED = "|".join(
    (
        r"\w+t\b",  # "Sie zeigt …"
        "kann",
        "wird",
        "würde",
        "sehen (?:verwischte )?Tabellen",
        "stehen unten",
        "verbergen nicht",
        "warten",
        "zählen einmal",
        "benennen",
        "können die Seite in Ordnung bringen",
        "gingen an",
    )
)
FORMAL = {
    "de": re.compile(
        rf"{BEGINS}Sie (?!{NOT_ADDRESSED})|(?<![.!?:] )(?<!^)\bSie\b|\bIh(?:r(?:e[mnrs]?)?|nen)\b"
    ),
    "fr": re.compile(
        r"\b(?:vous|votre|vos|vôtres?|dites|faites|êtes|(?!chez\b|assez\b)\w+ez)\b", re.IGNORECASE
    ),
}


def addresses_formally(language: str, texts: Iterable[str]) -> bool:
    """Whether one of these texts of a translation says "Sie" or "vous" to its reader."""
    return any(FORMAL[language].search(text) for text in texts)


def to_say_otherwise(language: str, entries: Iterable[Entry]) -> list[Entry]:
    """The entries of a language that need a form with "du" or "tu"."""
    return [entry for entry in entries if addresses_formally(language, entry.translations)]


def overlaid(entries: Iterable[Entry], own: Iterable[Entry]) -> list[Entry]:
    """The entries of a language, with those that a catalogue says otherwise.

    The program reads them from one file: Django would look into its own catalogues before it fell
    back to another.
    """
    otherwise = {(entry.msgid, entry.plural): entry for entry in own if entry.is_complete}
    return [otherwise.get((entry.msgid, entry.plural), entry) for entry in entries]
