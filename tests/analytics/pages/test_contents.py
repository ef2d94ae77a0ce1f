"""What the pages say: reports, comparisons and the ledger."""

import re
from datetime import timedelta

import pytest

from analytics.models import Report
from analytics.pages.rows import title_of
from surveys.models import Membership
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import examples, reporting
from tests.analytics.pages.visits import address, looks, words


def test_a_report_says_what_it_found_promised_and_cost(client, survey, finished):
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, finished.pk)))
    for told in (
        "the data supports at most 2 topics",
        "2 of 5 eigenvalues lie above the noise edge",
        "Topic 1: garden, flower, water",
        "about 1,200 of 5,000 (1,100 to 1,300)",
        "Coherence 0.120",
        "private, because it is computed from the released, noisy counts of words that occur",
        "Diversity 0.90",
        "Epsilon 1.24: the odds of a guess about a person change at most 3.44-fold",
        "one respondent more or fewer",
        "1.81",
        "Which words occur together 78 % 0.078 0",
        "Total 100 % 0.1 0.0000001",
        "Topics or directions, at most 3",
        "0.1.0+0123456789abcdef",
        "within the noise",
    ):
        assert told in page, told


def test_words_within_the_noise_are_named_so_in_the_picture_s_text_and_the_table(
    client, survey, finished
):
    client.force_login(survey.owner)
    page = client.get(address("report", survey, finished.pk)).content.decode()
    assert "Within the noise: gravel." in page
    assert page.count('class="within"') == 1


def test_a_report_without_topics_says_that_the_noise_hides_them(client, survey):
    nothing = examples.a_report()
    empty = examples.store(
        survey,
        examples.a_report(
            spectrum=examples.SpectrumShown(nothing.spectrum.values[2:], 1.5, 0), topics=()
        ),
    )
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, empty.pk)))
    assert "the data supports no topic" in page
    assert "Name the topics" not in page


def test_a_report_of_another_version_is_not_shown_and_nothing_breaks(client, survey, finished):
    Report.objects.filter(pk=finished.pk).update(state=Report.State.FAILED)
    other = examples.store(survey, examples.a_report(), document={"version": 99})
    client.force_login(survey.owner)
    assert "cannot be shown" in words(client.get(address("report", survey, other.pk)))
    assert client.get(address("json", survey, other.pk)).status_code == 404


def test_words_of_answers_are_text_never_markup(client, survey):
    evil = examples.a_topic("<script>alert(1)</script>", "נייר", "👩‍🌾", "a" * 200, "‮abc")
    report = examples.store(survey, examples.a_report(evil), names=["<b>x</b>"])
    client.force_login(survey.owner)
    page = client.get(address("report", survey, report.pk)).content.decode()
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page
    svg = client.get(address("picture", survey, report.pk, "topic-1")).content.decode()
    assert "<script" not in svg


# While it is made.


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (Report.State.QUEUED, "Waiting for a worker"),
        (Report.State.RUNNING, "counting words: 25 % done"),
    ],
)
def test_a_report_that_is_being_made_says_how_far_it_is(client, survey, state, told):
    report = examples.store(survey, state=state, stage="counting words", fraction=0.25)
    client.force_login(survey.owner)
    page = client.get(address("report", survey, report.pk))
    assert told in words(page)
    assert "<progress" in page.content.decode()
    assert "Cancel this report" in words(page)
    assert 'http-equiv="refresh"' not in page.content.decode()
    part = client.get(address("progress", survey, report.pk))
    assert told in words(part)
    assert part["X-Report-State"] == state


@pytest.mark.parametrize("state", [Report.State.FAILED, Report.State.CANCELLED])
def test_a_report_that_was_not_made_says_why_and_can_be_tried_again(client, survey, state):
    report = examples.store(survey, state=state, problem="Only 3 words are left.")
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, report.pk)))
    assert "Only 3 words are left. No privacy budget was spent." in page
    assert "Try again" in page


@pytest.mark.parametrize("fraction", [-1.0, 7.0])
def test_progress_stays_within_the_bar(client, survey, fraction):
    report = examples.store(survey, state=Report.State.RUNNING, stage="x", fraction=fraction)
    client.force_login(survey.owner)
    assert re.search(r": (0|100) % done", words(client.get(address("report", survey, report.pk))))


def test_reports_are_listed_in_pages_newest_first(client, survey):
    for _ in range(21):
        examples.store(survey, examples.a_report())
    client.force_login(survey.owner)
    first = words(client.get(address("overview", survey)))
    assert "Page 1 of 2" in first
    for page in ("2", "0", "x", "9" * 30, "-1"):
        assert client.get(address("overview", survey) + f"?page={page}").status_code == 200


# Comparing.


def compared(client, survey, first: object, second: object):
    return client.get(address("compare", survey) + f"?first={first}&second={second}")


def test_two_reports_are_compared_topic_by_topic(client, survey, finished):
    second = examples.store(survey, examples.a_report(examples.TRAIN), names=["Railways"])
    client.force_login(survey.owner)
    page = words(compared(client, survey, finished.pk, second.pk))
    assert "Railways 1.00" in page
    assert "no counterpart" in page
    assert "Different words with a similar meaning count as different" in page


def test_the_distance_of_two_mixtures_says_why_it_has_no_interval(client, survey, finished):
    second = examples.store(survey, examples.a_report(examples.TRAIN))
    client.force_login(survey.owner)
    page = words(compared(client, survey, finished.pk, second.pk))
    assert "On average, a respondent must move by" in page
    assert "This page shows no interval, because each report finds its topics anew" in page


def test_reports_of_the_same_minute_are_told_apart_wherever_they_are_named(
    client, survey, finished
):
    second = examples.store(survey, examples.a_report(examples.TRAIN))
    Report.objects.filter(pk=second.pk).update(asked_at=finished.asked_at + timedelta(seconds=1))
    client.force_login(survey.owner)
    page = words(compared(client, survey, second.pk, finished.pk))
    title = title_of(second.kind)
    assert f"First: Report 2: {title}" in page
    assert f"Second: Report 1: {title}" in page
    listed = words(client.get(address("overview", survey)))
    assert f"2. {title}" in listed
    assert f"1. {title}" in listed
    assert "Report 2 on" in words(client.get(address("report", survey, second.pk)))


def test_a_report_of_another_survey_is_compared_only_by_who_may_read_both(client, survey, finished):
    other = reporting.make_text_survey(factories.make_user("grace"), 10)
    theirs = examples.store(other, examples.a_report())
    client.force_login(survey.owner)
    assert "Topics with similar words" not in words(
        compared(client, survey, finished.pk, theirs.pk)
    )
    Membership.objects.create(survey=other, user=survey.owner, role=Role.ANALYST)
    assert "Topics with similar words" in words(compared(client, survey, finished.pk, theirs.pk))
    hidden = examples.store(other, examples.an_internal_report())
    assert "Topics with similar words" not in words(
        compared(client, survey, finished.pk, hidden.pk)
    )
    assert looks() == 0


def test_comparing_with_an_internal_report_is_a_look_at_it(client, survey, finished, internal):
    client.force_login(survey.owner)
    page = words(compared(client, survey, finished.pk, internal.pk))
    assert "Internal – do not publish" in page
    assert "of different kinds" in page
    assert looks() == 1


@pytest.mark.parametrize("second", ["", "x", "%00", "0b5ee1d2-7d55-4c8e-9d3a-8f3f2b6c1a77", "same"])
def test_what_cannot_be_compared_is_told(client, survey, finished, second):
    client.force_login(survey.owner)
    second = str(finished.pk) if second == "same" else second
    response = compared(client, survey, finished.pk, second)
    assert response.status_code in (200, 400)
    assert "Topics with similar words" not in words(response)


# The ledger.


def test_the_ledger_says_what_was_promised_is_spent_and_left(client, survey):
    client.force_login(survey.owner)
    page = words(client.get(address("ledger", survey)))
    for told in (
        "epsilon 20",
        "except with a chance of 0.000001",
        "Spent so far: epsilon 0.00",
        "No budget has been spent yet.",
        "25 % of the budget",
    ):
        assert told in page, told


def test_the_odds_are_about_what_was_written_because_numbers_of_texts_are_exact(
    client, survey, finished
):
    """Beside exact counts no epsilon bounds a guess about whether a person took part."""
    client.force_login(survey.owner)
    for place in (address("ledger", survey), address("report", survey, finished.pk)):
        page = words(client.get(place))
        assert "for a reader who guesses what one person wrote" in page
        assert "the numbers of answers and of texts are exact" in page
