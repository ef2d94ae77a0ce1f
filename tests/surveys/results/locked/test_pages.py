"""The page of locked tables: each state in words, files in and out, counts, roles, downloads."""

import csv
import io
import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.models import AuditEntry, Membership, Survey, TallyFile
from surveys.staff.roles import Role
from surveys.trust.digests import canonical
from tests.days import DAY, today
from tests.factories import launched, make_open_survey, make_user
from tests.surveys.authoring.trustees import counted_draft
from tests.tallied import (
    closed_survey,
    files_of,
    hand_in,
    noise_of,
    share_of,
)

pytestmark = pytest.mark.django_db
ANSWERS = (0, 0, 2, 5, 6, 6)


@pytest.fixture(scope="module")
def made(made_once):
    return made_once(lambda: closed_survey(make_user("ruth"), *ANSWERS))


@pytest.fixture
def closed(made, db, client) -> Survey:
    """As it is at the close; its owner has logged in."""
    survey = Survey.objects.get(pk=made.pk)
    client.force_login(survey.owner)
    return survey


def address(name: str, survey, *more: object) -> str:
    return reverse(f"surveys:{name}", args=[survey.pk, *more])


def words(client, survey, page: str = "locked") -> str:
    """What the page says, without its tags."""
    reply = client.get(address(page, survey))
    assert reply.status_code == 200
    return " ".join(unescape(re.sub("<[^>]*>", " ", reply.content.decode())).split())


def upload(client, survey, content: bytes, table: int = 1):
    file = SimpleUploadedFile("noise.json", content)
    return client.post(address("take-trustee-file", survey, table), {"file": file}, follow=True)


def test_before_the_close_the_table_waits_and_nothing_can_be_downloaded(client, owner):
    survey = launched(counted_draft(owner, close_on=today() + 30 * DAY))
    client.force_login(owner)
    assert "locked and wait until the survey closes" in words(client, survey)
    for page in ("locked", "dashboard"):
        content = client.get(address(page, survey)).content.decode()
        assert address("locked-table", survey, 1) not in content
    assert "locked and wait until the survey closes" in words(client, survey, "dashboard")
    reply = upload(client, survey, b"{}")
    assert "This table has no locked answers to open." in reply.content.decode()


def test_too_few_answers_were_destroyed(client, owner):
    survey = closed_survey(owner, 0, 0, 0)
    client.force_login(owner)
    said = words(client, survey)
    assert "destroyed unread: fewer than 5 different answers arrived" in said
    assert "Upload" not in said


def test_from_the_list_to_the_counts_each_state_says_what_is_missing(client, closed):
    assert "The list of 6 locked answers is ready. Noise files received: 0 of 2." in words(
        client, closed
    )
    noise_1, noise_2, share_1, share_2 = map(canonical, files_of(closed))
    reply = upload(client, closed, noise_1)
    assert reply.redirect_chain
    assert "Uploaded: the noise file of Ada." in reply.content.decode()
    assert "Noise files received: 1 of 2." in words(client, closed)
    assert (
        "this file of Ada was already uploaded" in upload(client, closed, noise_1).content.decode()
    )
    upload(client, closed, noise_2)
    assert (
        "All noise files for the 6 locked answers were received. "
        "Share files received: 0 of 2." in words(client, closed)
    )
    assert "Uploaded: the share file of Ada." in upload(client, closed, share_1).content.decode()
    assert "so the totals are now open" in upload(client, closed, share_2).content.decode()
    assert "totals of 6 locked answers, with noise from 2 trustees." in words(client, closed)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "The submitted file is empty."),
        (b"{", "This file does not belong to a count of locked answers."),
        (b" " * 1_000_001, "This file does not belong to a count of locked answers."),
        (b" " * 7_000_000, "Choose a trustee&#x27;s file of at most 1 MB."),
        (b"{}", "This file does not come from a trustee."),
    ],
)
def test_what_is_refused_is_said_beside_its_table_and_nothing_is_kept(
    client, closed, content, said
):
    reply = upload(client, closed, content)
    page = reply.content.decode()
    assert (reply.status_code, reply.redirect_chain) == (200, [])
    assert said in page
    assert 'id="id_table_1_file_error"' in page
    assert TallyFile.objects.count() == 1


def test_a_form_without_a_file_says_so_and_a_get_leads_to_the_page(client, closed):
    reply = client.post(address("take-trustee-file", closed, 1))
    assert "Choose a trustee&#x27;s file of at most 1 MB." in reply.content.decode()
    reply = client.get(address("take-trustee-file", closed, 1))
    assert reply["Location"] == address("locked", closed)


def test_trustees_get_each_other_s_noise_as_it_came(client, closed):
    hand_in(closed, noise_of(closed, 1), noise_of(closed, 2), share_of(closed, 1))
    reply = client.get(address("trustee-noise", closed, 1, 1))
    assert reply.content == canonical(noise_of(closed, 1))
    assert reply["Content-Disposition"].endswith('-table-1-noise-1.json"')
    assert client.get(address("trustee-share", closed, 1, 1)).status_code == 200
    for missing in (("share", 1, 2), ("noise", 1, 3), ("noise", 1, 0), ("noise", 2, 1)):
        kind, table, trustee = missing
        reply = client.get(address(f"trustee-{kind}", closed, table, trustee))
        assert reply.status_code == 404
    assert AuditEntry.objects.filter(action="trustee's file downloaded").count() == 2


def test_opened_counts_stand_alike_on_the_page_the_dashboard_the_report_and_in_files(
    client, closed
):
    hand_in(closed, *files_of(closed))
    page, dashboard = words(client, closed), words(client, closed, "dashboard")
    # Two trustees with noise of 4, and three cells each: 4 · √2 · √3.
    for line in ("No 2 0 to 6 33.3 % 9.8", "Yes 5 0 to 6 83.3 % 9.8", "Not asked −2 0 to 6"):
        assert line in page
        assert line in dashboard
    report = client.get(address("report", closed)).content.decode()
    assert ">9.8<" in report
    reply = client.get(address("locked-csv", closed, 1))
    rows = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    assert [int(row["count"]) for row in rows[:3]] == [2, 5, -2]
    assert {row["level"] for row in rows} == {"0.95"}
    assert len(rows) == 3 + 4 + 7
    document = json.loads(client.get(address("locked-json", closed, 1)).content)
    assert document["counts"] == [3, 0, -1, 2, 2, 1, -2]
    assert [row["count"] for row in document["rows"][-7:]] == document["counts"]
    assert [str(row["count"]) for row in document["rows"]] == [row["count"] for row in rows]
    assert (document["ballots"], document["sigma"]) == (6, "4")
    assert "deniable tally verify table-1.ballots noise-1.json noise-2.json" in page
    assert "Cite as:" in page
    assert AuditEntry.objects.filter(action="locked totals downloaded").count() == 2


def test_before_they_are_opened_there_are_no_counts_to_download(client, closed):
    for name in ("locked-csv", "locked-json"):
        for table in (0, 1, 2):
            assert client.get(address(name, closed, table)).status_code == 404


def test_who_reads_results_sees_counts_and_no_file_of_a_trustee(client, closed):
    hand_in(closed, *files_of(closed))
    for role in (Role.EDITOR, Role.ANALYST):
        member = make_user(role.value)
        Membership.objects.create(survey=closed, user=member, role=role)
        client.force_login(member)
        assert "Opened on" in words(client, closed)
        assert (
            address("trustee-noise", closed, 1, 1)
            not in client.get(address("locked", closed)).content.decode()
        )
        assert client.get(address("locked-csv", closed, 1)).status_code == 200
        assert client.get(address("trustee-noise", closed, 1, 1)).status_code == 403
        assert client.post(address("take-trustee-file", closed, 1)).status_code == 403
    client.force_login(make_user("stranger"))
    assert client.get(address("locked", closed)).status_code == 404


def test_when_the_answers_are_erased_the_counts_are_still_shown_without_files(client, closed):
    hand_in(closed, *files_of(closed))
    yesterday = today() - DAY
    Survey.objects.filter(pk=closed.pk).update(close_on=yesterday - DAY, delete_on=yesterday)
    assert "Totals of locked answers, with noise" in words(client, closed, "dashboard")
    said = words(client, closed)
    assert "Yes 5 0 to 6 83.3 % 9.8" in said
    assert "How to check these numbers" not in said
    assert client.get(address("trustee-noise", closed, 1, 1)).status_code == 404
    assert client.get(address("locked-table", closed, 1)).status_code == 404
    assert client.get(address("locked-csv", closed, 1)).status_code == 200


def test_a_survey_that_counts_nothing_locked_has_no_such_page(client, owner):
    survey = make_open_survey(owner)
    client.force_login(owner)
    assert client.get(address("locked", survey)).status_code == 404
    assert upload(client, survey, b"{}").status_code == 404


def test_the_page_takes_the_same_few_queries_however_many_files_there_are(
    client, closed, django_assert_max_num_queries
):
    hand_in(closed, *files_of(closed))
    with django_assert_max_num_queries(25):
        client.get(address("locked", closed))
