"""Everything that respondents read is marked, and translated with the same placeholders."""

import gettext
import io
import re
import string
from functools import cache

import pytest
from django.conf import settings

from tests.locale import catalogues
from tests.locale.address import BASE_OF
from tests.locale.editions import NEWEST_OF
from tests.locale.make import LOCALE, po_file, po_files
from tests.locale.sources import (
    CATALOGUES,
    ROOT,
    english_in,
    marked_texts,
    respondent_modules,
    respondent_templates,
    staff_modules,
    staff_templates,
    unclear_marks,
    unmarked_in,
)

OFFERED = {"respondents": settings.LANGUAGES, "staff": settings.STAFF_LANGUAGES}
# English is what is marked.
KEPT = [(name, code) for name in CATALOGUES for code, _ in OFFERED[name] if code != "en"]
each_catalogue = pytest.mark.parametrize(("catalogue", "language"), KEPT)
PERCENT = re.compile(r"%\((\w+)\)s")
MARKUP = re.compile(r"<[^>]*>")


@cache
def entries_of(catalogue: str, language: str) -> list[catalogues.Entry]:
    return catalogues.read(LOCALE / catalogue / language / "LC_MESSAGES" / "django.po")


def placeholders(text: str) -> tuple[set[str], list[str]]:
    """The names that are filled in, and the elements of HTML, each as often as it stands there."""
    braces = {name for _, name, _, _ in string.Formatter().parse(text) if name}
    return braces | set(PERCENT.findall(text)), sorted(MARKUP.findall(text))


def test_there_is_a_catalogue_for_each_language_and_no_other():
    files = [(name, path.parent.parent.name) for name in CATALOGUES for path in po_files(name)]
    others = (("respondents", name) for name in (*BASE_OF, *NEWEST_OF))
    assert sorted(files) == sorted([*KEPT, *others])


@each_catalogue
def test_no_text_is_empty_or_fuzzy(catalogue, language):
    assert [entry.msgid for entry in entries_of(catalogue, language) if not entry.is_complete] == []


@each_catalogue
def test_a_catalogue_has_exactly_what_is_marked(catalogue, language):
    """``python -m tests.locale.make`` brings it up to date."""
    found = {(entry.msgid, entry.plural, entry.sources) for entry in marked_texts(catalogue)}
    known = {
        (entry.msgid, entry.plural, entry.sources) for entry in entries_of(catalogue, language)[1:]
    }
    assert found ^ known == set()


@each_catalogue
def test_what_the_program_reads_is_compiled_from_the_catalogue(catalogue, language):
    compiled = (LOCALE / catalogue / language / "LC_MESSAGES" / "django.mo").read_bytes()
    assert compiled == catalogues.compiled(entries_of(catalogue, language))


def test_sentences_that_stored_reports_keep_are_none_of_today():
    """A report keeps the sentence that it was made with: it is looked up for good."""
    path = po_file("earlier", "de")
    entries = catalogues.read(path)
    assert [entry.msgid for entry in entries[1:] if not entry.is_complete] == []
    today = {(entry.msgid, entry.plural) for name in CATALOGUES for entry in marked_texts(name)}
    assert {(entry.msgid, entry.plural) for entry in entries[1:]} & today == set()
    assert path.with_suffix(".mo").read_bytes() == catalogues.compiled(entries)


@each_catalogue
def test_compiled_catalogues_are_read_as_gettext_does(catalogue, language):
    entries = entries_of(catalogue, language)
    read = gettext.GNUTranslations(io.BytesIO(catalogues.compiled(entries)))
    for entry in entries[1:]:
        if entry.plural:
            said = {read.ngettext(entry.msgid, entry.plural, count) for count in range(201)}
            assert said == set(entry.translations)
        else:
            assert read.gettext(entry.msgid) == entry.translations[0]


@each_catalogue
def test_every_plural_form_is_written(catalogue, language):
    entries = entries_of(catalogue, language)
    forms = catalogues.forms_of(entries[0])
    assert forms == {"ar": 6}.get(language, 2)
    for entry in entries[1:]:
        assert len(entry.translations) == (forms if entry.plural else 1), entry.msgid


@each_catalogue
def test_placeholders_and_markup_agree(catalogue, language):
    for entry in entries_of(catalogue, language)[1:]:
        one, markup = placeholders(entry.msgid)
        other = placeholders(entry.plural)[0] if entry.plural else one
        for text in entry.translations:
            names, elements = placeholders(text)
            # One thing need not be counted: "one answer".
            assert one & other <= names <= one | other, (entry.msgid, text)
            assert elements == markup, (entry.msgid, text)
        assert placeholders(entry.translations[-1])[0] == other, entry.msgid


@each_catalogue
def test_no_translation_says_the_same_twice(catalogue, language):
    texts = [text for entry in entries_of(catalogue, language) for text in entry.translations]
    halves = [(text[: len(text) // 2], text[len(text) // 2 :]) for text in texts]
    assert [first for first, second in halves if first and first == second] == []


@each_catalogue
def test_spaces_around_a_text_stay(catalogue, language):
    for entry in entries_of(catalogue, language)[1:]:
        if entry.msgid != entry.msgid.strip():  # words between two others
            start = entry.translations[0].startswith(" ")
            assert start == entry.msgid.startswith(" "), entry.msgid


def test_no_text_is_in_both_catalogues():
    """The program reads both as one, and which of two translations it took would be chance."""
    both = [{(one.msgid, one.plural) for one in marked_texts(name)} for name in CATALOGUES]
    assert both[0] & both[1] == set()


TRANSLATED_TEMPLATES = [*respondent_templates(), *staff_templates()]


@pytest.mark.parametrize("path", TRANSLATED_TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_text_that_is_not_marked(path):
    assert unmarked_in(path.read_text()) == []


@pytest.mark.parametrize(
    "path", list(respondent_modules()), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_a_module_says_nothing_to_respondents_that_is_not_marked(path):
    assert english_in(path) == []


@pytest.mark.parametrize(
    "path", list(staff_modules()), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_a_module_says_nothing_to_staff_that_is_not_marked(path):
    assert english_in(path) == []


def test_only_whole_texts_are_marked():
    """What is put together first could not be found in a catalogue."""
    assert unclear_marks() == []


@pytest.mark.parametrize(
    ("template", "unmarked"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<input title="A number">', ["A number"]),
        ('<p>{% translate "Hello" %} {{ name }} 1.</p>', []),
        ("{% blocktranslate %}Hello{% endblocktranslate %}{# Hello #}", []),
        ("<{{ heading }} tabindex='-1'>{{ text }}</{{ heading }}>", []),
    ],
)
def test_unmarked_texts_are_found(template, unmarked):
    assert unmarked_in(template) == unmarked
