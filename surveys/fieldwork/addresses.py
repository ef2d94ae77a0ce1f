"""Parse lists of e-mail addresses: plain text or CSV, column, delimiter, bad lines."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext

from surveys.wording.language.numbers import grouped

MOST_BYTES = 5 * 1024 * 1024
MOST_ADDRESSES = 50_000
MOST_BAD_LINES = 1000
LONGEST_ADDRESS = 254
SHOWN = 60
COLUMN_NAMES = frozenset({"email", "e-mail", "mail", "email address", "e-mail address"})
DELIMITERS = ",;\t"
NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class UnusableList(ValueError):
    """Nothing of this list can be used; the message says what to do."""


class BadAddress(ValueError):
    """No mail can be sent to this; the message says why."""


@dataclass(frozen=True)
class BadLine:
    """A line that holds no usable address."""

    number: int
    text: str
    reason: str

    def __str__(self) -> str:
        return gettext("Line {number}, {text}: {reason}").format(
            number=self.number, text=repr(self.text), reason=self.reason
        )


@dataclass
class AddressList:
    """What was found: every address once, in the order of the list, and every bad line."""

    addresses: list[str] = field(default_factory=list)
    bad_lines: list[BadLine] = field(default_factory=list)
    repeated: int = 0
    dropped_columns: int = 0


def decoded(data: bytes) -> str:
    """The text of an uploaded file. Raises UnusableList."""
    if len(data) > MOST_BYTES:
        raise UnusableList(
            gettext("This file is larger than 5 MB. Split the file and make several mailings.")
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read(text: str) -> AddressList:
    """Read one address a line, or the column ``email`` of a CSV. Raises UnusableList."""
    if NOT_TEXT.search(text):
        raise UnusableList(
            gettext(
                "This file is not plain text. In a spreadsheet program, choose “Save as” and then "
                "“CSV (UTF-8)”."
            )
        )
    address_list, seen = AddressList(), set[str]()
    for number, cell in _cells(text, address_list):
        try:
            address = canonical(cell)
        except BadAddress as problem:
            shown = cell if len(cell) <= SHOWN else f"{cell[:SHOWN]}…"
            _note(address_list, BadLine(number, shown, str(problem)))
            continue
        if address.casefold() in seen:
            address_list.repeated += 1
        else:
            seen.add(address.casefold())
            address_list.addresses.append(address)
        if len(address_list.addresses) > MOST_ADDRESSES:
            raise UnusableList(
                gettext(
                    "There are more than {most_addresses} addresses. Split the list "
                    "and make several mailings."
                ).format(most_addresses=grouped(MOST_ADDRESSES))
            )
    if not address_list.addresses and not address_list.bad_lines:
        raise UnusableList(
            gettext("There is no address in this list. Write one address on each line.")
        )
    return address_list


def canonical(text: str) -> str:
    """An address with its domain in lower case and in ASCII. Raises BadAddress."""
    local, at, domain = text.strip().rpartition("@")
    if not local or not at:
        raise BadAddress(gettext("an address has a name, an @ and a domain."))
    if not local.isascii():
        raise BadAddress(
            gettext(
                "before the @ use only the letters a to z, digits and signs such as the dot "
                "and the hyphen."
            )
        )
    address = f"{local}@{_ascii_domain(domain)}"
    if len(address) > LONGEST_ADDRESS:
        raise BadAddress(
            gettext("an address has at most {longest_address} characters.").format(
                longest_address=LONGEST_ADDRESS
            )
        )
    try:
        validate_email(address)
    except ValidationError:
        raise BadAddress(gettext("this is not a complete e-mail address.")) from None
    return address


def _ascii_domain(domain: str) -> str:
    """Refuses what the older of two standards would turn into another domain (ß to ss)."""
    wanted = unicodedata.normalize("NFC", domain).lower()
    try:
        encoded = wanted.encode("idna")
        same = wanted.isascii() or encoded.decode("idna") == wanted
    except UnicodeError:
        raise BadAddress(gettext("the part after the @ is not a domain.")) from None
    if not same:
        raise BadAddress(gettext("write this domain in its ASCII form, which starts with xn--."))
    return encoded.decode("ascii")


def _cells(text: str, address_list: AddressList) -> Iterator[tuple[int, str]]:
    """(line number, what should be an address), without the header and empty lines."""
    rows = _rows(text)
    number, first = next(rows, (0, []))
    named = (index for index, cell in enumerate(first) if cell.casefold() in COLUMN_NAMES)
    column = next(named, None)
    if len(first) > 1 and column is None:
        raise UnusableList(
            gettext(
                "The first line has several columns, but no column is called email. Name the "
                "columns in the first line, or write one address on each line."
            )
        )
    if column is None:
        if first:
            yield number, first[0]
        yield from ((number, ", ".join(filter(None, row))) for number, row in rows)
        return
    address_list.dropped_columns = len(first) - 1
    for number, row in rows:
        yield number, row[column] if column < len(row) else ""


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """(number of its first line, cells) of every row that is not empty. Raises UnusableList."""
    lines = io.StringIO(text, newline=None)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = csv.reader(lines, delimiter=delimiter_of(first))
    line = 1
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield line, cells
            line = rows.line_num + 1
    except csv.Error:
        raise UnusableList(
            gettext(
                "Line {line} cannot be read: a quotation mark is not closed, or the line is far "
                "too long. Correct the line and try again."
            ).format(line=line)
        ) from None


def delimiter_of(first: str) -> str:
    """Return what parts the columns of a CSV: what stands most often in its first line."""
    return max(DELIMITERS, key=first.count)


def _note(into: AddressList, bad: BadLine) -> None:
    into.bad_lines.append(bad)
    if len(into.bad_lines) > MOST_BAD_LINES:
        raise UnusableList(
            gettext(
                "More than {most_bad_lines} lines contain no address. The first is line {number}. "
                "Check that you chose the right file."
            ).format(most_bad_lines=grouped(MOST_BAD_LINES), number=into.bad_lines[0].number)
        )
