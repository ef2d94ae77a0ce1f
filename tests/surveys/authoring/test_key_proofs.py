"""A survey with sealed texts is launched by people who showed that their keys open."""

import re
from datetime import date

import pytest
from django.utils.html import escape

from surveys.models import Revision, Survey
from surveys.trust.words import open_word
from tests.factories import add_question, add_text, make_survey, make_user
from tests.surveys.authoring.asking import confirmed, page_of
from tests.surveys.authoring.test_admin import change
from tests.surveys.authoring.text_keys import add_key, new_key

FIRST, SECOND = new_key("Registry"), new_key("Institute & Sons")


@pytest.fixture
def draft(owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_question(draft)
    add_text(draft)
    add_key(draft, FIRST)
    add_key(draft, SECOND, layer=2)
    return draft


def sealed_in(page: str) -> dict[str, str]:
    """The hidden fields of each word."""
    return dict(re.findall(r'name="((?:sealed|proof)-[12])" value="([0-9a-f]+)"', page))


def words_in(page: str) -> dict[str, str]:
    """What the holders of the keys type."""
    fields = sealed_in(page)
    return {
        f"word-{layer}": open_word(bytes.fromhex(fields[f"sealed-{layer}"]), key)
        for layer, key in ((1, FIRST), (2, SECOND))
    }


def launch_page(client, draft) -> str:
    return client.get(page_of(draft, "launch")).content.decode()


def press(client, draft, page: str, **typed: str):
    fields = {**confirmed(page), **sealed_in(page), **typed}
    return client.post(page_of(draft, "launch"), fields)


def is_open(draft) -> bool:
    return Survey.objects.get(pk=draft.pk).state == "open"


def test_with_the_words_of_both_keys_it_is_launched_with_them(staff, draft):
    page = launch_page(staff, draft)
    assert escape("Institute & Sons") in page
    assert press(staff, draft, page, **words_in(page)).status_code == 302
    assert is_open(draft)
    (document,) = Revision.objects.values_list("document", flat=True)
    assert [key["name"] for key in document["seals"]["keys"]] == ["Registry", "Institute & Sons"]


def test_words_are_read_as_codes_are(staff, draft):
    page = launch_page(staff, draft)
    typed = {name: f" {word[:4].upper()}-{word[4:]}" for name, word in words_in(page).items()}
    press(staff, draft, page, **typed)
    assert is_open(draft)


def test_a_wrong_word_launches_nothing_and_what_was_typed_and_sealed_stays(staff, draft):
    page = launch_page(staff, draft)
    right = words_in(page)
    again = press(staff, draft, page, **{**right, "word-2": "wrong"}).content.decode()
    assert not is_open(draft)
    assert "because an entry below is wrong" in again
    assert again.count('aria-invalid="true"') == 1
    assert sealed_in(again) == sealed_in(page)
    assert f'value="{right["word-1"]}"' in again
    assert 'value="wrong"' in again
    press(staff, draft, again, **right)
    assert is_open(draft)


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: {},
        lambda fields: {**fields, "word-1": ""},
        lambda fields: {**fields, "word-1": fields["word-2"], "word-2": fields["word-1"]},
        lambda fields: {**fields, "proof-1": "", "sealed-1": ""},
        lambda fields: {**fields, "proof-1": fields["proof-2"]},
        lambda fields: {**fields, "sealed-1": fields["sealed-2"]},
        lambda fields: {**fields, "proof-1": "ü", "word-1": "\0😀"},
    ],
)
def test_nothing_but_the_right_words_launches(staff, draft, change):
    page = launch_page(staff, draft)
    fields = {**sealed_in(page), **words_in(page)}
    staff.post(page_of(draft, "launch"), {**confirmed(page), **change(fields)})
    assert not is_open(draft)


def test_the_words_of_one_person_or_survey_launch_for_no_other(staff, draft, owner, client):
    page = launch_page(staff, draft)
    other = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_text(other)
    for layer, key in ((1, FIRST), (2, SECOND)):
        add_key(other, key, layer=layer)
    fields = {**sealed_in(page), **words_in(page)}
    staff.post(page_of(other, "launch"), {**confirmed(launch_page(staff, other)), **fields})
    assert not is_open(other)
    client.force_login(make_user("root", superuser=True))
    client.post(page_of(draft, "launch"), {**confirmed(launch_page(client, draft)), **fields})
    assert not is_open(draft)


def test_each_page_has_words_of_its_own(staff, draft):
    pages = [launch_page(staff, draft) for _ in range(3)]
    words = [word for page in pages for word in words_in(page).values()]
    assert len(set(words)) == 6
    assert not any(word in page for page in pages for word in words)


def test_without_the_file_that_seals_no_key_can_be_chosen_and_none_is_launched(
    staff, draft, settings
):
    settings.STATICFILES_DIRS = settings.STATICFILES_DIRS[:-1]
    assert "text_keys" not in staff.get(change(draft)).content.decode()
    reply = staff.get(page_of(draft, "launch"), follow=True)
    assert "This installation cannot seal texts" in reply.content.decode()
    assert not is_open(draft)
