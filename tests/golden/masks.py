"""What differs between two runs, or may differ without a reader noticing: the written list.

Everything else in a copy is as people and programs receive it. Chance and the clock stand still
(``stillness``), so most of this would be the same in the next run; it is masked so that code may
draw in another order.
"""

import re
from collections.abc import Callable
from itertools import count

from surveys import VERSION

# Django lists what a deletion would touch in no order: the lines of such a page are sorted.
UNORDERED = ("admin:auth_user_delete",)
# Where a file's lines have no order: an installation stores answers in a random one.
SHUFFLED = ("surveys:responses", "surveys:texts", "surveys:export")


def _numbered(word: str) -> Callable[[str, re.Pattern[str]], str]:
    """Each value becomes its number in this copy, so that two that were the same still are."""

    def mask(text: str, pattern: re.Pattern[str]) -> str:
        numbers: dict[str, int] = {}
        following = count(1)

        def name(found: re.Match[str]) -> str:
            value = found[0].replace("-", "").lower()
            if value not in numbers:
                numbers[value] = next(following)
            return f"[{word} {numbers[value]}]"

        return pattern.sub(name, text)

    return mask


def _named(word: str) -> Callable[[str, re.Pattern[str]], str]:
    return lambda text, pattern: pattern.sub(word, text)


def _nine_digits(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda found: f"{float(found[0]):.9g}", text)


# (what, where it is, by what it is replaced), in this order: long numbers would look like digests.
MASKS = (
    (
        "the version of the program",
        re.compile(re.escape(VERSION) + r"(\+\w+)?"),
        _named("[version]"),
    ),
    (
        "ballots: they are proved for one document, whose digest holds ids",
        re.compile(r"(?<=&t\d\d=)[\w-]{300,}"),
        _named("[ballot]"),
    ),
    (
        "digits of numbers after the ninth: the last ones differ between processors",
        re.compile(r"(?<![\w.])-?\d+\.\d{8,}(e[-+]?\d+)?(?![\w.])"),
        _nine_digits,
    ),
    (
        "signed views of a page in the addresses of its pictures: the site's key is fresh",
        re.compile(r"(?<=[?&]seen=)[\w%:.-]+"),
        _named("[signed]"),
    ),
    (
        "ids of rows: surveys, revisions, questions, reports, options",
        re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
        _numbered("id"),
    ),
    (
        "the same in digests and files: SHA-256 of documents, keys of batches and openings",
        re.compile(r"\b[0-9a-f]{64}\b"),
        _numbered("digest"),
    ),
    (
        "keys of submissions and ids without dashes",
        re.compile(r"\b[0-9a-f]{32}\b"),
        _numbered("key"),
    ),
    (
        "fingerprints on receipts: the first digits of a digest of what holds ids",
        re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{16}\b"),
        _numbered("fingerprint"),
    ),
    (
        "tokens of forms against forgery",
        re.compile(r"(?<=name=csrfmiddlewaretoken value=)\w+"),
        _named("[token]"),
    ),
    (
        "hashes in the names of static files",
        re.compile(r"(?<=[a-z])\.[0-9a-f]{12}(?=\.\w+)"),
        _named(""),
    ),
    (
        "short addresses of surveys, how codes of invitations are sent",
        re.compile(r"(?<=/s/)[0-9a-z]{8,20}\b|(?<![0-9a-z-])[0-9a-z]{4}(-[0-9a-z]{4}){3}(?![\w-])"),
        _numbered("code"),
    ),
    (
        "printed digests of documents, which hold ids",
        re.compile(r"\b([0-9a-z]{4}-){8}[0-9a-z]{2}\b"),
        _numbered("printed"),
    ),
    (
        "numbers of rows that have no other key, in addresses of the admin",
        re.compile(r"(?<=/auth/user/)\d+|(?<=/auth/group/)\d+"),
        _numbered("row"),
    ),
)


def masked(text: str) -> str:
    """The text without what the list names."""
    for _, pattern, mask in MASKS:
        text = mask(text, pattern)
    return text
