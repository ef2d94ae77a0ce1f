"""Messages of rooms without Django: English everywhere, another language where a page asks."""

import pytest
from django.utils.translation import override

from surveys.questionnaire.messages import counted, message
from surveys.wording.language.messages import translated


def test_a_message_is_its_english_text():
    assert message("An invitation code has only digits and letters.").endswith("letters.")
    assert message("around {number}", number="2.5") == "around 2.5"


def test_braces_in_an_authors_words_stay_as_they_are():
    assert message("{first} before {second}", first="{a}", second="b") == "{a} before b"
    with override("en"):
        assert translated(message("{first} before {second}", first="{a}", second="b")) == (
            "{a} before b"
        )


@pytest.mark.parametrize(("count", "text"), [(1, "1 digit"), (0, "0 digits"), (5, "5 digits")])
def test_one_and_other_numbers_have_a_text_each(count, text):
    assert counted("{count} digit", "{count} digits", count) == text
    with override("en"):
        assert translated(counted("{count} digit", "{count} digits", count)) == text


def test_a_message_within_a_message_is_translated_too():
    inner = message("Yes")  # Django's own German catalogue has it
    with override("de"):
        assert translated(message("{reason} x", reason=inner)) == "Ja x"
        assert translated("Yes") == "Yes"  # an author's word
