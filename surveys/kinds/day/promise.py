"""DayQuestion and DayRange: a date, asked directly, as 2026-01-31."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.question import (
    DECLINED_LABEL,
    NOT_ASKED_LABEL,
    Question,
    common_document,
    common_fields,
    plain_bytes,
    refusal_of,
)
from surveys.questionnaire.messages import message
from surveys.questionnaire.numerals import ANY_DIGIT, ascii_digits
from surveys.questionnaire.refusals import BadDate

WIDTH = len("2026-01-31")
DECLINED = "x" * WIDTH


@dataclass(frozen=True)
class DayRange:
    """The first and the last day that can be given, as they are written."""

    first: str
    last: str

    def accepts(self, code: str) -> bool:
        """Whether a code is a day of the calendar, written in its one form, within the range."""
        if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", code, re.ASCII):
            return False
        try:
            date.fromisoformat(code)
        except ValueError:  # 2026-02-31
            return False
        return self.first <= code <= self.last  # days of four-digit years sort as their texts do


@dataclass(frozen=True, kw_only=True)
class DayQuestion(Question):
    """A date, asked directly on both paths."""

    days: DayRange

    @cached_property
    def width(self) -> int:
        return WIDTH

    @cached_property
    def not_asked(self) -> str:
        return "-" * WIDTH

    @property
    def declined(self) -> str:
        return DECLINED

    @property
    def typed_pattern(self) -> str:
        """A regular expression of a date as people write it."""
        return f"{ANY_DIGIT}{{4}}-{ANY_DIGIT}{{2}}-{ANY_DIGIT}{{2}}"

    def leaves_out(self, values: Sequence[str], *, own_coin: bool) -> list[bool]:
        """By hand the field is left empty, or its dashes stay where they do not decline."""
        empty = {"", self.not_asked} if self.required else {""}
        return [value in (empty if own_coin else {self.not_asked}) for value in values]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The script sends a date in its one form; a person's own hand may leave the dashes."""
        (value,) = values
        code = self._typed(value) if own_coin else value
        is_declined = not self.required and code == DECLINED
        if not is_declined and not self.days.accepts(code):
            raise refusal_of(code)
        return code

    def _typed(self, value: str) -> str:
        """The code of what was typed into a form; the dashes in it decline. Raises BadDate.

        Both are as long as a date, so that also by hand the length says nothing.
        """
        text = ascii_digits(plain_bytes(value).decode(errors="replace"))
        if not self.required and text == self.not_asked:
            return DECLINED
        if not self.days.accepts(text):
            raise BadDate(
                message(
                    "Write a date from {first} to {last}: year, month and day, such as {first}.",
                    first=self.days.first,
                    last=self.days.last,
                )
            )
        return text

    def is_declined(self, code: str) -> bool:
        """Whether a code says that the respondent would rather not answer."""
        return code == DECLINED

    def has_day(self, code: str) -> bool:
        """Whether a code is a day: neither declined nor left out."""
        return code not in (self.not_asked, DECLINED)

    def label(self, code: str) -> str:
        if code == self.not_asked:
            return NOT_ASKED_LABEL
        return DECLINED_LABEL if self.is_declined(code) else code

    def to_document(self) -> dict[str, Any]:
        return {**common_document(self), "days": asdict(self.days)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry), days=DayRange(**entry["days"]))
