"""The adapter for the cases of tallies: what each kind computes here."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from surveys.trust.tally.ballots import (
    RunningDigest,
    Table,
    ballot_bytes,
    check_ballot,
    make_ballot,
)
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan
from surveys.trust.tally.group import as_bytes, challenge
from surveys.trust.tally.noises import noise_bits
from surveys.trust.tally.openings import small_log
from surveys.trust.tally.trustees import Trustee, check_trustee, joint_key


def _challenge(given: Any) -> Any:
    parts = [bytes.fromhex(part) for part in given["parts"]]
    return {"scalar": as_bytes(challenge(given["label"], *parts)).hex()}


def _trustee(given: Any) -> Trustee:
    return Trustee(given["name"], bytes.fromhex(given["key"]), bytes.fromhex(given["proof"]))


def _trustee_key(given: Any) -> Any:
    check_trustee(_trustee(given))
    return {"accepted": True}


def _joint_key(given: Any) -> Any:
    return {"key": joint_key([_trustee(one) for one in given["trustees"]]).hex()}


def _table(given: Any) -> Table:
    revision, key = bytes.fromhex(given["revision"]), bytes.fromhex(given["key"])
    return Table(revision, given["table"], key, given["cells"])


def _ballot_make(given: Any) -> Any:
    random = [int.from_bytes(bytes.fromhex(one), "little") for one in given["random"]]
    return {"ballot": make_ballot(_table(given), given["choice"], random).hex()}


def _ballot_check(given: Any) -> Any:
    check_ballot(_table(given), bytes.fromhex(given["ballot"]))
    return {"accepted": True}


def _ballot_size(given: Any) -> Any:
    return {"bytes": ballot_bytes(given["cells"])}


def _list_digest(given: Any) -> Any:
    table = Table(bytes.fromhex(given["revision"]), given["table"], b"", 0)
    ballots = _sorted(given)
    running = RunningDigest(table, len(ballots))
    assert list(running.passing(ballots)) == ballots
    return {"digest": running.finished().hex()}


def _sorted(given: Any) -> list[bytes]:
    return sorted(bytes.fromhex(ballot) for ballot in given["ballots"])


def _tally_open(given: Any) -> Any:
    plan = TallyPlan.read(given["revision"], given["table"])
    listed = BallotList.of(plan, len(given["ballots"]), _sorted(given))
    totals = NoisyTotals(listed, tuple(given["noises"]))
    return {"counts": totals.counts(given["shares"])}


def _small_log(given: Any) -> Any:
    """An older case stands in ristretto255, which no kept library of Python has."""
    assert given["group"] == "edwards25519"
    return {"value": small_log(bytes.fromhex(given["point"]), given["low"], given["high"])}


def _noise_bits(given: Any) -> Any:
    return {"bits": noise_bits(Fraction(given["sigma"]))}


TALLY_KINDS: dict[str, Callable[[Any], Any]] = {
    "challenge": _challenge,
    "trustee_key": _trustee_key,
    "joint_key": _joint_key,
    "ballot_make": _ballot_make,
    "ballot_check": _ballot_check,
    "ballot_size": _ballot_size,
    "list_digest": _list_digest,
    "tally_open": _tally_open,
    "small_log": _small_log,
    "noise_bits": _noise_bits,
}
