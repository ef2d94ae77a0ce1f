"""The text of a token: a mark that searches for leaked secrets know, 8 letters, 32 random bytes."""

import hashlib
import re
import secrets
from collections.abc import Iterator
from string import ascii_lowercase
from urllib.parse import unquote

MARK = "deniable_"
LETTERS = 8
BYTES = 32
# 32 bytes are 43 characters of base64 for addresses.
TOKEN = re.compile(rf"{MARK}([a-z]{{{LETTERS}}})([A-Za-z0-9_-]{{43}})")


def new_token() -> str:
    """A token that no one can guess: 256 bits, beside the letters by which it is looked up."""
    letters = "".join(secrets.choice(ascii_lowercase) for _ in range(LETTERS))
    return f"{MARK}{letters}{secrets.token_urlsafe(BYTES)}"


def letters_of(token: str) -> str:
    """The letters by which a token is looked up; empty for what is no token.

    >>> letters_of("deniable_abcdefgh" + "A" * 43)
    'abcdefgh'
    >>> letters_of("deniable_abcdefgh")
    ''
    """
    match = TOKEN.fullmatch(token)
    return match[1] if match else ""


def digest_of(token: str) -> str:
    """What is stored in the place of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens_in(address: str) -> Iterator[str]:
    """Every token that stands in an address, however often its characters were escaped.

    >>> list(tokens_in("/api/v1/me?token=deniable%255Fabcdefgh" + "A" * 43))
    ['deniable_abcdefghAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
    """
    for _ in range(3):
        address = unquote(address)
    yield from (match[0] for match in TOKEN.finditer(address))
