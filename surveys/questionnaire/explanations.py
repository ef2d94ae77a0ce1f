"""Explanation: a survey's own words where pages explain how to answer, and promise nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

LONGEST = 1000  # characters
LONGEST_LINE = 200  # of one that stands within a line of the page


@dataclass(frozen=True)
class Explanation:
    """The words that stand in the place of the program's; ``name`` says of which."""

    name: str
    text: str


Explanations = tuple[Explanation, ...]


def explanations_of(texts: Mapping[str, str]) -> Explanations:
    """The explanations that an author wrote, in one order whenever they were written."""
    return tuple(Explanation(name, text) for name, text in sorted(texts.items()) if text)


def explanations_in(entries: Iterable[Mapping[str, Any]] | None) -> Explanations:
    """Read what a launched document says; one from before there were any says nothing."""
    return tuple(Explanation(entry["name"], entry["text"]) for entry in entries or ())


def to_entries(explanations: Explanations) -> list[dict[str, str]]:
    """What a launched document stores."""
    return [asdict(each) for each in explanations]
