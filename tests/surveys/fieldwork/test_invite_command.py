"""`manage.py invite`: invitations into a file, and what is asked about an address."""

import csv
import io
import json
import stat
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from surveys.models import Addressee, AuditEntry, Invitation
from surveys.questionnaire import tokens
from tests import factories
from tests.surveys.fieldwork import mailing as mailings

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]


def invite(*words: object, **options: object) -> str:
    out = io.StringIO()
    call_command("invite", *map(str, words), stdout=out, **options)
    return out.getvalue()


def test_invitations_are_written_to_a_file_that_its_owner_alone_can_read(survey, tmp_path):
    file = tmp_path / "codes.csv"
    said = invite(survey.pk, count=30, csv=file, site="https://surveys.example.org/")
    assert f"30 invitations are in {file}" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    rows = list(csv.DictReader(file.open()))
    assert len(rows) == 30 == Invitation.objects.count()
    for row in rows:
        token = tokens.canonical(row["code"])
        assert row["link"] == f"https://surveys.example.org/en/s/{survey.pk}/#{token}"
        assert Invitation.objects.filter(pk=tokens.digest(token), survey=survey).exists()
    entry = AuditEntry.objects.get(action="issued invitations")
    assert (entry.actor, entry.after["invitations"]) == (None, 30)


def test_without_a_site_the_first_allowed_host_is_linked(survey, tmp_path):
    invite(survey.pk, count=1, csv=tmp_path / "codes.csv")
    assert "http://127.0.0.1/en/s/" in (tmp_path / "codes.csv").read_text()


def test_a_file_that_cannot_be_written_makes_no_invitations(survey, tmp_path):
    kept = tmp_path / "kept.csv"
    kept.write_text("older codes")
    for file in (kept, tmp_path / "missing" / "codes.csv", tmp_path):
        with pytest.raises(CommandError, match="No invitation was made"):
            invite(survey.pk, count=1, csv=file)
    assert kept.read_text() == "older codes"
    assert Invitation.objects.count() == 0
    assert not AuditEntry.objects.filter(action="issued invitations").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "1 to 10,000"),
        ({"count": 10_001}, "1 to 10,000"),
        ({"count": None}, "Say how many invitations"),
        ({"csv": None}, "Say how many invitations"),
        ({"site": "surveys.example.org"}, "--site as an address"),
        ({"site": "ftp://surveys.example.org"}, "--site as an address"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(survey, tmp_path, options, message):
    file = tmp_path / "codes.csv"
    with pytest.raises(CommandError, match=message):
        invite(survey.pk, **{"count": 1, "csv": file, **options})
    assert not file.exists()


def test_an_unknown_survey_and_an_open_one_are_refused_in_words(owner, tmp_path):
    for key in ("nonsense", uuid4()):
        with pytest.raises(CommandError, match="no survey with this key"):
            invite(key, count=1, csv=tmp_path / "codes.csv")
    with pytest.raises(CommandError, match="Pass on the survey's link instead"):
        invite(factories.make_open_survey(owner).pk, count=1, csv=tmp_path / "codes.csv")


def test_an_address_is_exported_with_every_list_that_holds_it(survey, owner):
    other = factories.make_invited_survey(owner, title="Another")
    mailings.prepare(survey, ["ada@example.org", "grace@example.org"])
    mailings.prepare(other, ["ADA@example.org"])
    found = json.loads(invite("export-address", "Ada@EXAMPLE.org"))
    assert [(one["title"], one["state"]) for one in found["lists"]] == [
        ("Another", "Waiting"),
        (survey.title, "Waiting"),
    ]
    assert "grace" not in json.dumps(found)
    assert json.loads(invite("export-address", "nobody@example.org"))["lists"] == []


def test_an_address_is_erased_everywhere_and_the_log_does_not_name_it(survey, owner):
    other = factories.make_invited_survey(owner, title="Another")
    mailings.prepare(survey, ["ada@example.org", "grace@example.org"])
    mailings.prepare(other, ["ADA@example.org"])
    assert "erased from 2 lists." in invite("erase-address", "ada@example.org")
    assert [one.address for one in Addressee.objects.all()] == ["grace@example.org"]
    assert not any("ada@" in row.lower() for _, row in mailings.everything_stored())
    entries = AuditEntry.objects.filter(action="erased an address")
    assert {entry.survey for entry in entries} == {survey.pk, other.pk}
    assert "No list contains this address." in invite("erase-address", "ada@example.org")


@pytest.mark.parametrize("address", ["", "ada", "ada@", "a@b@c", "ada@example.org\0"])
def test_half_an_address_is_refused_in_words(address):
    for what in ("export-address", "erase-address"):
        with pytest.raises(CommandError, match="address"):
            invite(what, address)
