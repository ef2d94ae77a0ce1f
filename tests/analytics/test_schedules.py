"""Surveys that only release tables: charged at launch, drawn once an opening, then destroyed."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils.translation import override

from analytics.comparison.checks import ComparisonError
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.models import Expenditure, OpeningRelease, Report
from analytics.queries import account_of, result_of, schedule_of
from analytics.services import ledger
from analytics.services.releases import outlook_of
from analytics.sources.survey_answers import groups_by
from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.services import stop
from surveys.collecting import openings, records
from surveys.models import Response, Sealed, Survey, releasing
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.operations.retention import keep_dates
from surveys.wording.language.messages import translated
from tests.analytics.releasing import (
    AGE,
    CHEAT,
    TOWN,
    answer,
    at,
    draft,
    fix_noise,
    let_pass,
    make_released_survey,
    promise,
)
from tests.factories import (
    add_budget,
    add_condition,
    add_question,
    add_rating,
    add_text,
    launched,
    make_survey,
)
from tests.fake_noise import FakeNoise
from tests.rivals import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn."),
]
HIDDEN = "Answers to direct questions of this survey"
PEOPLE = [(place % 3, place % 2, 18 + place % 60) for place in range(40)]


@pytest.fixture(autouse=True)
def usual_releaser():
    before = releasing.registered()
    yield
    releasing.register(before)


def people_of(survey: Survey, question: int) -> list[int]:
    """The released counts of one question, to whole people."""
    release = result_of(schedule_of_document(survey))
    return [round(cell.people) for cell in release.cells((question,))]


def schedule_of_document(survey: Survey) -> Report:
    return Report.objects.get(pk=schedule_of(survey).pk)


def every(owner, **fields) -> Survey:
    """Four openings: after 7, 14 and 21 days, and at the close after 28."""
    chosen = {"opening": Survey.Opening.EVERY, "opening_days": 7, "last_day": 27, **fields}
    return make_released_survey(owner, **chosen)


def test_all_openings_together_are_charged_at_launch_and_nothing_after_it(owner):
    survey = every(owner)
    account = account_of(survey)
    (line,) = account.lines
    assert (line.kind, line.cost) == ("schedule", account.spent)
    limit = account.budget.limit.mu_squared
    assert limit * Decimal("0.99999") < account.spent.mu_squared <= limit
    answer(survey, PEOPLE)
    let_pass(survey, 28)
    assert account_of(survey).spent == account.spent
    assert Expenditure.objects.count() == 1


def test_the_rest_of_the_budget_is_left_for_reports_on_texts(owner):
    survey = draft(owner, text=True, release_share=25)
    promise(survey)
    account = account_of(launched(survey))
    share = account.spent.mu_squared / account.budget.limit.mu_squared
    assert Decimal("0.24999") < share <= Decimal("0.25")


def test_a_row_is_opened_without_its_direct_answers_and_they_stay_sealed(owner):
    survey = every(owner)
    answer(survey, PEOPLE)
    let_pass(survey, 7)
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    assert len(rows) == 20
    assert {(row[:2], row[4:]) for row in rows} == {("--", "--")}
    assert {row[2:4] for row in rows} <= {"00", "01"}
    kept = Sealed.objects.filter(kind=records.KEPT)
    assert (kept.count(), {one.round for one in kept}) == (20, {1})
    assert len({len(one.content) for one in kept}) == 1


def test_at_the_close_all_people_are_counted_and_their_direct_answers_destroyed(owner):
    fix_noise(FakeNoise(np.zeros))
    survey = every(owner)
    answer(survey, PEOPLE)
    for days in (7, 14, 21, 28):
        let_pass(survey, days)
    assert people_of(survey, 0) == [14, 13, 13]
    assert sum(people_of(survey, 1)) == 40
    assert not Sealed.objects.exists()
    assert list(OpeningRelease.objects.order_by("place").values_list("place", "opening")) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
    ]


def test_each_opening_counts_all_people_so_far(owner):
    fix_noise(FakeNoise(np.zeros))
    survey = every(owner)
    answer(survey, PEOPLE)
    let_pass(survey, 7)
    assert sum(people_of(survey, 0)) == 20 == Response.objects.count()
    answer(survey, PEOPLE)
    let_pass(survey, 14)
    assert sum(people_of(survey, 0)) == opened_responses(survey.revision.pk).count() == 50


def test_days_that_are_added_later_release_nothing_until_the_close(owner):
    fix_noise(FakeNoise(np.zeros))
    survey = every(owner, last_day=13)  # after 7 days, and at the close after 14
    Survey.objects.filter(pk=survey.pk).update(close_on=survey.close_on + timedelta(days=14))
    for days in (7, 14, 21):
        answer(survey, PEOPLE)
        let_pass(survey, days)
    assert OpeningRelease.objects.count() == 1
    assert openings.Openings.objects.get().done == 3
    let_pass(survey, 28)
    assert list(OpeningRelease.objects.order_by("place").values_list("place", "opening")) == [
        (0, 1),
        (1, 4),
    ]
    assert people_of(survey, 0) == [42, 39, 39]


def test_an_opening_that_was_interrupted_draws_once(owner, monkeypatch):
    fix_noise(FakeNoise(np.zeros))
    survey = every(owner)
    answer(survey, PEOPLE)
    finish, drawn = openings._finish, []

    def killed(opening, store):
        drawn.append(store)
        raise OSError("the machine lost its power")

    monkeypatch.setattr(openings, "_finish", killed)
    assert keep_dates(now=at(survey, 7)).problems
    assert (len(drawn), OpeningRelease.objects.count()) == (1, 0)
    assert not opened_responses(survey.revision.pk).exists()
    monkeypatch.setattr(openings, "_finish", finish)
    let_pass(survey, 7)
    assert OpeningRelease.objects.count() == 1
    let_pass(survey, 8)
    assert OpeningRelease.objects.count() == 1
    assert sum(people_of(survey, 0)) == 20


@pytest.mark.both_databases
def test_two_workers_that_open_at_once_store_one_release_of_all_opened_people(owner):
    fix_noise(FakeNoise(np.zeros))
    survey = every(owner)
    answer(survey, PEOPLE)
    openings.begin(survey.pk, at(survey, 7))

    def persist() -> None:
        for _ in range(50):
            try:
                openings.run(survey)
            except openings.Overtaken:
                continue
            return

    at_once(persist, persist)
    assert OpeningRelease.objects.count() == 1
    assert sum(people_of(survey, 0)) == opened_responses(survey.revision.pk).count() == 20


@pytest.mark.both_databases
def test_what_an_opening_released_is_neither_changed_nor_deleted_nor_replaced(owner):
    survey = every(owner)
    answer(survey, PEOPLE)
    let_pass(survey, 7)
    made = OpeningRelease.objects.get()
    with pytest.raises(DatabaseError), transaction.atomic():
        OpeningRelease.objects.update(content=[])
    with pytest.raises(DatabaseError), transaction.atomic():
        made.delete()
    again = OpeningRelease(report=made.report, opening=1, place=0, content=[])
    with pytest.raises(DatabaseError), transaction.atomic():
        again.save()
    if connection.vendor == "sqlite":
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "INSERT OR REPLACE INTO analytics_openingrelease SELECT * FROM"
                " analytics_openingrelease"
            )
    assert OpeningRelease.objects.get().content == made.content


@pytest.mark.both_databases
def test_the_database_keeps_a_schedule_and_refuses_one_on_a_promise_for_texts(owner):
    made = schedule_of_document(make_released_survey(owner))
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Report.objects.filter(pk=made.pk).update(settings={})
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Report.objects.filter(pk=made.pk).update(document={})
    texts = make_survey(owner)
    add_text(texts)
    add_budget(texts)
    texts = launched(texts)
    with transaction.atomic():
        account = ledger.hold(texts.revision)
    values = {one.attname: getattr(made, one.attname) for one in Report._meta.fields}
    other = Report(**{**values, "id": uuid4(), "revision_id": texts.revision.pk})
    with pytest.raises(DatabaseError, match="texts alone pays for no table"), transaction.atomic():
        other.save(force_insert=True)
    with pytest.raises(DatabaseError, match="texts alone pays for no table"), transaction.atomic():
        Expenditure.objects.create(
            budget=account, report=other_report(made), mu_squared="1", threshold_delta="0"
        )


def other_report(made: Report) -> Report:
    """One more schedule of the same survey, which no service would make."""
    values = {one.attname: getattr(made, one.attname) for one in Report._meta.fields}
    return Report.objects.create(**{**values, "id": uuid4()})


def test_stopping_at_once_destroys_the_direct_answers_that_were_counted_too(owner):
    survey = every(owner)
    answer(survey, PEOPLE)
    let_pass(survey, 7)
    stop(survey=survey, by=owner)
    assert not Sealed.objects.exists()
    assert OpeningRelease.objects.count() == 1


@pytest.mark.parametrize("people", [0, 1])
@pytest.mark.noise(fails=1e-30, law="All of ten sums of draws whole: once in 4,096 each.")
def test_of_nobody_and_of_one_person_tables_are_released_all_the_same(client, owner, people):
    survey = make_released_survey(owner)
    answer(survey, PEOPLE[:people])
    let_pass(survey, 31)
    release = result_of(schedule_of_document(survey))
    assert release.people == (people, 0)
    assert any(cell.people != round(cell.people) for cell in release.cells((1,)))
    client.force_login(owner)
    for name in ("release", "release-csv", "release-json", "release-covariance"):
        address = reverse(f"analytics:{name}", args=[survey.pk, schedule_of(survey).pk])
        assert client.get(address).status_code == 200


def test_before_the_first_opening_pages_say_when_tables_come(client, owner):
    survey = make_released_survey(owner)
    client.force_login(owner)
    report = schedule_of(survey)
    assert client.get(reverse("analytics:release", args=[survey.pk, report.pk])).status_code == 404
    for name, args, words in (
        ("analytics:report", [report.pk], "made at the first opening"),
        ("analytics:releases", [], "no other table can be released."),
        ("surveys:dashboard", [], "No table is released yet."),
        ("surveys:break-down", [], f"{HIDDEN} are shown only in released tables"),
        ("analytics:groups", [], f"{HIDDEN} are shown only in released tables"),
    ):
        page = client.get(reverse(name, args=[survey.pk, *args])).content.decode()
        assert words in " ".join(page.split())


def test_downloads_leave_hidden_questions_out_and_say_so(client, owner):
    survey = make_released_survey(owner)
    answer(survey, PEOPLE[:10])
    let_pass(survey, 31)
    client.force_login(owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]))
    lines = b"".join(reply.streaming_content).decode().splitlines()
    assert (lines[0], len(lines)) == ("q002_rep,q002_yes", 11)
    codebook = client.get(reverse("surveys:codebook", args=[survey.pk])).json()
    assert [column["name"] for column in codebook["columns"]] == ["q002"]
    hidden = [one["name"] for one in codebook["released_in_tables_alone"]]
    assert hidden == ["q001", "q003"]


def test_other_tables_are_refused_with_what_to_do_instead(owner):
    survey = make_released_survey(owner)
    answer(survey, PEOPLE[:10])
    let_pass(survey, 31)
    settings = TableSettings((TableQuestion(TOWN),), ((TOWN,),))
    with pytest.raises(NotPossible, match="Open the tables of the openings"):
        outlook_of(survey, settings, Fraction(1, 10))
    with pytest.raises(
        ComparisonError, match="the answers to this question are shown only in released tables"
    ):
        groups_by(survey.revision, AGE, CHEAT)


def test_two_questions_together_agree_with_each_by_itself(owner):
    fix_noise(FakeNoise(np.zeros))
    survey = make_released_survey(owner, released_together=2, text=True)
    answer(survey, PEOPLE, word="hello")
    let_pass(survey, 31)
    release = result_of(schedule_of_document(survey))
    assert release.asked.tables == ((0,), (1,), (0, 1))
    pairs = [cell.people for cell in release.cells((0, 1))]
    assert [round(sum(pairs[place : place + 11])) for place in (0, 11, 22)] == [14, 13, 13]


def reasons(survey: Survey) -> str:
    return " ".join(reasons_of(survey))


def reasons_of(survey: Survey) -> list[str]:
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(survey)
    return list(refused.value.reasons)


def test_live_is_refused(owner):
    survey = draft(owner, opening="live")
    promise(survey)
    assert "A live survey cannot show direct answers only in released tables" in reasons(survey)


def test_without_a_budget_for_tables_it_is_refused(owner):
    survey = draft(owner)
    assert "set a budget for free texts and tables of answers" in reasons(survey)
    promise(survey, source="text")
    assert "set a budget for free texts and tables of answers" in reasons(survey)


def test_a_budget_that_hides_who_took_part_is_refused_because_their_number_is_shown(owner):
    survey = draft(owner)
    promise(survey, adjacency="add_or_remove_one")
    assert "Each opening shows how many people answered" in reasons(survey)


def test_without_a_question_that_tables_count_it_is_refused(owner):
    survey = draft(owner)
    promise(survey)
    survey.questions.filter(design="direct").delete()
    assert "the survey has no direct question that tables can count" in reasons(survey)


@pytest.mark.parametrize("kind", ["rating", "ticks"])
def test_direct_answers_that_no_table_counts_are_refused(owner, kind):
    survey = draft(owner)
    promise(survey)
    if kind == "rating":
        add_rating(survey, text="Which of these?", shown=4)
    else:
        add_question(survey, "One", "Two", text="Which of these?", kind=kind, design="direct")
    assert "Tables cannot count the answers to “Which of these?”" in reasons(survey)


def test_rules_are_refused_because_they_would_tell_direct_answers_exactly(owner):
    survey = draft(owner)
    promise(survey)
    town, protected = list(survey.questions.all())[:2]
    add_condition(protected, town, value="North")
    assert "The rules of this survey depend on direct answers" in reasons(survey)


def test_more_tables_than_a_release_holds_are_refused(owner):
    survey = draft(owner, released_together=2)
    promise(survey)
    for place in range(19):
        add_question(survey, text=f"Is it {place}?", design="direct")
    assert "Tables at openings: " in reasons(survey)
    with override("de"):
        said = [translated(reason) for reason in reasons_of(survey)]
    assert any(
        "wählen Sie bis zu 200 Tabellen für eine Veröffentlichung" in reason for reason in said
    )


def test_more_openings_than_a_year_has_days_are_refused(owner):
    survey = draft(owner, opening="every", opening_days=1, last_day=400)
    promise(survey)
    assert "Tables can be released at up to 366 openings" in reasons(survey)


def test_the_number_of_openings_is_that_of_the_dates_at_launch(owner):
    assert questionnaire_of(every(owner).revision).releases.openings == 4
    assert questionnaire_of(make_released_survey(owner).revision).releases.openings == 1


def test_what_is_foretold_is_what_the_release_says(owner):
    survey = draft(owner)
    promise(survey)
    words = " ".join(releasing.registered().foretold(draft_questionnaire(survey)))
    assert "2 tables" in words
    assert "at up to 1 opening. All these tables together cost epsilon" in words
