"""`manage.py topics --ledger`: an account in a file, which refuses what it cannot pay."""

from pathlib import Path

import pytest

from analytics.files.ledgers import held, read
from tests.analytics.files.test_topics_command import (
    PROMISE,
    TEXTS,
    lines,
    refused,
    report_of,
    topics,
)


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
