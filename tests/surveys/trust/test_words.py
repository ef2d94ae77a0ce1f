"""A sealed word opens with its key alone, and a key opens nothing else as a word."""

import pytest

from surveys.trust.keyfiles import PrivateKey
from surveys.trust.refusals import NotOpened
from surveys.trust.sealing import new_private, public_of, seal
from surveys.trust.texts import open_text, seal_text
from surveys.trust.words import new_word, open_word, read_word, seal_word, word_info

KEY = PrivateKey("Registry", new_private())
PUBLIC = KEY.public.key


def test_a_word_is_opened_by_its_key():
    words = {new_word() for _ in range(100)}
    assert len(words) == 100
    assert {open_word(seal_word(word, PUBLIC), KEY) for word in words} == words


def test_what_was_typed_is_read_like_a_code():
    assert read_word(" 7KQO-VWLM ") == "7kq0vw1m"


@pytest.mark.parametrize(
    "sealed",
    [
        seal_word("7kq0vw3m", public_of(new_private())),
        seal_word("7kq0vw3m", PUBLIC)[:-1],
        seal(PUBLIC, word_info(PUBLIC), b"7kq0vw3m7"),
        seal(PUBLIC, word_info(PUBLIC), b"7kq0vw3"),
        seal(PUBLIC, word_info(PUBLIC), b"7kq0vw3!"),
        seal(PUBLIC, word_info(PUBLIC), "7kq0vwä".encode()),
        seal(PUBLIC, b"", b"7kq0vw3m"),
        b"",
    ],
)
def test_what_is_no_word_is_refused(sealed):
    with pytest.raises(NotOpened):
        open_word(sealed, KEY)


def test_no_text_is_opened_as_a_word_and_no_word_as_a_text():
    about = {"revision": b"\1" * 32, "question": 1, "longest": 2}
    text = seal_text("7kq0", [PUBLIC], **about)  # as long as a word
    with pytest.raises(NotOpened):
        open_word(text, KEY)
    with pytest.raises(NotOpened):
        open_text(seal_word("7kq0vw3m", PUBLIC), [KEY.key], **about)
