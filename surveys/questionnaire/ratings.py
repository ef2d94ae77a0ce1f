"""Items to rate, without a database: tidy names, starting counts, digest, drawing what is shown."""

import hashlib
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from random import Random
from uuid import UUID, uuid5

from surveys.randomized_response.messages import sentence

LONGEST_NAME = 200
MOST_SHOWN = 50  # items that one respondent rates in one question
LARGEST_STARTING = 10**12
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def tidy_name(name: str) -> str:
    """An item's name as it is kept: composed (NFC), without spaces at its ends.

    Raises ValueError with what to write instead.
    """
    tidy = unicodedata.normalize("NFC", name).strip()
    if not tidy:
        raise ValueError(sentence("Give every item a name."))
    if len(tidy) > LONGEST_NAME:
        raise ValueError(
            sentence(
                "“{start}…” has {count} characters. Shorten the name to {most} characters.",
                start=tidy[:40],
                count=len(tidy),
                most=LONGEST_NAME,
            )
        )
    hidden = next((sign for sign in tidy if unicodedata.category(sign) in HIDDEN), None)
    if hidden:
        shown = "".join(sign if unicodedata.category(sign) not in HIDDEN else "�" for sign in tidy)
        raise ValueError(
            sentence(
                "“{text}” contains the invisible character {sign}. Remove this character.",
                text=shown,
                sign=f"U+{ord(hidden):04X}",
            )
        )
    return tidy


def starting_problem(starting: object) -> str:
    """Why these are no starting counts; empty if they are. No counts at all are fine."""
    if not isinstance(starting, list):
        return sentence(
            "Write the starting counts as a list with one whole number for each option of the "
            "scale: [0, 2, 5]."
        )
    wrong = next((entry for entry in starting if not _is_count(entry)), None)
    if wrong is None:
        return ""
    return sentence(
        "“{entry}” is not a count. Write whole numbers from 0 to {largest}.",
        entry=str(wrong)[:20],
        largest=Decimal(LARGEST_STARTING),
    )


def draw_evenly(size: int, shown: int, chance: Random) -> list[int]:
    """``shown`` different numbers from 1 to ``size``, every set and every order equally likely."""
    return chance.sample(range(1, size + 1), shown)


def display_key(question: UUID | str) -> UUID:
    """Under which key the counts are kept that the display of an adaptive question rests on."""
    return uuid5(UUID(str(question)), "display")


def pending_key(question: UUID | str) -> UUID:
    """Under which key the counts of an opening are kept until it is done."""
    return uuid5(UUID(str(question)), "pending")


def _is_count(entry: object) -> bool:
    """Truth values are whole numbers to Python, but no counts."""
    is_integer = isinstance(entry, int) and not isinstance(entry, bool)
    return is_integer and 0 <= entry <= LARGEST_STARTING  # type: ignore[operator]


def catalogue_digest(numbered: Iterable[tuple[int, str]]) -> str:
    """SHA-256 over numbered names: a reader who has it can tell whether an item was changed.

    Each entry is the number, a colon, the length of the name in bytes, a colon and the name, so
    that no two lists give the same bytes.
    """
    digest = hashlib.sha256()
    for number, name in numbered:
        encoded = name.encode()
        digest.update(b"%d:%d:%b" % (number, len(encoded), encoded))
    return digest.hexdigest()
