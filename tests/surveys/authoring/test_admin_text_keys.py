"""Keys for sealed texts are uploaded on the survey's page, until launch."""

import json
from datetime import date

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.editor.copies import copy_survey
from surveys.models import AuditEntry, TextKey
from surveys.trust.keyfiles import sealed_file
from tests.factories import (
    add_question,
    add_rating,
    add_text,
    launched,
    make_open_survey,
    make_survey,
)
from tests.surveys.authoring.test_admin import change
from tests.surveys.authoring.text_keys import add_key, file_of, new_key, sent, upload

FIRST, SECOND = new_key("Registry"), new_key("Zweites Institut ü")


@pytest.fixture
def draft(owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_text(draft)
    return draft


def five_ratings(draft) -> None:
    """More than a page loads names for."""
    for _ in range(5):
        add_rating(draft)


def keys_of(survey) -> list[tuple[int, str, str]]:
    return list(survey.text_keys.values_list("layer", "name", "key"))


def row(layer, key) -> tuple[int, str, str]:
    return (layer, key.name, key.public.key.hex())


@pytest.mark.parametrize("keys", [[FIRST], [FIRST, SECOND], [SECOND, FIRST]])
def test_the_first_file_is_the_innermost_layer(staff, draft, keys):
    assert staff.post(change(draft), sent(draft, *map(file_of, keys))).status_code == 302
    assert keys_of(draft) == [row(layer, key) for layer, key in enumerate(keys, start=1)]
    seals = draft_questionnaire(draft).seals
    assert [(key.name, key.public) for key in seals.keys] == [
        (key.name, key.public.key) for key in keys
    ]
    page = staff.get(change(draft)).content.decode()
    assert all(key.name in page and key.public.key.hex()[:16] in page for key in keys)


def test_a_second_key_comes_after_the_first_and_takes_the_place_of_one_that_is_deleted(
    staff, draft
):
    staff.post(change(draft), sent(draft, file_of(FIRST)))
    staff.post(change(draft), sent(draft, file_of(SECOND)))
    assert keys_of(draft) == [row(1, FIRST), row(2, SECOND)]
    third = new_key("Third")
    assert staff.post(change(draft), sent(draft, file_of(third), delete=0)).status_code == 302
    assert keys_of(draft) == [row(1, third), row(2, SECOND)]


def test_a_file_in_the_row_of_a_key_replaces_it(staff, draft):
    staff.post(change(draft), sent(draft, file_of(FIRST)))
    replaced = {**sent(draft), "text_keys-0-file": upload(file_of(SECOND))}
    assert staff.post(change(draft), replaced).status_code == 302
    assert keys_of(draft) == [row(1, SECOND)]


def test_the_log_keeps_whose_keys_they_are(staff, draft):
    staff.post(change(draft), sent(draft, file_of(FIRST)))
    entry = AuditEntry.objects.filter(survey=draft.pk, action="edited").get()
    assert entry.after["key 1 for sealed texts"] == f"Registry: {FIRST.public.key.hex()}"


PRIVATE = json.dumps(sealed_file(FIRST, "correct horse")).encode()
DOCUMENT = FIRST.public.to_document()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PRIVATE, "This file is not a public key file."),
        (b"", "empty"),
        (b"\0\xff", "damaged"),
        (b"[" * 5000, "damaged"),
        (b"{}", "damaged"),
        (json.dumps({**DOCUMENT, "kind": "trustee"}).encode(), "damaged"),
        (json.dumps({**DOCUMENT, "key": "00" * 32}).encode(), "damaged"),
        (json.dumps({**DOCUMENT, "key": DOCUMENT["key"][:-2]}).encode(), "damaged"),
        (json.dumps({**DOCUMENT, "key": 5}).encode(), "damaged"),
        (json.dumps({**DOCUMENT, "name": "x" * 81}).encode(), "Give the key a name"),
        (json.dumps({**DOCUMENT, "name": "\u202ename"}).encode(), "Give the key a name"),
        (file_of(FIRST) + b" " * 10_000 + b"x", ""),
    ],
)
def test_another_file_is_refused_in_words_and_nothing_of_it_is_kept(staff, draft, content, words):
    reply = staff.post(change(draft), sent(draft, content))
    if words:
        assert reply.status_code == 200
        assert words in reply.content.decode()
    assert not TextKey.objects.exclude(key=FIRST.public.key.hex()).exists()


@pytest.mark.parametrize(
    "files", [[FIRST, FIRST], [FIRST, SECOND, new_key("Third")]], ids=["one twice", "three"]
)
def test_two_different_keys_are_the_most(staff, draft, files):
    reply = staff.post(change(draft), sent(draft, *map(file_of, files)))
    assert reply.status_code == 200
    assert not TextKey.objects.exists()
    staff.post(change(draft), sent(draft, file_of(FIRST)))
    assert staff.post(change(draft), sent(draft, file_of(FIRST))).status_code == 200
    assert keys_of(draft) == [row(1, FIRST)]


def test_after_the_launch_no_key_is_added_or_deleted(staff, draft, owner):
    without = make_open_survey(owner)
    staff.post(change(without), sent(without, file_of(FIRST)))
    assert not TextKey.objects.exists()
    add_key(draft, FIRST)
    survey = launched(draft)
    staff.post(change(survey), sent(survey, delete=0))
    assert keys_of(survey) == [row(1, FIRST)]


def test_a_copy_has_no_key(draft, owner):
    add_key(draft, FIRST)
    assert not copy_survey(survey=draft, by=owner).text_keys.exists()


def test_without_a_text_nothing_is_sealed(owner):
    draft = make_survey(owner, opening="close", close_on=date(2099, 1, 1))
    add_question(draft)
    add_key(draft, FIRST)
    assert draft_questionnaire(draft).seals is None


@pytest.mark.parametrize(
    ("change_draft", "words"),
    [
        (
            lambda draft: setattr(draft, "opening", "live"),
            "In a live survey, texts cannot be sealed",
        ),
        (five_ratings, "sealed if the server draws the items to rate"),
    ],
)
def test_what_cannot_be_promised_is_not_ready(draft, change_draft, words):
    add_key(draft, FIRST)
    change_draft(draft)
    with pytest.raises(NotReady, match=words):
        draft_questionnaire(draft)
