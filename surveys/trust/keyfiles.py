"""Key files: a private key behind a passphrase, its public half, and both on paper.

A private file is JSON: 32 bytes under AES-256-GCM, whose key scrypt derives from the passphrase.
They are an X25519 key, for texts, or a trustee's number, for tallies. What the file says of itself
is authenticated with it, so that another name or another public key cannot be put on it.
"""

import json
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from surveys.questionnaire.tokens import grouped
from surveys.randomized_response.messages import Message, sentence
from surveys.trust.digests import canonical, read_checked, with_check
from surveys.trust.refusals import NotOpened, TrustRefusal
from surveys.trust.sealing import KEY_BYTES, is_usable, new_private, public_of
from surveys.trust.tally.group import as_bytes, random_number, read_number, times_base
from surveys.trust.tally.trustees import Trustee, check_trustee

PRIVATE, PUBLIC = "private key 1", "public key 1"
TEXTS, TRUSTEE = "texts", "trustee"  # what keys are for
LONGEST_NAME = 80
# RFC 7914 calls N = 2^20 fit for files; 2^17 takes 128 MiB and half a second, which a laptop has to
# spare and a phrase of eight random characters makes expensive enough to guess.
COST = {"n": 2**17, "r": 8, "p": 1}
SHORTEST_PASSPHRASE = 8
SALT_BYTES, NONCE_BYTES, TAG_BYTES = 16, 12, 16
# 256 bits in characters of five.
PAPER_DIGITS = 52


@dataclass(frozen=True)
class PublicKey:
    """The half that anybody may have: ``name`` says whose, ``key`` is 32 bytes."""

    name: str
    key: bytes
    kind: str = TEXTS

    def to_document(self) -> dict[str, str]:
        """What its file holds."""
        return {"deniable": PUBLIC, "name": self.name, "kind": self.kind, "key": self.key.hex()}


@dataclass(frozen=True)
class PrivateKey:
    """Both halves, opened: it leaves the memory of its holder's machine in a sealed file alone."""

    name: str
    key: bytes
    kind: str = TEXTS

    @property
    def public(self) -> PublicKey:
        return PublicKey(self.name, PUBLIC_HALVES[self.kind](self.key), self.kind)

    @property
    def number(self) -> int:
        """A trustee's."""
        return read_number(self.key)


def _point_of(number: bytes) -> bytes:
    return times_base(read_number(number))


PUBLIC_HALVES: Mapping[str, Callable[[bytes], bytes]] = {TEXTS: public_of, TRUSTEE: _point_of}


def new_key(name: str, kind: str = TEXTS) -> PrivateKey:
    """A fresh pair. Raises TrustRefusal for a name that cannot be shown on a page."""
    _check_name(name)
    fresh = as_bytes(random_number()) if kind == TRUSTEE else new_private()
    return PrivateKey(name, fresh, kind)


def sealed_file(private: PrivateKey, passphrase: str) -> dict[str, Any]:
    """What the private file holds. Raises TrustRefusal for a passphrase that is too short."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise TrustRefusal(
            sentence(
                "Choose a passphrase of at least {least} characters.", least=SHORTEST_PASSPHRASE
            )
        )
    salt, nonce = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(NONCE_BYTES)
    open_part = {
        **private.public.to_document(),
        "deniable": PRIVATE,
        "scrypt": {**COST, "salt": salt.hex()},
        "nonce": nonce.hex(),
    }
    cipher = AESGCM(_derived(passphrase, salt))
    sealed = cipher.encrypt(nonce, private.key, canonical(open_part))
    return {**open_part, "sealed": sealed.hex()}


def unsealed_file(content: bytes, passphrase: str, kind: str = TEXTS) -> PrivateKey:
    """The key in a private file. Raises NotOpened for another passphrase, else TrustRefusal."""
    document = _document(content, PRIVATE, kind)
    try:
        salt, nonce = _bytes(document["scrypt"]["salt"]), _bytes(document["nonce"])
        cost = {name: document["scrypt"][name] for name in COST}
        name, sealed = document["name"], _bytes(document.pop("sealed"))
    except (KeyError, TypeError, ValueError) as problem:
        raise _damaged() from problem
    sizes = len(salt), len(nonce), len(sealed)
    # Other costs would let the sender of a file fill this machine's memory.
    if cost != COST or sizes != (SALT_BYTES, NONCE_BYTES, KEY_BYTES + TAG_BYTES):
        raise _damaged()
    try:
        key = AESGCM(_derived(passphrase, salt)).decrypt(nonce, sealed, canonical(document))
    except InvalidTag as problem:
        raise NotOpened(
            sentence(
                "The key file was not opened: the passphrase is wrong, or the file was changed."
            )
        ) from problem
    return PrivateKey(name, key, kind)


def read_public(content: bytes) -> PublicKey:
    """The key in a public file. Raises TrustRefusal."""
    document = _document(content, PUBLIC, TEXTS)
    try:
        name, key = document["name"], _bytes(document["key"])
    except (KeyError, TypeError, ValueError) as problem:
        raise _damaged() from problem
    if len(key) != KEY_BYTES or not isinstance(name, str) or not is_usable(key):
        raise _damaged()
    _check_name(name)
    return PublicKey(name, key)


def read_trustee(content: bytes) -> Trustee:
    """The trustee in a public file, with a proof that holds. Raises TrustRefusal."""
    document = _document(content, PUBLIC, TRUSTEE)
    try:
        name, key, proof = document["name"], _bytes(document["key"]), _bytes(document["proof"])
    except (KeyError, TypeError, ValueError) as problem:
        raise _damaged() from problem
    if not isinstance(name, str):
        raise _damaged()
    _check_name(name)
    trustee = Trustee(name, key, proof)
    check_trustee(trustee)
    return trustee


def on_paper(private: PrivateKey) -> str:
    """54 characters in groups of four: the private key, with two that check it."""
    return grouped(with_check(int.from_bytes(private.key), PAPER_DIGITS))


def from_paper(name: str, text: str, kind: str = TEXTS) -> PrivateKey:
    """The key that was written on paper. Raises TrustRefusal."""
    _check_name(name)
    number = read_checked(text, PAPER_DIGITS)
    # 52 characters hold four bits more than a key: those are 0 on every paper.
    if number >= 1 << 8 * KEY_BYTES:
        raise TrustRefusal(sentence("This code contains a typing mistake. Correct the code."))
    private = PrivateKey(name, number.to_bytes(KEY_BYTES), kind)
    _ = private.public  # raises for what is no number of a trustee
    return private


def written(document: Mapping[str, Any]) -> str:
    """A key file's text."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _derived(passphrase: str, salt: bytes) -> bytes:
    # An é is typed as one character on one machine and as two on another. What a terminal could not
    # decode goes back to the bytes that were typed.
    typed = unicodedata.normalize("NFC", passphrase).encode(errors="surrogateescape")
    return Scrypt(salt=salt, length=KEY_BYTES, **COST).derive(typed)


def _document(content: bytes, what: str, kind: str) -> dict[str, Any]:
    """A file's JSON, if it says that it is this. Raises TrustRefusal."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise _damaged() from problem
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise _damaged()
    if document.get("deniable") != what:
        raise TrustRefusal(_WRONG_HALF[what])
    return document


_WRONG_HALF: dict[str, Message] = {
    PRIVATE: sentence(
        "This file is not a private key file. Public key files have “.public” in their name."
    ),
    PUBLIC: sentence(
        "This file is not a public key file. The name of a public key file ends in “.public.json”."
    ),
}


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise TrustRefusal(
            sentence(
                "Give the key a name of 1 to {most} characters that says who has the key.",
                most=LONGEST_NAME,
            )
        )


def _damaged() -> TrustRefusal:
    return TrustRefusal(
        sentence("This key file is damaged. Use your copy of the file, or the copy on paper.")
    )


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text)
