"""Trustees: who hold a part each of the key under which answers are locked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from surveys.questionnaire.plans.tallies import MOST_TRUSTEES, TallyPromise, TrusteeKey
from surveys.randomized_response.messages import sentence
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.group import challenge, random_number, read_point, times_base, total
from surveys.trust.tally.proofs import check_known, prove_known

LABEL, TEST = "deniable trustee 1", "deniable trustee test 1"


class BadTrustees(TrustRefusal):
    """These keys cannot be those of a tally together."""


@dataclass(frozen=True)
class Trustee:
    """The public half: whose it is, a point, and the proof that its secret is known.

    Without the proof a key could be made from others' keys, so that their sum is one's own.
    """

    name: str
    key: bytes
    proof: bytes


def trustee_of(name: str, secret: int, masked: int | None = None) -> Trustee:
    """The public half of a secret number from 1 to L - 1; ``masked`` is drawn unless given."""
    key = times_base(secret)
    draw = partial(challenge, LABEL, name.encode(), key)
    return Trustee(name, key, prove_known(secret, masked or random_number(), draw))


def check_trustee(trustee: Trustee) -> None:
    """Raises NotInGroup or NotProved."""
    key = read_point(trustee.key)
    check_known(key, trustee.proof, partial(challenge, LABEL, trustee.name.encode(), key))


def tested(name: str, secret: int, question: bytes) -> bytes:
    """The answer to a launch that asks if a key file opens: it shows that, and opens nothing."""
    key = times_base(secret)
    draw = partial(challenge, TEST, name.encode(), question, key)
    return prove_known(secret, random_number(), draw)


def check_tested(trustee: Trustee, question: bytes, proof: bytes) -> None:
    """Raises NotInGroup or NotProved."""
    key = read_point(trustee.key)
    check_known(key, proof, partial(challenge, TEST, trustee.name.encode(), question, key))


def joint_key(trustees: Sequence[Trustee]) -> bytes:
    """The key of all, each of whom is needed. Raises BadTrustees, NotInGroup or NotProved."""
    if not 1 <= len(trustees) <= MOST_TRUSTEES:
        raise BadTrustees(
            sentence("A count of locked answers needs 1 to {most} trustees.", most=MOST_TRUSTEES)
        )
    for trustee in trustees:
        check_trustee(trustee)
    keys = [trustee.key for trustee in trustees]
    if len(set(keys)) < len(keys):
        raise BadTrustees(sentence("Two trustees have the same key."))
    return read_point(total(keys))


@lru_cache(maxsize=128)
def joint_key_of(tally: TallyPromise) -> bytes:
    """The same of a tally as documents and drafts have it. Raises what ``joint_key`` does."""
    return joint_key([promised_trustee(key) for key in tally.trustees])


def promised_trustee(key: TrusteeKey) -> Trustee:
    """A trustee as documents and drafts have it."""
    return Trustee(key.name, bytes.fromhex(key.key), bytes.fromhex(key.proof))
