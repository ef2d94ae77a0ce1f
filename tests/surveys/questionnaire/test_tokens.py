"""Invitation tokens: unguessable, readable, and a mistake in typing does not go unnoticed."""

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.questionnaire.tokens import (
    ALPHABET,
    LONG,
    SHORT,
    BadToken,
    canonical,
    digest,
    grouped,
    new_token,
)

EACH_LENGTH = pytest.mark.parametrize("length", [SHORT, LONG])


@pytest.mark.parametrize(("length", "bits", "checks"), [(SHORT, 75, 1), (LONG, 128, 2)])
def test_a_token_carries_its_bits_and_is_its_own_canonical_form(length, bits, checks):
    tokens = {new_token(length) for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(canonical(token, length) == token for token in tokens)
    # 128 bits in 26 characters of 5: the first carries 3 of them, every other 5, as all of 75 do.
    first = bits - 5 * (length - checks - 1)
    assert {token[0] for token in tokens} <= set(ALPHABET[: 2**first])
    for place in range(1, length - checks):
        seen = {token[place] for token in tokens}
        # Some character is missing among 1000 with probability at most 32 (31/32)^1000 < 1e-12.
        assert seen == set(ALPHABET)
    assert 32 * math.exp(1000 * math.log(31 / 32)) < 1e-12


@EACH_LENGTH
def test_it_may_be_typed_as_it_is_printed_or_as_people_misread_it(length):
    token = new_token(length)
    typed = grouped(token).upper()
    assert len(typed) == length + length // 4 - 1
    assert canonical(typed, length) == token
    assert canonical(f"  {typed.replace('-', ' ')} ", length) == token
    assert canonical(typed.replace("0", "O").replace("1", "l"), length) == token
    assert canonical(typed.replace("1", "I"), length) == token


# Python's own way of writing base 32.
DIGITS = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")


def worth(characters: str) -> int:
    """Of some characters of a token, as Python reads base 32."""
    return int(characters.translate(DIGITS), 32)


def test_the_check_is_the_number_modulo_1021_as_python_reads_base_32():
    for token in [new_token(LONG) for _ in range(1000)]:
        assert worth(token[:26]) < 2**128
        assert worth(token[:26]) % 1021 == worth(token[26:])
    assert worth(ALPHABET[::-1]) == sum(number * 32**number for number in range(32))


@settings(max_examples=20)
@given(st.text(ALPHABET, min_size=26, max_size=26))
def test_of_the_1024_checks_that_can_be_written_exactly_the_right_one_is_taken(characters):
    taken = []
    for check in map("".join, product(ALPHABET, repeat=2)):
        with suppress(BadToken):
            taken.append(canonical(characters + check, LONG))
    assert [worth(token[26:]) for token in taken] == [worth(characters) % 1021]


def wrong_in_one_place(token: str) -> Iterator[str]:
    for place, right in enumerate(token):
        for wrong in set(ALPHABET) - {right}:
            yield token[:place] + wrong + token[place + 1 :]


def with_two_exchanged(token: str, *, reach: int) -> Iterator[str]:
    """Every exchange of two different characters that stand at most so far apart."""
    for one, other in combinations(range(len(token)), 2):
        if other - one <= reach and token[one] != token[other]:
            changed = list(token)
            changed[one], changed[other] = token[other], token[one]
            yield "".join(changed)


def is_a_typing_mistake(text: str, length: int) -> bool:
    try:
        canonical(text, length)
    except BadToken as problem:
        return "typing mistake" in str(problem)
    return False


@pytest.mark.parametrize(("length", "reach"), [(SHORT, SHORT), (LONG, 1)])
def test_no_wrong_character_and_no_exchange_of_two_goes_unnoticed(length, reach):
    for token in ["0" * length, *(new_token(length) for _ in range(50))]:
        assert canonical(token, length) == token
        for changed in (*wrong_in_one_place(token), *with_two_exchanged(token, reach=reach)):
            assert is_a_typing_mistake(changed, length), (token, changed)


def test_of_the_32_checks_of_a_short_token_exactly_one_is_taken():
    for token in [new_token() for _ in range(100)]:
        taken = []
        for check in ALPHABET:
            with suppress(BadToken):
                taken.append(canonical(token[:15] + check))
        assert taken == [token]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "this one has 0"),
        ("abc", "this one has 3"),
        ("0" * 17, "this one has 17"),
        ("0" * 28, "has 16 characters; this one has 28"),
        ("u" * 16, "only digits and letters"),
        ("é" * 16, "only digits and letters"),
        ("\0" * 16, "only digits and letters"),
    ],
)
def test_what_is_wrong_is_said(text, problem):
    with pytest.raises(BadToken, match=problem):
        canonical(text)


@given(st.text(max_size=60))
def test_no_garbage_is_taken_for_a_token(text):
    with pytest.raises(BadToken):
        canonical(text + "!")


@EACH_LENGTH
def test_a_cut_token_is_never_whole(length):
    token = new_token(length)
    for kept in range(length):
        with pytest.raises(BadToken):
            canonical(token[:kept], length)


def test_only_a_digest_is_for_storing():
    token = new_token()
    assert len(digest(token)) == 64
    assert token not in digest(token)
    assert digest(token) != digest(new_token())
