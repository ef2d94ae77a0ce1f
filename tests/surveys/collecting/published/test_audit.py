"""audit.json: after the close all can compare how many codes were exchanged, and how many sent."""

import hashlib
import json
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.collecting.services import receive
from surveys.kinds.text.promise import unbased
from surveys.models import Ballot, Survey
from surveys.operations.retention import close_and_open
from tests.bodies import body_of
from tests.factories import (
    add_budget,
    after_the_close,
    invite,
    launched,
    make_invited_survey,
    make_user,
)
from tests.surveys.authoring.trustees import counted_draft
from tests.vouching import Request, make_vouched_survey

DAY = timedelta(days=1)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]


def audit_of(survey: Survey) -> dict | None:
    reply = Client().get(f"/en/s/{survey.pk}/audit.json")
    return json.loads(reply.content) if reply.status_code == 200 else None


def close_after(survey: Survey) -> None:
    close_and_open(now=after_the_close(survey), trust_clock=True)


def send(survey: Survey, *, vouched: int, by_code: int, unsent: int = 0) -> list[bytes]:
    """Keys of those who sent; the others exchanged their code and never came."""
    requests = [Request.drawn(survey) for _ in range(vouched + unsent)]
    tokens = invite(survey, len(requests) + by_code)
    vouchers = [one.exchanged(token) for one, token in zip(requests, tokens, strict=False)]
    for request, voucher in list(zip(requests, vouchers, strict=True))[:vouched]:
        receive(survey_id=survey.pk, body=request.body(voucher))
    for token in tokens[len(requests) :]:
        body = body_of(survey.revision, own_coin=True, invitation=token)
        receive(survey_id=survey.pk, body=body)
    return [one.key for one in requests[:vouched]]


def test_its_numbers_add_up_and_have_each_receipt():
    survey = make_vouched_survey(make_user())
    keys = send(survey, vouched=6, by_code=2, unsent=1)
    invite(survey, 3)
    assert audit_of(survey) is None
    close_after(survey)
    audit = audit_of(survey)
    assert {name: audit[name] for name in audit if name != "digests"} == {
        "issued": 12,
        "exchanged": 7,
        "by_voucher": 6,
        "by_code": 2,
        "responses": 8,
        "destroyed": 0,
    }
    assert audit["digests"] == sorted(audit["digests"])
    assert len(audit["digests"]) == audit["responses"] + audit["destroyed"]
    assert {hashlib.sha256(key).hexdigest() for key in keys} < set(audit["digests"])


def test_answers_that_are_destroyed_unread_are_counted():
    survey = make_vouched_survey(make_user(), below_k="destroy")
    send(survey, vouched=3, by_code=1)
    close_after(survey)
    audit = audit_of(survey)
    assert (audit["responses"], audit["destroyed"], len(audit["digests"])) == (0, 4, 4)


@pytest.mark.parametrize("adjacency", ["add_or_remove_one", "replace_one"])
def test_there_is_none_where_a_budget_hides_who_took_part(adjacency):
    survey = make_vouched_survey(
        make_user(), prepare=lambda draft: add_budget(draft, adjacency=adjacency)
    )
    send(survey, vouched=5, by_code=0)
    close_after(survey)
    assert (audit_of(survey) is None) is (adjacency == "add_or_remove_one")


def test_a_survey_without_vouchers_has_none(owner):
    survey = make_invited_survey(owner)
    assert audit_of(survey) is None


def test_a_survey_that_counts_locked_answers_has_the_digest_of_each_ballot(owner):
    last_day = timezone.now().date() + 30 * DAY
    survey = launched(counted_draft(owner, close_on=last_day))
    bodies = [body_of(survey.revision, cells=[cell]) for cell in range(6)]
    copied = bodies[0].rpartition(b"=")[2]
    head, _, _ = body_of(survey.revision).rpartition(b"=")
    for body in (*bodies, head + b"=" + copied, body_of(survey.revision, own_coin=True)):
        receive(survey_id=survey.pk, body=body)
    assert audit_of(survey) is None
    close_after(survey)
    audit = audit_of(survey)
    assert set(audit) == {"responses", "destroyed", "digests", "ballots", "equal"}
    assert (audit["responses"], audit["destroyed"], len(audit["digests"])) == (8, 0, 8)
    assert len(audit["ballots"]["1"]) + audit["equal"]["1"] == audit["responses"]
    assert audit["equal"] == {"1": 1}
    assert audit["ballots"]["1"] == sorted(audit["ballots"]["1"])
    sent = [unbased(body.rpartition(b"=")[2].decode()) for body in bodies]
    assert {hashlib.sha256(one).hexdigest() for one in sent} < set(audit["ballots"]["1"])


@pytest.mark.both_databases
def test_no_ballot_is_read_for_its_digest_which_is_stored_beside_it(owner):
    survey = launched(counted_draft(owner, close_on=timezone.now().date() + 30 * DAY))
    for _ in range(5):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    close_after(survey)
    with CaptureQueriesContext(connection) as asked:
        listed = audit_of(survey)["ballots"]["1"]
    assert not [query for query in asked if '"surveys_ballot"."content"' in query["sql"]]
    ballots = list(Ballot.objects.all())
    assert listed == sorted(hashlib.sha256(one.content).hexdigest() for one in ballots)
    # A database from before has none: the migration works them out.
    Ballot.objects.update(digest="")
    migration = import_module("surveys.migrations.0058_digests_of_ballots")
    migration.work_out(apps, connection.schema_editor())
    assert audit_of(survey)["ballots"]["1"] == listed


def test_tables_whose_ballots_were_destroyed_have_no_digests(owner):
    survey = launched(counted_draft(owner, close_on=timezone.now().date() + 30 * DAY))
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    close_after(survey)
    audit = audit_of(survey)
    assert (audit["responses"], audit["ballots"], audit["equal"]) == (1, {}, {})


def test_from_the_day_of_deletion_on_there_is_none():
    """While erasing goes on, too: numbers that fall would look like answers that were dropped."""
    survey = make_vouched_survey(make_user())
    send(survey, vouched=5, by_code=0)
    close_after(survey)
    assert audit_of(survey)
    today = timezone.now().date()
    Survey.objects.filter(pk=survey.pk).update(close_on=today - DAY, delete_on=today)
    assert audit_of(survey) is None
