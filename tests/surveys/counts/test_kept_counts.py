"""Counts of answers: kept as answers are stored, shown when their opening is done, found wrong."""

import random
from collections import Counter
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.models import F

from surveys.authoring.services import close
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.counts.cells import SHOWN
from surveys.counts.queries import counted_anew, kept
from surveys.models import AnswerCount, AuditEntry, Openings, Response, Survey
from surveys.models.queries import opened_comments, opened_responses, questionnaire_of
from surveys.operations import retention
from surveys.operations.checks import counted
from surveys.operations.checks.findings import Severity
from surveys.operations.contents import CONTENTS
from surveys.operations.retention import keep_dates
from surveys.results.queries import item_counts, question_counts, response_count
from tests import factories
from tests.analytics import releasing
from tests.bodies import body_of, first_code
from tests.faults import refused
from tests.stored import store_rows
from tests.surveys.collecting.test_openings import answer, at, every, with_one_commit

pytestmark = pytest.mark.django_db(transaction=True)
backfill = import_module("surveys.migrations.0034_count_answers")


def all_kinds(owner, **fields) -> Survey:
    """A survey with every way of counting: codes, groups, marks, parts, ratings, texts, pages."""
    draft = factories.make_survey(owner, **fields)
    factories.add_question(draft)
    factories.add_question(
        draft,
        text="Have you taken a bribe?",
        required=True,
        design="two_groups",
        p_sensitive="3/4, 1/4",
        harmless="Do you like the taste of liquorice?",
        harmless_yes="1/4, 3/4",
    )
    factories.add_serial_number(draft, width=2)
    factories.add_long_list(draft, *factories.PLACES[:30], required=False)
    factories.add_ticks(draft)
    factories.add_matrix(draft)
    factories.add_ranking(draft)
    factories.add_rating(draft, size=12, shown=2, required=True)
    factories.add_day(draft)
    factories.add_text(draft)
    return factories.launched(draft)


def send(survey: Survey, count: int) -> None:
    """So many people; the second question, the number and the text differ between them."""
    items = questionnaire_of(survey.revision).items
    source = random.Random(count)
    for place in range(count):
        codes = [first_code(item, own_coin=False) for item in items]
        codes[1] = source.choice([level.code for level in items[1].reported_levels])
        codes[2] = f"{place:02d}"
        codes[-1] = items[-1].encode("words" if place % 3 else "")
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def by_parts(questionnaire, item, rows) -> tuple[tuple[int, ...], ...]:
    """How often each part was sent at each level."""
    place = questionnaire.row.place_of(item)
    sent = Counter(
        pair for row in rows for pair in item.slot_code.levels_in(row[place : place + item.width])
    )
    return tuple(
        tuple(sent[part, level] for level in range(len(item.levels)))
        for part in range(1, item.size + 1)
    )


# ---- What is kept ------------------------------------------------------------------------------


def test_counts_are_those_of_every_stored_answer_of_every_kind(owner):
    survey = all_kinds(owner, batch_size=5)
    send(survey, 12)
    for is_closed in (False, True):
        assert kept(survey.revision.pk) == counted_anew(survey.revision.pk)
        rows = list(opened_responses(survey.revision.pk).values_list("answers", flat=True))
        assert response_count(survey.revision) == len(rows) == (12 if is_closed else 10)
        if not is_closed:
            close(survey=survey, by=owner)
    coin, groups, serial, places, ticks, matrix, ranking, rating, day, text = item_counts(
        survey.revision
    )
    assert coin.by_code == {"00": 12}
    questionnaire = questionnaire_of(survey.revision)
    place = questionnaire.row.place_of(groups.item)
    assert groups.by_code == Counter(row[place : place + 2] for row in rows)
    assert len(groups.by_code) > 2  # of both groups
    assert serial.by_code == {f"{n:02d}": 1 for n in range(12)}
    assert places.by_code == {"asked": 12}
    assert set(places.marks) == {0, 12}
    for parts in (ticks, matrix, ranking):
        assert sum(map(sum, parts.parts)) == 12 * parts.item.sent
        assert parts.parts == by_parts(questionnaire, parts.item, rows)
    assert rating.written == 24
    assert sum(day.by_code.values()) == 12
    assert text.written == opened_comments(survey.revision.pk).count() == 8
    assert [question_counts(survey.revision, n) for n in (2, 4, 10)] == [groups, places, text]


@pytest.mark.both_databases
def test_answers_and_their_counts_are_stored_together_or_not_at_all(owner):
    survey = all_kinds(owner, batch_size=5)
    send(survey, 4)
    with refused("INSERT", "surveys_answercount"):
        with suppress(DatabaseError):
            send(survey, 1)
        assert (Response.objects.count(), AnswerCount.objects.count()) == (0, 0)
    send(survey, 1)
    assert response_count(survey.revision) == Response.objects.count() > 0
    assert kept(survey.revision.pk) == counted_anew(survey.revision.pk)


def test_no_count_moves_until_its_opening_is_done(owner, monkeypatch):
    """After every commit of an opening that is killed again and again."""
    survey = every(owner)
    answer(survey, 20)
    openings.begin(survey.pk, at(survey, 7))
    monkeypatch.setattr(openings, "CHUNK", 3)
    seen = []
    while Openings.objects.get().is_running:
        with_one_commit(monkeypatch, lambda: openings.run(survey))
        counts = next(item_counts(survey.revision)).by_code
        opened = opened_responses(survey.revision.pk).values_list("answers", flat=True)
        assert counts == Counter(opened)
        assert response_count(survey.revision) == counts.total()
        assert kept(survey.revision.pk) == counted_anew(survey.revision.pk)
        seen.append((counts.total(), Response.objects.count()))
    assert seen[-1] == (10, 10)
    assert any(stored and not shown for shown, stored in seen)
    assert set(kept(survey.revision.pk)) == {SHOWN}


def test_texts_are_counted_when_the_close_is_done(owner):
    survey = every(owner)
    answer(survey, 20)
    openings.begin(survey.pk, at(survey, 7))
    openings.run(survey)
    assert [one.written for one in item_counts(survey.revision)] == [0, 0]
    keep_dates(now=factories.after_the_close(survey))
    assert [one.written for one in item_counts(survey.revision)] == [0, 20]
    assert kept(survey.revision.pk) == counted_anew(survey.revision.pk)


@pytest.mark.one_database
@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_of_answers_that_are_released_as_tables_alone_no_count_is_kept(owner):
    survey = releasing.make_released_survey(owner)
    releasing.answer(survey, [(0, 1, 30), (1, 0, 40), (2, 1, None)] * 4)
    keep_dates(now=factories.after_the_close(survey))
    numbers = set(AnswerCount.objects.values_list("question", flat=True))
    assert numbers == {0, releasing.CHEAT}


# ---- Counting what was stored before -----------------------------------------------------------


def migrate() -> None:
    backfill.count_answers(apps, SimpleNamespace(connection=connection))


@pytest.mark.both_databases
def test_a_migration_counts_what_was_stored_before_and_what_an_opening_has_not_finished(owner):
    survey, sealed = all_kinds(owner, batch_size=5), every(owner)
    send(survey, 10)
    store_rows(sealed.revision, ["00001", "00002"], opening=1)
    before = kept(survey.revision.pk)
    AnswerCount.objects.all().delete()
    migrate()
    assert kept(survey.revision.pk) == before
    assert response_count(sealed.revision) == 0
    assert kept(sealed.revision.pk) == counted_anew(sealed.revision.pk)
    assert set(kept(sealed.revision.pk)) == {1}


@pytest.mark.both_databases
def test_a_migration_that_was_killed_counts_the_surveys_that_are_left(owner, monkeypatch):
    surveys = [all_kinds(owner, batch_size=5) for _ in range(2)]
    for survey in surveys:
        send(survey, 5)
    before = [kept(survey.revision.pk) for survey in surveys]
    AnswerCount.objects.all().delete()
    real, begun = backfill._count, []

    def counts(apps, alias, key):
        begun.append(key)
        real(apps, alias, key)
        if len(begun) == 2:
            raise InterruptedError

    monkeypatch.setattr(backfill, "_count", counts)
    with pytest.raises(InterruptedError):
        migrate()
    assert AnswerCount.objects.values("revision").distinct().count() == 1
    migrate()
    assert [kept(survey.revision.pk) for survey in surveys] == before
    assert Counter(begun).most_common() == [(begun[1], 2), (begun[0], 1)]


# ---- Found wrong, mended, erased ---------------------------------------------------------------


def test_doctor_recounts_and_names_the_survey_whose_counts_are_wrong(owner):
    survey = all_kinds(owner, title="Habits", batch_size=5)
    send(survey, 5)
    assert [one.level for one in counted.as_stored()] == [Severity.OK]
    AnswerCount.objects.filter(question=1).update(count=F("count") + 1)
    (found,) = counted.as_stored()
    assert found.level == Severity.PROBLEM
    assert "Habits" in found.text
    assert f"manage.py recount {survey.pk}" in found.remedy
    call_command("recount", str(survey.pk))
    assert [one.level for one in counted.as_stored()] == [Severity.OK]
    assert AuditEntry.objects.filter(action="counted answers anew").get().after == {"responses": 5}


@pytest.mark.one_database
def test_a_recount_of_nothing_is_refused_in_words(owner):
    with pytest.raises(CommandError, match="There is no survey"):
        call_command("recount", str(UUID(int=1)))
    draft = factories.make_survey(owner)
    with pytest.raises(CommandError, match="has no stored answers"):
        call_command("recount", str(draft.pk))


@pytest.mark.both_databases
def test_counts_go_with_the_answers_on_their_day(owner):
    survey, other = all_kinds(owner, batch_size=5), all_kinds(owner, batch_size=5)
    for one in (survey, other):
        send(one, 5)
    day = at(survey, 2)
    Survey.objects.filter(pk=survey.pk).update(delete_on=day.date())
    (due,) = retention.foresee(now=day).done
    assert due.rows["answer counts"] == AnswerCount.objects.filter(revision=survey.revision).count()
    retention.keep_dates(now=day)
    assert set(AnswerCount.objects.values_list("revision", flat=True)) == {other.revision.pk}
    assert AnswerCount in CONTENTS  # their remains in the files are overwritten
