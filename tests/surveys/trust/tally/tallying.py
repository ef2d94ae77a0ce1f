"""A small tally: two trustees, a table of three cells, and what a whole opening takes."""

import secrets
from collections.abc import Sequence
from functools import cache
from typing import Any

from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan
from surveys.trust.tally.group import random_number
from surveys.trust.tally.trustees import trustee_of

CELLS, BATCH = 3, 4


@cache
def secrets_of(count: int) -> tuple[int, ...]:
    """Of so many trustees."""
    return tuple(random_number() for _ in range(count))


def document(count: int = 2, sigma: str = "1/2") -> Any:
    """A revision document with one table: the same one for the same count and noise."""
    return _document(count, sigma)


@cache
def _document(count: int, sigma: str) -> Any:
    named = zip("ABCDEFG", secrets_of(count), strict=False)
    trustees = [trustee_of(name, secret) for name, secret in named]
    entries = [
        {"name": one.name, "key": one.key.hex(), "proof": one.proof.hex()} for one in trustees
    ]
    table = {"table": 1, "questions": [1], "cells": CELLS, "sigma": sigma}
    return {"deniable": 2, "batch_size": BATCH, "tally": {"trustees": entries, "tables": [table]}}


@cache
def plan(count: int = 2) -> TallyPlan:
    return TallyPlan.read(document(count), 1)


@cache
def ballots() -> tuple[bytes, ...]:
    """Of people who choose the cells 0, 1, 1, 2, 2 and 2."""
    return tuple(make_ballot(plan().table, choice) for choice in (0, 1, 1, 2, 2, 2))


@cache
def listed() -> BallotList:
    return BallotList.of(plan(), len(ballots()), sorted(ballots()))


@cache
def noises() -> tuple[dict[str, Any], ...]:
    """Of the two trustees: 1, -2, 3 and 0, 0, -8."""
    return (listed().noise_file(1, [1, -2, 3]), listed().noise_file(2, [0, 0, -8]))


@cache
def totals() -> NoisyTotals:
    return NoisyTotals(listed(), noises())


@cache
def shares() -> tuple[dict[str, Any], ...]:
    pairs = enumerate(secrets_of(2), start=1)
    return tuple(totals().share_file(trustee, secret) for trustee, secret in pairs)


def changed(content: bytes, places: Sequence[int]) -> list[bytes]:
    """The content with one bit of each of these bytes turned."""
    bit = secrets.randbelow(8)
    return [
        content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
        for place in places
    ]
