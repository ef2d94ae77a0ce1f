"""Comparing groups: asked for on a page, made by a worker, shown, downloaded, on the dashboard."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from analytics.models import Report
from surveys.models import AuditEntry, Question
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import answering
from tests.analytics.pages.visits import address, member, words
from tests.ranking.rated import make_catalogue
from tests.stored import store_rows

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: answering.make_compared_survey(factories.make_user()))


@pytest.fixture
def staff(client, owner):
    client.force_login(owner)
    return client


def form(**changes) -> dict[str, str]:
    plain = {"question": "2", "by": "1", "level": "0.95", "seed": "0", "key": str(uuid4())}
    return {**plain, **changes}


def test_a_comparison_is_asked_for_made_and_shown(staff, survey):
    sent = staff.post(address("ask-groups", survey), form(), follow=True)
    assert "Waiting for a worker" in words(sent)
    report = Report.objects.get()
    answering.finished(report)
    page = words(staff.get(address("report", survey, report.pk)))
    assert "To turn the answers of “North” into the answers of “South”" in page
    assert "on average an answer must move" in page
    assert "Smallest detectable difference" in page
    assert "internal – do not publish" not in page


def test_the_dashboard_shows_the_newest_comparison(staff, survey):
    dashboard = reverse("surveys:dashboard", args=[survey.pk])
    assert "Compare groups" in words(staff.get(dashboard))
    answering.compared(survey)
    page = words(staff.get(dashboard))
    assert "Who answers differently? Question: “How do you feel?”" in page
    assert "Show whole comparison" in page


def test_its_pictures_and_files_can_be_taken_away(staff, survey):
    report = answering.compared(survey)
    for name in ("cumulative", "plan"):
        picture = address("picture", survey, report.pk, name)
        for asked, start in (("?as=svg", b"<svg"), ("?as=png", b"\x89PNG"), ("", b"<svg")):
            assert staff.get(picture + asked).content.startswith(start)
    lines = b"".join(staff.get(address("csv", survey, report.pk))).decode().splitlines()
    assert len(lines) == 1 + 3
    document = json.loads(staff.get(address("json", survey, report.pk)).content)
    assert document["report"]["names"] == list(answering.TOWNS)
    assert AuditEntry.objects.filter(action="topic report downloaded").count() == 6


def test_a_form_sent_twice_asks_once(staff, survey):
    sent = form()
    for _ in range(2):
        staff.post(address("ask-groups", survey), sent)
    assert Report.objects.count() == 1


def test_what_cannot_be_compared_is_said_in_the_form(staff, survey):
    page = words(staff.post(address("ask-groups", survey), form(by="2", question="2")))
    assert "choose another question" in page
    assert not Report.objects.exists()


def test_another_survey_with_the_same_question_can_be_compared(staff, survey, owner):
    wave = answering.make_compared_survey(owner, seed=2, title="Second wave")
    sent = form(by="surveys", surveys=[str(wave.pk)])
    assert staff.post(address("ask-groups", survey), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", survey, report.pk)))
    assert "Second wave" in page
    assert "Habits and health" in page


def test_ratings_are_compared_between_groups_of_one_survey(staff, owner):
    survey = answering.make_rating_survey(owner, make_catalogue(owner, *"ABCD"))
    answering.rate(survey, 0, 2, 2, 0, times=10)
    answering.rate(survey, 1, 0, 1, 2, times=12)
    assert staff.post(address("ask-groups", survey), form()).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", survey, report.pk)))
    assert "on average an answer must move 0.33 steps of the scale" in page
    assert "random splits of the people, with all ratings of a person kept together" in page


def test_groups_by_a_randomized_question_say_that_their_sizes_are_estimates(staff, owner):
    survey = answering.make_compared_survey(owner, people=1_500)
    assert staff.post(address("ask-groups", survey), form(by="3")).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", survey, report.pk)))
    assert "To turn the answers of “No” into the answers of “Yes”" in page
    assert "about 8" in page
    assert (
        "random pairings: the reported answers that form the groups are paired again, at random, "
        "with the reported answers to compare" in page
    )
    assert "so it is not known who is in which group" in page
    lines = b"".join(staff.get(address("csv", survey, report.pk))).decode().splitlines()
    assert "people_are_estimates" in lines[0]


def test_hidden_groups_of_too_few_people_say_how_many_would_do(staff, owner):
    survey = answering.make_compared_survey(owner, people=40)
    staff.post(address("ask-groups", survey), form(by="3"))
    report = answering.finished(Report.objects.get())
    assert "standard errors above 0, and a group must have at least 10 people" in words(
        staff.get(address("report", survey, report.pk))
    )


def test_readers_may_compare_and_curators_alone_may_grow_trees(client, survey):
    client.force_login(member(survey, Role.ANALYST, "ben"))
    assert client.post(address("ask-groups", survey), form()).status_code == 302
    assert client.get(address("tree", survey)).status_code == 403
    tree = answering.grown(survey)
    assert client.get(address("report", survey, tree.pk)).status_code == 404
    assert client.get(address("picture", survey, tree.pk, "tree")).status_code == 404


def test_a_tree_is_asked_for_and_shown_to_curators(staff, survey):
    sent = {
        "question": "3",
        "by": ["1", "2"],
        "alpha": "0.05",
        "least": "20",
        "deepest": "3",
        "seed": "0",
        "key": str(uuid4()),
    }
    assert staff.post(address("ask-tree", survey), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", survey, report.pk)))
    assert "internal – do not publish" in page
    assert "If “1. Where do you live?” is “South”" in page
    assert "It says nothing about single respondents" in page
    pixels = staff.get(address("picture", survey, report.pk, "tree") + "?as=png").content
    assert pixels.startswith(b"\x89PNG")
    assert b"".join(staff.get(address("csv", survey, report.pk))).count(b"\n") >= 3
    assert AuditEntry.objects.filter(action="internal report seen").exists()


def test_what_a_comparison_holds_goes_with_the_answers_that_are_erased_first(staff, survey, owner):
    soon = timezone.now().date() + timedelta(days=30)
    wave = answering.make_compared_survey(owner, seed=2, title="Second wave", delete_on=soon)
    report = answering.compared(survey, by=None, surveys=(str(wave.pk),))
    assert report.extract.revision == wave.revision
    report.extract.delete()
    report = Report.objects.get(pk=report.pk)
    assert "The content of this report is deleted" in words(
        staff.get(address("report", survey, report.pk))
    )
    assert staff.get(address("json", survey, report.pk)).status_code == 404


@pytest.fixture
def unordered(owner):
    """Where people live (an answer without an order) and how they travel, both direct."""
    kinds, designs = Question.Kind, Question.Design
    survey = factories.make_survey(owner)
    for text, options in (("Where?", answering.TOWNS), ("How?", ("Car", "Bus"))):
        factories.add_question(
            survey, *options, text=text, kind=kinds.CHOICE, design=designs.DIRECT, required=True
        )
    survey = factories.launched(survey)
    codes = ["0000"] * 20 + ["0100"] * 10 + ["0001"] * 5 + ["0201"] * 25
    store_rows(survey.revision, codes)
    return survey


def test_answers_without_an_order_are_compared_by_a_table_of_distances(staff, unordered):
    sent = form(question="1", by="2", metric="0 1 4\n1 0 4\n4 4 0")
    assert staff.post(address("ask-groups", unordered), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", unordered, report.pk)))
    assert "an answer must move by 3.33 on average, measured with the given distances" in page
    assert "have no average pattern" in page
    assert "The p-value comes from 300 random splits of the reported answers." in page
    assert "2,000" not in page
    assert staff.get(address("picture", unordered, report.pk, "plan")).content.startswith(b"<svg")
    assert staff.get(address("picture", unordered, report.pk, "cumulative")).status_code == 404


@pytest.mark.parametrize(
    ("metric", "remedy"),
    [
        ("", "one row and one column"),
        (
            "0 1 9\n1 0 1\n9 1 0",
            "In a metric, the direct distance is never longer than the way over answer 2",
        ),
        ("0 x\nx 0", "Write a row of numbers"),
        ("0 1\n2 0", "the distance must be equal in both directions"),
    ],
)
def test_a_table_that_is_no_metric_is_refused(staff, unordered, metric, remedy):
    sent = form(question="1", by="2", metric=metric)
    assert remedy in words(staff.post(address("ask-groups", unordered), sent))
    assert not Report.objects.exists()


@pytest.mark.parametrize("row", ["0 1.5 4", "0; 1.5; 4", "0, 1.5, 4"])
def test_on_german_pages_distances_are_parted_by_semicolons_blanks_and_commas_before_blanks(
    staff, unordered, row
):
    staff.post(reverse("staff_language"), {"language": "de"})
    sent = form(question="1", by="2", metric=f"{row}\n1.5 0 4\n4 4 0")
    assert staff.post(address("ask-groups", unordered), sent).status_code == 302
    assert Report.objects.get().settings["metric"][0] == [0, 1.5, 4]


def test_on_german_pages_a_distance_with_a_comma_is_not_read_as_two(staff, unordered):
    """Read at each comma these were the rows 0 5 1, 5 0 1 and 1 1 0."""
    staff.post(reverse("staff_language"), {"language": "de"})
    sent = form(question="1", by="2", metric="0,5 1\n5,0 1\n1,1 0")
    page = words(staff.post(address("ask-groups", unordered), sent))
    assert (
        "Schreiben Sie Dezimalzahlen mit Punkt, und setzen Sie zwischen Zahlen ein Semikolon"
        in page
    )
    assert "Schreiben Sie für jede Antwort eine Zeile Zahlen: die Abstände" in page
    assert not Report.objects.exists()


def test_on_german_pages_a_distance_that_may_be_a_thousand_is_refused(staff, unordered):
    staff.post(reverse("staff_language"), {"language": "de"})
    sent = form(question="1", by="2", metric="0 1.000 4\n1.000 0 4\n4 4 0")
    page = words(staff.post(address("ask-groups", unordered), sent))
    assert "Schreiben Sie 1000 oder 1.0000." in page
    assert not Report.objects.exists()


def test_two_comparisons_stand_side_by_side_pair_by_pair(staff, survey):
    one, other = answering.compared(survey), answering.compared(survey, level=0.99)
    place = address("compare-groups", survey)
    page = words(staff.get(place, {"first": one.pk, "second": other.pk}))
    assert "North – South" in page
    assert page.count("p = ") == 6
    assert "Choose a different report" in words(
        staff.get(place, {"first": one.pk, "second": one.pk})
    )


def test_a_comparison_can_be_asked_for_again_with_the_answers_of_today(staff, survey):
    report = answering.compared(survey)
    assert staff.post(address("again", survey, report.pk)).status_code == 302
    again = Report.objects.exclude(pk=report.pk).get()
    assert (again.settings, again.state) == (report.settings, "queued")


@pytest.fixture
def numbered(owner):
    return answering.make_numbered_survey(owner)


def test_groups_are_compared_on_several_numbers_at_once(staff, numbered):
    sent = {
        "questions": ["2", "3"],
        "by": "1",
        "metric": "euclidean",
        "seed": "0",
        "key": str(uuid4()),
    }
    assert staff.post(address("ask-clouds", numbered), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", numbered, report.pk)))
    assert "spreads on average (exact, by assignment)" in page
    assert "People who preferred not to answer one of these questions are left out: 10." in page
    assert b"".join(staff.get(address("csv", numbered, report.pk))).count(b"\n") == 2
    assert staff.get(address("picture", numbered, report.pk, "distances")).content.startswith(
        b"<svg"
    )
    assert "each group is split into two random halves" in page
    assert "The p-value comes from 99 random splits of the people." in page
    refused = staff.post(address("ask-clouds", numbered), {**sent, "questions": ["2"]})
    assert "choose 2 to 8 questions" in words(refused)


def test_randomized_answers_are_among_several_questions_at_once(staff, survey):
    sent = {"questions": ["2", "3"], "by": "1", "metric": "manhattan", "seed": "0"}
    sent["key"] = str(uuid4())
    assert staff.post(address("ask-clouds", survey), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(staff.get(address("report", survey, report.pk)))
    assert "exact, on a grid of 8 combinations of answers" in page
    assert "The effect of the randomization is removed for each question separately" in page


def test_a_reader_who_asks_for_a_comparison_may_cancel_and_repeat_it(client, survey):
    client.force_login(member(survey, Role.ANALYST, "ben"))
    client.post(address("ask-groups", survey), form())
    report = Report.objects.get()
    client.post(address("cancel", survey, report.pk))
    assert Report.objects.get().state == "cancelled"
    client.post(address("repeat", survey, report.pk))
    assert Report.objects.get().state == "queued"
