"""Sealed words: the proof, before a survey is launched, that its key files can be opened.

The server seals a word for each key, its holder opens it and says it. Words have an ``info`` of
their own, so that the command which opens words opens no text.
"""

import secrets

from surveys.questionnaire.tokens import ALPHABET, read_alike
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import joined
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.refusals import NotOpened
from surveys.trust.sealing import ADDED_BYTES, NotSealedFor, seal, unseal

# 40 bits: a person types them, and each guess costs a page.
LETTERS = 8


def new_word() -> str:
    """Eight letters of the alphabet of invitations, drawn by the system's generator."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))


def read_word(typed: str) -> str:
    """A word as a person typed it: in any case, with spaces or hyphens, l for 1 and o for 0."""
    return read_alike(typed)


def seal_word(word: str, public: bytes) -> bytes:
    """56 bytes, in one layer. Raises TrustRefusal for a key that is none."""
    return seal(public, word_info(public), word.encode("ascii"))


def open_word(sealed: bytes, private: PrivateKey) -> str:
    """The word that was sealed for this key. Raises NotOpened, for everything that is no word."""
    try:
        word = unseal(private.key, word_info(private.public.key), sealed).decode("ascii")
    except (NotSealedFor, UnicodeDecodeError) as problem:
        raise _no_word() from problem
    if len(sealed) != LETTERS + ADDED_BYTES or set(word) - set(ALPHABET):
        raise _no_word()
    return word


def word_info(public: bytes) -> bytes:
    """What a word is sealed for."""
    return joined(b"deniable word 1", public)


def _no_word() -> NotOpened:
    return NotOpened(
        sentence(
            "This word was sealed for another key, or a part of the word is missing. Copy the "
            "complete word from the page “Before the launch”."
        )
    )
