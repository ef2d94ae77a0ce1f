"""What an invited person gets: link, code, QR picture, a message with {placeholders} filled in."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from itertools import groupby

from qrcode.constants import ERROR_CORRECT_M
from qrcode.main import QRCode

from surveys.questionnaire import tokens

PLACEHOLDER = re.compile(r"\{([^{}]{0,40})\}")
INVITING = ("link", "code")
FILLED_IN = (*INVITING, "check")
# Looking for the mask that scanners like best takes six times as long; they read this one too.
MASK = 3
QUIET_MODULES = 4


@dataclass(frozen=True)
class Invite:
    """One invitation, for the person who passes it on. Only its digest is stored."""

    start: str
    token: str

    @property
    def link(self) -> str:
        """The survey with the token in the fragment, which browsers do not send to a server."""
        return f"{self.start}#{self.token}"

    @property
    def code(self) -> str:
        """The token for typing."""
        return tokens.grouped(self.token)

    def letter(self, message: str, check: str) -> str:
        """A message with link, code and printed digest filled in; before the launch without it."""
        return filled(message, {"link": self.link, "code": self.code, "check": check})

    def picture(self) -> "LetterPicture":
        """The link for a phone's camera."""
        code = QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_MODULES, mask_pattern=MASK)
        code.add_data(self.link)
        matrix = code.get_matrix()
        return LetterPicture(len(matrix), "".join(_runs(matrix)))


@dataclass(frozen=True)
class LetterPicture:
    """A QR code as the data of one SVG path, in a square of ``side`` units."""

    side: int
    path: str


def specimen(start: str, length: int) -> Invite:
    """An invitation that was never issued, for previews."""
    return Invite(start, "0" * length)


def filled(message: str, values: Mapping[str, str]) -> str:
    """A message with each placeholder replaced that has a value; others stay as they are."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1]) or match[0], message)


def unknown_placeholders(message: str) -> list[str]:
    """What stands in braces and cannot be filled in."""
    return [name for name in PLACEHOLDER.findall(message) if name not in FILLED_IN]


def has_invitation(message: str) -> bool:
    """Whether a person who reads the message can answer."""
    return any(name in INVITING for name in PLACEHOLDER.findall(message))


def csv_of(invites: Iterable[Invite]) -> str:
    """A table with a row for each invitation."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["code", "link"])
    writer.writerows((invite.code, invite.link) for invite in invites)
    return text.getvalue()


def _runs(matrix: list[list[bool]]) -> Iterator[str]:
    """Dark modules that touch in a row, each run as one rectangle."""
    for y, row in enumerate(matrix):
        x = 0
        for dark, modules in groupby(row):
            width = len(list(modules))
            if dark:
                yield f"M{x} {y}h{width}v1h-{width}z"
            x += width
