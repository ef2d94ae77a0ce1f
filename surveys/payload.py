"""Strict parsing of a submission.

One revision has exactly one shape of body, on both paths and for every answer::

    revision=<uuid>&key=<32 hex>&path=browser|owncoin&q001=<code>&q002=<code>...

Fields come in this order, each once; no value ever needs percent-encoding; the length is fixed.
Whatever differs is refused with a reason that a person can act on.
"""

import hashlib
import re
from dataclasses import dataclass

from surveys.questionnaire import Questionnaire, field_name

PATHS = {"browser": False, "owncoin": True}
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")


class Refused(ValueError):
    """The submission was refused and nothing was stored. ``reason`` is shown to the sender."""

    status = 400
    reason = "This submission could not be read. Nothing was stored."
    remedy = "Open the survey again from its link and send it once more."


class Malformed(Refused):
    """The body does not have the survey's shape."""


class TooLarge(Refused):
    status = 413
    reason = "This submission is far larger than an answer to this survey. Nothing was stored."


class WrongRevision(Refused):
    status = 409
    reason = "This page belongs to another version of the survey. Nothing was stored."
    remedy = "Open the survey again from its link and answer the version that is open now."


class OutsideAlphabet(Refused):
    reason = "An answer is not one of those that this survey offers. Nothing was stored."


@dataclass(frozen=True)
class Submission:
    """A parsed body: reported answers only, as codes in the order of the questions."""

    revision: str
    key: str
    own_coin: bool
    codes: tuple[str, ...]
    body: str

    @property
    def answers(self) -> str:
        """The row that is stored: the codes, one after the other."""
        return "".join(self.codes)

    @property
    def key_digest(self) -> str:
        """SHA-256 of the submission key, the only trace of it that is kept."""
        return hashlib.sha256(bytes.fromhex(self.key)).hexdigest()

    @property
    def short_hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the body, for the receipt."""
        return hashlib.sha256(self.body.encode("ascii")).hexdigest()[:16]


def body_length(questionnaire: Questionnaire) -> int:
    """Bytes in every submission of this questionnaire."""
    names = ["revision", "key", "path", *(field_name(i) for i, _ in enumerate(questionnaire.items))]
    values = 36 + 32 + 7 + sum(item.width for item in questionnaire.items)
    return sum(len(name) + 1 for name in names) + values + len(names) - 1


def parse(body: bytes, *, questionnaire: Questionnaire, revision: str) -> Submission:
    """Parse the body of a submission to the given revision.

    Raises TooLarge, Malformed, WrongRevision or OutsideAlphabet; never stores anything.
    """
    if len(body) > max(4096, 4 * body_length(questionnaire)):
        raise TooLarge
    fields = _fields(body)
    if fields.get("revision", revision) != revision:
        raise WrongRevision
    expected = ["revision", "key", "path"]
    expected += [field_name(index) for index, _ in enumerate(questionnaire.items)]
    if list(fields) != expected or fields["path"] not in PATHS:
        raise Malformed
    if not KEY_PATTERN.fullmatch(fields["key"]):
        raise Malformed
    own_coin = PATHS[fields["path"]]
    codes = tuple(fields[name] for name in expected[3:])
    for item, code in zip(questionnaire.items, codes, strict=True):
        if not item.accepts(code, own_coin=own_coin):
            raise OutsideAlphabet
    return Submission(revision, fields["key"], own_coin, codes, body.decode("ascii"))


def _fields(body: bytes) -> dict[str, str]:
    """Split a urlencoded body; a field twice, or anything that needs escaping, is malformed."""
    if not re.fullmatch(rb"[a-z0-9]+=[a-z0-9.\-]*(?:&[a-z0-9]+=[a-z0-9.\-]*)*", body):
        raise Malformed
    pairs = [part.partition("=")[::2] for part in body.decode("ascii").split("&")]
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Malformed
    return fields
