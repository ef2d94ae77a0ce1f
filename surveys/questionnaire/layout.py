"""Layout, Section: a revision's sections and screens, and the link on its last page."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Section:
    """A titled group of questions; it begins at the question with the number ``first``."""

    first: int
    title: str
    text: str = ""


@dataclass(frozen=True)
class Layout:
    """The sections, in order, and the questions that are shown together with the one before.

    ``end_link`` is an address that is offered after sending, the same for all; empty for none.
    Questions are named by their numbers, from 1. A survey without any of it shows one question a
    screen, in no section.
    """

    sections: tuple[Section, ...] = ()
    together: tuple[int, ...] = ()
    end_link: str = ""

    @classmethod
    def from_document(cls, document: Mapping[str, Any] | None) -> Self:
        """Read what a revision says of it; one from before there were sections says nothing."""
        if document is None:
            return cls()
        sections = tuple(Section(**section) for section in document["sections"])
        return cls(sections, tuple(document["together"]), document.get("end_link", ""))

    def to_document(self) -> dict[str, Any] | None:
        """What a revision stores; None where there is none of it."""
        return None if self == type(self)() else asdict(self)

    def screens(self, count: int) -> list[list[int]]:
        """The numbers of the questions of each screen, of so many questions."""
        screens: list[list[int]] = []
        for number in range(1, count + 1):
            if number in self.together and screens:
                screens[-1].append(number)
            else:
                screens.append([number])
        return screens

    def section_of(self, number: int) -> Section | None:
        """The section of a question; None before the first one."""
        begun = [section for section in self.sections if section.first <= number]
        return begun[-1] if begun else None

    def place_of(self, section: Section) -> int:
        """The number of a section, from 1."""
        return self.sections.index(section) + 1
