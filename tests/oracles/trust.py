"""The adapter for the cases of trust: what each kind computes here."""

import json
from collections.abc import Callable
from typing import Any

from surveys.trust.digests import canonical, page_digest, printed, read_printed, revision_digest
from surveys.trust.texts import block, open_text, text_info
from tests.oracles.files import Case, oracle_directory
from tests.oracles.hpke import AES_256_GCM, sealed_by_hand


def trust_cases() -> list[Case]:
    """The cases of kinds that have an adapter, in files of this schema."""
    return [case for case in _all_cases() if case["kind"] in KINDS]


def _all_cases() -> list[Case]:
    cases: list[Case] = []
    for path in sorted(oracle_directory().glob("trust*_oracles.json")):
        cases += json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


def _canonical(given: Any) -> Any:
    document = given["document"]
    return {
        "bytes": canonical(document).hex(),
        "revision_digest": revision_digest(document).hex(),
    }


def _page_digest(given: Any) -> Any:
    entries = given["entries"]
    digest = page_digest(entries["language"], entries["headers"], entries["files"])
    return {"digest": digest.hex()}


def _printed(given: Any) -> Any:
    return {"printed": printed(bytes.fromhex(given["digest"]))}


def _read_printed(given: Any) -> Any:
    return {"first20": read_printed(given["text"]).hex()}


def _text_seal(given: Any) -> Any:
    """Sealed by hand with the ephemeral keys of the case, and opened by the product."""
    content = block(given["text"], given["longest"])
    revision, question = bytes.fromhex(given["revision"]), given["question"]
    keys = zip(given["publics"], given["ephemerals"], strict=True)
    for layer, (public, ephemeral) in enumerate(keys, start=1):
        info = text_info(revision, question, layer)
        content = sealed_by_hand(
            AES_256_GCM, bytes.fromhex(ephemeral), bytes.fromhex(public), info, content
        )
    opened = _text_open({**given, "sealed": content.hex()})
    assert opened == {"text": given["text"]}
    return {"sealed": content.hex()}


def _text_open(given: Any) -> Any:
    text = open_text(
        bytes.fromhex(given["sealed"]),
        [bytes.fromhex(private) for private in given["privates"]],
        revision=bytes.fromhex(given["revision"]),
        question=given["question"],
        longest=given["longest"],
    )
    return {"text": text}


KINDS: dict[str, Callable[[Any], Any]] = {
    "canonical": _canonical,
    "page_digest": _page_digest,
    "printed": _printed,
    "read_printed": _read_printed,
    "text_seal": _text_seal,
    "text_open": _text_open,
}
