"""Vouchers are signed unseen, open to nobody else, and fit every blinded message alike."""

import secrets
from dataclasses import replace

import pytest

from surveys.trust.vouchers import (
    EXPONENT,
    SALT_BYTES,
    SIZE,
    NotAVoucher,
    NotSigned,
    SigningKey,
    check_voucher,
    new_signing_key,
    sign_blinded,
    voucher_message,
)
from tests.oracles.trust import trust_cases
from tests.oracles.vouchers import blinded, encoded, unblinded

REVISION, KEY = bytes(range(32)), bytes(range(16))
MESSAGE, OTHER = voucher_message(REVISION, KEY), voucher_message(REVISION, KEY[::-1])


@pytest.fixture(scope="module")
def signing() -> SigningKey:
    given = next(case["input"] for case in trust_cases() if case["kind"] == "voucher_sign")
    return SigningKey(int(given["p"], 16), int(given["q"], 16))


@pytest.fixture(scope="module")
def n(signing: SigningKey) -> int:
    return int.from_bytes(signing.modulus, "big")


def asked_for(message: bytes, n: int) -> tuple[bytes, int]:
    """What a person sends, and the factor that the person keeps."""
    factor = secrets.randbelow(n - 2) + 2
    number = blinded(message, secrets.token_bytes(SALT_BYTES), factor, n)
    return number.to_bytes(SIZE, "big"), factor


def obtained(signing: SigningKey, message: bytes, n: int) -> bytes:
    asked, factor = asked_for(message, n)
    signed = int.from_bytes(sign_blinded(signing, asked), "big")
    return unblinded(signed, factor, n).to_bytes(SIZE, "big")


def test_what_was_signed_unseen_is_a_voucher_for_its_message_alone(signing, n):
    voucher = obtained(signing, MESSAGE, n)
    check_voucher(signing.modulus, MESSAGE, voucher)
    for message in (OTHER, voucher_message(KEY, REVISION), b"", MESSAGE + b"\0"):
        with pytest.raises(NotAVoucher):
            check_voucher(signing.modulus, message, voucher)


def test_a_fresh_key_signs_and_another_key_vouches_for_nothing_of_it(signing):
    fresh = new_signing_key()
    number = int.from_bytes(fresh.modulus, "big")
    assert len(fresh.modulus) == SIZE
    voucher = obtained(fresh, MESSAGE, number)
    check_voucher(fresh.modulus, MESSAGE, voucher)
    with pytest.raises(NotAVoucher):
        check_voucher(signing.modulus, MESSAGE, voucher)


def test_the_same_request_gets_the_same_signature(signing, n):
    asked, _ = asked_for(MESSAGE, n)
    assert len({sign_blinded(signing, asked) for _ in range(3)}) == 1


def test_each_request_fits_each_voucher_so_that_nothing_links_them(signing, n):
    """For any two there is one factor that leads from the message to the request: no other proof.

    Source: Chaum, Blind signatures for untraceable payments (1983): the factor is the root of the
    quotient, and is drawn evenly, so that a request is a number drawn evenly, whatever the message.
    """
    asked = [int.from_bytes(asked_for(message, n)[0], "big") for message in (MESSAGE, OTHER)]
    hidden = [
        encoded(message, bytes(SALT_BYTES), n.bit_length() - 1) for message in (MESSAGE, OTHER)
    ]
    for request in asked:
        for message in hidden:
            quotient = request * pow(message, -1, n) % n
            factor = int.from_bytes(sign_blinded(signing, quotient.to_bytes(SIZE, "big")), "big")
            assert message * pow(factor, EXPONENT, n) % n == request


@pytest.mark.parametrize("change", [lambda n: 0, lambda n: n, lambda n: n + 1])
def test_no_number_below_the_modulus_is_not_signed(signing, n, change):
    with pytest.raises(NotSigned, match="not a number below the modulus"):
        sign_blinded(signing, change(n).to_bytes(SIZE, "big"))


@pytest.mark.parametrize("size", [0, 1, SIZE - 1, SIZE + 1])
def test_another_length_is_not_signed_and_is_no_voucher(signing, size):
    with pytest.raises(NotSigned):
        sign_blinded(signing, b"\1" * size)
    with pytest.raises(NotAVoucher):
        check_voucher(signing.modulus, MESSAGE, b"\1" * size)


def test_a_key_with_a_damaged_prime_signs_nothing(signing, n):
    """With one wrong half, one signature would give away the other prime."""
    damaged = replace(signing, q=signing.q + 2)
    asked, _ = asked_for(MESSAGE, n)
    with pytest.raises(ArithmeticError, match="thrown away"):
        sign_blinded(damaged, asked)


def test_the_product_of_two_vouchers_is_none(signing, n):
    one, other = (int.from_bytes(obtained(signing, one, n), "big") for one in (MESSAGE, OTHER))
    product = (one * other % n).to_bytes(SIZE, "big")
    for message in (MESSAGE, OTHER):
        with pytest.raises(NotAVoucher):
            check_voucher(signing.modulus, message, product)
