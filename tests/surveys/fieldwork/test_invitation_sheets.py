"""Code sheets: what is printed, what is stored of it, and how many there can be."""

import csv
import io
import re
import uuid

import pytest
from django.db import connection

from surveys.collecting.refusals import UsedInvitation
from surveys.collecting.services import receive
from surveys.fieldwork import invitations as issuing
from surveys.models import AuditEntry, Invitation
from surveys.models.queries import printed_digest
from surveys.questionnaire import tokens
from surveys.questionnaire.short_names import short_name
from tests import factories
from tests.bodies import body_of
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.inviting import make_sheets, page_of, words
from tests.surveys.fieldwork.mailing import CODE

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]


def test_each_sheet_has_a_link_a_picture_a_code_and_the_way_without_javascript(as_owner, survey):
    page = words(make_sheets(as_owner, survey, 3))
    codes = CODE.findall(page)
    assert len(codes) == 3 == page.count("<svg")
    for code in codes:
        token = tokens.canonical(code)
        assert f"http://testserver/en/s/{survey.pk}/#{token}" in page
        assert Invitation.objects.filter(pk=tokens.digest(token)).exists()
    (address,) = set(re.findall(r"testserver(/en/s/[0-9a-z-]{9})<", page))
    assert page.count(f"{address}<") == 3
    assert len(address) <= 30
    assert page.count(survey.organisation) == 3
    assert "cannot be shown again" in page
    assert " style=" not in page


def test_each_sheet_has_the_code_by_which_its_survey_is_checked(as_owner, survey):
    assert words(make_sheets(as_owner, survey, 3)).count(printed_digest(survey.pk)) == 3


def test_a_code_of_a_sheet_counts_once(as_owner, survey):
    code = CODE.search(words(make_sheets(as_owner, survey, 1)))[0]
    for outcome in (None, UsedInvitation):
        body = body_of(survey.revision, invitation=tokens.canonical(code))
        if outcome is None:
            receive(survey_id=survey.pk, body=body)
        else:
            with pytest.raises(outcome):
                receive(survey_id=survey.pk, body=body)


def test_the_table_holds_codes_and_links(as_owner, survey):
    response = make_sheets(as_owner, survey, 4, csv="1")
    assert response.headers["Content-Disposition"].endswith('-invitations.csv"')
    assert "no-store" in response.headers["Cache-Control"]
    rows = list(csv.DictReader(io.StringIO(words(response))))
    assert len(rows) == 4
    for row in rows:
        token = tokens.canonical(row["code"])
        assert row["link"].endswith(f"/#{token}")
        assert Invitation.objects.filter(pk=tokens.digest(token)).exists()


def test_tokens_are_stored_nowhere_and_digests_are_stored_sorted(as_owner, survey):
    codes = CODE.findall(words(make_sheets(as_owner, survey, 50)))
    stored = "\n".join(row for _, row in mailings.everything_stored())
    assert not any(code in stored or tokens.canonical(code) in stored for code in codes)
    digests = [tokens.digest(tokens.canonical(code)) for code in codes]
    assert mailings.physical_digests() == sorted(digests) != digests


@pytest.mark.parametrize(
    "number", ["0", "-1", "10001", "1e3", "ten", "", "9" * 40, "1.5", "٣", "\0"]
)
def test_a_number_that_is_none_makes_nothing_and_says_what_to_write(as_owner, survey, number):
    response = make_sheets(as_owner, survey, number)
    assert response.status_code == 400
    assert re.search("1 to 10,000|required|Null characters", words(response))
    assert Invitation.objects.count() == 0


def test_loading_the_reply_again_makes_no_more(as_owner, survey):
    once = str(uuid.uuid4())
    make_sheets(as_owner, survey, 3, request=once)
    make_sheets(as_owner, survey, 3, request=once)
    assert Invitation.objects.count() == 3
    assert "These invitations were already made" in words(as_owner.get(page_of(survey)))
    make_sheets(as_owner, survey, 3)
    assert Invitation.objects.count() == 6


NEARLY_ALL = """
INSERT INTO surveys_invitation (digest, survey_id, redeemed, announced)
WITH RECURSIVE numbers (n) AS (SELECT 100001 UNION ALL SELECT n + 1 FROM numbers WHERE n < 199998)
SELECT %s || n, surveys_survey.id, false, false FROM numbers, surveys_survey
"""


def test_a_survey_has_at_most_so_many_invitations(as_owner, survey):
    with connection.cursor() as cursor:  # a hundred thousand objects would take seconds
        cursor.execute(NEARLY_ALL, [f"{0:058}"])
    make_sheets(as_owner, survey, 3)
    assert "Choose at most 2 new invitations." in words(as_owner.get(page_of(survey)))
    assert Invitation.objects.count() == 99_998 == issuing.MOST_PER_SURVEY - 2


def test_issuing_is_in_the_audit_log_as_a_count(as_owner, survey):
    codes = CODE.findall(words(make_sheets(as_owner, survey, 7)))
    entry = AuditEntry.objects.get(action="issued invitations")
    assert (entry.actor, entry.survey) == (survey.owner.pk, survey.pk)
    assert entry.after["invitations"] == 7
    assert not any(tokens.canonical(code) in str(entry.after) for code in codes)


@pytest.mark.usefixtures("_static_files")
def test_the_short_address_is_read_as_people_type_it_and_leads_to_the_survey(client, survey):
    name = short_name(survey.pk)
    start = f"/en/s/{survey.pk}/"
    for typed in (name, name.upper(), name.replace("-", ""), f"{name}/", name.replace("0", "o")):
        reply = client.get(f"/en/s/{typed}")
        assert (reply.status_code, reply.headers["Location"]) == (302, start)
        assert not reply.cookies
    for wrong in ("00000000", "u" * 8, "x" * 9, "%00" * 8):
        assert client.get(f"/en/s/{wrong}").status_code == 404


@pytest.mark.usefixtures("_static_files")
def test_a_survey_that_is_open_to_all_cannot_be_found_by_a_short_name(client, owner):
    open_to_all = factories.make_open_survey(owner)
    assert client.get(f"/en/s/{short_name(open_to_all.pk)}").status_code == 404
