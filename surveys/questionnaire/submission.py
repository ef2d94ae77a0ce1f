"""Strict parsing of a submission.

One revision has exactly one shape of body, on both paths and for every answer::

    revision=<uuid>&key=<32 hex>&path=browser|owncoin[&invitation=<token>]&q001=<code>&q002=...

A rating has a field for each item that is shown, ``q003i01=<number><code>&q003i02=...``. Fields
come in this order, each once; the browser's values never need percent-encoding, and their
length is fixed: free text is padded to its question's largest size and written in base64url. Forms
that are sent without the script carry free text, and a code as somebody typed it, in the usual
encoding; their length is visible, and the page says so. Whatever differs is refused with a reason
that a person can act on.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self
from urllib.parse import unquote_to_bytes

from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds import Item

PATHS = {"browser": False, "owncoin": True}
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")
FIELD = re.compile(rb"[a-z0-9]+=[A-Za-z0-9._*%+\-]*")
CODE = re.compile(r"[a-z0-9.\-]*")


class Refused(ValueError):
    """The submission was refused and nothing was stored. ``reason`` is shown to the sender.

    Where sending the same again can help, the page that says so carries what was sent.
    """

    status = 400
    can_be_sent_again = False
    can_be_opened = True  # the survey's first page shows more than this refusal again
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


class BadText(Refused):
    reason = "A text is longer than its question allows, or cannot be read. Nothing was stored."
    remedy = "Go back, shorten it, and send again."


class BadInvitation(Refused):
    """The invitation code cannot be used; the sender may correct it."""

    status = 403
    can_be_sent_again = True
    reason = "This invitation code cannot be read. Nothing was stored."
    remedy = "Compare it with your invitation, correct it here and send again."


class MistypedInvitation(BadInvitation):
    def __init__(self, problem: tokens.BadToken) -> None:
        super().__init__(str(problem))
        self.reason = f"{problem} Nothing was stored."


@dataclass(frozen=True)
class Contents:
    """What waits, sealed, in the spool: reported answers and texts, no key and no invitation.

    Its bytes are equally many for every submission to a questionnaire.
    """

    own_coin: bool
    answers: str
    texts: tuple[tuple[int, str], ...]
    sizes: tuple[tuple[int, int], ...] = ()

    def to_bytes(self) -> bytes:
        """A digit for the path, the answers, and every text padded to its largest size."""
        written = dict(self.texts)
        texts = [padded(written.get(number, ""), size) for number, size in self.sizes]
        return b"01"[self.own_coin :][:1] + self.answers.encode("ascii") + b"".join(texts)

    @classmethod
    def from_bytes(cls, plain: bytes, items: Sequence[Item]) -> Self:
        """Read what ``to_bytes`` wrote; texts that were left empty are left out."""
        place = 1 + sum(item.width for item in items)
        answers = plain[1:place].decode("ascii")
        texts = []
        for number, size in text_sizes(items):
            text = plain[place : place + size].rstrip(b"\0").decode()
            place += size
            if text:
                texts.append((number, text))
        return cls(plain[:1] == b"1", answers, tuple(texts), text_sizes(items))

    def codes(self, items: Sequence[Item]) -> Iterator[tuple[Item, str]]:
        """Each question that is answered in the row, with its code."""
        place = 0
        for item in items:
            if not item.is_text:
                yield item, self.answers[place : place + item.width]
                place += item.width


@dataclass(frozen=True)
class Submission:
    """A parsed body: reported answers only, as codes in the order of the questions.

    The code of a free-text question is its text. ``invitation`` is empty for open links.
    """

    revision: str
    key: str
    own_coin: bool
    codes: tuple[str, ...]
    body: str
    items: tuple[Item, ...]
    invitation: str = ""

    @property
    def answers(self) -> str:
        """The row that is stored: the codes, one after the other, without texts."""
        pairs = zip(self.items, self.codes, strict=True)
        return "".join(code for item, code in pairs if not item.is_text)

    @cached_property
    def plain(self) -> bytes:
        """What is sealed and stored of it."""
        return self.contents().to_bytes()

    def contents(self) -> Contents:
        """The same, as a value."""
        texts = tuple(
            (number, code)
            for number, (item, code) in enumerate(zip(self.items, self.codes, strict=True), 1)
            if item.is_text and code
        )
        return Contents(self.own_coin, self.answers, texts, text_sizes(self.items))

    @property
    def key_digest(self) -> str:
        """SHA-256 of the submission key, the only trace of it that is kept."""
        return hashlib.sha256(bytes.fromhex(self.key)).hexdigest()

    @property
    def content_digest(self) -> str:
        """SHA-256 of everything that was sent, the random key included."""
        parts = (bytes.fromhex(self.key), self.invitation.encode(), self.plain)
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @property
    def short_hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the body, for the receipt."""
        return hashlib.sha256(self.body.encode("ascii")).hexdigest()[:16]


def text_sizes(items: Sequence[Item]) -> tuple[tuple[int, int], ...]:
    """(number, largest size in bytes) of every free-text question."""
    return tuple((n, item.text_bytes) for n, item in enumerate(items, start=1) if item.is_text)


def padded(text: str, size: int) -> bytes:
    """UTF-8, filled up with NUL, which no text contains."""
    return text.encode().ljust(size, b"\0")


def text_code(text: str, item: Item) -> str:
    """A text as the page's script sends it."""
    return base64.urlsafe_b64encode(padded(text, item.text_bytes)).decode().rstrip("=")


def field_names(questionnaire: Questionnaire) -> list[str]:
    """The fields of every submission, in their order."""
    names = ["revision", "key", "path"]
    if questionnaire.invitation_only:
        names.append("invitation")
    return names + [name for slots in questionnaire.slots for name in slots]


def body_length(questionnaire: Questionnaire) -> int:
    """Bytes in every submission of this questionnaire that the browser's script sends."""
    names = field_names(questionnaire)
    values = 36 + 32 + 7 + sum(item.sent_width for item in questionnaire.items)
    values += tokens.LENGTH if questionnaire.invitation_only else 0
    return sum(len(name) + 1 for name in names) + values + len(names) - 1


def parse(body: bytes, *, questionnaire: Questionnaire, revision: str) -> Submission:
    """Parse the body of a submission to the given revision.

    Raises TooLarge, Malformed, WrongRevision, OutsideAlphabet, BadText or BadInvitation; never
    stores anything.
    """
    if len(body) > max(4096, 4 * body_length(questionnaire)):
        raise TooLarge
    fields = _fields(body)
    if fields.get("revision", revision) != revision:
        raise WrongRevision
    names = field_names(questionnaire)
    if list(fields) != names or fields["path"] not in PATHS:
        raise Malformed
    if not KEY_PATTERN.fullmatch(fields["key"]):
        raise Malformed
    own_coin = PATHS[fields["path"]]
    codes = tuple(
        _code(item, [fields[name] for name in slots], own_coin=own_coin)
        for item, slots in zip(questionnaire.items, questionnaire.slots, strict=True)
    )
    return Submission(
        revision,
        fields["key"],
        own_coin,
        codes,
        body.decode("ascii"),
        questionnaire.items,
        _invitation(fields),
    )


def fields_of(body: bytes) -> list[tuple[str, str]]:
    """A body's fields as a form would show them, for a page from which it can be sent again.

    Empty if it is not a submission's body at all.
    """
    try:
        fields = _fields(body)
        return [(name, _plain(value).decode()) for name, value in fields.items()]
    except (Malformed, UnicodeDecodeError):
        return []


def _code(item: Item, values: list[str], *, own_coin: bool) -> str:
    """Ratings are kept in the order of the catalogue: the order shown would mark a submission."""
    value = "".join(sorted(values))
    if item.is_rating and {len(slot) for slot in values} != {item.slot_width}:
        raise Malformed
    if item.is_text:
        return _typed_text(item, value) if own_coin else _padded_text(item, value)
    if not CODE.fullmatch(value):
        raise Malformed
    if not item.accepts(value, own_coin=own_coin):
        raise OutsideAlphabet
    return value


def _padded_text(item: Item, value: str) -> str:
    if len(value) != item.sent_width:
        raise Malformed
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_", validate=True)
    except binascii.Error as problem:
        raise Malformed from problem
    return _checked_text(item, plain.rstrip(b"\0"))


def _typed_text(item: Item, value: str) -> str:
    return _checked_text(item, _plain(value))


def _checked_text(item: Item, plain: bytes) -> str:
    """Lines end with a line feed, whatever the sender's system is."""
    try:
        text = plain.decode().replace("\r\n", "\n").replace("\r", "\n").strip()
    except UnicodeDecodeError as problem:
        raise BadText from problem
    if "\0" in text or len(text) > item.longest or (item.required and not text):
        raise BadText
    return text


def _invitation(fields: dict[str, str]) -> str:
    """The token that came with it; a form that is sent without the script carries it as typed."""
    if "invitation" not in fields:
        return ""
    try:
        typed = _plain(fields["invitation"]).decode()
        return tokens.canonical(typed)
    except UnicodeDecodeError as problem:
        raise BadInvitation from problem
    except tokens.BadToken as problem:
        raise MistypedInvitation(problem) from problem


def _plain(value: str) -> bytes:
    """Undo a form's encoding."""
    return unquote_to_bytes(value.replace("+", " "))


def _fields(body: bytes) -> dict[str, str]:
    """Split a urlencoded body; a field twice is malformed."""
    parts = body.split(b"&")
    if not all(FIELD.fullmatch(part) for part in parts):
        raise Malformed
    pairs = [part.decode("ascii").partition("=")[::2] for part in parts]
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Malformed
    return fields
