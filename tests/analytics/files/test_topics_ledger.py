"""`manage.py topics --ledger`: an account in a file, which refuses what it cannot pay."""

from fractions import Fraction
from pathlib import Path

import pytest

from analytics.files.ledgers import held, read
from analytics.privacy.accounting import total
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import VettedNoise
from tests.analytics.files.topics_command import (
    PROMISE,
    TEXTS,
    lines,
    refused,
    report_of,
    topics,
)

pytestmark = pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lines(tmp_path_factory.mktemp("answers") / "answers.jsonl", TEXTS)


def test_a_ledger_keeps_the_account_and_refuses_to_overspend(answers: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    options = (*PROMISE, "--kind", "private_svd", "--ledger", ledger, "--share")
    reports = [report_of(answers, *options, share) for share in ("1/4", "1/4", "1/2")]
    account = read(ledger)
    assert account is not None
    assert [entry.cost for entry in account.entries] == [report.cost for report in reports]
    assert account.spent <= account.budget(2000).limit
    assert reports[2].cost.mu_squared > 1.99 * float(reports[0].cost.mu_squared)
    before = ledger.read_text()
    refusal = refused(answers, *options, "1/100")
    assert refusal.returncode == 4
    assert "left" in str(refusal)
    assert ledger.read_text() == before


class Stopping:
    """A person who stops the run at its first, or at a later, draw of noise."""

    is_private = True

    def __init__(self, ledger: Path, draws: int) -> None:
        self.ledger, self.left = ledger, draws
        self.entries_when_drawn: list[int] = []

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        account = read(self.ledger)
        self.entries_when_drawn.append(len(account.entries) if account else 0)
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return VettedNoise().added_to(values, lattice_sd)


@pytest.mark.parametrize("draws", [0, 1])
def test_a_run_is_charged_before_its_first_draw_and_stopping_it_gives_nothing_back(
    answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draws: int
) -> None:
    ledger = tmp_path / "ledger.json"
    stopping = Stopping(ledger, draws)
    monkeypatch.setattr("analytics.management.commands.topics.VettedNoise", lambda: stopping)
    options = (*PROMISE, "--kind", "private_svd", "--ledger", ledger, "--share", "1/2")
    for runs in (1, 2):
        stopping.left = draws
        refusal = refused(answers, *options)
        assert refusal.returncode == 130
        assert "all that it may cost stays charged" in str(refusal)
        account = read(ledger)
        assert account is not None
        assert len(account.entries) == runs
        half = account.budget(2000).limit.part(Fraction(1, 2))
        assert account.spent == total([half] * runs)
    assert stopping.entries_when_drawn == [1] * (draws + 1) + [2] * (draws + 1)
    assert refused(answers, *options).returncode == 4  # nothing is left


def test_what_is_refused_before_the_first_draw_costs_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    few = lines(tmp_path / "few.jsonl", ["bus"])
    refused(few, *PROMISE, "--ledger", ledger, "--topics", "50")
    assert not ledger.exists()


def test_what_is_left_in_a_ledger_is_refused_before_the_file_is_read(tmp_path: Path) -> None:
    ledger, missing = tmp_path / "ledger.json", tmp_path / "missing.jsonl"
    topics(lines(tmp_path / "a.jsonl", TEXTS), *PROMISE, "--ledger", ledger)
    assert refused(missing, *PROMISE, "--ledger", ledger).returncode == 4


@pytest.mark.parametrize(
    "other", [("--epsilon", "9"), ("--delta", "1e-6"), ("--adjacency", "replace_one")]
)
def test_a_ledger_keeps_the_terms_it_was_opened_with(
    answers: Path, tmp_path: Path, other: tuple[str, str]
) -> None:
    ledger = tmp_path / "ledger.json"
    topics(answers, *PROMISE, "--share", "1/2", "--ledger", ledger)
    refusal = refused(answers, *PROMISE, "--share", "1/4", "--ledger", ledger, *other)
    assert refusal.returncode == 4
    assert "was opened with" in str(refusal)


def test_a_ledger_that_another_run_holds_is_refused(answers: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    with held(ledger):
        refusal = refused(answers, *PROMISE, "--ledger", ledger)
    assert refusal.returncode == 4
    assert "another run" in str(refusal)
