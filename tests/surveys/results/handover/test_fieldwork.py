"""What the report says of the field: its days, its mode, and AAPOR's rates, as pages say them."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.models import Invitation, Revision, Survey
from surveys.operations.retention import keep_dates
from surveys.results.handover.fieldwork import Fieldwork, fieldwork_of
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from tests import factories
from tests.vouching import make_vouched_survey

LAST_DAY = datetime.now(UTC).date() + timedelta(days=30)


def of(survey: Survey) -> Fieldwork:
    revision = survey.revision
    return fieldwork_of(survey, revision, progress_of(survey, revision), response_count(revision))


def said(survey: Survey, name: str) -> str:
    return " ".join(dict(of(survey).lines)[name])


def with_invitations(survey: Survey, issued: int, used: int) -> Survey:
    factories.invite(survey, issued)
    some = Invitation.objects.filter(survey=survey).values_list("pk", flat=True)[:used]
    Invitation.objects.filter(pk__in=list(some)).update(redeemed=True)
    return survey


def closed(survey: Survey) -> Survey:
    """Closed by its owner, or by itself after its last day, and opened."""
    if survey.close_on:
        assert keep_dates(now=factories.after_the_close(survey)).problems == []
    else:
        close(survey=survey, by=survey.owner)
    return Survey.objects.get(pk=survey.pk)


def test_the_field_period_is_from_the_launch_to_the_close_in_whole_days(survey):
    after = closed(survey)
    first, last = after.revision.launched_at.astimezone(UTC).date(), after.closed_on
    assert said(after, "Field period") == f"{first:%-d %B %Y} to {last:%-d %B %Y}."


def test_no_moment_of_a_day_is_said(survey):
    after = closed(survey)
    assert not re.search(r"\d:\d", " ".join(line for _, lines in of(after).lines for line in lines))


def test_an_open_survey_has_its_last_day_if_it_has_one(owner, survey):
    assert "The survey is open and has no last day." in said(survey, "Field period")
    draft = factories.make_survey(owner, close_on=date(2126, 3, 4))
    factories.add_question(draft)
    assert "open until 4 March 2126." in said(factories.launched(draft), "Field period")


def test_the_launch_is_a_day_of_utc_as_the_close_is(survey):
    evening = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
    revision = Revision(pk=survey.revision.pk, survey=survey, launched_at=evening)
    shown = fieldwork_of(survey, survey.revision, progress_of(survey, survey.revision), 0)
    assert "4 March 2026" in Fieldwork(**{**vars(shown), "revision": revision}).period


def test_the_mode_is_a_web_questionnaire_in_its_languages(survey):
    mode = said(survey, "Survey mode")
    assert "People could use their own coin" in mode
    assert mode.endswith("Languages: English.")


def test_people_with_a_coin_are_counted_where_the_dashboard_counts_them(survey, client):
    after = closed(survey)
    client.force_login(after.owner)
    page = client.get(reverse("surveys:dashboard", args=[after.pk])).content.decode()
    count = progress_of(after, after.revision).own_coin
    assert ("People who used their own coin: " in " ".join(page.split())) == (count is not None)
    assert ("used their own coin." in said(after, "Survey mode")) == (count is not None)


def test_an_open_link_has_no_response_rate_and_says_why(survey):
    assert of(survey).rates is None
    assert said(survey, "Response rate").startswith("No response rate can be given: with an open")
    assert "there were no invitations" in said(survey, "Who could answer")


@pytest.mark.survey(make=factories.make_invited_survey, opening="close", close_on=LAST_DAY)
def test_after_the_close_rr1_is_the_share_of_invitations_that_were_used(survey, client):
    after = closed(with_invitations(survey, 40, 9))
    rates = said(after, "Response rate")
    assert "RR1 (AAPOR) is 22.5 %: 9 of 40 invitations." in rates
    assert "RR2 equals RR1, because there are no partial answers." in rates
    assert "9 / (9 + e × 31)" in rates
    assert "RR5 and RR6" in rates
    client.force_login(after.owner)
    page = client.get(reverse("surveys:dashboard", args=[after.pk])).content.decode()
    assert "9 of 40 invitations were used." in " ".join(page.split())


@pytest.mark.survey(make=factories.make_invited_survey, opening="close", close_on=LAST_DAY)
def test_while_a_survey_is_open_no_more_is_said_than_on_its_dashboard(survey):
    shown = of(with_invitations(survey, 40, 9))
    assert (shown.rates.answered, shown.rates.issued) == (0, 40)
    rates = said(survey, "Response rate")
    assert "at least 0.0 % so far: 0 of 40" in rates
    assert "9" not in rates.partition("so far")[2].replace("RR", "")
    assert "(0 + e" not in rates


@pytest.mark.survey(make=factories.make_invited_survey, opening="close", close_on=LAST_DAY)
def test_without_an_invitation_there_is_no_rate(survey):
    assert (
        said(survey, "Response rate") == "No response rate can be given: no invitation was issued."
    )


def test_of_exchanged_codes_the_answers_count_as_a_used_code_may_have_brought_none(owner):
    survey = closed(with_invitations(make_vouched_survey(owner), 10, 4))
    assert (of(survey).rates.answered, of(survey).rates.issued) == (0, 10)
    assert "A code counts as used once the page has exchanged it" in said(survey, "Drop-outs")


def test_there_are_no_drop_outs_and_the_report_says_why(survey):
    assert "there are no partial answers" in said(survey, "Drop-outs")
    assert "A code" not in said(survey, "Drop-outs")


def test_answers_that_are_not_counted_are_named(survey):
    assert said(survey, "Answered") == "0 responses are counted in these results."
    survey.lost_answers = 3
    assert "3 more answers were lost with their keys." in said(survey, "Answered")
