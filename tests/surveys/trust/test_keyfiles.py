"""A key file opens with its passphrase alone; what was changed, cut or swapped is refused."""

import json
import tracemalloc

import pytest

from surveys.trust.keyfiles import (
    from_paper,
    new_key,
    on_paper,
    read_public,
    sealed_file,
    unsealed_file,
    written,
)
from surveys.trust.refusals import NotOpened, TrustRefusal

PHRASE = "drei Gräser"


@pytest.fixture(scope="module")
def private():
    return new_key("Registry office, Ünal")


@pytest.fixture(scope="module")
def document(private):
    return sealed_file(private, PHRASE)


def as_file(document):
    return written(document).encode()


def test_a_private_file_opens_with_its_passphrase_on_every_keyboard(private, document):
    decomposed = PHRASE.replace("ä", "a\u0308")
    assert unsealed_file(as_file(document), decomposed) == private
    assert private.key.hex() not in written(document)


def test_another_passphrase_opens_nothing(document):
    with pytest.raises(NotOpened):
        unsealed_file(as_file(document), PHRASE + " ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "Somebody else"),
        ("sealed", "00" * 48),
    ],
)
def test_a_private_file_that_was_changed_opens_nothing(document, name, value):
    with pytest.raises(NotOpened):
        unsealed_file(as_file({**document, name: value}), PHRASE)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b'{"deniable": "private key 1", "kind": "texts"}',
        b'{"deniable": "private key 1", "kind": "texts", "name": 1.5, "sealed": "00"}',
        b'{"deniable": "private key 1", "kind": "trustee"}',
        b'{"deniable": "public key 1", "kind": "texts", "name": "a", "key": "zz"}',
        b'{"deniable": "public key 1", "kind": "texts", "name": "a", "key": "00"}',
        b'{"deniable": "public key 1", "kind": "texts", "name": 7, "key": "00"}',
        b'{"deniable": "public key 1", "kind": "texts", "name": "a\\n", "key": "%s"}'
        % (b"00" * 32),
    ],
)
def test_what_is_no_key_file_is_refused_in_words(content):
    for read in (read_public, lambda given: unsealed_file(given, PHRASE)):
        with pytest.raises(TrustRefusal):
            read(content)


def test_a_file_cut_anywhere_is_refused(private, document):
    for content, read in (
        (as_file(document), lambda given: unsealed_file(given, PHRASE)),
        (as_file(private.public.to_document()), read_public),
    ):
        for at in range(0, len(content) - 2, 7):
            with pytest.raises(TrustRefusal):
                read(content[:at])


def test_a_file_cannot_ask_for_more_memory_than_ours(document):
    asked = {**document, "scrypt": {**document["scrypt"], "n": 2**30}}
    tracemalloc.start()
    with pytest.raises(TrustRefusal):
        unsealed_file(as_file(asked), PHRASE)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_a_public_file_is_read_and_the_halves_are_not_taken_for_each_other(private, document):
    public = private.public.to_document()
    assert read_public(as_file(public)) == private.public
    with pytest.raises(TrustRefusal, match="not a private key file"):
        unsealed_file(as_file(public), PHRASE)
    with pytest.raises(TrustRefusal, match="not a public key file"):
        read_public(as_file(document))


def test_paper_brings_the_key_back_however_it_is_typed(private):
    paper = on_paper(private)
    assert len(paper.replace("-", "")) == 54
    typed = paper.upper().replace("-", " ").replace("0", "O").replace("1", "l")
    assert from_paper(private.name, typed) == private


def test_one_wrong_character_on_paper_is_noticed(private):
    paper = on_paper(private).replace("-", "")
    for at in range(len(paper)):
        for other in "07z":
            if paper[at] != other:
                with pytest.raises(TrustRefusal):
                    from_paper(private.name, paper[:at] + other + paper[at + 1 :])


@pytest.mark.parametrize("text", ["", "0" * 54 + "0", "é" * 54, "zzzz" * 13 + "zz"])
def test_what_is_no_key_on_paper_is_refused(text):
    with pytest.raises(TrustRefusal):
        from_paper("A", text)


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "a\nb", "\u202e"])
def test_a_key_needs_a_name_that_can_be_shown(name):
    with pytest.raises(TrustRefusal, match="Give the key a name"):
        new_key(name)


def test_a_short_passphrase_is_refused(private):
    with pytest.raises(TrustRefusal, match="at least 8"):
        sealed_file(private, "1234567")


def test_the_file_says_how_it_is_locked(document):
    assert json.loads(written(document))["scrypt"] == {
        **{"n": 131072, "r": 8, "p": 1},
        "salt": document["scrypt"]["salt"],
    }
