"""Invitation tokens: unguessable, readable, and a mistake in typing does not go unnoticed."""

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.questionnaire.tokens import (
    ALPHABET,
    LENGTH,
    BadToken,
    canonical,
    digest,
    grouped,
    new_token,
)


def test_a_token_carries_128_bits_and_is_its_own_canonical_form():
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(canonical(token) == token and len(token) == LENGTH for token in tokens)
    # 128 bits in 26 characters of 5: the first carries 3 of them, every other 5.
    assert {token[0] for token in tokens} <= set(ALPHABET[:8])
    for place in range(1, LENGTH - 2):
        seen = {token[place] for token in tokens}
        # Some character is missing among 1000 with probability at most 32 (31/32)^1000 < 1e-12.
        assert seen == set(ALPHABET)
    assert 32 * math.exp(1000 * math.log(31 / 32)) < 1e-12


def test_it_may_be_typed_as_it_is_printed_or_as_people_misread_it():
    token = new_token()
    typed = grouped(token).upper()
    assert typed.count("-") == 6
    assert canonical(typed) == token
    assert canonical(f"  {typed.replace('-', ' ')} ") == token
    assert canonical(typed.replace("0", "O").replace("1", "l")) == token
    assert canonical(typed.replace("1", "I")) == token


# Python's own way of writing base 32.
DIGITS = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")


def worth(characters: str) -> int:
    """Of some characters of a token, as Python reads base 32."""
    return int(characters.translate(DIGITS), 32)


def test_the_check_is_the_number_modulo_1021_as_python_reads_base_32():
    for token in [new_token() for _ in range(1000)]:
        assert worth(token[:26]) < 2**128
        assert worth(token[:26]) % 1021 == worth(token[26:])
    assert worth(ALPHABET[::-1]) == sum(number * 32**number for number in range(32))


@settings(max_examples=20)
@given(st.text(ALPHABET, min_size=26, max_size=26))
def test_of_the_1024_checks_that_can_be_written_exactly_the_right_one_is_taken(characters):
    taken = []
    for check in map("".join, product(ALPHABET, repeat=2)):
        with suppress(BadToken):
            taken.append(canonical(characters + check))
    assert [worth(token[26:]) for token in taken] == [worth(characters) % 1021]


def wrong_in_one_place(token: str) -> Iterator[str]:
    for place, right in enumerate(token):
        for wrong in set(ALPHABET) - {right}:
            yield token[:place] + wrong + token[place + 1 :]


def with_neighbours_exchanged(token: str) -> Iterator[str]:
    for place, (one, other) in enumerate(pairwise(token)):
        if one != other:
            yield token[:place] + other + one + token[place + 2 :]


def test_no_wrong_character_and_no_exchange_of_neighbours_goes_unnoticed():
    for token in ["0" * LENGTH, *(new_token() for _ in range(50))]:
        assert canonical(token) == token
        for changed in (*wrong_in_one_place(token), *with_neighbours_exchanged(token)):
            with pytest.raises(BadToken, match="typing mistake"):
                canonical(changed)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "this one has 0"),
        ("abc", "this one has 3"),
        ("0" * 29, "this one has 29"),
        ("u" * 28, "only digits and letters"),
        ("é" * 28, "only digits and letters"),
        ("\0" * 28, "only digits and letters"),
    ],
)
def test_what_is_wrong_is_said(text, problem):
    with pytest.raises(BadToken, match=problem):
        canonical(text)


@given(st.text(max_size=60))
def test_no_garbage_is_taken_for_a_token(text):
    with pytest.raises(BadToken):
        canonical(text + "!")


def test_a_cut_token_is_never_whole():
    token = new_token()
    for length in range(LENGTH):
        with pytest.raises(BadToken):
            canonical(token[:length])


def test_only_a_digest_is_for_storing():
    token = new_token()
    assert len(digest(token)) == 64
    assert token not in digest(token)
    assert digest(token) != digest(new_token())
