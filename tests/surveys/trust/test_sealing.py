"""Sealed records are HPKE as RFC 9180 has it: the published numbers, computed by hand, fit ours.

The library keeps the ephemeral key and further authenticated data to itself. So the numbers hold a
computation by hand, step by step as the RFC writes it, and that opens what we seal and seals what
we open.
"""

import secrets
from dataclasses import dataclass

import pytest

from surveys.trust import sealing
from tests.oracles.hpke import (
    AES_256_GCM,
    key_and_nonce,
    opened_by_hand,
    sealed_by_hand,
    shared_secret,
)

INFO = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
PLAIN = bytes.fromhex("4265617574792069732074727574682c20747275746820626561757479")
COUNT_0 = bytes.fromhex("436f756e742d30")


@dataclass(frozen=True)
class Numbers:
    """Base mode, first message (sequence number 0): what went in, each step, what came out."""

    aead: int
    ephemeral: str
    recipient: str
    enc: str
    shared_secret: str
    key: str
    nonce: str
    ciphertext: str


# Source: RFC 9180 (2022), Appendix A.1.1 and A.2.1; of AES-256-GCM the appendix prints none, and
# refers to the test vectors of the Crypto Forum Research Group (test-vectors.json, commit 5f503c5).
PUBLISHED = [
    Numbers(
        1,
        ephemeral="52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
        recipient="4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8",
        enc="37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
        shared_secret="fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc",
        key="4531685d41d65f03dc48f6b8302c05b0",
        nonce="56d890e5accaaf011cff4b7d",
        ciphertext="f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07b"
        "ea87e13c512a",
    ),
    Numbers(
        2,
        ephemeral="179d4b53b6365c45b600c4163b61d95cbc2f4d9e36f1695558dce265ab8bab11",
        recipient="497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d",
        enc="6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256",
        shared_secret="3101c54c3a4f87439eaac080699ed9bbcc726ffe44e860c0424ccb7e3e2ead7b",
        key="f50b0609186798729ed0564b36ef2ef8044f1f9d05636874d1f46c819c7a669f",
        nonce="151d9929e2449747889bc923",
        ciphertext="e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925"
        "cdad859d5b7a",
    ),
    Numbers(
        3,
        ephemeral="f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600",
        recipient="8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb",
        enc="1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a",
        shared_secret="0bbe78490412b4bbea4812666f7916932b828bba79942424abb65244930d69a7",
        key="ad2744de8e17f4ebba575b3f5f5a8fa1f69c2a07f6e7500bc60ca6e3e3ec1c91",
        nonce="5c4d98150661b848853b547f",
        ciphertext="1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce8188"
        "3d2dd1b51a28",
    ),
]


@pytest.mark.parametrize("one", PUBLISHED, ids=lambda one: f"aead {one.aead}")
def test_the_computation_by_hand_gives_the_published_numbers(one):
    ephemeral, recipient = bytes.fromhex(one.ephemeral), bytes.fromhex(one.recipient)
    public, enc = sealing.public_of(recipient), bytes.fromhex(one.enc)
    assert sealing.public_of(ephemeral) == enc
    shared = shared_secret(recipient, enc, enc, public)
    key, nonce = key_and_nonce(one.aead, shared, INFO)
    assert (shared.hex(), key.hex(), nonce.hex()) == (one.shared_secret, one.key, one.nonce)
    sealed = sealed_by_hand(one.aead, ephemeral, public, INFO, PLAIN, COUNT_0)
    assert sealed.hex() == one.enc + one.ciphertext
    assert opened_by_hand(one.aead, recipient, INFO, COUNT_0, sealed) == PLAIN


def test_what_we_seal_is_opened_by_hand_with_the_suite_that_is_promised():
    for one in PUBLISHED:
        recipient = bytes.fromhex(one.recipient)
        sealed = sealing.seal(sealing.public_of(recipient), INFO, PLAIN)
        assert len(sealed) == len(PLAIN) + sealing.ADDED_BYTES
        assert opened_by_hand(AES_256_GCM, recipient, INFO, b"", sealed) == PLAIN


def test_what_is_sealed_by_hand_with_the_published_keys_we_open():
    one = PUBLISHED[AES_256_GCM - 1]
    recipient, ephemeral = bytes.fromhex(one.recipient), bytes.fromhex(one.ephemeral)
    public = sealing.public_of(recipient)
    sealed = sealed_by_hand(AES_256_GCM, ephemeral, public, INFO, PLAIN, b"")
    assert sealed[:32].hex() == one.enc
    assert sealing.unseal(recipient, INFO, sealed) == PLAIN
    for other in (1, 3):
        sealed = sealed_by_hand(other, ephemeral, public, INFO, PLAIN, b"")
        with pytest.raises(sealing.NotSealedFor):
            sealing.unseal(recipient, INFO, sealed)


def test_a_record_opens_with_its_key_and_as_what_it_is_alone():
    private = sealing.new_private()
    sealed = sealing.seal(sealing.public_of(private), b"a row", PLAIN)
    assert sealing.unseal(private, b"a row", sealed) == PLAIN
    changed = bytearray(sealed)
    changed[secrets.randbelow(len(changed))] ^= 1
    for wrong_private, about, content in (
        (sealing.new_private(), b"a row", sealed),
        (private, b"a text", sealed),
        (private, b"a row", bytes(changed)),
        (private, b"a row", sealed[:-1]),
        (private, b"a row", b""),
    ):
        with pytest.raises(sealing.NotSealedFor):
            sealing.unseal(wrong_private, about, content)


def test_the_same_record_is_never_sealed_alike():
    public = sealing.public_of(sealing.new_private())
    assert len({sealing.seal(public, b"a row", PLAIN)[:32] for _ in range(100)}) == 100
