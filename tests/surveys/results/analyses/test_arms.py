"""Arms on the dashboard: how many people each has, and the same question asked in two ways."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from surveys.authoring.drafts import draft_questionnaire
from surveys.counts.services import recount
from surveys.models import Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import DistributionEstimate, MeanEstimate
from surveys.randomized_response.intervals.intervals import OUTSIDE
from surveys.randomized_response.relations import difference_of_means, difference_of_shares
from surveys.results.analyses.arms import arms_report, compared_lists, compared_questions
from surveys.results.reading import Reading
from tests.arms import COINS, COMPARED, DIRECT, codes_in, make_arms_survey, make_list_experiment
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


def test_shares_and_differences_are_shown_within_their_scales(owner):
    """As on break-downs: few people and a worked-back share give ends beyond what can be."""
    survey = make_arms_survey(owner)
    store(survey, DIRECT, 1, yes=0, no=12)
    store(survey, COINS, 2, yes=12, no=0)
    (answer,) = arms_report(survey.revision, Reading("wald", 0.95)).comparisons[0].answers
    for found in answer.shares:
        assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert (answer.shares[1].value, answer.difference.value) == (1, 1)
    assert -1 <= answer.difference.interval.low <= answer.difference.interval.high <= 1


def test_reports_that_no_share_explains_are_said_to_be_improbable(owner, client):
    survey = make_arms_survey(owner)
    store(survey, DIRECT, 1, yes=20, no=180)
    store(survey, COINS, 2, yes=0, no=200)  # two coins send yes of a quarter of all people
    (answer,) = arms_report(survey.revision, FIXED).comparisons[0].answers
    assert [share.reason for share in answer.shares] == ["", OUTSIDE]
    client.force_login(owner)
    assert OUTSIDE in client.get(dashboard(survey) + "?method=score").content.decode()


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
    assert "does not show which way of asking" in page
    assert "Fewer than 10 people have answered one of these two questions so far." in page
    address = reverse("surveys:break-down", args=[survey.pk])
    choices = client.get(address).content.decode()
    assert choices.count("8. Arm, drawn by chance") == 2  # to break down by, and also by
    found = client.get(address, {"question": "7", "by": "8", "method": "wald"}).content.decode()
    assert "With coins" in found
    assert "600 answers" in found


def store_counts(survey: Survey, arm: str, counts: list[int]) -> None:
    """So many people of an arm for whom none, one, two and so on of its statements hold."""
    for number, count in enumerate(counts):
        answers = f"{number:02d}--{arm}" if arm == DIRECT else f"--{number:02d}{arm}"
        rows = (Response(revision=survey.revision, answers=answers) for _ in range(count))
        Response.objects.bulk_create(rows)
    recount(survey.revision.pk)


def test_a_list_experiment_tells_the_share_of_the_one_more_statement(owner, client):
    survey = launched(make_list_experiment(owner))
    store_counts(survey, DIRECT, [30, 40, 20, 10])
    store_counts(survey, COINS, [20, 40, 20, 15, 5])
    report = arms_report(survey.revision, FIXED)
    assert report.comparisons == ()
    (found,) = report.lists
    assert (found.first.number, found.second.number) == (1, 2)
    assert found.means == pytest.approx((1.1, 1.45))
    short, long = (
        MeanEstimate(tuple(map(float, range(len(counts)))), counts)
        for counts in ((30, 40, 20, 10), (20, 40, 20, 15, 5))
    )
    assert found.share.value == pytest.approx(0.35)
    assert found.share.interval == difference_of_means(long, short, 0.95).interval
    client.force_login(owner)
    page = client.get(dashboard(survey)).content.decode()
    assert "List experiment, questions 1 and 2:" in page
    assert "on average 1.45 statements apply" in page


@pytest.mark.parametrize(("many", "is_left"), [(1, True), (100, False)])
def test_a_list_that_counts_fewer_with_one_more_statement_shows_no_negative_share(
    owner, client, many, is_left
):
    survey = launched(make_list_experiment(owner))
    store_counts(survey, DIRECT, [2 * many, 4 * many, 2 * many, 2 * many])
    store_counts(survey, COINS, [4 * many, 3 * many, 2 * many, many])
    (found,) = arms_report(survey.revision, FIXED).lists
    assert (found.share.value, found.share.interval.low) == (0, 0)
    assert (found.share.interval.high > 0) is is_left
    client.force_login(owner)
    page = " ".join(client.get(dashboard(survey)).content.decode().split())
    assert "<strong>0.0 %</strong>" in page
    assert ("lies outside the possible range" not in found.note) is is_left
    assert escape(found.note) in page


def test_counts_through_k_ary_are_worked_back(owner):
    survey = launched(make_list_experiment(owner, design="k_ary", epsilon="2"))
    store_counts(survey, DIRECT, [100, 100, 100, 100])
    store_counts(survey, COINS, [100, 100, 100, 100, 100])
    (found,) = arms_report(survey.revision, FIXED).lists
    # Reports that are even say that truths are, with a mean in the middle.
    assert found.means == pytest.approx((1.5, 2.0))
    direct = launched(make_list_experiment(owner))
    store_counts(direct, DIRECT, [100, 100, 100, 100])
    store_counts(direct, COINS, [100, 100, 100, 100, 100])
    (sure,) = arms_report(direct.revision, FIXED).lists
    assert found.share.interval.width > 1.5 * sure.share.interval.width


def test_nothing_of_a_list_experiment_is_shown_of_fewer_than_a_batch(owner):
    draft = make_list_experiment(owner)
    Survey.objects.filter(pk=draft.pk).update(batch_size=20)
    survey = launched(Survey.objects.get(pk=draft.pk))
    store_counts(survey, DIRECT, [10, 5, 2, 2])
    store_counts(survey, COINS, [20, 40, 20, 15, 5])
    (found,) = arms_report(survey.revision, FIXED).lists
    assert (found.means, found.share) == ((), None)


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        (("0", "1", "2"), {"arms": "One"}),  # in the same arm
        (("0", "1", "2", "3", "4", "5"), {}),  # two more
        (("1", "2", "3"), {}),  # no count
        (("0", "1", "2"), {"text": "How many of those?"}),
        (("0", "1", "2"), {"required": False}),  # who declines has no count
    ],
)
def test_other_questions_are_no_list_experiment(owner, options, changes):
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    usual = {"kind": "scale", "design": "direct", "required": True, "text": "How many of these?"}
    add_question(draft, "0", "1", "2", "3", **usual, arms="One")
    add_question(draft, *options, **{**usual, "arms": "Other", **changes})
    add_question(draft, text="All in all?", arms="")
    assert list(compared_lists(draft_questionnaire(draft))) == []
