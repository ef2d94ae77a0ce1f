"""Private trees of a survey: charged to its ledger, refused before that, resumed, taken away."""

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from analytics import services, tasks
from analytics.checks import paid, within_budget
from analytics.comparison.checks import TreeError
from analytics.comparison.trees import private
from analytics.kinds.private_trees import PrivateTreeReport, PrivateTreeSettings, leaf_margin
from analytics.kinds.settings import SettingsError
from analytics.models import Expenditure, KeptRelease, Report
from analytics.privacy.accounting import Adjacency, Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded
from analytics.queries import account_of, result_of
from analytics.services import ledger, making
from surveys.models import Response, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.members.services import add_member
from tests.analytics.answering import AGE, CHEAT, MOOD, TOWN, finished, make_compared_survey
from tests.analytics.releasing import make_released_survey
from tests.factories import make_user
from tests.fake_noise import FakeNoise

pytestmark = pytest.mark.django_db
HALF = Fraction(1, 2)
MOOD_BY_TOWN = PrivateTreeSettings(MOOD, (TOWN,), depth=1)


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """Town and mood go together; texts and tables may cost epsilon 8."""
    budget = {"epsilon": Decimal(8)}
    return made_once(lambda: make_compared_survey(make_user(), 1200, budget=budget))


def ask(survey: Survey, settings=MOOD_BY_TOWN, share=HALF, by=None, key=None) -> Report:
    return services.request_report(
        survey=survey,
        kind="private_tree",
        settings=settings,
        share=share,
        by=by or survey.owner,
        later=tasks.make_later,
        key=key or uuid4(),
    )


def grown(survey: Survey, **choices: object) -> PrivateTreeReport:
    report = finished(ask(survey, **choices))
    assert report.state == "done", report.problem
    found = result_of(report)
    assert found is not None
    return found


def test_a_tree_finds_what_goes_together_and_is_charged_what_it_says(survey):
    found = grown(survey)
    assert found.root.question == "1. Where do you live?"
    assert [branch.answer for branch in found.root.branches] == ["North", "South", "East"]
    whole = sum(sum(branch.people) for branch in found.root.branches)
    assert whole == pytest.approx(1200, abs=5 * found.noise * 15**0.5)
    account = account_of(survey)
    assert account.spent == found.cost
    assert account.spent <= account.price(HALF)
    assert account.spent.mu_squared > account.price(HALF).mu_squared * Decimal("0.99")
    assert all("ok" in str(one.level).lower() for one in (*paid(), *within_budget()))


def test_the_margin_that_was_shown_is_the_margin_that_is_kept(survey):
    promised = leaf_margin(account_of(survey).price(HALF), Adjacency.ADD_OR_REMOVE)
    assert grown(survey).margin == pytest.approx(promised, rel=1e-3)


def test_replacing_one_respondent_takes_more_noise():
    cost = Cost.of(1.0)
    ratio = leaf_margin(cost, Adjacency.REPLACE) / leaf_margin(cost, Adjacency.ADD_OR_REMOVE)
    assert ratio == pytest.approx(2**0.5)


def test_a_document_reads_back_as_the_same_report(survey):
    found = grown(survey)
    assert PrivateTreeReport.from_document(json.loads(json.dumps(found.to_document()))) == found


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        (PrivateTreeSettings(CHEAT, (TOWN,)), SettingsError),
        (PrivateTreeSettings(TOWN, (CHEAT,)), SettingsError),
        (PrivateTreeSettings(TOWN, (AGE,)), SettingsError),
        (PrivateTreeSettings(TOWN, (99,)), SettingsError),
    ],
)
def test_only_direct_questions_with_levels_are_counted(survey, settings, refusal):
    with pytest.raises(refusal, match="direct questions"):
        ask(survey, settings)
    assert not Report.objects.exists()


@pytest.mark.parametrize(
    "share", [Fraction(0), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 10**30)]
)
def test_a_share_of_the_budget_that_is_none_is_refused(survey, share):
    with pytest.raises(BudgetError):
        ask(survey, share=share)
    assert not Report.objects.exists()


def test_what_is_not_left_cannot_be_spent(survey):
    grown(survey)
    with pytest.raises(BudgetExceeded):
        ask(survey, share=HALF + Fraction(1, 10**6))
    assert Report.objects.count() == 1


def test_a_budget_that_is_short_by_a_trillionth_refuses_and_nothing_is_charged(survey):
    """As if another report had been charged a trillionth more than half."""
    limit = account_of(survey).budget.limit.mu_squared
    other = finished(ask(survey))
    charged = Cost(limit - account_of(survey).price(HALF).mu_squared + Decimal("1e-12"))
    rest = charged.mu_squared - account_of(survey).spent.mu_squared
    more = Report.objects.create(
        revision=survey.revision, question=uuid4(), kind="private_tree", state="done"
    )
    Expenditure.objects.create(
        budget=survey.revision.accounts.get(),
        report=more,
        mu_squared=f"{rest:f}",
        threshold_delta="0",
    )
    before = account_of(survey)
    with pytest.raises(BudgetExceeded, match="only mu"):
        ask(survey)
    assert account_of(survey) == before
    assert set(Report.objects.values_list("pk", flat=True)) == {other.pk, more.pk}


@pytest.mark.parametrize(
    "settings",
    [
        dict(question=MOOD, by=()),
        dict(question=MOOD, by=(MOOD,)),
        dict(question=MOOD, by=(TOWN, TOWN)),
        dict(question=MOOD, by=(TOWN,), depth=0),
        dict(question=MOOD, by=(TOWN,), depth=5),
        dict(question=MOOD, by=(TOWN,), alpha=float("nan")),
    ],
)
def test_settings_that_grow_no_tree_are_refused(settings):
    with pytest.raises(SettingsError):
        PrivateTreeSettings(**settings)


def test_an_empty_survey_and_one_without_a_promise_are_refused(owner):
    with pytest.raises(NotPossible, match="There is no answer yet that a tree could count"):
        ask(make_compared_survey(owner, 0, budget={}))
    with pytest.raises(NotPossible, match="were not promised a privacy budget"):
        ask(make_compared_survey(owner, 50))
    with pytest.raises(NotPossible, match="only for reports on texts"):
        ask(make_compared_survey(owner, 50, budget={"source": "text"}))


def test_one_respondent_is_counted_like_any_other(owner):
    survey = make_compared_survey(owner, 1, budget={"delta": Decimal("0.001")})
    assert grown(survey).is_private


def test_a_tree_of_too_many_cells_is_refused_with_what_would_fit(survey, monkeypatch):
    monkeypatch.setattr(private, "_MOST_CELLS", 14)
    with pytest.raises(
        TreeError,
        match="allow fewer questions per path, because the tables of the tree can have at most 14 "
        "cells",
    ):
        ask(survey)


def test_only_the_owner_spends_and_all_who_read_see_it(client, survey):
    grace = make_user("grace")
    add_member(survey=survey, username="grace", role="analyst", by=survey.owner)
    with pytest.raises(NotAllowed):
        ask(survey, by=grace)
    report = finished(ask(survey))
    client.force_login(grace)
    seen = client.get(reverse("analytics:report", args=[survey.pk, report.pk])).content.decode()
    assert "Where do you live?: South" in seen
    assert (
        "Only the owner of the survey can request a private tree."
        in client.get(reverse("analytics:private-tree", args=[survey.pk])).content.decode()
    )


def test_a_form_that_is_sent_twice_asks_once(survey):
    key = uuid4()
    assert ask(survey, key=key).pk == ask(survey, key=key).pk
    assert Report.objects.count() == 1


def test_a_tree_that_was_stopped_is_resumed_from_what_it_released(survey, monkeypatch):
    """The second release fails once; the first one is kept, and neither drawn nor paid again."""
    report = ask(survey)
    kept = making.StoredReleases.keep

    def broken(self, place, content):
        kept(self, place, content)
        if place == 1:
            Report.objects.filter(pk=self._report).update(state="cancelled", stage="")

    with monkeypatch.context() as patched:
        patched.setattr(making.StoredReleases, "keep", broken)
        making.make(report.pk, report.run, noise=FakeNoise())
    stopped = Report.objects.get(pk=report.pk)
    assert (stopped.state, stopped.is_charged) == ("cancelled", True)
    first = [bytes(one.content) for one in KeptRelease.objects.order_by("place")]
    assert len(first) == 2
    Response.objects.filter(revision=survey.revision).update(answers="00000050")
    again = services.repeat_report(report=stopped, by=survey.owner, later=tasks.make_later)
    found = result_of(finished(again))
    assert found is not None
    assert found.root.question, "as released before all answers were the same"
    assert Expenditure.objects.count() == 1
    assert account_of(survey).spent == found.cost


@pytest.mark.both_databases
def test_no_tree_draws_on_what_was_promised_for_texts_alone(owner):
    survey = make_compared_survey(owner, 50, budget={"source": "text"})
    with transaction.atomic():
        ledger.hold(survey.revision)
    values = dict(revision=survey.revision, question=uuid4(), kind="private_tree")
    with pytest.raises(DatabaseError, match="texts alone pays for no tree"), transaction.atomic():
        Report.objects.create(**values)


@pytest.mark.both_databases
def test_what_a_tree_was_asked_for_never_changes(survey):
    report = ask(survey)
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Report.objects.filter(pk=report.pk).update(settings={"question": 1})


# ---- On pages ------------------------------------------------------------------------------------


def page(client, survey: Survey, name: str, *more: object) -> str:
    client.force_login(survey.owner)
    reply = client.get(reverse(f"analytics:{name}", args=[survey.pk, *more]))
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def test_the_form_says_the_margin_and_the_cost_before_anything_is_spent(client, survey):
    text = page(client, survey, "private-tree")
    assert "Margin of each number in a leaf: ±" in text
    assert "for this report, the odds of a guess about a person change at most" in text
    assert "Have you cheated?" not in text


def test_a_tree_is_asked_for_read_and_taken_away(client, survey):
    client.force_login(survey.owner)
    sent = {"key": str(uuid4()), "question": MOOD, "by": [TOWN], "depth": 1, "alpha": "0.05"}
    reply = client.post(
        reverse("analytics:ask-private-tree", args=[survey.pk]), {**sent, "share": "1/4"}
    )
    report = Report.objects.get()
    assert reply.url == reverse("analytics:report", args=[survey.pk, report.pk])
    finished(report)
    text = page(client, survey, "report", report.pk)
    assert "1. Where do you live?: South" in text
    assert "internal – do not publish" not in text
    picture = reverse("analytics:picture", args=[survey.pk, report.pk, "tree"])
    assert client.get(picture).status_code == 404
    files = [
        client.get(reverse(f"analytics:{name}", args=[survey.pk, report.pk]))
        for name in ("csv", "json")
    ]
    rows = list(csv.DictReader(io.StringIO(b"".join(files[0].streaming_content).decode())))
    assert len(rows) == 3 * 5
    assert rows[0]["path"] == "1. Where do you live?: North"
    assert files[1].json()["report"]["kind"] == "private_tree"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("by", [MOOD], "choose other questions"),
        ("by", [CHEAT], "not one of the available choices"),
        ("depth", "9", "less than or equal to 4"),
        ("alpha", "NaN", "not one of the available choices"),
        ("share", "1e400", "not one of the available choices"),
        ("share", "0", "not one of the available choices"),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_field(client, survey, field, value, said):
    client.force_login(survey.owner)
    sent = {"key": str(uuid4()), "question": MOOD, "by": [TOWN], "depth": 1, "alpha": "0.05"}
    address = reverse("analytics:ask-private-tree", args=[survey.pk])
    reply = client.post(address, {**sent, "share": "1/4", field: value})
    assert said in reply.content.decode()
    assert not Report.objects.exists()


def test_without_a_promise_the_page_says_why_nothing_can_be_asked(client, owner):
    survey = make_compared_survey(owner, 50)
    assert "were not promised a privacy budget" in page(client, survey, "private-tree")


def test_where_tables_are_released_at_openings_alone_no_tree_is_grown(client, owner):
    survey = make_released_survey(owner)
    assert "are shown only in the tables of its openings" in page(client, survey, "private-tree")
    with pytest.raises(NotPossible):
        ask(survey, PrivateTreeSettings(1, (2,)))
