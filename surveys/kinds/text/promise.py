"""TextQuestion and OtherQuestion: free text, padded when sent, stored apart from all answers."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from surveys.questionnaire.kinds.question import (
    NOT_ASKED_LABEL,
    InRules,
    Question,
    common_document,
    common_fields,
    plain_bytes,
)
from surveys.questionnaire.logic.quotes import LONGEST_QUOTED
from surveys.questionnaire.messages import message
from surveys.questionnaire.plans.seals import ADDED_BYTES
from surveys.questionnaire.refusals import BadText, Malformed

BASE64URL = re.compile(r"[A-Za-z0-9_-]*")


@dataclass(frozen=True, kw_only=True)
class TextQuestion(Question):
    """A text of at most ``longest`` characters.

    The browser's script sends it padded to the question's largest size and in base64url, so that
    its length on the wire says nothing; a form that is sent without the script cannot.

    With ``layers`` the page seals it as often before it leaves: then its code is the base64url that
    was sent, which nothing on the server opens. A form without the script asks for no such text.
    """

    longest: int
    layers: int = 0

    @cached_property
    def text_bytes(self) -> int:
        """A character takes up to four bytes of UTF-8; each layer of a seal adds to them."""
        return 4 * self.longest + ADDED_BYTES * self.layers

    @property
    def is_locked(self) -> bool:
        return self.layers > 0

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        """Only the page's script can lock a text."""
        return not self.is_locked

    @cached_property
    def width(self) -> int:
        return 0

    @cached_property
    def in_rules(self) -> "TextInRules":
        return TextInRules(self)

    @cached_property
    def not_asked(self) -> str:
        """No text: it is stored apart, where nothing says who was asked."""
        return ""

    def leaves_out(self, values: Sequence[str], *, own_coin: bool) -> list[bool]:
        if self.is_locked:
            return [own_coin] * len(values)
        empty = "" if own_coin else self.encode("")
        return [value == empty for value in values]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The text itself, its lines ending with a line feed on every sender's system."""
        (value,) = values
        if self.is_locked:
            return self._locked(value, own_coin=own_coin)
        plain = plain_bytes(value) if own_coin else self._unpadded(value)
        try:
            text = plain.decode().replace("\r\n", "\n").replace("\r", "\n").strip()
        except UnicodeDecodeError as problem:
            raise BadText(message("This text cannot be read. Write it anew.")) from problem
        if "\0" in text or len(text) > self.longest:
            raise BadText(
                message(
                    "This is longer than {longest} characters. Please shorten it.",
                    longest=self.longest,
                )
            )
        if self.required and not text:
            raise BadText(message("Please write something."))
        return text

    def _locked(self, value: str, *, own_coin: bool) -> str:
        """What the page sealed: its length and alphabet are all that can be checked of it."""
        width = 0 if own_coin else base64_width(self.text_bytes)
        if len(value) != width or not BASE64URL.fullmatch(value):
            raise Malformed
        return value

    def _unpadded(self, value: str) -> bytes:
        if len(value) != base64_width(self.text_bytes):
            raise Malformed
        try:
            padding = "=" * (-len(value) % 4)
            return base64.b64decode(value + padding, altchars=b"-_", validate=True).rstrip(b"\0")
        except binascii.Error as problem:
            raise Malformed from problem

    def encode(self, text: str) -> str:
        """A text as the page's script sends it."""
        return based(padded(text, self.text_bytes))

    def label(self, code: str) -> str:
        if self.is_locked:
            return message("(locked: this server cannot read it)") if code else NOT_ASKED_LABEL
        return code or message("(left empty)")

    def to_document(self) -> dict[str, Any]:
        return {**common_document(self), "longest": self.longest}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry), longest=entry["longest"])


@dataclass(frozen=True, eq=False)
class TextInRules(InRules[TextQuestion]):
    """Rules read no text; words of later questions may quote a short one."""

    @property
    def is_quotable(self) -> bool:
        return self.question.longest <= LONGEST_QUOTED


@dataclass(frozen=True, kw_only=True)
class OtherQuestion(TextQuestion):
    """A text for people who chose the last answer of the question before, and for no one else.

    Its rule says so; it stands on the screen of that question. Like every text it is sent equally
    long by all, and stored apart: but who reads it knows which answer its writer chose.
    """

    stands_below: ClassVar[bool] = True


def padded(text: str, size: int) -> bytes:
    """UTF-8, filled up with NUL, which no text contains."""
    return text.encode().ljust(size, b"\0")


def based(content: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def unbased(value: str) -> bytes:
    """The bytes that base64url without padding stands for."""
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))


def base64_width(size: int) -> int:
    """Characters of base64 without padding for this many bytes."""
    return -(-size * 8 // 6)
