"""The form that asks for a report: sent twice, sent again, each with a key of its own."""

import re

import pytest

from analytics.models import Report
from surveys.models import AuditEntry
from surveys.staff.roles import Role
from tests.analytics import reporting
from tests.analytics.pages.visits import address, asked, member, words


@pytest.mark.parametrize("share", ["1/4", "3/4", "1"])
def test_a_form_that_is_sent_twice_asks_for_one_report_and_sets_aside_once(client, survey, share):
    client.force_login(survey.owner)
    given = asked(survey, share=share)
    first = client.post(address("ask", survey), given)
    second = client.post(address("ask", survey), given, follow=True)
    report = Report.objects.get()
    assert first.url == second.redirect_chain[-1][0] == address("report", survey, report.pk)
    assert "The report was requested" in words(second)
    assert len(reporting.queued()) == 2  # its task, and who looks after it
    assert AuditEntry.objects.filter(action="report requested").count() == 1


def test_a_form_that_is_sent_again_later_leads_to_its_report_and_spends_nothing(client, survey):
    client.force_login(survey.owner)
    given = asked(survey)
    client.post(address("ask", survey), given)
    reporting.make(Report.objects.get())
    again = client.post(address("ask", survey), {**given, "topics": "5"}, follow=True)
    assert "This form was already sent." in words(again)
    assert Report.objects.count() == 1


def test_each_form_that_is_shown_asks_for_a_report_of_its_own(client, survey):
    client.force_login(survey.owner)
    keys = set()
    for _ in range(2):
        page = client.get(address("overview", survey)).content.decode()
        keys.add(re.search(r'name="key" value="([^"]+)"', page)[1])
        client.post(address("ask", survey), asked(survey, key=sorted(keys)[-1]))
    assert len(keys) == 2


def test_the_key_of_a_form_leads_to_nobody_elses_report(client, survey):
    given = asked(survey)
    for user in (survey.owner, member(survey, Role.EDITOR, "ed")):
        client.force_login(user)
        client.post(address("ask", survey), given)
    assert sorted(Report.objects.values_list("actor", flat=True)) == sorted(
        [survey.owner.pk, user.pk]
    )


def test_a_refused_form_keeps_its_words_and_shows_where_they_are_wrong(client, survey):
    client.force_login(survey.owner)
    given = asked(survey, vocabulary="the\nand", stop_words="<b>&")
    page = client.post(address("ask", survey), given).content.decode()
    assert "<details open>" in page
    assert "list words that are not stop words of the language" in page
    assert "&lt;b&gt;&amp;" in page
    assert given["key"] in page
