"""What a check found, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
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
    what: str
    remedy: str = ""

    def as_data(self) -> dict[str, str]:
        """For machines."""
        return asdict(self)


Check = Callable[[], Iterator[Finding]]


def fine(check: str, what: str) -> Finding:
    """Something is in order."""
    return Finding(check, Severity.OK, what)


def warning(check: str, what: str, remedy: str) -> Finding:
    """Something may become a problem."""
    return Finding(check, Severity.WARNING, what, remedy)


def problem(check: str, what: str, remedy: str) -> Finding:
    """A promise does not hold, or the service does not work."""
    return Finding(check, Severity.PROBLEM, what, remedy)
