"""The account of a file: exact sums, held by one run at a time, never half-written."""

import json
import multiprocessing
import os
from decimal import Decimal
from pathlib import Path

import pytest

from analytics.files.ledgers import (
    FileLedger,
    LedgerEntry,
    LedgerError,
    held,
    read,
    write,
    write_whole,
)
from analytics.privacy.accounting import Adjacency
from analytics.privacy.errors import BudgetError, BudgetExceeded
from tests import patience

EMPTY = FileLedger(4.0, 1e-6, Adjacency.REPLACE)


def entry(mu_squared: Decimal, threshold_delta: str = "0") -> LedgerEntry:
    return LedgerEntry(
        "2031-05-04T10:00:00+00:00", "published", "a.csv", f"{mu_squared:f}", threshold_delta
    )


def limit() -> Decimal:
    return EMPTY.budget(1).limit.mu_squared


def test_a_ledger_comes_back_as_it_was_written(tmp_path: Path) -> None:
    ledger = EMPTY.with_entry(entry(Decimal("0.1"), "0.00000001")).with_entry(entry(Decimal("0.2")))
    write(tmp_path / "l.json", ledger)
    assert read(tmp_path / "l.json") == ledger
    assert ledger.spent.mu_squared == Decimal("0.3")


def test_a_ledger_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert read(tmp_path / "l.json") is None


def test_the_whole_budget_can_be_spent_and_not_ten_to_the_minus_twelve_more() -> None:
    half = Decimal("0.3")
    full = EMPTY.with_entry(entry(half)).with_entry(entry(limit() - half))
    assert full.spent.mu_squared == limit()
    with pytest.raises(BudgetExceeded):
        full.with_entry(entry(Decimal("1e-12")))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf"), 100.0])
def test_a_ledger_promises_an_epsilon_that_protects(epsilon: float) -> None:
    with pytest.raises(BudgetError, match="epsilon"):
        FileLedger(epsilon, 1e-6, Adjacency.REPLACE).budget(10)


def damaged() -> list[str]:
    good = {
        "version": 1,
        "epsilon": 4.0,
        "delta": 1e-6,
        "adjacency": "replace_one",
        "entries": [entry(Decimal("0.1")).__dict__],
    }
    amounts = ["much", "-1", "NaN", "1e9", "0.1234567890123456789012345"]
    wrong = [{**good, "entries": [{**good["entries"][0], "mu_squared": a}]} for a in amounts]
    missing = [{k: v for k, v in good.items() if k != name} for name in good]
    changed = [{**good, **one} for one in ({"version": 2}, {"adjacency": "x"}, {"epsilon": 0})]
    texts = ["", "{", "[]", "null", '{"version": 1', "[" * 100_000]
    return [*texts, *(json.dumps(one) for one in (*wrong, *missing, *changed))]


@pytest.mark.parametrize("content", damaged())
def test_a_damaged_ledger_is_refused_and_never_taken_for_a_new_one(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "l.json"
    path.write_text(content)
    with pytest.raises(LedgerError, match="damaged"):
        read(path)
    assert path.read_text() == content


def test_bytes_that_are_no_text_are_damage(tmp_path: Path) -> None:
    (tmp_path / "l.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LedgerError, match="damaged"):
        read(tmp_path / "l.json")


def test_one_run_at_a_time_holds_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    with held(path), pytest.raises(LedgerError, match="another run"), held(path):
        pass
    with held(path):
        pass


def _spend(path: Path, start: object, results: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    try:
        with held(path):
            ledger = read(path) or EMPTY
            write(path, ledger.with_entry(entry(limit() / 3)))
    except (LedgerError, BudgetExceeded) as refusal:
        results.put(type(refusal).__name__)  # type: ignore[attr-defined]
    else:
        results.put("spent")  # type: ignore[attr-defined]


def test_runs_side_by_side_never_overspend(tmp_path: Path) -> None:
    path, context = tmp_path / "l.json", multiprocessing.get_context("fork")
    for _ in range(4):
        start, results = context.Barrier(4), context.Queue()
        runs = [context.Process(target=_spend, args=(path, start, results)) for _ in range(4)]
        for run in runs:
            run.start()
        told = [results.get(timeout=patience.SECONDS) for _ in runs]
        for run in runs:
            run.join()
        assert set(told) <= {"spent", "LedgerError", "BudgetExceeded"}
    ledger = read(path)
    assert ledger is not None
    # A run that finds it held is refused, so that some rounds spend less; none spends too much.
    assert 1 <= len(ledger.entries) <= 3
    assert ledger.spent.mu_squared <= limit()


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Path, Path]:
    """A ledger's own name, and another one in another folder."""
    own, other = tmp_path / "l.json", tmp_path / "elsewhere" / "other.json"
    other.parent.mkdir()
    other.symlink_to(own)
    return own, other


@pytest.mark.parametrize("is_there", [True, False])
def test_two_names_of_one_ledger_are_held_as_one(linked: tuple[Path, Path], is_there: bool) -> None:
    if is_there:
        write(linked[0], EMPTY)
    for first, second in (linked, linked[::-1]):
        with held(first), pytest.raises(LedgerError, match="another run"), held(second):
            pass


def test_two_names_of_one_ledger_never_spend_it_twice(linked: tuple[Path, Path]) -> None:
    half = Decimal("0.3")
    for name, amount in zip(linked, (half, limit() - half), strict=True):
        with held(name) as file:
            write(file, (read(file) or EMPTY).with_entry(entry(amount)))
    own, other = linked
    assert other.is_symlink()
    assert read(own) == read(other)
    assert len(read(own).entries) == 2
    with held(other) as file, pytest.raises(BudgetExceeded):
        read(file).with_entry(entry(Decimal("1e-12")))


def test_a_ledger_with_a_second_name_of_its_own_right_is_refused_under_both(tmp_path: Path) -> None:
    own, other = tmp_path / "l.json", tmp_path / "other.json"
    write(own, EMPTY)
    other.hardlink_to(own)
    for name in (own, other):
        with pytest.raises(LedgerError, match="hard link"), held(name):
            pass
    other.unlink()
    with held(own) as file:
        assert read(file) == EMPTY


def test_names_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(LedgerError, match="check the path"), held(tmp_path / "a"):
        pass


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="check the path"), held(tmp_path / "no" / "l.json"):
        pass


def test_what_cannot_be_written_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["l.json"]


def test_after_a_power_cut_the_new_ledger_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contents first, then the folder that names them: otherwise the old ledger could be back."""
    synced, sync = [], os.fsync

    def noting(handle: int) -> None:
        synced.append((os.fstat(handle).st_ino, (tmp_path / "l.json").exists()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", noting)
    write(tmp_path / "l.json", EMPTY)
    ledger, folder = (path.stat().st_ino for path in (tmp_path / "l.json", tmp_path))
    assert synced == [(ledger, False), (folder, True)]
