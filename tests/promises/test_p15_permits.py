"""P15: a permit for a report on sealed texts spends exactly what the survey's ledger booked."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from django.db import DatabaseError, transaction

from analytics import services, tasks
from analytics.checks import paid
from analytics.files.ledgers import FileLedger, read
from analytics.files.promises import Promise
from analytics.kinds.documents import Charge, Topic, TopicReport, Word
from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.models import Expenditure, Report
from analytics.privacy.accounting import QUANTUM, Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded
from analytics.queries import account_of, cost_of
from analytics.services.permits import close_permit, give_permit, permit_file
from surveys.models import SealedText, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.results.exports import sealed_texts
from surveys.trust.sealed_files import SealedFile
from tests.analytics.permits import TEXTS, make_sealed_survey
from tests.factories import make_user
from tests.rivals import at_once

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TABLE = TableSettings((TableQuestion(1),), ((1,),))


pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.survey(make=make_sealed_survey),
]


def give(survey: Survey, share: Fraction = HALF, **choices: object) -> Report:
    usual = {"kind": "private_svd", "question": 2, "by": survey.owner}
    return give_permit(survey=survey, share=share, **{**usual, **choices})


def release(survey: Survey, share: Fraction = HALF) -> Report:
    wish = {"kind": "tables", "settings": TABLE, "share": share, "by": survey.owner}
    return services.request_report(survey=survey, later=tasks.make_later, **wish)


def tried(act, survey: Survey) -> str:
    try:
        act(survey)
    except BudgetExceeded:
        return "refused"
    return "accepted"


def ledger_in(permit: Report, tmp_path) -> FileLedger:
    (tmp_path / "permit.json").write_text(permit_file(permit))
    ledger = read(tmp_path / "permit.json")
    assert ledger is not None
    return ledger


def made_with(permit: Report, **fields: object) -> TopicReport:
    """A report as the command makes it, which cost all that its permit holds."""
    budget = account_of(permit.revision.survey).budget
    cost = cost_of(permit)
    report = TopicReport(
        kind="private_svd",
        is_private=True,
        respondents=600,
        settings={},
        topics=(Topic((Word("garden", 0.5),)),),
        charges=(Charge("words", cost.mu_squared, cost.threshold_delta),),
        adjacency=budget.adjacency,
        epsilon=5.0,
        delta=budget.delta,
    )
    return replace(report, **fields)


def file_of(report: TopicReport) -> bytes:
    return json.dumps({"program": "deniable", "report": report.to_document()}).encode()


def hand_in(permit: Report, report: TopicReport) -> None:
    close_permit(report=permit, content=file_of(report), by=permit.revision.survey.owner)


def test_a_permit_holds_exactly_what_the_ledger_booked(survey, tmp_path):
    permit = give(survey, THIRD)
    booked = cost_of(Expenditure.objects.get(report=permit))
    ledger = ledger_in(permit, tmp_path)
    assert account_of(survey).spent == booked == ledger.limit == Promise.permitted(ledger).cost
    ledger.require_room(booked)
    with pytest.raises(BudgetExceeded):
        ledger.require_room(booked + Cost(QUANTUM))


def test_a_permit_names_the_file_that_it_was_given_for(survey, tmp_path):
    permit = ledger_in(give(survey), tmp_path).permit
    assert (permit.question, permit.share) == (2, "1/2")
    file = sealed_texts(survey.revision, 2)
    assert SealedFile.read(file.encode()).texts == tuple(sorted(TEXTS))
    assert permit.texts == hashlib.sha256(file.encode()).hexdigest()


def test_of_permits_and_a_release_for_the_last_budget_only_two_halves_are_accepted(survey):
    acts = [give, give, release]
    answers = at_once(*[partial(tried, act, survey) for act in acts])
    assert Counter(answers) == {"accepted": 2, "refused": 1}
    account = account_of(survey)
    assert account.taken <= account.budget.limit


def test_a_permit_that_does_not_fit_is_not_given(survey):
    give(survey, Fraction(1))
    with pytest.raises(BudgetExceeded):
        give(survey, HALF)
    assert Report.objects.count() == Expenditure.objects.count() == 1


def test_a_form_that_comes_twice_gives_one_permit(survey):
    key = survey.pk
    assert give(survey, key=key) == give(survey, key=key)
    assert Expenditure.objects.count() == 1


def test_the_report_is_handed_in_once_and_closes_the_permit(survey):
    permit = give(survey)
    hand_in(permit, made_with(permit))
    permit.refresh_from_db()
    assert TopicReport.from_document(permit.document) == made_with(permit)
    for act in (lambda: hand_in(permit, made_with(permit)), lambda: permit_file(permit)):
        with pytest.raises(NotPossible, match="closed"):
            act()
    with pytest.raises(DatabaseError), transaction.atomic():
        Report.objects.update(document=None)


def test_a_report_that_is_lost_stays_paid_for_and_one_that_cost_less_is_no_finding(survey):
    lost, cheaper = give(survey), give(survey)
    assert account_of(survey).spent == cost_of(lost) + cost_of(cheaper)
    hand_in(cheaper, made_with(cheaper, charges=(Charge("words", Decimal("0.5")),)))
    assert account_of(survey).spent == cost_of(lost) + cost_of(cheaper)
    assert [finding.remedy for finding in paid()] == [""]


def dearer(report: TopicReport) -> TopicReport:
    return replace(report, charges=(*report.charges, Charge("more", QUANTUM)))


@pytest.mark.parametrize(
    "change",
    [
        dearer,
        lambda report: replace(report, charges=()),
        lambda report: replace(report, kind="private_topics"),
        lambda report: replace(report, is_private=False),
        lambda report: replace(report, adjacency=None),
        lambda report: replace(report, topics=(Topic((), examples=("I wrote this",)),)),
    ],
    ids=["dearer", "unpaid", "another kind", "internal", "other terms", "with texts"],
)
def test_a_report_that_the_permit_did_not_pay_for_is_not_kept(survey, change):
    permit = give(survey)
    with pytest.raises(NotPossible):
        hand_in(permit, change(made_with(permit)))
    permit.refresh_from_db()
    assert permit.document is None


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"{}", b'{"report": NaN}', b"[" * 10**5, b'{"report": []}', b" " * 10**7],
)
def test_a_file_that_is_no_report_is_not_kept(survey, content):
    permit = give(survey)
    with pytest.raises(NotPossible, match="not a report of this program"):
        close_permit(report=permit, content=content, by=survey.owner)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(2), Fraction(-1)])
def test_a_share_that_is_none_books_nothing(survey, share):
    with pytest.raises((BudgetError, ValueError)):
        give(survey, share)
    assert not Report.objects.exists()


def test_what_has_no_locked_texts_books_nothing(survey):
    for question in (0, 1, 3, -1, 10**30):
        with pytest.raises(NotPossible, match="does not have this free-text question"):
            give(survey, question=question)
    with pytest.raises(SettingsError):
        give(survey, kind="exact_topics")
    with pytest.raises(NotAllowed):
        give(survey, by=make_user("stranger"))
    SealedText.objects.all().delete()  # as before the close
    with pytest.raises(NotPossible, match="available after the survey has closed"):
        give(survey)
    assert not Report.objects.exists()


def test_where_the_server_reads_texts_no_permit_is_given(owner):
    survey = make_sealed_survey(owner, keys=0)
    with pytest.raises(NotPossible, match="this server can read the texts"):
        give(survey)
