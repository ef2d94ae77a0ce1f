"""What a check found, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line of a checkup. Anything that is not in order says what to do next."""

    check: str
    level: Severity
    text: str
    remedy: str = ""

    def as_data(self) -> dict[str, str]:
        """For machines, which read ``text`` by the name that it has had from the start."""
        return {"check": self.check, "level": self.level, "what": self.text, "remedy": self.remedy}


Check = Callable[[], Iterator[Finding]]


def fine(check: str, text: str) -> Finding:
    """Something is in order."""
    return Finding(check, Severity.OK, text)


def warning(check: str, text: str, remedy: str) -> Finding:
    """Something may become a problem."""
    return Finding(check, Severity.WARNING, text, remedy)


def problem(check: str, text: str, remedy: str) -> Finding:
    """A promise does not hold, or the service does not work."""
    return Finding(check, Severity.PROBLEM, text, remedy)
