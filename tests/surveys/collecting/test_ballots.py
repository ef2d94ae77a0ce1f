"""Answers that are counted while they are locked: proven at the door, kept locked, never joined."""

import json
import re
from cProfile import Profile
from datetime import UTC, datetime, time
from html import unescape
from io import BytesIO
from types import CodeType
from uuid import uuid4

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import connection
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.kinds.text.promise import based, unbased
from surveys.models import AuditEntry, Ballot, Membership, Response, Sealed
from surveys.models.queries import questionnaire_of, table_to_lock
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from surveys.questionnaire.refusals import (
    Malformed,
    NothingAsked,
    OutsideAlphabet,
    TooLarge,
    WrongRevision,
)
from surveys.questionnaire.submission import body_length
from surveys.staff.roles import Role
from surveys.trust.bundles import CURVES
from surveys.trust.tally.ballots import Table, check_ballot, make_ballot, total_of
from surveys.trust.tally.files import read_list
from surveys.trust.tally.group import subtract, times
from surveys.trust.tally.openings import small_log
from tests.bodies import body_of
from tests.counting import NAMES, secret_of
from tests.days import DAY, today
from tests.factories import (
    add_question,
    after_the_close,
    invite,
    launched,
    make_survey,
    make_user,
)
from tests.posting import post
from tests.surveys.authoring.trustees import add_tally, counted_draft, ruled_draft
from tests.vouching import vouched_body

pytestmark = pytest.mark.django_db(transaction=True)
# The cells of a yes or no and of a scale of three answers, and "not asked".
NOT_ASKED = 6


def counted_survey(owner, **fields: object):
    """Question 1 is direct; 2 and 3 are counted together."""
    return launched(counted_draft(owner, **{"close_on": today() + 30 * DAY, **fields}))


def functions_called(survey, body: bytes) -> set[str]:
    """While it is received."""
    profile = Profile()
    profile.runcall(receive, survey_id=survey.pk, body=body)
    return {entry.code.co_name for entry in profile.getstats() if isinstance(entry.code, CodeType)}


def send(survey, *cells: int) -> None:
    for cell in cells:
        receive(survey_id=survey.pk, body=body_of(survey.revision, cells=[cell]))


def counts_of(survey) -> list[int]:
    """What both trustees together would open, without any noise."""
    table = table_to_lock(survey.revision.pk, 1)
    totals = total_of(table, [bytes(ballot.content) for ballot in Ballot.objects.all()])
    secret = sum(map(secret_of, NAMES))
    return [small_log(subtract(cell.b, times(secret, cell.a)), 0, 99) for cell in totals]


@pytest.mark.both_databases
def test_from_the_page_to_the_close_ballots_stay_locked_and_add_up_to_the_truth(owner):
    survey = counted_survey(owner)
    send(survey, 0, 0, 2, 5, NOT_ASKED)
    receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True))
    assert Sealed.objects.filter(kind="lock").count() == 5
    assert not Ballot.objects.exists()
    keep_dates(now=after_the_close(survey))
    assert not Sealed.objects.exists()
    ballots = Ballot.objects.filter(table=1, opening=survey.revision.openings.done)
    assert {len(bytes(ballot.content)) for ballot in ballots} == {192 * 7 + 64}
    assert counts_of(survey) == [2, 0, 1, 0, 0, 1, 2]
    # Of question 1 alone there is a column.
    assert {len(response.answers) for response in Response.objects.all()} == {2}


def test_all_bodies_of_the_page_are_equally_long_and_a_form_by_hand_has_no_ballot(owner):
    survey = counted_survey(owner)
    bodies = {len(body_of(survey.revision, cells=[cell])) for cell in range(7)}
    assert bodies == {body_length(questionnaire_of(survey.revision))}
    assert b"t01=" not in body_of(survey.revision, own_coin=True)


def of_another_table(table: Table) -> bytes:
    return make_ballot(Table(table.revision, 2, table.key, table.cells), 0)


def of_another_revision(table: Table) -> bytes:
    return make_ballot(Table(bytes(32), 1, table.key, table.cells), 0)


def with_a_bit_turned(table: Table) -> bytes:
    ballot = make_ballot(table, 0)
    return ballot[:-1] + bytes([ballot[-1] ^ 1])


def of_points_that_are_none(table: Table) -> bytes:
    return bytes(table.ballot_bytes)


@pytest.mark.parametrize(
    "forge",
    [of_another_table, of_another_revision, with_a_bit_turned, of_points_that_are_none],
)
def test_what_proves_nothing_is_refused_like_any_malformed_body(owner, forge):
    survey = counted_survey(owner)
    body = with_ballot(survey, based(forge(table_to_lock(survey.revision.pk, 1))))
    with pytest.raises(Malformed):
        receive(survey_id=survey.pk, body=body)
    assert not survey.revision.waiting.exists()


def with_ballot(survey, value: str) -> bytes:
    head, _, _ = body_of(survey.revision).rpartition(b"=")
    return head + b"=" + value.encode()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value[:-1],
        lambda value: value + "A",
        lambda value: "." + value[1:],
        lambda value: "%2F" + value[3:],
        lambda value: "",
        # The last character has bits that stand for nothing.
        lambda value: value[:-1] + chr(ord(value[-1]) + 1),
    ],
)
def test_another_length_or_letter_is_refused_and_nothing_is_stored(owner, spoil):
    survey = counted_survey(owner)
    value = based(make_ballot(table_to_lock(survey.revision.pk, 1), 0))
    assert unbased(value)
    with pytest.raises((Malformed, TooLarge)):
        receive(survey_id=survey.pk, body=with_ballot(survey, spoil(value)))
    assert not survey.revision.waiting.exists()


@pytest.mark.parametrize("change", [b"&t01=", b"&t02=", b"&q002=00"])
def test_fields_are_those_of_the_survey_and_no_others(owner, change):
    survey = counted_survey(owner)
    body = body_of(survey.revision)
    for changed in (body + change, body.rpartition(b"&")[0]):
        with pytest.raises(Malformed):
            receive(survey_id=survey.pk, body=changed)
    with pytest.raises(Malformed):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True) + change)


def test_proofs_are_looked_at_last_so_that_what_is_refused_anyway_costs_little(owner, monkeypatch):
    survey, looked = counted_survey(owner), []
    monkeypatch.setattr("surveys.collecting.services.check_ballot", lambda *of: looked.append(of))
    for body in (body_of(survey.revision, ["99", "", ""]), with_ballot(survey, "A" * 10)):
        with pytest.raises((Malformed, OutsideAlphabet)):
            receive(survey_id=survey.pk, body=body)

    def admit(submission) -> None:
        raise Malformed

    with pytest.raises(Malformed):
        receive(survey_id=survey.pk, body=body_of(survey.revision), admit=admit)
    assert not looked


def test_proofs_are_looked_at_while_others_may_write(owner, monkeypatch):
    """Those of 12 cells take some 8 ms; no lock is held meanwhile."""
    survey, held = counted_survey(owner), []

    def watched(table: Table, content: bytes) -> None:
        held.append(connection.in_atomic_block)
        check_ballot(table, content)

    monkeypatch.setattr("surveys.collecting.services.check_ballot", watched)
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    assert held == [False]


def test_a_body_of_another_version_is_known_as_a_form(owner):
    survey = counted_survey(owner)
    body = body_of(survey.revision).replace(str(survey.revision.pk).encode(), str(uuid4()).encode())
    with pytest.raises(WrongRevision) as refused:
        receive(survey_id=survey.pk, body=body)
    assert refused.value.is_form


@pytest.mark.usefixtures("_static_files")
def test_a_survey_may_count_all_of_its_answers_locked(client, owner):
    draft = make_survey(owner, opening="close", batch_size=5, close_on=today() + 30 * DAY)
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    survey = launched(draft)
    assert client.get(reverse("respondent:start", args=[survey.pk])).status_code == 200
    replies = [post(survey, body_of(survey.revision, cells=[cell])) for cell in (0, 1, 1, 1, 1)]
    assert {reply.status_code for reply in replies} == {200}
    with pytest.raises(NothingAsked):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True))
    keep_dates(now=after_the_close(survey))
    assert counts_of(survey) == [1, 4]
    client.force_login(owner)
    for name in ("dashboard", "responses", "codebook", "report"):
        assert client.get(reverse(f"surveys:{name}", args=[survey.pk])).status_code == 200


def test_people_whom_a_rule_leaves_out_send_a_ballot_like_all_others(owner):
    survey = launched(ruled_draft(owner, close_on=today() + 30 * DAY))
    for code, cell in (("00", NOT_ASKED), ("01", 3), ("01", 3), ("01", 0), ("00", NOT_ASKED)):
        body = body_of(survey.revision, [code, "", ""], cells=[cell])
        assert len(body) == body_length(questionnaire_of(survey.revision))
        receive(survey_id=survey.pk, body=body)
    receive(survey_id=survey.pk, body=body_of(survey.revision, ["01", "", ""], own_coin=True))
    keep_dates(now=after_the_close(survey))
    assert counts_of(survey) == [1, 0, 0, 2, 0, 0, 3]


def test_the_same_body_counts_once_by_the_page_and_by_own_coin(owner):
    survey = counted_survey(owner)
    for body in (body_of(survey.revision), body_of(survey.revision, own_coin=True)):
        for _ in range(2):
            receive(survey_id=survey.pk, body=body)
    assert survey.revision.waiting.count() == 2


def test_with_openings_every_few_days_ballots_wait_for_the_close(owner):
    survey = counted_survey(owner, opening="every", opening_days=7, planned_responses=100_000)
    send(survey, *[0] * 12)
    open_due(datetime.combine(today() + 10 * DAY, time(12), UTC))
    assert Response.objects.exists()
    assert not Ballot.objects.exists()
    keep_dates(now=after_the_close(survey))
    assert counts_of(survey) == [12, 0, 0, 0, 0, 0, 0]


def test_ballots_of_fewer_different_people_than_a_batch_are_destroyed_where_rows_are_opened(owner):
    survey = counted_survey(owner)
    send(survey, *[0] * 4)
    again = body_of(survey.revision).rpartition(b"=")[2].decode()
    for _ in range(2):  # a copy of another person's ballot
        receive(survey_id=survey.pk, body=with_ballot(survey, again))
    keep_dates(now=after_the_close(survey))
    assert Response.objects.count() == 6
    assert Ballot.objects.count() == 6
    few = counted_survey(owner)
    send(few, *[0] * 3)
    again = body_of(few.revision).rpartition(b"=")[2].decode()
    for _ in range(2):
        receive(survey_id=few.pk, body=with_ballot(few, again))
    keep_dates(now=after_the_close(few))
    assert Response.objects.filter(revision=few.revision).count() == 5
    assert not Ballot.objects.filter(revision=few.revision).exists()


def test_on_the_date_of_deletion_ballots_go(owner):
    survey = counted_survey(owner, delete_on=today() + 60 * DAY)
    send(survey, *[1] * 5)
    keep_dates(now=after_the_close(survey))
    assert Ballot.objects.count() == 5
    keep_dates(now=after_the_close(survey) + 30 * DAY)
    assert not Ballot.objects.exists()


def test_a_survey_that_is_destroyed_unread_leaves_no_ballots(owner):
    survey = counted_survey(owner, below_k="destroy")
    send(survey, 0)
    keep_dates(now=after_the_close(survey))
    assert not Ballot.objects.exists()
    assert not Sealed.objects.exists()


# The pages.


def tables_in(page: str) -> list[str]:
    """What the page's script reads of each table."""
    return [unescape(found) for found in re.findall(r'data-table="([^"]*)"', page)]


@pytest.mark.usefixtures("_static_files")
def test_the_page_has_what_a_ballot_is_made_for_and_says_who_can_open_it(client, owner):
    survey = counted_survey(owner)
    page = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    table = table_to_lock(survey.revision.pk, 1)
    (shown,) = map(json.loads, tables_in(page))
    assert shown == {
        "table": 1,
        "key": table.key.hex(),
        "cells": table.cells,
        "notAsked": True,
        "questions": [["q002", "00", "01"], ["q003", "00", "01", "02"]],
    }
    assert f'data-digest="{table.revision.hex()}"' in page
    assert page.count("data-counted=") == 2
    assert 'data-name="q002"' not in page
    assert "Neither this server nor any single key holder can open your answers." in page
    assert "Locked answers of fewer than 5 people are never opened." in page
    assert re.search(r"key holders \(\W*Ada\W*, \W*Grace\W*\) worked together against you", page)
    assert "every answer is sent as you give it, except answers that are locked" in page.lower()


@pytest.mark.usefixtures("_static_files")
def test_other_pages_say_it_too_and_ask_nothing_that_only_the_script_can_lock(client, owner):
    survey = counted_survey(owner)
    works = client.get(reverse("respondent:how-it-works", args=[survey.pk])).content.decode()
    assert "Only counts are opened, once, with random numbers added. No count shows" in works
    by_hand = client.get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    assert by_hand.count("because only the script can lock your answer") == 2
    assert 'name="q001"' in by_hand
    assert 'name="q002"' not in by_hand
    assert "t01" not in by_hand


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("file", [CURVES.path, "surveys/collecting/ballot.js"])
def test_a_server_without_a_file_that_locks_says_so_and_takes_what_open_pages_send(
    client, owner, monkeypatch, caplog, file
):
    survey = counted_survey(owner)
    monkeypatch.delitem(staticfiles_storage.hashed_files, file)
    for name in ("start", "how-it-works", "check"):
        reply = client.get(reverse(f"respondent:{name}", args=[survey.pk]))
        assert reply.status_code == 503
        assert "a file of its page is missing on this server" in reply.content.decode()
    assert "was not built or not collected" in caplog.text
    assert client.get(reverse("respondent:own-coin", args=[survey.pk])).status_code == 200
    send(survey, 1)
    assert survey.revision.waiting.count() == 1


@pytest.mark.usefixtures("_static_files")
def test_receipts_are_of_the_answers_that_can_be_read(owner):
    survey = counted_survey(owner)
    page = post(survey, body_of(survey.revision)).content.decode()
    assert page.count("<b><bdi>") == 1
    reply = post(survey, body_of(survey.revision, key="1" * 32), accept="application/json")
    assert [name for name, _ in json.loads(reply.content)["rows"]] == ["q001", "t01"]


@pytest.mark.usefixtures("_static_files")
def test_a_preview_shows_a_draft_as_its_page_would_be(client, owner):
    draft = counted_draft(owner)
    client.force_login(owner)
    address = reverse("admin:surveys_survey_preview", args=[draft.pk])
    assert len(tables_in(client.get(address).content.decode())) == 1
    draft.trustees.all().delete()
    page = client.get(address).content.decode()
    assert (tables_in(page), page.count("data-counted=")) == ([], 2)


# The file for trustees.


def file_of(client, survey, table: int = 1):
    return client.get(reverse("surveys:locked-table", args=[survey.pk, table]))


@pytest.mark.both_databases
def test_trustees_open_the_totals_of_the_file_and_nothing_else(client, owner):
    survey = counted_survey(owner)
    send(survey, 0, 0, 2, 5, NOT_ASKED)
    again = body_of(survey.revision).rpartition(b"=")[2].decode()
    for _ in range(3):  # a ballot and two copies of it
        receive(survey_id=survey.pk, body=with_ballot(survey, again))
    client.force_login(owner)
    assert file_of(client, survey).status_code == 404
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)  # its session was over by then
    reply = file_of(client, survey)
    assert reply["Content-Disposition"].endswith('-table-1.ballots"')
    listed = read_list(BytesIO(b"".join(reply.streaming_content)))
    assert (listed.count, listed.plan.table) == (6, table_to_lock(survey.revision.pk, 1))
    secret = sum(map(secret_of, NAMES))
    opened = [small_log(subtract(one.b, times(secret, one.a)), 0, 99) for one in listed.totals]
    assert opened == [3, 0, 1, 0, 0, 1, 1]
    (entry,) = AuditEntry.objects.filter(action="locked answers downloaded")
    assert entry.actor == owner.pk
    assert [file_of(client, survey, table).status_code for table in (0, 2)] == [404, 404]


def test_the_file_is_for_the_owner_alone(client, owner):
    survey = counted_survey(owner)
    send(survey, *[0] * 5)
    keep_dates(now=after_the_close(survey))
    assert file_of(client, survey).status_code == 302
    client.force_login(make_user("stranger"))
    assert file_of(client, survey).status_code == 404
    for role in (Role.EDITOR, Role.ANALYST):
        member = make_user(role.value)
        Membership.objects.create(survey=survey, user=member, role=role)
        client.force_login(member)
        assert file_of(client, survey).status_code == 403
    assert not AuditEntry.objects.filter(action="locked answers downloaded").exists()


@pytest.mark.usefixtures("_static_files")
def test_the_dashboard_shows_nothing_of_locked_answers_but_where_they_are_opened(client, owner):
    survey = counted_survey(owner)
    send(survey, *[0] * 5)
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert page.count("lock these answers, so this server cannot read the answers.") == 2
    assert page.count(reverse("surveys:locked", args=[survey.pk])) == 2
    assert reverse("surveys:locked-table", args=[survey.pk, 1]) not in page
    for name in ("responses", "codebook", "report"):
        reply = client.get(reverse(f"surveys:{name}", args=[survey.pk]))
        content = b"".join(reply.streaming_content) if reply.streaming else reply.content
        assert b"q002" not in content


def test_a_body_that_comes_again_is_not_proven_again(owner):
    survey = counted_survey(owner)
    body = body_of(survey.revision, cells=[1])
    assert "check_ballot" in functions_called(survey, body)
    assert "check_ballot" not in functions_called(survey, body)


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("with_voucher", [False, True])
def test_who_sends_false_proofs_with_one_code_has_the_limit_of_a_network(
    owner, settings, with_voucher
):
    settings.SUBMISSIONS_PER_HOUR = 1
    terms = {"voucher_wait": 0} if with_voucher else {}
    survey = counted_survey(owner, invitation_only=True, **terms)
    tokens = invite(survey, 2)
    good, other = (body_of_invited(survey, token) for token in tokens)
    # A letter of the last number, which has 43 of them.
    false = good[:-30] + (b"A" if good[-30:-29] != b"A" else b"B") + good[-29:]
    assert [post(survey, false).status_code for _ in range(4)] == [400] * 4
    assert "check_ballot" not in functions_called_by_post(survey, false)
    assert post(survey, false).status_code == 429
    # Nobody else is kept from answering, and the code still counts once.
    assert post(survey, other).status_code == 200
    settings.SUBMISSIONS_PER_HOUR = 100
    assert post(survey, good).status_code == 200


def body_of_invited(survey, token: str) -> bytes:
    if questionnaire_of(survey.revision).vouchers:
        return vouched_body(survey, token)
    return body_of(survey.revision, invitation=token)


def functions_called_by_post(survey, body: bytes) -> set[str]:
    profile = Profile()
    profile.runcall(post, survey, body)
    return {entry.code.co_name for entry in profile.getstats() if isinstance(entry.code, CodeType)}
