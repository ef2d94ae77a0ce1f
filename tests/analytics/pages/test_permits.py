"""Permits on the pages of reports: given, downloaded, spent by the command, handed in once."""

import json
import re
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analytics.models import Expenditure, Report
from analytics.queries import cost_of
from surveys.models import SealedText
from surveys.staff.roles import Role
from tests.analytics.files.topics_command import TEXTS, lines, topics
from tests.analytics.pages.visits import address, member, words
from tests.analytics.permits import make_sealed_survey
from tests.locked_texts import locked_survey
from tests.surveys.authoring.text_keys import new_key

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.survey(make=make_sealed_survey),
    pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn."),
]
NO_PERMIT = (
    "No permit was given, because your choice is incomplete or no longer offered. Choose again on "
    "this page."
)


@pytest.fixture
def survey(owner):
    return make_sealed_survey(owner, keys=2)


def form_of(**changes: str) -> dict[str, str]:
    plain = {"key": str(uuid4()), "question": "2", "kind": "private_svd", "share": "1/2"}
    return {**plain, **changes}


def give(client, survey, **changes: str) -> Report:
    reply = client.post(address("give-permit", survey), form_of(**changes))
    permit = Report.objects.latest("asked_at")
    assert reply.url == address("permit", survey, permit.pk)
    return permit


def hand_in(client, survey, permit, content: bytes):
    file = SimpleUploadedFile("report.json", content)
    return client.post(address("close-permit", survey, permit.pk), {"report": file})


def test_from_the_permit_to_the_report_that_it_paid_for(staff, survey, tmp_path):
    page = staff.get(address("overview", survey))
    assert "Permit for a report on locked texts" in words(page)
    permit = give(staff, survey)
    page = words(staff.get(address("permit", survey, permit.pk)))
    assert "deniable topics --input texts.csv --column text --kind private_svd" in page
    assert permit.settings["permit"]["texts"] in page
    file = staff.get(address("permit-file", survey, permit.pk))
    (tmp_path / "permit.json").write_bytes(file.content)
    answers = lines(tmp_path / "answers.jsonl", TEXTS)
    options = ("--topics", "3", "--kind", "private_svd", "--ledger", tmp_path / "permit.json")
    made, _ = topics(answers, *options)
    reply = hand_in(staff, survey, permit, made.encode())
    assert reply.url == address("report", survey, permit.pk)
    assert json.loads(made)["report"]["topics"][0]["words"][0]["word"] in words(
        staff.get(reply.url)
    )
    assert Expenditure.objects.count() == 1
    again = staff.get(address("permit", survey, permit.pk))
    assert again.url == reply.url
    assert staff.get(address("permit-file", survey, permit.pk)).status_code == 404
    assert "This permit is closed" in words(hand_in(staff, survey, permit, made.encode()))


def test_an_open_permit_is_listed_as_such_and_in_the_ledger(staff, survey):
    permit = give(staff, survey)
    overview = words(staff.get(address("overview", survey)))
    assert "permit, not used yet" in overview
    assert "What else?" in overview
    assert "What else?" in words(staff.get(address("ledger", survey)))
    assert staff.get(address("report", survey, permit.pk)).url == address(
        "permit", survey, permit.pk
    )
    assert staff.get(address("json", survey, permit.pk)).status_code == 404
    assert "no finished report" in words(staff.get(address("compare", survey)))


def test_what_is_too_dear_is_not_offered_and_books_nothing(staff, survey):
    give(staff, survey, share="3/4")
    page = staff.get(address("overview", survey)).content.decode()
    assert sorted(set(re.findall(r'name="share" value="([^"]+)"', page))) == ["1/10", "1/4"]
    reply = staff.post(address("give-permit", survey), form_of(share="1/2"), follow=True)
    assert NO_PERMIT in words(reply)
    assert Report.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [{"question": "1"}, {"question": "x"}, {"kind": "exact_svd"}, {"share": "2"}, {"share": "½"}],
)
def test_what_the_form_does_not_offer_books_nothing(staff, survey, changes):
    reply = staff.post(address("give-permit", survey), form_of(**changes), follow=True)
    assert NO_PERMIT in words(reply)
    assert not Report.objects.exists()


def test_a_form_that_comes_twice_gives_one_permit(staff, survey):
    key = str(uuid4())
    assert give(staff, survey, key=key) == give(staff, survey, key=key)
    assert Expenditure.objects.count() == 1


def test_before_the_close_no_permit_is_offered(staff, survey):
    SealedText.objects.all().delete()
    page = words(staff.get(address("overview", survey)))
    assert "Permit for a report on locked texts" not in page
    assert (
        "No permit can be given yet. The locked texts are available after the survey has closed."
        in page
    )


def test_where_nothing_can_pay_for_a_permit_the_page_says_why(staff, survey, owner):
    give(staff, survey, share="3/4")
    give(staff, survey, share="1/4")
    page = words(staff.get(address("overview", survey)))
    assert "Permit for a report on locked texts" not in page
    assert "so no private report can be requested" in page
    unpaid = locked_survey(owner, new_key())
    assert "were not promised a privacy budget" in words(staff.get(address("overview", unpaid)))


def test_an_analyst_reads_permits_and_gives_none(client, staff, survey):
    permit = give(staff, survey)
    client.force_login(member(survey, Role.ANALYST, "grace"))
    assert "Permit for a report on locked texts" not in words(
        client.get(address("overview", survey))
    )
    page = client.get(address("permit", survey, permit.pk))
    assert "An editor of this survey can download the permit." in words(page)
    assert "Hand in the report</h2>" not in page.content.decode()
    assert client.get(address("permit-file", survey, permit.pk)).status_code == 403


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b"[]"])
def test_what_is_no_report_is_refused_in_words_and_the_permit_stays_open(staff, survey, content):
    permit = give(staff, survey)
    page = hand_in(staff, survey, permit, content)
    assert page.status_code == 200
    said = (
        "The submitted file is empty."
        if not content
        else "This file is not a report of this program."
    )
    assert said in words(page)
    permit.refresh_from_db()
    assert (permit.document, permit.finished_at) == (None, None)
    assert cost_of(permit).mu_squared > 0
