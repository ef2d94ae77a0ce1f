"""Layout, Section, RandomOrder: a revision's sections, screens and order; the last page's link."""

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
class RandomOrder:
    """What each respondent's page puts in an order of its own, drawn there, sent nowhere.

    ``options`` are questions whose answers change places. ``screens`` and ``sections`` are sections
    by the numbers of their first questions: those whose screens change places, and those that
    change places among themselves, while all others stay where they are.
    """

    options: tuple[int, ...] = ()
    screens: tuple[int, ...] = ()
    sections: tuple[int, ...] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, Any] | None) -> Self:
        """Read what a revision says of it; one with the order of its author says nothing."""
        return cls(**{name: tuple(numbers) for name, numbers in (document or {}).items()})


@dataclass(frozen=True)
class Layout:
    """The sections, in order, and the questions that are shown together with the one before.

    ``end_link`` is an address that is offered after sending, the same for all; empty for none.
    Questions are named by their numbers, from 1. A survey without any of it shows one question a
    screen, in no section, in the order of its author.
    """

    sections: tuple[Section, ...] = ()
    together: tuple[int, ...] = ()
    end_link: str = ""
    order: RandomOrder = RandomOrder()

    @classmethod
    def from_document(cls, document: Mapping[str, Any] | None) -> Self:
        """Read what a revision says of it; one from before there were sections says nothing."""
        if document is None:
            return cls()
        sections = tuple(Section(**section) for section in document["sections"])
        order = RandomOrder.from_document(document.get("order"))
        return cls(sections, tuple(document["together"]), document.get("end_link", ""), order)

    def to_document(self) -> dict[str, Any] | None:
        """What a revision stores; None where there is none of it."""
        if self == type(self)():
            return None
        document = asdict(self)
        if not self.is_random:  # surveys in the order of their author stay the same bytes
            del document["order"]
        return document

    @property
    def is_random(self) -> bool:
        """Whether pages draw the order of anything."""
        return self.order != RandomOrder()

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

    def comes_before(self, earlier: int, later: int) -> bool:
        """Whether every page shows one question before another, or on its screen above it."""
        section, other = self.section_of(earlier), self.section_of(later)
        if section is None or section == other:
            return earlier < later and (
                section is None
                or section.first not in self.order.screens
                or self._first_on_screen(earlier) == self._first_on_screen(later)
            )
        return other is not None and self._places(section)[-1] < self._places(other)[0]

    def _first_on_screen(self, number: int) -> int:
        """The number of the first question that is shown together with this one."""
        while number in self.together:
            number -= 1
        return number

    def _places(self, section: Section) -> list[int]:
        """The places, from 1, at which a section may stand, in ascending order."""
        moving = [moved for moved in self.sections if moved.first in self.order.sections]
        return [self.place_of(moved) for moved in (moving if section in moving else [section])]

    def place_of(self, section: Section) -> int:
        """The number of a section, from 1."""
        return self.sections.index(section) + 1
