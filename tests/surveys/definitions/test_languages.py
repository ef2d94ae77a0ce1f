"""The languages that definitions know are those of respondents' pages; forms name them freely."""

import pytest
from django.conf import settings

from surveys.definitions.languages import LANGUAGES, language_named


def test_the_languages_are_those_of_respondents_pages():
    assert tuple(code for code, _ in settings.LANGUAGES) == LANGUAGES


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("de", "de"),
        ("Deutsch (de)", "de"),
        ("German", "de"),
        ("de-informal", "de"),
        ("es_MX", "es"),
        ("English (GB)", "en"),
        ("Français", "fr"),
        ("Portuguese (pt)", ""),
        ("", ""),
    ],
)
def test_a_language_is_known_by_its_code_or_its_name(name, code):
    assert language_named(name) == code
