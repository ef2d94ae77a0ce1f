"""Parts of a digest cannot run into each other; a printed one notices how people mistype."""

import secrets
from itertools import pairwise

import pytest

from surveys.questionnaire.tokens import ALPHABET
from surveys.trust.digests import (
    canonical,
    joined,
    printed,
    printed_in_groups,
    read_printed,
    sha,
    two,
)
from surveys.trust.refusals import TrustRefusal


def test_parts_do_not_run_into_each_other():
    assert joined(b"ab", b"c") != joined(b"a", b"bc") != joined(b"abc")
    assert sha("a", b"b") != sha("ab", b"") != sha("ab")


def test_a_number_takes_two_bytes_the_most_significant_first():
    assert two(258) == b"\x01\x02"
    with pytest.raises(OverflowError):
        two(65_536)


def test_each_single_mistake_and_each_swap_of_neighbours_is_noticed():
    text = printed(secrets.token_bytes(32))
    for at, right in enumerate(text):
        for wrong in set(ALPHABET) - {right}:
            with pytest.raises(TrustRefusal):
                read_printed(text[:at] + wrong + text[at + 1 :])
    for at, (left, right) in enumerate(pairwise(text)):
        if left != right:
            with pytest.raises(TrustRefusal):
                read_printed(text[:at] + right + left + text[at + 2 :])


def test_it_is_printed_in_groups_and_read_in_any_case():
    digest = bytes(12) + secrets.token_bytes(20)
    assert [len(part) for part in printed_in_groups(digest).split("-")] == [4] * 8 + [2]
    assert read_printed(f" {printed_in_groups(digest).upper()} ") == digest[:20]


def deep(levels):
    document = {}
    for _ in range(levels):
        document = {"a": document}
    return document


@pytest.mark.parametrize(
    "document",
    [{"a": float("nan")}, {"a": {1, 2}}, {"a": "\ud800"}, {1: 2, "a": 3}, deep(100_000)],
    ids=["not a number", "a set", "half a character", "mixed names", "endless"],
)
def test_what_no_survey_holds_is_refused_in_words(document):
    with pytest.raises(TrustRefusal):
        canonical(document)
