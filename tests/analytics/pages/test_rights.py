"""Who may see and do what, and what a look leaves behind."""

import re
from uuid import uuid4

from django.urls import reverse

from analytics.models import Report
from surveys.models import Comment
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import examples, reporting
from tests.analytics.pages.visits import address, looks, member, words

SURVEY_PAGES = ("overview", "compare", "ledger", "ledger-picture")
REPORT_PAGES = ("report", "progress", "csv", "json")
PICTURES = ("", "?as=svg", "?as=png", "?as=vl.json")
POSTED = ("cancel", "repeat", "names")


def read_addresses(survey, report) -> list[str]:
    return [
        *(address(name, survey) for name in SURVEY_PAGES),
        *(address(name, survey, report.pk) for name in REPORT_PAGES),
        *(address("picture", survey, report.pk, "topic-1") + asked for asked in PICTURES),
    ]


def posted_addresses(survey, report) -> list[str]:
    return [address("ask", survey), *(address(name, survey, report.pk) for name in POSTED)]


def test_every_page_asks_for_a_login(client, survey, finished):
    for place in read_addresses(survey, finished):
        assert client.get(place).url.startswith(reverse("login")), place
    for place in posted_addresses(survey, finished):
        reply = client.post(place)
        assert reply.status_code == 403, place
        assert f'href="{reverse("login")}?' in reply.content.decode(), place


def test_a_stranger_is_told_that_there_is_nothing(client, survey, finished):
    client.force_login(factories.make_user("eve"))
    for place in read_addresses(survey, finished):
        assert client.get(place).status_code == 404, place
    for place in posted_addresses(survey, finished):
        assert client.post(place).status_code == 404, place


def test_an_analyst_reads_private_reports_and_the_ledger_and_changes_nothing(
    client, survey, finished
):
    client.force_login(member(survey, Role.ANALYST, "grace"))
    for place in read_addresses(survey, finished):
        assert client.get(place).status_code == 200, place
    for place in posted_addresses(survey, finished):
        assert client.post(place).status_code == 403, place
    assert (
        '<form class="card report-form"'
        not in client.get(address("overview", survey)).content.decode()
    )


def test_internal_reports_do_not_exist_for_anybody_but_the_owner(client, survey, internal):
    for role in (Role.ANALYST, Role.EDITOR):
        client.force_login(member(survey, role, role.value))
        for place in read_addresses(survey, internal)[len(SURVEY_PAGES) :]:
            assert client.get(place).status_code == 404, (role, place)
        listed = words(client.get(address("overview", survey)))
        assert "Exact topics (internal)" not in listed
        assert "No report yet" in listed
    client.force_login(member(survey, Role.EDITOR, "ed"))
    for place in posted_addresses(survey, internal)[1:]:
        assert client.post(place).status_code == 404, place
    assert looks() == 0


def test_a_report_is_not_found_below_another_survey(client, survey, finished):
    other = reporting.make_text_survey(survey.owner, 10)
    client.force_login(survey.owner)
    for place in read_addresses(other, finished)[len(SURVEY_PAGES) :]:
        assert client.get(place).status_code == 404, place
    assert client.get(address("report", survey, uuid4())).status_code == 404


def test_pages_that_change_something_take_no_get_and_the_others_no_post(client, survey, finished):
    client.force_login(survey.owner)
    forms = [address("overview", survey), *[address("report", survey, finished.pk)] * 3]
    for place, form in zip(posted_addresses(survey, finished), forms, strict=True):
        assert client.get(place).url == form, place
    for place in read_addresses(survey, finished):
        assert client.post(place).status_code == 405, place


# Internal reports leave a trace.


def test_one_look_at_an_internal_report_is_one_entry_its_pictures_are_none(
    client, survey, internal
):
    client.force_login(survey.owner)
    page = client.get(address("report", survey, internal.pk)).content.decode()
    assert looks() == 1
    sources = re.findall(r'src="([^"]*look\.svg[^"]*)"', page)
    assert len(sources) == 3
    for source in sources:
        assert client.get(source.replace("&amp;", "&")).status_code == 200
    assert looks() == 1


def test_a_picture_of_an_internal_report_opened_by_itself_is_a_look(client, survey, internal):
    client.force_login(survey.owner)
    plain = address("picture", survey, internal.pk, "topic-1")
    for asked in ("", "?seen=", "?seen=1:2:3", "?seen=%00"):
        client.get(plain + asked)
    other = examples.store(survey, examples.an_internal_report())
    page = client.get(address("report", survey, other.pk)).content.decode()
    borrowed = re.search(r"\?seen=([^\"&]+)", page)[1]
    assert looks() in (4, 5)
    before = looks()
    client.get(f"{plain}?seen={borrowed}")
    assert looks() == before + 1


def test_an_internal_report_shows_comments_and_says_that_it_must_not_be_published(
    client, survey, internal
):
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, internal.pk)))
    assert "internal – do not publish" in page
    assert "Typical comments" in page
    assert Comment.objects.get(pk=examples_of(internal)[0]).text in page
    assert "What this report promises" not in page


def examples_of(report: Report) -> list[str]:
    return report.extract.document["topics"][0]["examples"]


def test_an_internal_report_whose_answers_were_erased_says_so(client, survey, internal):
    internal.extract.delete()
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, internal.pk)))
    assert "The content of this report is deleted" in page
    assert client.get(address("csv", survey, internal.pk)).status_code == 404


def test_a_look_at_a_private_report_is_no_entry(client, survey, finished):
    client.force_login(survey.owner)
    client.get(address("report", survey, finished.pk))
    client.get(address("picture", survey, finished.pk, "topic-1"))
    assert looks() == 0
