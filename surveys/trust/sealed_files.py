"""The file of a question's sealed texts, as staff download it, and what its keys open of it.

``{"deniable": "sealed texts 1", "revision": {...}, "question": 3, "texts": [...]}``: the launched
document, and each text in hexadecimal, sorted. All that opening needs stands in it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from surveys.questionnaire.plans.seals import MOST_LAYERS, SUITE_NAME
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import revision_digest
from surveys.trust.keyfiles import PrivateKey, PublicKey
from surveys.trust.refusals import NotOpened, TrustRefusal
from surveys.trust.texts import open_layer, read_block, sealed_size

FORMAT = "sealed texts 1"


@dataclass(frozen=True)
class Opened:
    """What keys opened: all texts, the empty ones too, in the order of the file.

    ``repeated`` texts were sealed once and sent again, ``unreadable`` ones no page has sealed.
    """

    texts: tuple[str, ...]
    repeated: int
    unreadable: int


def opening_command(question: int, keys: int) -> str:
    """What opens a question's downloaded file where the keys are; the question counts from 1."""
    files = "KEY" if keys == 1 else "KEY1 KEY2"
    return f"deniable texts open texts-{question}.json {files} --into texts.csv"


@dataclass(frozen=True)
class SealedFile:
    """One question's texts; ``keys`` in the order of layers, the innermost first."""

    revision: Mapping[str, Any]
    question: int
    longest: int
    keys: tuple[PublicKey, ...]
    texts: tuple[bytes, ...]

    @classmethod
    def read(cls, content: bytes) -> Self:
        """What a downloaded file holds. Raises TrustRefusal."""
        try:
            document = json.loads(content)
            if document["deniable"] != FORMAT:
                raise _no_such_file()
            revision, question = document["revision"], document["question"]
            seals = revision["seals"]
            keys = tuple(PublicKey(one["name"], bytes.fromhex(one["key"])) for one in seals["keys"])
            longest = revision["items"][question - 1]["longest"]
            texts = tuple(map(bytes.fromhex, document["texts"]))
        except (KeyError, IndexError, TypeError, ValueError, RecursionError) as problem:
            if isinstance(problem, TrustRefusal):
                raise
            raise _no_such_file() from problem
        is_whole = type(question) is int and type(longest) is int and question > 0 < longest
        if not is_whole or not 1 <= len(keys) <= MOST_LAYERS:
            raise _no_such_file()
        if seals["suite"] != SUITE_NAME:
            raise TrustRefusal(
                sentence(
                    "These texts are sealed in a way that this program does not know. Use the "
                    "newest version of the program."
                )
            )
        return cls(revision, question, longest, keys, texts)

    def opened_by(self, privates: Sequence[PrivateKey]) -> Opened:
        """What the keys open, in whichever order they are given. Raises TrustRefusal.

        Equal bytes count once, in either layer: a sealed text cannot be altered, but it can be
        sent again, with a new outer layer too.
        """
        ordered = self._in_layers(privates)
        revision = revision_digest(self.revision)
        contents, repeated, unreadable = self._of_right_length()
        for layer in reversed(range(1, len(ordered) + 1)):
            opened, missing = _each_opened(
                contents, ordered[layer - 1], revision, self.question, layer
            )
            contents = tuple(dict.fromkeys(opened)) if layer > 1 else opened
            repeated += len(opened) - len(contents)
            unreadable += missing
        read = [_read(content, self.longest) for content in contents]
        texts = tuple(text for text in read if text is not None)
        return Opened(texts, repeated, unreadable + len(read) - len(texts))

    def _of_right_length(self) -> tuple[tuple[bytes, ...], int, int]:
        """The different texts; how many were repeated, and how many have another length."""
        different = tuple(dict.fromkeys(self.texts))
        size = sealed_size(self.longest, len(self.keys))
        right = tuple(one for one in different if len(one) == size)
        return right, len(self.texts) - len(different), len(different) - len(right)

    def _in_layers(self, privates: Sequence[PrivateKey]) -> list[PrivateKey]:
        """One private key for each layer. Raises NotOpened."""
        held = {private.public.key: private for private in privates}
        missing = [one.name for one in self.keys if one.key not in held]
        if missing:
            raise NotOpened(
                sentence(
                    "These texts were sealed for the key of {name}. Give the key file of {name} "
                    "too.",
                    name=missing[0],
                )
            )
        return [held[one.key] for one in self.keys]


def written(revision: Mapping[str, Any], question: int, texts: Sequence[bytes]) -> str:
    """The file of these sealed texts, sorted, so that their order tells nothing."""
    document = {
        "deniable": FORMAT,
        "revision": revision,
        "question": question,
        "texts": sorted(one.hex() for one in texts),
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _each_opened(
    contents: Sequence[bytes], private: PrivateKey, revision: bytes, question: int, layer: int
) -> tuple[tuple[bytes, ...], int]:
    """What one layer's key opens, and how many it does not."""
    opened = tuple(_inner(contents, private, revision, question, layer))
    return opened, len(contents) - len(opened)


def _inner(
    contents: Sequence[bytes], private: PrivateKey, revision: bytes, question: int, layer: int
) -> Iterator[bytes]:
    for content in contents:
        try:
            yield open_layer(content, private.key, revision, question, layer)
        except NotOpened:
            continue


def _read(content: bytes, longest: int) -> str | None:
    try:
        return read_block(content, longest)
    except NotOpened:
        return None


def _no_such_file() -> TrustRefusal:
    return TrustRefusal(
        sentence(
            "This file is not a file of sealed texts. Download the file again, and do not change "
            "it."
        )
    )
