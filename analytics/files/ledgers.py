"""FileLedger: a file's ledger, JSON beside it: promised epsilon, an Entry for each report paid.

A plain JSON file beside the data, for who makes reports on files. It counts only what goes through
it: every copy of the texts, and every run without it, is its owner's to account for.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from analytics.privacy.accounting import Adjacency, Budget, Cost, total
from surveys.collecting.keys.key_files import make_names_durable
from surveys.randomized_response.errors import StatisticsError

VERSION = 1


class LedgerError(StatisticsError):
    """A ledger that cannot be used; nothing was spent."""


@dataclass(frozen=True)
class LedgerEntry:
    """One report that was paid for. Amounts are decimals as text, as in a survey's ledger."""

    at: str
    kind: str
    file: str
    mu_squared: str
    threshold_delta: str

    @classmethod
    def of(cls, kind: str, file: Path, cost: Cost) -> "LedgerEntry":
        """What a report of this kind on this file cost, now."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        amounts = (f"{amount:f}" for amount in (cost.mu_squared, cost.threshold_delta))
        return cls(now, kind, file.name, *amounts)

    @property
    def cost(self) -> Cost:
        """The amounts as numbers that add up."""
        return Cost(Decimal(self.mu_squared), Decimal(self.threshold_delta))


@dataclass(frozen=True)
class LedgerPermit:
    """What a survey's own ledger was charged once, so that this one can spend it.

    ``share`` is the part of the survey's budget, as text: "1/4". ``report`` is the key of the
    charge, ``question`` counts from 1, and ``texts`` is the SHA-256 of the file of sealed texts, 64
    digits in hex. Raises ValueError.
    """

    report: str
    question: int
    share: str
    texts: str

    def __post_init__(self) -> None:
        is_digest = re.fullmatch("[0-9a-f]{64}", self.texts)
        if not is_digest or type(self.question) is not int or not 0 < self.part <= 1:
            raise ValueError(self)

    @property
    def part(self) -> Fraction:
        """The share as a number, above 0 and at most 1."""
        return Fraction(self.share)


@dataclass(frozen=True)
class FileLedger:
    """What may be learned about one respondent from everything in this ledger, and what was.

    With a ``permit`` no more than its share can be spent.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    entries: tuple[LedgerEntry, ...] = ()
    permit: LedgerPermit | None = None

    @property
    def spent(self) -> Cost:
        """The exact sum of all entries."""
        return total(entry.cost for entry in self.entries)

    def budget(self, respondents: int) -> Budget:
        """The promise for a file of so many respondents. Raises BudgetError."""
        return Budget(self.epsilon, self.delta, respondents, self.adjacency)

    @property
    def limit(self) -> Cost:
        """All that this ledger can ever spend. Raises BudgetError."""
        whole = self.budget(1).limit
        return whole.part(self.permit.part) if self.permit else whole

    def require_room(self, cost: Cost) -> None:
        """Raises BudgetExceeded unless so much is left."""
        budget = self.budget(1)
        # What a permit does not hold is the survey's to spend: here it counts as spent.
        budget.charge(budget.left(self.limit) + self.spent, cost)

    def with_entry(self, entry: LedgerEntry) -> "FileLedger":
        """The ledger after one more report. Raises BudgetExceeded."""
        self.require_room(entry.cost)
        return replace(self, entries=(*self.entries, entry))


@contextmanager
def held(path: Path) -> Iterator[Path]:
    """No other run can use this ledger meanwhile; yields the file to read and to write.

    Raises LedgerError if another run does, or if the file has hard links.
    """
    file = _file(path)
    # A lock file of its own: the ledger itself is replaced when it is written.
    lock = file.with_name(file.name + ".lock")
    try:
        stream = lock.open("a")
    except OSError as problem:
        raise LedgerError("ledger", str(path), f"{problem.strerror}: check the path") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            remedy = "another run is using it: wait until that has ended"
            raise LedgerError("ledger", str(path), remedy) from None
        _refuse_second_names(path, file)
        yield file


def _refuse_second_names(path: Path, file: Path) -> None:
    """A hard link is a second name that nothing leads back from, to what would become a copy.

    Writing replaces the file under one name; the other would keep what was spent before.
    """
    try:
        names = file.stat().st_nlink
    except FileNotFoundError:
        return
    except OSError as problem:
        raise LedgerError("ledger", str(path), f"{problem.strerror}: check the path") from None
    if names > 1:
        remedy = f"it has {names} names (hard links): keep one, and remove the others"
        raise LedgerError("ledger", str(path), remedy)


def _file(path: Path) -> Path:
    """The file that a name leads to.

    A symbolic link is a second name: with a lock of its own, and replaced by a ledger of its own
    when it is written, it would let one promise be spent twice.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # names that lead in a circle
        raise LedgerError("ledger", str(path), "it leads in a circle: check the path") from None


@dataclass(frozen=True)
class OpenLedger:
    """A ledger that is held, with room for what it was opened for."""

    file: Path
    ledger: FileLedger

    def pay(self, entry: LedgerEntry) -> None:
        """Write one report down, for good. Raises BudgetExceeded, OSError."""
        write(self.file, self.ledger.with_entry(entry))


@contextmanager
def opened(path: Path, fresh: FileLedger, cost: Cost) -> Iterator[OpenLedger]:
    """The ledger in a file, or ``fresh`` where there is none, held while ``cost`` can be paid.

    Raises LedgerError (held by another run, opened on other terms, damaged), BudgetExceeded.
    """
    with held(path) as file:
        ledger = read(file) or fresh
        for name in ("epsilon", "delta", "adjacency"):
            if getattr(ledger, name) != getattr(fresh, name):
                remedy = f"{path.name} was opened with {getattr(ledger, name)}: give that"
                raise LedgerError(name, getattr(fresh, name), remedy)
        ledger.require_room(cost)
        yield OpenLedger(file, ledger)


def read(path: Path) -> FileLedger | None:
    """The ledger in a file; None if there is no such file. A damaged one is never a new one.

    Raises LedgerError.
    """
    try:
        return _ledger(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise LedgerError("ledger", str(path), f"{problem.strerror}: check the path") from None
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        remedy = "it is no ledger of this version, or damaged: bring back a copy that is whole"
        raise LedgerError("ledger", str(path), remedy) from None


def write(path: Path, ledger: FileLedger) -> None:
    """Whole or not at all, also when the machine stops. Raises OSError."""
    write_whole(path, written(ledger))


def written(ledger: FileLedger) -> str:
    """A ledger as its file has it; ``permit`` is left out where there is none."""
    content = {"version": VERSION, **asdict(ledger), "adjacency": str(ledger.adjacency)}
    if ledger.permit is None:
        del content["permit"]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Replace or make a file so that it is never half-written, and stays. Raises OSError."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(path)
        make_names_durable(path.absolute().parent)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()


def _ledger(content: Mapping[str, Any]) -> FileLedger:
    if content["version"] != VERSION:
        raise ValueError(content["version"])
    entries = tuple(LedgerEntry(**entry) for entry in content["entries"])
    adjacency = Adjacency(content["adjacency"])
    permit = LedgerPermit(**content["permit"]) if "permit" in content else None
    terms = float(content["epsilon"]), float(content["delta"]), adjacency
    ledger = FileLedger(*terms, entries, permit)
    # Amounts that are none, or more than was promised, are damage too.
    ledger.require_room(Cost())
    return ledger
