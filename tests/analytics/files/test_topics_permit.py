"""`manage.py topics --ledger PERMIT`: it spends what a survey booked, exactly, and once."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.files.ledgers import FileLedger, LedgerPermit, read, write
from analytics.files.promises import Promise
from analytics.privacy.accounting import QUANTUM, Adjacency
from tests.analytics.files.topics_command import TEXTS, lines, refused, report_of

pytestmark = pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
QUARTER = LedgerPermit("f1", 3, "1/4", "0" * 64)
TERMS = FileLedger(8.0, 1e-5, Adjacency.REPLACE)
OPTIONS = ("--topics", "3", "--kind", "private_svd", "--ledger")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lines(tmp_path_factory.mktemp("answers") / "answers.jsonl", TEXTS)


@pytest.fixture
def permit(tmp_path: Path) -> Path:
    write(tmp_path / "permit.json", replace(TERMS, permit=QUARTER))
    return tmp_path / "permit.json"


def test_a_permit_says_all_terms_and_pays_for_one_report(answers: Path, permit: Path) -> None:
    report = report_of(answers, *OPTIONS, permit)
    assert report.adjacency is Adjacency.REPLACE
    ledger = read(permit)
    assert ledger is not None
    assert ledger.permit == QUARTER
    assert [entry.cost for entry in ledger.entries] == [report.cost]
    assert report.cost <= TERMS.budget(1).limit.part(Fraction(1, 4))
    before = permit.read_text()
    refusal = refused(answers, *OPTIONS, permit)
    assert refusal.returncode == 4
    assert permit.read_text() == before


@pytest.mark.parametrize("share", ["1/3", "1/7", "0.1", "1"])
def test_a_permit_holds_its_share_to_the_last_digit(share: str) -> None:
    permit = replace(TERMS, permit=replace(QUARTER, share=share))
    promise = Promise.permitted(permit)
    assert promise is not None
    booked = TERMS.budget(1).limit.part(Fraction(share))
    assert promise.cost == permit.limit == booked
    permit.require_room(booked)
    for name in ("mu_squared", "threshold_delta"):
        more = replace(booked, **{name: getattr(booked, name) + QUANTUM})
        with pytest.raises(ValueError, match="left"):
            permit.require_room(more)


@pytest.mark.parametrize("option", ["--epsilon", "--delta", "--share"])
def test_a_promise_beside_a_permit_is_refused(answers: Path, permit: Path, option: str) -> None:
    before = permit.read_text()
    assert "the permit says the value" in str(refused(answers, *OPTIONS, permit, option, "1/2"))
    assert permit.read_text() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": "2"},
        {"share": "0"},
        {"share": "1/0"},
        {"share": "-1/4"},
        {"share": None},
        {"texts": "short"},
        {"texts": 5},
        {"question": "3"},
        {"more": 1},
    ],
    ids=str,
)
def test_a_damaged_permit_pays_for_nothing(
    answers: Path, permit: Path, wrong: dict[str, object]
) -> None:
    content = json.loads(permit.read_text())
    content["permit"] |= wrong
    permit.write_text(json.dumps(content))
    refusal = refused(answers, *OPTIONS, permit)
    assert refusal.returncode == 4
    assert "damaged" in str(refusal)


def test_a_ledger_that_is_no_permit_keeps_its_bytes(tmp_path: Path) -> None:
    write(tmp_path / "ledger.json", TERMS)
    assert "permit" not in (tmp_path / "ledger.json").read_text()
