"""The adapter for the cases of trust: what each kind computes here."""

import json
from collections.abc import Callable
from typing import Any

from surveys.trust.digests import canonical, page_digest, printed, read_printed, revision_digest
from surveys.trust.texts import block, open_text, text_info
from surveys.trust.vouchers import SigningKey, check_voucher, sign_blinded, voucher_message
from tests.oracles import vouchers
from tests.oracles.files import Case, oracle_directory
from tests.oracles.hpke import AES_256_GCM, sealed_by_hand
from tests.oracles.tally import TALLY_KINDS


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


def _message(given: Any) -> bytes:
    return voucher_message(bytes.fromhex(given["revision"]), bytes.fromhex(given["key"]))


def _voucher_request(given: Any) -> Any:
    salt, factor, n = bytes.fromhex(given["salt"]), int(given["factor"], 16), int(given["n"], 16)
    number = vouchers.blinded(_message(given), salt, factor, n)
    return {"message": _message(given).hex(), "blinded": f"{number:0512x}"}


def _voucher_sign(given: Any) -> Any:
    signing = SigningKey(int(given["p"], 16), int(given["q"], 16))
    assert signing.modulus.hex() == given["n"]
    return {"signed": sign_blinded(signing, bytes.fromhex(given["blinded"])).hex()}


def _voucher_final(given: Any) -> Any:
    """Unblinded by hand, and verified by the product."""
    n = int(given["n"], 16)
    number = vouchers.unblinded(int(given["signed"], 16), int(given["factor"], 16), n)
    voucher = f"{number:0512x}"
    _voucher_verify({**given, "voucher": voucher})
    return {"voucher": voucher}


def _voucher_verify(given: Any) -> Any:
    voucher = bytes.fromhex(given["voucher"])
    check_voucher(bytes.fromhex(given["n"]), _message(given), voucher)
    return {"accepted": True}


KINDS: dict[str, Callable[[Any], Any]] = {
    "canonical": _canonical,
    "page_digest": _page_digest,
    "printed": _printed,
    "read_printed": _read_printed,
    "text_seal": _text_seal,
    "text_open": _text_open,
    "voucher_request": _voucher_request,
    "voucher_sign": _voucher_sign,
    "voucher_final": _voucher_final,
    "voucher_verify": _voucher_verify,
    **TALLY_KINDS,
}
