"""German and French with "du" and "tu": every sentence that addresses its reader has both forms."""

import re
from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from django.utils.formats import date_format, number_format
from django.utils.translation import get_language_bidi, gettext, override

from surveys.web.locales import INFORMAL
from tests.locale import catalogues
from tests.locale.address import BASE_OF, addresses_formally, overlaid, to_say_otherwise
from tests.locale.make import po_file
from tests.locale.test_catalogues import MARKUP

each_locale = pytest.mark.parametrize("name", sorted(BASE_OF))
INFORMALLY = {
    "de": re.compile(r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?)\b"),
    "fr": re.compile(r"\b(?:[Tt]u|[Tt]e|[Tt]oi|[Tt]on|[Tt]a|[Tt]es|tiens?|tiennes?)\b|\bt’"),
}


@cache
def formal(name: str) -> list[catalogues.Entry]:
    return catalogues.read(po_file("respondents", BASE_OF[name]))


@cache
def informal(name: str) -> list[catalogues.Entry]:
    return catalogues.read(po_file("respondents", name))


@each_locale
def test_exactly_the_texts_that_address_formally_are_said_otherwise(name):
    """``python -m tests.locale.make`` adds those that are missing and takes out the others."""
    wanted = to_say_otherwise(BASE_OF[name], formal(name)[1:])
    assert [entry.msgid for entry in informal(name)[1:]] == [entry.msgid for entry in wanted]
    assert [entry.sources for entry in informal(name)[1:]] == [entry.sources for entry in wanted]


@each_locale
def test_each_of_them_is_written_and_none_is_formal(name):
    texts = [entry.translations for entry in informal(name)[1:]]
    assert [one for one in texts if not all(one)] == []
    assert [one for one in texts if addresses_formally(BASE_OF[name], one)] == []


@each_locale
def test_no_text_addresses_in_both_ways(name):
    """Those that are not said otherwise are shown beside "du" and "tu"."""
    said = [MARKUP.sub("", text) for entry in formal(name)[1:] for text in entry.translations]
    assert [text for text in said if INFORMALLY[BASE_OF[name]].search(text)] == []


@each_locale
def test_what_a_text_promises_in_numbers_is_the_same(name):
    """Numbers, names that are filled in, markup, buttons and sentences are the same."""
    kept = re.compile(r"\{\w+\}|%\(\w+\)s|<[^>]+>|\d+|„[^“]+“|«[^»]+»|[.!?:;]")
    before = {(entry.msgid, entry.plural): entry for entry in formal(name)}
    for entry in informal(name)[1:]:
        old = before[entry.msgid, entry.plural]
        for text, other in zip(entry.translations, old.translations, strict=True):
            assert kept.findall(text) == kept.findall(other)


@each_locale
def test_what_the_program_reads_has_all_texts_of_the_language(name):
    compiled = po_file("respondents", name).with_suffix(".mo").read_bytes()
    assert compiled == catalogues.compiled(overlaid(formal(name), informal(name)[1:]))


def test_a_page_takes_other_texts_from_the_language():
    for language, locale in INFORMAL.items():
        with override(language):
            words = gettext("Nothing was stored."), gettext("Log in"), gettext("Send")
        with override(locale):
            assert (gettext("Nothing was stored."), gettext("Log in"), gettext("Send")) == words


def test_numbers_and_days_are_written_as_in_the_language():
    for language, locale in INFORMAL.items():
        written = []
        for one in (language, locale):
            with override(one):
                number = number_format(Decimal("1234.5"), force_grouping=True)
                written.append((number, date_format(date(2027, 3, 1)), get_language_bidi()))
        assert written[0] == written[1]


@pytest.mark.parametrize(
    ("language", "text", "is_formal"),
    [
        ("de", "Wählen Sie eine Antwort.", True),
        ("de", "Sie können gehen.", True),
        ("de", "Ihnen wird eine gestellt.", True),
        ("de", "Sie zeigt einen Bildschirm nach dem anderen.", False),
        ("de", "Die Antworten bleiben hier. Sie stehen unten.", False),
        ("de", "Lies ihre Namen.", False),
        ("fr", "Choisissez une réponse.", True),
        ("fr", "Ne dites rien.", True),
        ("fr", "C’est votre droit.", True),
        ("fr", "Elles sont chez nous.", False),
    ],
)
def test_formal_address_is_found(language, text, is_formal):
    assert addresses_formally(language, [text]) is is_formal
