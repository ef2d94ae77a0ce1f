"""Releases on pages: planned with margins, confirmed, read by outsiders if the owner says so."""

import io
import json
import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.urls import reverse
from pyarrow import parquet

from analytics.kinds.tables.settings import TableSettings
from analytics.models import Report
from analytics.queries import account_of, result_of
from surveys.models import AuditEntry
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import reporting, tabulating
from tests.analytics.answering import AGE, MOOD, TOWN, finished, make_compared_survey
from tests.analytics.pages.visits import address, member, words
from tests.stored import store_rows

pytestmark = pytest.mark.django_db
AUDIENCE = (
    "Staff of this survey can see exact counts. The protection described below applies against "
    "all other people."
)
PLAN = {
    f"ask{TOWN}": "counts",
    f"ask{MOOD}": "cdf",
    f"ask{AGE}": "counts",
    f"cuts{AGE}": "30, 45",
    "which": "alone",
    "listed": f"{AGE} {TOWN}",
    "percent": "10",
    "audience": "link",
}
FILES = ("csv", "covariance", "json", "parquet")


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: tabulating.make_tabulated_survey(factories.make_user()))


@pytest.fixture
def staff(client, survey):
    client.force_login(survey.owner)
    return client


def plan(client, survey, **changes):
    return client.get(address("releases", survey), {**PLAN, **changes})


def asking(client, survey, **changes):
    return client.get(address("publish", survey), {**PLAN, **changes})


def publish(client, survey, **changes):
    """Confirm it, as a browser does; the reply to that."""
    page = asking(client, survey, **changes)
    fields = re.findall(r'name="(shown|key)" value="([^"]+)"', page.content.decode())
    return client.post(page.request["PATH_INFO"] + "?" + page.request["QUERY_STRING"], dict(fields))


def released(client, survey, **changes) -> Report:
    publish(client, survey, **changes)
    return finished(Report.objects.get(kind="tables", state="queued"))


def public(report, name="page") -> str:
    return reverse(f"releases:{name}", args=[report.pk])


# Before anything is spent.


def test_the_builder_shows_margins_costs_and_what_a_second_release_would_cost(staff, survey):
    page = words(plan(staff, survey))
    assert "What you would publish" in page
    assert re.search(r"Typical margin of all numbers: ±\d+\.\d people\.", page)
    assert re.search(r"even the best method has a typical margin of at least ±\d+\.\d\.", page)
    assert "This release uses 10 % of the budget. Its epsilon is" in page
    again = "Cost of releasing the same tables a second time later: the same amount. "
    assert again + "After both releases, epsilon" in page
    assert "How old are you?" in page
    assert AUDIENCE in page
    assert account_of(survey).lines == ()
    assert not Report.objects.exists()


def test_more_of_the_budget_is_a_smaller_margin(staff, survey):
    def margin(percent: str) -> float:
        found = re.search(
            r"margin of all numbers: ±([\d.]+) people", words(plan(staff, survey, percent=percent))
        )
        return float(found[1])

    assert margin("40") == pytest.approx(margin("10") / 2, rel=0.05)


def test_margins_that_show_nothing_but_noise_are_named(staff, survey):
    assert "the added noise would hide the counts" in words(plan(staff, survey, percent="0.001"))


REFUSED = {
    "Give more than 0": {"percent": "0"},
    "new groups must begin between 18 and 99": {f"cuts{AGE}": "17"},
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_plan_that_cannot_be_is_refused_with_the_reason(staff, survey, said):
    change = REFUSED[said]
    reply = words(plan(staff, survey, **change))
    assert said in reply
    assert "What you would publish" not in reply
    assert publish(staff, survey, **change).status_code == 302
    assert not Report.objects.exists()


@pytest.mark.parametrize("percent", ["NaN", "1e400", "-1", ""])
def test_a_share_that_is_no_number_is_refused_and_costs_nothing(staff, survey, percent):
    assert "What you would publish" not in words(plan(staff, survey, percent=percent))
    assert publish(staff, survey, percent=percent).status_code == 302
    assert not Report.objects.exists()


def test_an_empty_survey_plans_nothing_and_says_why_and_one_person_is_planned(client, owner):
    client.force_login(owner)
    empty = tabulating.make_tabulated_survey(owner, 0)
    assert "There is no answer yet that tables could count" in words(plan(client, empty))
    one = tabulating.make_tabulated_survey(owner, 1)
    assert "the added noise would hide the counts" in words(plan(client, one))


def test_tables_that_are_too_large_are_refused_with_what_would_fit(owner, client):
    draft = factories.make_survey(owner)
    number = {"kind": "number", "design": "direct", "minimum": 1, "maximum": 150}
    for _ in range(3):
        factories.add_question(draft, **number)
    factories.add_budget(draft, source="all")
    survey = factories.launched(draft)
    store_rows(survey.revision, ["001" * 3])
    client.force_login(owner)
    asks = {f"ask{number}": "counts" for number in (1, 2, 3)}
    page = words(client.get(address("releases", survey), {**PLAN, **asks, "listed": "1 2 3"}))
    assert "3,442,951 numbers in one table" in page
    assert "would fit: it has 151 numbers" in page


@pytest.mark.parametrize("budget", [None, {"source": "text"}])
def test_a_survey_that_promised_nothing_for_tables_says_why_none_can_be_released(
    client, owner, budget
):
    survey = make_compared_survey(owner, 5, budget=budget)
    client.force_login(owner)
    page = words(plan(client, survey))
    assert "No table can be released" in page
    assert "promised" in page
    assert asking(client, survey).status_code == 302


def test_a_draft_and_a_survey_without_direct_answers_say_so(client, owner):
    client.force_login(owner)
    draft = factories.make_survey(owner)
    assert "Tables can be released only after the survey is launched" in words(plan(client, draft))
    factories.add_question(draft)
    assert "No question of this survey can be counted in tables" in words(
        plan(client, factories.launched(draft))
    )


# The act.


def test_publishing_asks_first_with_what_it_spends_for_good(staff, survey):
    page = words(asking(staff, survey))
    for said in (
        "You cannot undo this",
        "Where do you live? by How old are you?",
        "All people who have the address of the release page can read and download the release",
        "This release: epsilon",
        "Spent afterwards, permanently: epsilon",
        AUDIENCE,
    ):
        assert (
            said.replace("How old are you? by Where do you live?", "Where do you live? by") in page
        )
    assert not Report.objects.exists()


def test_all_of_a_small_budget_is_told_as_no_less_than_it_is(client, owner):
    survey = tabulating.make_tabulated_survey(owner, epsilon="0.125")
    client.force_login(owner)
    page = words(asking(client, survey, percent="100"))
    assert "This release: epsilon 0.125." in page
    assert "Spent afterwards, permanently: epsilon 0.125 of 0.125." in page


@pytest.mark.parametrize(("source", "replaced"), [("all", "answers"), ("text", "text")])
def test_the_ledger_says_what_a_budget_hides_in_all_that_draws_on_it(
    client, owner, source, replaced
):
    survey = tabulating.make_tabulated_survey(owner, adjacency="replace_one", source=source)
    client.force_login(owner)
    assert f"one respondent's {replaced} replaced by" in words(
        client.get(address("ledger", survey))
    )


def test_a_confirmed_release_is_queued_charged_and_written_into_the_audit_log(staff, survey):
    reply = publish(staff, survey)
    report = Report.objects.get()
    assert reply.url == address("report", survey, report.pk)
    assert "Being made" in words(staff.get(reply.url))
    made = finished(report)
    assert made.state == "done"
    assert account_of(survey).lines[0].cost == result_of(made).cost
    assert {entry.action for entry in AuditEntry.objects.all()} >= {
        "report requested",
        "report charged",
    }
    assert "Open the release" in words(staff.get(reply.url))
    assert "Table release" in words(staff.get(address("ledger", survey)))
    assert "Table release" in words(staff.get(address("releases", survey)))
    assert "Table release" not in words(staff.get(address("overview", survey)))


def test_no_single_post_publishes(staff, survey):
    query = "?" + asking(staff, survey).request["QUERY_STRING"]
    for fields in ({}, {"shown": ""}, {"shown": "forged", "key": str(uuid4())}, {"key": "x"}):
        staff.post(address("publish", survey) + query, fields)
    assert not Report.objects.exists()


def test_what_was_confirmed_before_something_else_was_spent_is_asked_again(staff, survey):
    page = asking(staff, survey)
    fields = dict(re.findall(r'name="(shown|key)" value="([^"]+)"', page.content.decode()))
    tabulating.ask(survey)
    here = page.request["PATH_INFO"] + "?" + page.request["QUERY_STRING"]
    assert "Nothing was done, because something changed after you opened this page." in words(
        staff.post(here, fields)
    )
    assert Report.objects.count() == 1


def test_a_confirmation_sent_twice_publishes_once(staff, survey):
    page = asking(staff, survey)
    fields = dict(re.findall(r'name="(shown|key)" value="([^"]+)"', page.content.decode()))
    here = page.request["PATH_INFO"] + "?" + page.request["QUERY_STRING"]
    first, second = staff.post(here, fields), staff.post(here, fields)
    assert first.url == second.url
    assert Report.objects.count() == 1


def test_a_release_that_cannot_be_paid_is_refused(staff, survey):
    tabulating.release(survey, share=9 * tabulating.TENTH)
    page = words(plan(staff, survey, percent="11"))
    assert "This release costs more than is left of the budget" in page
    reply = publish(staff, survey, percent="11")
    assert reply.url.startswith(address("releases", survey))
    assert Report.objects.count() == 1


# Who may read it.


def test_outsiders_read_a_public_release_without_a_login_and_get_no_cookie(client, survey):
    report = tabulating.release(survey, settings_open_to_all())
    for name in ("page", *FILES):
        reply = client.get(public(report, name))
        assert reply.status_code == 200, name
        assert not reply.cookies, name
    page = words(client.get(public(report)))
    assert AUDIENCE in page
    assert "Institute of Public Health" in page
    assert "How to quote this release" in page
    assert f"http://testserver{public(report)}" in page
    assert "Margins are half the width of 95 % intervals" in page


def test_a_release_claims_no_more_than_the_ledger_counts(client, survey):
    report = tabulating.release(survey, settings_open_to_all())
    page = words(client.get(public(report)))
    assert "All reports on texts and tables of this survey together stay within epsilon" in page
    method = json.loads(content(client.get(public(report, "json"))))["method"]
    one_budget = (
        "All reports on texts and tables of this survey are paid from one budget, which was "
        "promised to respondents before they answered."
    )
    assert any(one_budget in line for line in method)
    assert one_budget in page
    assert "this survey publishes" not in page + " ".join(method)


def settings_open_to_all() -> TableSettings:
    return replace(tabulating.ASKED, is_public=True)


def test_a_release_for_staff_does_not_exist_for_outsiders(client, survey):
    report = tabulating.release(survey)
    for name in ("page", *FILES):
        assert client.get(public(report, name)).status_code == 404
    client.force_login(member(survey, Role.ANALYST, "grace"))
    assert client.get(public(report)).status_code == 404
    page = words(client.get(address("release", survey, report.pk)))
    assert "Only staff of this survey can open this page" in page
    for name in FILES:
        assert client.get(address(f"release-{name}", survey, report.pk)).status_code == 200


def test_what_is_not_released_has_no_public_page(client, survey):
    queued = tabulating.ask(survey, settings_open_to_all())
    assert client.get(public(queued)).status_code == 404
    assert client.get(reverse("releases:page", args=[uuid4()])).status_code == 404
    reporting.cancel(queued)
    assert client.get(public(queued)).status_code == 404


def test_the_public_page_and_files_reveal_nothing_else_of_the_survey(client, survey):
    report = tabulating.release(survey, settings_open_to_all())
    bodies = [content(client.get(public(report, name))) for name in ("page", *FILES)]
    for hidden in (
        "Have you cheated?",
        "What else?",
        survey.owner.username,
        str(survey.pk),
        str(survey.revision.pk),
        survey.contact,
        survey.introduction,
    ):
        assert not [body for body in bodies if hidden.encode() in body], hidden


def content(reply) -> bytes:
    return b"".join(reply.streaming_content) if reply.streaming else reply.content


def test_two_surveys_that_differ_in_their_answers_alone_show_the_same_but_for_the_numbers(
    client, owner
):
    """The exact number of respondents is in no byte of a release."""
    pages = []
    for people in (40, 90):
        survey = tabulating.make_tabulated_survey(owner, people)
        report = tabulating.release(survey, settings_open_to_all())
        text = client.get(public(report)).content.decode().replace(str(report.pk), "KEY")
        pages.append(re.sub(r"<td.*?</td>|<strong>.*?</strong>", "N", text))
    assert pages[0] == pages[1]


def test_where_replacing_one_is_hidden_the_page_tells_the_number_exactly(client, owner):
    survey = tabulating.make_tabulated_survey(owner, 40, adjacency="replace_one")
    text = client.get(public(tabulating.release(survey, settings_open_to_all()))).content.decode()
    assert "<strong>40</strong> people answered. This number is exact." in text
    assert "The number of people who answered is exact" in text
    assert "About" not in text


# The files.


def test_the_files_hold_every_number_with_margins_and_covariances(client, survey):
    report = tabulating.release(survey, settings_open_to_all())
    release = result_of(report)
    document = json.loads(content(client.get(public(report, "json"))))
    tables = document["tables"]
    assert [table["questions"] for table in tables][2] == ["Where do you live?", "How old are you?"]
    first = release.cells((0,))[0]
    assert tables[0]["cells"][0]["people"] == first.people
    assert tables[0]["cells"][0]["margin"] == first.margin
    assert tables[0]["covariance"] == release.covariance((0,)).tolist()
    assert document["audience"] == AUDIENCE
    assert document["released_on"]
    rows = content(client.get(public(report, "csv"))).decode().splitlines()
    assert len(rows) == 1 + release.asked.numbers
    assert rows[0].startswith("table,number,question_1,answer_1,question_2,answer_2,people,margin")
    covariances = content(client.get(public(report, "covariance"))).decode().splitlines()
    sizes = [len(release.cells(table)) for table in release.asked.tables]
    assert len(covariances) == 1 + sum(size * (size + 1) // 2 for size in sizes)
    table = parquet.read_table(io.BytesIO(content(client.get(public(report, "parquet")))))
    assert table.num_rows == release.asked.numbers
    assert table.column("covariances")[0].as_py() == tables[0]["covariance"][0]


# The rights of staff.


def test_an_editor_plans_and_does_not_publish_and_an_analyst_reads(client, survey):
    report = tabulating.release(survey)
    client.force_login(member(survey, Role.EDITOR, "ed"))
    page = words(plan(client, survey))
    assert "What you would publish" in page
    assert "The owner of this survey can publish these tables." in page
    assert asking(client, survey).status_code == 403
    client.force_login(member(survey, Role.ANALYST, "grace"))
    assert "Plan a release" not in words(plan(client, survey))
    assert client.get(address("release", survey, report.pk)).status_code == 200
    assert client.post(address("publish", survey), {}).status_code == 403
    client.force_login(factories.make_user("eve"))
    for name, more in (("releases", ()), ("publish", ()), ("release", (report.pk,))):
        assert client.get(address(name, survey, *more)).status_code == 404


def test_every_page_of_staff_asks_for_a_login(client, survey):
    report = tabulating.release(survey, settings_open_to_all())
    for name, more in (("releases", ()), ("publish", ()), ("release", (report.pk,))):
        assert client.get(address(name, survey, *more)).url.startswith(reverse("login"))


def test_a_release_is_not_found_below_another_survey(staff, survey):
    report = tabulating.release(survey)
    other = tabulating.make_tabulated_survey(survey.owner, 5)
    assert staff.get(address("release", other, report.pk)).status_code == 404
    for name in ("csv", "json"):
        assert staff.get(address(name, survey, report.pk)).status_code == 404
