"""Arms on the dashboard: how many people each has, and the same question asked in two ways."""

import pytest
from django.urls import reverse

from surveys.models import Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.randomized_response.relations import difference_of_shares
from surveys.results.analyses.arms import arms_report, compared_questions
from surveys.results.reading import Reading
from surveys.tallies.services import recount
from tests.arms import COINS, COMPARED, DIRECT, codes_in, make_arms_survey
from tests.factories import add_question, launched, make_open_survey, make_survey

pytestmark = pytest.mark.django_db
FIXED = Reading("score", 0.95)


def store(survey: Survey, arm: str, place: int, *, yes: int, no: int) -> None:
    """So many responses of people of one arm who reported yes and no to its question."""
    codes = codes_in(questionnaire_of(survey.revision), arm)
    rows = []
    for code, count in (("01", yes), ("00", no)):
        answers = [*codes[:place], code, *codes[place + 1 :]]
        items = questionnaire_of(survey.revision).items
        kept = [one for item, one in zip(items, answers, strict=True) if not item.text_bytes]
        rows += [Response(revision=survey.revision, answers="".join(kept) + arm)] * count
    Response.objects.bulk_create(Response(revision=r.revision, answers=r.answers) for r in rows)
    recount(survey.revision.pk)


def test_a_survey_without_arms_has_no_report(owner, client):
    survey = make_open_survey(owner)
    assert arms_report(survey.revision, FIXED) is None
    client.force_login(owner)
    assert b"Chance put each person" not in client.get(dashboard(survey)).content


def dashboard(survey: Survey) -> str:
    return reverse("surveys:dashboard", args=[survey.pk])


def test_the_same_question_in_three_arms_is_compared_pair_by_pair(owner):
    questionnaire = questionnaire_of(make_arms_survey(owner).revision)
    pairs = list(compared_questions(questionnaire))
    assert [(a, b) for (a, _), (b, _) in pairs] == [(2, 3), (2, 4), (3, 4)]


def test_only_the_same_words_and_answers_of_different_arms_are_compared(owner):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    for text, options, arms in (
        ("How do you travel?", ("Bus", "Car"), "One"),
        ("How  do you TRAVEL?", ("Bus", "car"), "Other"),
        ("How do you travel?", ("Bus", "Train"), "Other"),
        ("How do you travel home?", ("Bus", "Car"), "Other"),
        ("How do you travel?", ("Bus", "Car"), ""),
    ):
        add_question(draft, *options, text=text, kind="choice", arms=arms)
    pairs = list(compared_questions(questionnaire_of(launched(draft).revision)))
    assert [(a, b) for (a, _), (b, _) in pairs] == [(1, 2)]


def test_the_difference_is_the_protected_share_minus_the_direct_one(owner):
    survey = make_arms_survey(owner)
    store(survey, DIRECT, 1, yes=20, no=180)
    store(survey, COINS, 2, yes=150, no=250)
    report = arms_report(survey.revision, FIXED)
    assert [(row.responses, row.odds_words) for row in report.rows] == [
        (200, "1 in 4"),
        (400, "2 in 4"),
        (0, "1 in 4"),
    ]
    first, withheld, _ = report.comparisons
    assert withheld.is_withheld
    assert withheld.answers == ()
    assert (first.first.way_words, first.first.n, first.second.n) == ("asked directly", 200, 400)
    assert first.second.way_words.startswith("randomized, epsilon 1.10 (")
    (answer,) = first.answers
    assert answer.label == "Yes"
    # Two coins send yes of a quarter of all, and of three quarters whose truth it is.
    assert [share.value for share in answer.shares] == pytest.approx([0.1, 0.25])
    assert answer.difference.value == pytest.approx(0.15)
    expected = difference_of_shares(
        DistributionEstimate(questionnaire_of(survey.revision).items[2].channel, (250, 150)),
        DistributionEstimate(Direct(2).channel, (180, 20)),
        option=1,
        level=0.95,
        method="score",
    )
    assert answer.difference.interval == expected.interval
    assert answer.difference.verdict == "higher"


@pytest.mark.parametrize(
    "method", ["confidence-sequence", "clopper-pearson", "wilson", "wald", "chebyshev"]
)
def test_each_way_of_reading_gives_an_interval_that_holds_the_difference(owner, method):
    survey = make_arms_survey(owner)
    store(survey, DIRECT, 1, yes=20, no=180)
    store(survey, COMPARED, 3, yes=150, no=250)
    (_, comparison, _) = arms_report(survey.revision, Reading(method, 0.95)).comparisons
    (answer,) = comparison.answers
    assert answer.difference.interval.contains(answer.difference.value)


def test_nothing_is_shown_of_fewer_people_than_a_batch(owner):
    survey = make_arms_survey(owner, batch_size=20)
    store(survey, DIRECT, 1, yes=5, no=15)
    store(survey, COINS, 2, yes=5, no=14)
    first, *_ = arms_report(survey.revision, FIXED).comparisons
    assert first.is_withheld
    store(survey, COINS, 2, yes=1, no=0)
    first, *_ = arms_report(survey.revision, FIXED).comparisons
    assert not first.is_withheld


def test_the_dashboard_shows_arms_and_break_downs_go_by_them(owner, client):
    survey = make_arms_survey(owner, batch_size=5)
    store(survey, DIRECT, 1, yes=20, no=180)
    store(survey, COINS, 2, yes=150, no=250)
    client.force_login(owner)
    page = client.get(dashboard(survey)).content.decode()
    assert "Questions 2 and 3:" in page
    assert "It does not say which" in page
    assert "Fewer than 5 people have answered one of them so far." in page
    address = reverse("surveys:break-down", args=[survey.pk])
    choices = client.get(address).content.decode()
    assert choices.count("8. Arm, drawn by chance") == 2  # to break down by, and also by
    found = client.get(address, {"question": "7", "by": "8", "method": "wald"}).content.decode()
    assert "With coins" in found
    assert "600 answers" in found
