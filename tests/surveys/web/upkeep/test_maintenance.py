"""Maintenance: every page answers 503, an open page keeps what it drew, no database is read."""

import io
import re

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.urls import reverse

from config import settings as production
from surveys.models import SubmissionKey
from surveys.web.upkeep import maintenance
from tests import kept
from tests.bodies import body_of
from tests.posting import post

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture(autouse=True)
def file(settings, tmp_path):
    """The file that says it; at the end this process knows its tables again."""
    settings.MAINTENANCE_FILE = tmp_path / "maintenance"
    yield settings.MAINTENANCE_FILE
    maintenance.end()
    assert not maintenance.is_on()


def switch(state: str) -> str:
    out = io.StringIO()
    call_command("maintenance", *filter(None, [state]), stdout=out)
    return out.getvalue()


def is_closed(reply) -> bool:
    return (reply.status_code, reply.get("Retry-After")) == (503, "60")


def test_the_command_closes_the_pages_opens_them_and_says_which_it_is(client, survey, file):
    address = reverse("respondent:start", args=[survey.pk])
    assert "Maintenance is off" in switch("")
    assert client.get(address).status_code == 200
    assert "manage.py maintenance off" in switch("on")
    assert file.stat().st_mode & 0o777 == 0o600
    assert "Maintenance is on" in switch("on")
    assert is_closed(client.get(address))
    assert "Maintenance is off" in switch("off")
    assert client.get(address).status_code == 200


def test_a_directory_that_cannot_be_written_is_named(settings, tmp_path):
    settings.MAINTENANCE_FILE = tmp_path / "missing" / "maintenance"
    with pytest.raises(CommandError, match="as the account of the service"):
        switch("on")


@pytest.mark.parametrize(
    "path", ["", "own-coin/", "how-it-works/", "no-such-page/"], ids=lambda path: path or "start"
)
def test_respondents_are_asked_to_come_again_in_the_language_of_the_address(client, survey, path):
    switch("on")
    for language, words in (("en", "This site is being updated"), ("de", "wird gerade")):
        reply = client.get(f"/{language}/s/{survey.pk}/{path}")
        assert is_closed(reply)
        assert words in reply.content.decode()
        assert "script-src 'self'" in reply["Content-Security-Policy"]
        assert reply["Cache-Control"] == "no-store"
        assert not reply.cookies


@pytest.mark.parametrize("path", ["/", "/surveys/", "/accounts/login/", "/admin/", "/docs/"])
def test_all_other_pages_are_closed_and_read_no_database(
    client, path, django_assert_num_queries, owner
):
    client.force_login(owner)
    switch("on")
    with django_assert_num_queries(0):
        reply = client.get(path, headers={"Accept-Language": "de"})
    assert is_closed(reply)
    of_staff = path.startswith(("/surveys/", "/accounts/", "/admin/"))
    words = "wird gerade" if of_staff else "This site is being updated"
    assert words in reply.content.decode()


def test_the_health_page_names_it(client, django_assert_num_queries):
    switch("on")
    with django_assert_num_queries(0):
        reply = client.get("/health/")
    assert (reply.status_code, reply.content) == (503, b"failing: maintenance\n")


@pytest.mark.usefixtures("_static_files")
def test_scripts_of_open_pages_are_still_sent(settings):
    settings.MIDDLEWARE = production.MIDDLEWARE
    switch("on")
    script = Client().get(staticfiles_storage.url("surveys/collecting/send.js"))
    assert script.status_code == 200
    assert b"export" in b"".join(script)


def test_what_was_sent_stays_on_the_page_and_counts_once_when_it_is_sent_again(
    client, survey, django_assert_num_queries
):
    """P12: the browser's script keeps its body for each reply of ours with a 5xx."""
    body = body_of(survey.revision)
    switch("on")
    with django_assert_num_queries(0):
        reply = post(survey, body, client)
    page = reply.content.decode()
    assert is_closed(reply)
    assert "Nothing was stored" in page
    assert 'data-reply="refused"' in page
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    assert "&".join(f"{name}={value}" for name, value in fields).encode() == body
    assert SubmissionKey.objects.count() == 0
    switch("off")
    for _ in range(2):
        assert post(survey, body, client).status_code == 200
    assert SubmissionKey.objects.count() == 1


def test_no_line_is_written_of_who_came_meanwhile(client, survey, caplog):
    """P6."""
    switch("on")
    for path in ("/surveys/", f"/en/s/{survey.pk}/"):
        assert is_closed(client.get(path))
    post(survey, body_of(survey.revision), client)
    assert caplog.records == []


def test_a_page_of_another_site_cannot_fill_the_form_to_send_again(client, survey):
    switch("on")
    reply = post(survey, body_of(survey.revision), client, **{"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 403
    assert b'type="hidden"' not in reply.content


def test_a_process_from_before_stays_closed_on_newer_tables(client, survey):
    address, recorder = reverse("respondent:start", args=[survey.pk]), MigrationRecorder(connection)
    switch("on")
    assert is_closed(client.get(address))
    recorder.record_applied("surveys", "9999_from_the_future")
    switch("off")
    assert is_closed(client.get(address))
    assert client.get("/health/").content == b"failing: migrations\n"
    recorder.record_unapplied("surveys", "9999_from_the_future")
    assert client.get(address).status_code == 200
