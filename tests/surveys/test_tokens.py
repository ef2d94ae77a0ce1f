"""Invitation tokens: unguessable, readable, and a mistake in typing does not go unnoticed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.tokens import (
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


def test_no_wrong_character_and_no_exchange_of_neighbours_goes_unnoticed():
    token = new_token()
    for place, right in enumerate(token):
        for wrong in set(ALPHABET) - {right}:
            with pytest.raises(BadToken, match="typing mistake"):
                canonical(token[:place] + wrong + token[place + 1 :])
    for place in range(LENGTH - 1):
        changed = token[:place] + token[place + 1] + token[place] + token[place + 2 :]
        if changed != token:
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
