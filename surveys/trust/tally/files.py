"""Files of a tally: a list of ballots, a trustee's noise, a trustee's shares; and what they open.

Everything is read strictly: all programs that check a file refuse the same ones.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import Any, BinaryIO, Self

from surveys.questionnaire.plans.tallies import MOST_CELLS, SIGMA
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import canonical, revision_digest, sha
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import RunningDigest, Table, added, total_of
from surveys.trust.tally.group import NEUTRAL
from surveys.trust.tally.noises import NoiseOf, check_noise, make_noise, noise_bits
from surveys.trust.tally.openings import (
    ShareOf,
    check_share,
    make_share,
    opened,
    with_noise,
)
from surveys.trust.tally.proofs import Cipher
from surveys.trust.tally.trustees import Trustee, joint_key

LIST = "ballots 1"
MOST_BALLOTS, MOST_NUMBER = 2**32 - 1, 2**16 - 1  # that fit where digests write them
LONGEST_HEAD = 16 * 1024 * 1024  # bytes: a launched document in all its languages
PART = 100  # ballots that are checked at a time
NOISE, NOISES, SHARE = "noise 1", "deniable noises 1", "share 1"
# The largest is noise of 60 cells in 24 bits, in hexadecimal digits: some 550,000.
MOST_BYTES = 1_000_000
NO_FILE = sentence("This file does not belong to a count of locked answers.")
# What a file that should not be here says wrongly of itself.
OTHERS = {
    "deniable": sentence("This file is of the wrong kind."),
    "revision": sentence("This file belongs to another survey."),
    "table": sentence("This file belongs to another table."),
    "list": sentence("This file belongs to another list of locked answers."),
    "trustee": sentence("This file belongs to another trustee."),
    "noise": sentence(
        "This share file does not fit these noise files: it was made with other noise files."
    ),
}


class BadTallyFile(TrustRefusal):
    """A file belongs to another tally, or lacks something."""


@dataclass(frozen=True)
class TallyPlan:
    """What a launched document says of one table: who opens it, with how much noise."""

    table: Table
    trustees: tuple[Trustee, ...]
    sigma: Fraction
    batch_size: int

    @classmethod
    def read(cls, document: Mapping[str, Any], number: int) -> Self:
        """Of a revision document. Raises TrustRefusal."""
        try:
            return cls._read(document, number)
        except (LookupError, TypeError, ValueError, OverflowError) as problem:
            if isinstance(problem, TrustRefusal):
                raise
            raise BadTallyFile(
                sentence("This document has no table of locked answers with this number.")
            ) from problem

    @classmethod
    def _read(cls, document: Mapping[str, Any], number: int) -> Self:
        tally, size = document["tally"], document["batch_size"]
        # True equals 1, and would be another name for the same table.
        if type(number) is not int or not 1 <= number <= MOST_NUMBER:
            raise ValueError(number)
        (entry,) = (one for one in tally["tables"] if _is_number(one["table"], number))
        trustees = tuple(_trustee(one) for one in tally["trustees"])
        cells = entry["cells"]
        if type(cells) is not int or not 2 <= cells <= MOST_CELLS or type(size) is not int:
            raise ValueError(cells)
        key = joint_key(trustees)
        table = Table(revision_digest(document), number, key, cells)
        return cls(table, trustees, _fraction(entry["sigma"]), size)

    @property
    def bits(self) -> int:
        """How many each cell's noise has. Raises BadNoise."""
        return noise_bits(self.sigma)


Checking = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True)
class BallotList:
    """All ballots of a table, checked: how many, their digest, and the locked total of each cell.

    The ballots themselves are not kept: of a large survey they take more memory than a laptop has.
    """

    plan: TallyPlan
    count: int
    digest: bytes
    totals: tuple[Cipher, ...]

    @classmethod
    def of(
        cls, plan: TallyPlan, count: int, ballots: Iterable[bytes], check: Checking = map
    ) -> Self:
        """Of ``count`` ballots in their order. Raises TrustRefusal: also for fewer than a batch.

        ``check`` calls a function with each of many parts, one after the other unless it is given
        another way to do that.
        """
        if count < plan.batch_size:
            raise BadTallyFile(
                sentence(
                    "Locked answers of fewer than {least} people are never opened.",
                    least=plan.batch_size,
                )
            )
        running = RunningDigest(plan.table, count)
        parts = _parts(running.passing(ballots))
        totals = [Cipher(NEUTRAL, NEUTRAL)] * plan.table.cells
        for one in check(partial(total_of, plan.table), parts):
            totals = added(totals, one)
        return cls(plan, count, running.finished(), tuple(totals))

    def noise_of(self, trustee: int) -> NoiseOf:
        """The noise that this trustee adds to the list."""
        return NoiseOf(self.plan.table, self.digest, trustee, self.plan.bits)

    def noise_file(self, trustee: int, values: Sequence[int]) -> dict[str, Any]:
        """With these numbers, one for each cell."""
        noise = self.noise_of(trustee)
        cells = [make_noise(noise, cell, value) for cell, value in enumerate(values)]
        return {**self._head(NOISE, trustee), "cells": [cell.hex() for cell in cells]}

    def _head(self, kind: str, trustee: int) -> dict[str, Any]:
        return {
            "deniable": kind,
            "trustee": trustee,
            "revision": self.plan.table.revision.hex(),
            "table": self.plan.table.number,
            "list": self.digest.hex(),
        }

    def read_noise(self, file: Mapping[str, Any], trustee: int) -> list[Cipher]:
        """What a trustee's file locks, cell by cell. Raises TrustRefusal."""
        cells = _cells(file, self._head(NOISE, trustee), self.plan.table.cells)
        noise = self.noise_of(trustee)
        return [check_noise(noise, cell, content) for cell, content in enumerate(cells)]


def list_head(document: Mapping[str, Any], number: int, count: int) -> bytes:
    """The first line of a file of ballots, with its end: the ballots follow, sorted."""
    head = {"deniable": LIST, "revision": document, "table": number, "ballots": count}
    return canonical(head) + b"\n"


def read_list(file: BinaryIO, check: Checking = map) -> BallotList:
    """A file of ballots, which is read once and not kept. Raises TrustRefusal."""
    line = file.readline(LONGEST_HEAD)
    try:
        head = json.loads(line)
        count, number, document = head["ballots"], head["table"], head["revision"]
        is_written_so = line == list_head(document, number, count)
    except (LookupError, TypeError, ValueError, RecursionError) as problem:
        raise BadTallyFile(sentence("This file is not a file of locked answers.")) from problem
    if not is_written_so or type(count) is not int or not 0 <= count <= MOST_BALLOTS:
        raise BadTallyFile(sentence("This file is not a file of locked answers."))
    plan = TallyPlan.read(document, number)
    size = plan.table.ballot_bytes
    return BallotList.of(plan, count, iter(partial(file.read, size), b""), check)


@dataclass(frozen=True)
class NoisyTotals:
    """The locked totals of a list with the noise files of all trustees. Raises TrustRefusal.

    ``checked`` is what these files lock where that was proved before, cell by cell; otherwise it is
    proved here.
    """

    listed: BallotList
    noises: tuple[Mapping[str, Any], ...]
    checked: tuple[tuple[Cipher, ...], ...] = ()

    def __post_init__(self) -> None:
        if len(self.noises) != len(self.listed.plan.trustees):
            raise BadTallyFile(
                sentence("Give one noise file from each trustee, in the order of the trustees.")
            )
        _ = self.locked

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for the noise files, in the order of trustees."""
        return sha(NOISES, *(canonical(noise) for noise in self.noises))

    @cached_property
    def locked(self) -> list[Cipher]:
        """Each cell's."""
        read: Sequence[Sequence[Cipher]] = self.checked or [
            self.listed.read_noise(file, trustee)
            for trustee, file in enumerate(self.noises, start=1)
        ]
        return with_noise(self.listed.totals, read, self.listed.plan.bits)

    def share_file(self, trustee: int, secret: int) -> dict[str, Any]:
        """What a trustee gives away to open these totals, and no others."""
        share = self._share_of(trustee)
        cells = [make_share(share, cell, one, secret) for cell, one in enumerate(self.locked)]
        return {**self._head(trustee), "cells": [cell.hex() for cell in cells]}

    def _share_of(self, trustee: int) -> ShareOf:
        return ShareOf(self.listed.plan.table, self.digest, trustee)

    def _head(self, trustee: int) -> dict[str, Any]:
        return {**self.listed._head(SHARE, trustee), "noise": self.digest.hex()}

    def counts(self, shares: Sequence[Mapping[str, Any]]) -> list[int]:
        """What is in the totals, with all noise, by the share files of all trustees.

        Raises TrustRefusal.
        """
        if len(shares) != len(self.listed.plan.trustees):
            raise BadTallyFile(
                sentence("Give one share file from each trustee, in the order of the trustees.")
            )
        pairs = enumerate(shares, start=1)
        return self.opened([self.read_share(file, trustee) for trustee, file in pairs])

    def opened(self, multiples: Sequence[Sequence[bytes]]) -> list[int]:
        """The same by what ``read_share`` gave of each trustee. Raises TrustRefusal."""
        half = len(multiples) * 2 ** (self.listed.plan.bits - 1)
        return opened(self.locked, multiples, -half, self.listed.count + half)

    def read_share(self, file: Mapping[str, Any], trustee: int) -> list[bytes]:
        """What a trustee's file opens, cell by cell. Raises TrustRefusal."""
        key, share = self.listed.plan.trustees[trustee - 1].key, self._share_of(trustee)
        cells = _cells(file, self._head(trustee), len(self.locked))
        return [
            check_share(share, cell, one, key, content)
            for cell, (one, content) in enumerate(zip(self.locked, cells, strict=True))
        ]


def read_json(content: bytes) -> dict[str, Any]:
    """A file of a trustee, which may be any file. Raises TrustRefusal."""
    try:
        file = json.loads(content) if len(content) <= MOST_BYTES else None
    except (ValueError, RecursionError) as problem:
        raise BadTallyFile(NO_FILE) from problem
    if not isinstance(file, dict):
        raise BadTallyFile(NO_FILE)
    return file


def _is_number(found: Any, number: int) -> bool:
    return type(found) is int and found == number


def _parts(ballots: Iterable[bytes]) -> Iterator[list[bytes]]:
    several = iter(ballots)
    while part := list(islice(several, PART)):
        yield part


def _fraction(text: str) -> Fraction:
    """As documents write one. Raises ValueError or TypeError."""
    if not SIGMA.fullmatch(text):
        raise ValueError(text[:20])
    return Fraction(text)


def _trustee(entry: Mapping[str, Any]) -> Trustee:
    if not isinstance(entry["name"], str):
        raise TypeError(entry["name"])
    return Trustee(entry["name"], _bytes(entry["key"]), _bytes(entry["proof"]))


def _cells(file: Any, head: Mapping[str, Any], count: int) -> list[bytes]:
    """The cells of a file that says of itself what it should, and nothing else."""
    try:
        said = {name: value for name, value in file.items() if name != "cells"}
        cells = [_bytes(cell) for cell in file["cells"]]
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise BadTallyFile(NO_FILE) from problem
    if set(said) != set(head) or not isinstance(file["cells"], list) or len(cells) != count:
        raise BadTallyFile(NO_FILE)
    # Compared as they are written: True equals 1, and would be another file with the same meaning.
    wrong = [name for name in OTHERS if name in head and _differ(said[name], head[name])]
    if wrong:
        raise BadTallyFile(OTHERS[wrong[0]])
    return cells


def _differ(said: Any, head: Any) -> bool:
    return canonical({"is": said}) != canonical({"is": head})


def _bytes(text: str) -> bytes:
    """Lower-case hexadecimal digits alone. Raises ValueError or TypeError."""
    content = bytes.fromhex(text)
    if content.hex() != text:
        raise ValueError(text[:20])
    return content
