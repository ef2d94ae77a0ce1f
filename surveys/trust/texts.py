"""Sealed texts: locked for the researchers' key, or for both of two, before they leave the page.

HPKE in base mode (RFC 9180) without associated data; ``info`` names survey, question and layer, so
that a text opens nowhere else. The block is as long for a short text as for the longest: what is
sealed has one length, written or not.
"""

from collections.abc import Sequence

from surveys.kinds.text.promise import padded
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import joined, two
from surveys.trust.refusals import NotOpened
from surveys.trust.sealing import ADDED_BYTES, NotSealedFor, seal, unseal


def sealed_size(longest: int, layers: int) -> int:
    """Bytes of each sealed text of a question that takes so many characters."""
    return 4 * longest + ADDED_BYTES * layers


def seal_text(
    text: str, publics: Sequence[bytes], *, revision: bytes, question: int, longest: int
) -> bytes:
    """Seal a text of at most ``longest`` characters; the first key is the innermost layer.

    ``publics`` are X25519 keys of 32 bytes, ``revision`` is the digest of the revision. This server
    seals nothing but empty texts, for people who are not asked.
    """
    content = block(text, longest)
    for layer, public in enumerate(publics, start=1):
        content = seal(public, text_info(revision, question, layer), content)
    return content


def open_text(
    sealed: bytes, privates: Sequence[bytes], *, revision: bytes, question: int, longest: int
) -> str:
    """The text that a page sealed. Raises NotOpened.

    ``privates`` in the order of the layers, as for ``seal_text``. What a page would never seal (a
    NUL within, more characters than the question takes, no UTF-8) is refused like a wrong key.
    """
    content = sealed
    for layer, private in reversed(list(enumerate(privates, start=1))):
        content = open_layer(content, private, revision, question, layer)
    return read_block(content, longest)


def open_layer(sealed: bytes, private: bytes, revision: bytes, question: int, layer: int) -> bytes:
    """What one layer holds; the first is the innermost. Raises NotOpened."""
    try:
        return unseal(private, text_info(revision, question, layer), sealed)
    except NotSealedFor as problem:
        raise NotOpened(
            sentence(
                "This text cannot be opened, because it was sealed for another key or another "
                "question."
            )
        ) from problem


def block(text: str, longest: int) -> bytes:
    """What is sealed: UTF-8, filled up with NUL to the length of the longest text."""
    return padded(text, 4 * longest)


def text_info(revision: bytes, question: int, layer: int) -> bytes:
    """What a layer is sealed for; the first is the innermost."""
    return joined(b"deniable text 1", revision, two(question), bytes([layer]))


def read_block(content: bytes, longest: int) -> str:
    """The text in a block that ``block`` made. Raises NotOpened."""
    refused = NotOpened(sentence("This text was not sealed by the page of this survey."))
    if len(content) != 4 * longest:
        raise refused
    try:
        text = content.rstrip(b"\0").decode()
    except UnicodeDecodeError as problem:
        raise refused from problem
    if "\0" in text or len(text) > longest:
        raise refused
    return text
