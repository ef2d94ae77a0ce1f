"""What a dashboard says."""

import re
from collections import Counter
from html import unescape
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close, launch
from surveys.collecting.openings import count_anew
from surveys.collecting.services import receive
from surveys.models import Membership, Question, SetAside, Survey
from surveys.models.queries import questionnaire_of
from surveys.planning.services import set_plan
from surveys.randomized_response.estimates import estimate_distribution, estimate_prevalence
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import FIXED, Reading, methods_for
from surveys.results.shares import ALL_AGREE, CUT, NEVER_REPORTED, ONE_ANSWER
from surveys.staff.members.services import add_member
from tests import factories, kept
from tests.bodies import body_of

survey = kept.survey


@pytest.fixture
def owner(db):
    """Somebody else: who has no survey yet."""
    return factories.make_user("grace")


def item_of(survey, number: int):
    return questionnaire_of(survey.revision).items[number - 1]


def report_of(survey, number: int, counts: dict[str, int], **reading):
    item = item_of(survey, number)
    return question_report(number, ItemCounts(item, Counter(counts)), Reading(**reading))


def html(client, survey, query: str = "") -> str:
    client.force_login(survey.owner)
    response = client.get(reverse("surveys:dashboard", args=[survey.pk]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def without_tokens(page: str) -> str:
    """What is the same each time that a page is asked for."""
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", page)


def answer(survey, times: int = 1, **fields) -> None:
    for _ in range(times):
        receive(survey_id=survey.pk, body=body_of(survey.revision, **fields))


def test_a_new_survey_says_that_there_are_no_answers_yet(client, survey):
    page = html(client, survey)
    assert page.count("No answers yet") == 6
    assert "No numbers yet" in page
    assert "<strong>0</strong> responses" in page


def test_how_many_answers_are_stored_together_is_said_and_never_how_many_wait(client, owner):
    draft = factories.make_survey(owner, batch_size=5)
    factories.add_question(draft, required=True)
    survey = factories.launched(draft)
    said = "All answers, including the first ones, are stored in batches of at least 5."
    empty = without_tokens(html(client, survey))
    assert said in empty
    answer(survey, 3)
    assert without_tokens(html(client, survey)) == empty
    answer(survey, 2)
    full = html(client, survey)
    assert "<strong>5</strong> responses" in full
    assert said in full
    close(survey=survey, by=owner)
    assert said not in html(client, survey)


def test_a_survey_without_answers_leads_to_the_page_that_people_answer_on(client, survey):
    link = f'<a href="{reverse("respondent:start", args=[survey.pk])}">the respondents\' page</a>'
    page = html(client, survey)
    assert f"People answer on {link}." in page
    assert "Estimates appear once the first answers are stored." in page
    answer(survey)
    assert "People answer on" not in html(client, survey)


def test_both_paths_are_counted_and_compared_with_the_plan(client, survey):
    set_plan(survey=survey, responses=12, by=survey.owner)
    answer(survey, 2)
    answer(survey, own_coin=True)
    page = html(client, survey)
    assert "<strong>3</strong> of 12 planned responses" in page
    assert '<progress max="12" value="3"' in page
    assert "used their own coin" not in page
    close(survey=survey, by=survey.owner)
    assert "People who used their own coin: 1." in words(client, survey)


def test_whoever_was_not_asked_is_left_out_and_mentioned(client, survey):
    answer(survey, own_coin=True)
    assert item_of(survey, 3).is_offered_with_own_coin is False
    assert "1 more row has no answer to this question and is left out" in html(client, survey)
    assert report_of(survey, 3, {"00": 5, "--": 2}).n == 5


def test_the_table_holds_the_estimates_of_the_library(survey):
    report = report_of(survey, 1, {"00": 80, "01": 40})
    expected = estimate_prevalence(item_of(survey, 1).channel, [80, 40])
    yes = report.rows[0]
    assert (yes.label, yes.reported) == ("Yes", 40)
    assert yes.share == pytest.approx(expected.prevalence)
    assert yes.standard_error == pytest.approx(expected.standard_error)
    assert yes.interval == expected.interval(0.95, "clopper-pearson")


@pytest.mark.parametrize("method", [name for name, _ in methods_for(None)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_method_and_the_level_are_those_that_were_asked_for(survey, method, level):
    report = report_of(survey, 2, {"00": 50, "01": 30, "02": 20}, method=method, stated=level)
    expected = estimate_distribution(item_of(survey, 2).channel, [50, 30, 20])
    assert report.rows[0].interval == expected.interval(1, level, method)
    # No ratio is one count, so that "exact, else score" is score.
    ratio = expected.ratio(1, (0, 1), level, "score" if method == FIXED else method)
    assert report.among_answered.interval == ratio.interval
    assert report.among_answered.share == ratio.value


def test_estimates_are_cut_off_for_display_only(client, survey):
    report = report_of(survey, 1, {"00": 100, "01": 0})
    yes = report.rows[0]
    assert yes.share == -0.5
    assert (yes.estimate_words, yes.low_words) == ("0.0 %", "0.0 %")
    assert yes.raw_words.startswith("−50.00 % (−50.00 % to ")
    assert CUT in report.notes


def test_a_standard_error_of_nothing_is_explained(survey):
    assert ALL_AGREE in report_of(survey, 1, {"00": 100}).notes
    assert ALL_AGREE not in report_of(survey, 1, {"00": 99, "01": 1}).notes


def test_one_answer_has_no_standard_error_and_the_page_says_why(client, survey):
    answer(survey)
    page = html(client, survey)
    assert str(ONE_ANSWER) in page
    assert "Too few answers to say anything: the interval spans" in page
    assert report_of(survey, 1, {"00": 1}).rows[0].error_words == "–"


def test_the_warning_goes_when_the_intervals_are_narrow(survey):
    assert report_of(survey, 1, {"00": 12, "01": 8}).is_too_wide
    assert not report_of(survey, 1, {"00": 120, "01": 80}).is_too_wide


def test_false_reports_move_an_estimate_by_one_over_the_slope(survey):
    by_default = report_of(survey, 1, {"00": 150, "01": 50})
    assert by_default.false_reports == 2
    assert by_default.movement == pytest.approx(2 / 200 / 0.5)
    assert report_of(survey, 1, {"00": 150, "01": 50}, false_reports=10).movement == (
        pytest.approx(0.1)
    )
    assert by_default.movement_words == "2.00 percentage points"


def test_more_false_reports_than_answers_are_all_answers(survey):
    assert report_of(survey, 1, {"00": 3}, false_reports=10**9).false_reports == 3


def test_a_direct_question_is_labelled_and_counted_as_it_was_answered(client, survey):
    assert html(client, survey).count("asked directly, not protected") == 2
    report = report_of(survey, 6, {"00": 60, "01": 20, "02": 20})
    assert [row.share for row in report.rows] == pytest.approx([0.2, 0.6, 0.2])
    assert report.among_answered.share == pytest.approx(0.25)
    assert report.among_answered.reported == 20


def test_a_direct_question_that_everybody_declined_has_no_share_among_answers(survey):
    assert report_of(survey, 6, {"02": 4}).among_answered is None


def test_both_meanings_and_the_cost_of_peeking_are_said(client, survey):
    page = html(client, survey, "?method=wilson")
    for words in (
        "As a statement about exactly the people who answered",
        "contain the true value more often than 95 %",
        "As a statement about the population of the respondents",
        "fixed beforehand",
    ):
        assert words in page


SELECTED = '<option value="{}" selected>'


def test_while_a_survey_is_open_its_intervals_hold_at_every_look_and_the_page_says_why(
    client, survey
):
    answer(survey, 3)
    page = html(client, survey)
    assert SELECTED.format("confidence-sequence") in page
    assert "as often as you like" in page
    assert 'href="#looking"' in page
    assert 'id="looking"' in page
    assert "questions/1.svg?method=confidence-sequence" in page
    assert "fixed beforehand" not in page


def test_the_reader_may_choose_one_look_and_is_told_the_price(client, survey):
    page = html(client, survey, "?method=clopper-pearson")
    assert SELECTED.format("clopper-pearson") in page
    assert "miss the true value more often than stated" in page


def test_once_a_survey_is_closed_the_exact_interval_is_the_default(client, survey):
    answer(survey, 3)
    close(survey=survey, by=survey.owner)
    page = html(client, survey)
    assert SELECTED.format("clopper-pearson") in page
    assert "for one look at the final number of responses" in page
    assert "the narrower Clopper-Pearson" in html(client, survey, "?method=confidence-sequence")


def test_the_sequence_is_wider_than_the_interval_for_one_look_and_at_most_twice_at_10_000(survey):
    counts = {"00": 6000, "01": 4000}
    live, fixed = (
        report_of(survey, 1, counts, method=method).rows[0].interval.width
        for method in ("confidence-sequence", "clopper-pearson")
    )
    assert fixed < live <= 2 * fixed


def test_nothing_is_promised_about_who_sent_what(client, survey):
    answer(survey)
    page = html(client, survey).lower()
    assert not [word for word in ("unlinkable", "anonym", "cannot be traced") if word in page]


@pytest.mark.parametrize(
    "query",
    [
        "?method=nonsense",
        "?level=94",
        "?level=95&method=%00",
        "?false_reports=-1",
        "?false_reports=%D9%A1",
        "?false_reports=1e400",
        "?false_reports=99999999999999999999",
        "?method=wald&method=wilson",
        "?level=%F0%9F%98%80",
    ],
)
def test_garbage_in_the_address_is_answered_with_the_defaults_or_words(client, survey, query):
    answer(survey, 2)
    assert "Clopper-Pearson" in html(client, survey, query)
    picture = client.get(reverse("surveys:chart", args=[survey.pk, 1]) + query)
    assert picture.status_code == 200


def test_the_pictures_show_the_same_reading_as_the_tables(client, survey):
    answer(survey, 2)
    page = html(client, survey, "?method=wald&level=99&false_reports=1")
    assert 'questions/1.svg?method=wald&amp;level=99&amp;false_reports=1"' in page


def test_a_question_is_shown_as_text_whatever_it_holds(client, owner):
    survey = factories.make_survey(owner, title="<script>alert(1)</script>")
    factories.add_question(survey, text="<b>Bold?</b>\"'")
    launch(survey=survey, by=owner)
    survey = Survey.objects.get(pk=survey.pk)
    answer(survey)
    page = html(client, survey)
    assert "<script>" not in page
    assert "<b>" not in page


class TestNumbers:
    """Summaries from grouped counts equal those of the values written out."""

    @pytest.fixture
    def ages(self, survey):
        return lambda counts: report_of(survey, 7, counts)

    def test_mean_deviation_and_quartiles(self, ages):
        report = ages({"018": 1, "020": 2, "031": 1, "---": 4})
        assert (report.n, report.declined) == (4, 4)
        assert report.mean == pytest.approx(22.25)
        assert report.deviation == pytest.approx(5.909032633745278)
        assert report.quartiles == pytest.approx((19.5, 20.0, 22.75))
        assert (report.smallest, report.largest) == (18, 31)

    def test_one_number_has_no_deviation(self, ages):
        report = ages({"042": 1})
        assert report.deviation is None
        assert report.quartiles == (42, 42, 42)
        assert [(bar.label, bar.count) for bar in report.bins] == [("42", 1)]

    def test_bins_cover_every_number_once_and_keep_the_gaps(self, ages):
        report = ages({"018": 3, "120": 5, "055": 2})
        assert sum(bar.count for bar in report.bins) == 10
        assert len(report.bins) <= 13
        assert all(a.high == b.low for a, b in zip(report.bins, report.bins[1:], strict=False))

    def test_everybody_declined(self, client, ages):
        report = ages({"---": 2})
        assert (report.n, report.declined, report.bins) == (0, 2, ())

    def test_two_digits_that_were_declined_are_not_taken_for_not_asked(self, client, owner):
        survey = factories.make_survey(owner)
        factories.add_question(
            survey,
            text="Hours?",
            kind=Question.Kind.NUMBER,
            design=Question.Design.DIRECT,
            minimum=0,
            maximum=24,
        )
        launch(survey=survey, by=owner)
        survey = Survey.objects.get(pk=survey.pk)
        answer(survey, codes=["--"])
        assert "Preferred not to say: 1." in html(client, survey)


def test_the_list_shows_state_responses_and_links(client, survey):
    answer(survey, 3)
    set_plan(survey=survey, responses=40, by=survey.owner)
    client.force_login(survey.owner)
    page = " ".join(client.get(reverse("surveys:list")).content.decode().split())
    for words in ("3 of 40", "Open", reverse("respondent:start", args=[survey.pk])):
        assert words in page


def test_an_empty_list_says_how_to_make_the_first_survey(client, owner):
    client.force_login(owner)
    page = client.get(reverse("surveys:list")).content.decode()
    assert "No surveys yet" in page
    assert reverse("admin:surveys_survey_add") in page


def test_titles_are_searched_and_pages_hold_twenty_five(client, owner):
    for number in range(27):
        factories.make_survey(owner, title=f"Survey {number:02d}")
    client.force_login(owner)
    address = reverse("surveys:list")
    assert client.get(address).content.decode().count("Survey 2") > 0
    assert "Page 1 of 2" in client.get(address).content.decode()
    assert "Survey 26" in client.get(address, {"page": "2"}).content.decode()
    found = client.get(address, {"q": "survey 13"}).content.decode()
    assert "Survey 13" in found
    assert "Survey 14" not in found
    assert "No title contains" in client.get(address, {"q": "zebra"}).content.decode()
    for garbage in ({"q": "\0"}, {"q": "x" * 999}, {"page": "-1"}, {"page": "٣"}):
        assert client.get(address, garbage).status_code == 200


def test_the_reading_form_keeps_the_default_of_one_in_a_hundred(client, survey):
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk]))
    assert page.context["reading"] == Reading("confidence-sequence", 0.95, None)


def test_an_answer_that_nobody_gave_is_not_called_agreement(survey):
    yes_no = report_of(survey, 6, {"00": 5, "01": 3})
    assert NEVER_REPORTED in yes_no.notes
    assert ALL_AGREE not in yes_no.notes


def test_small_numbers_keep_their_places_and_the_mean_its_interval(owner):
    draft = factories.make_survey(owner)
    factories.add_question(
        draft,
        text="How much?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        minimum=0,
        maximum="0.01",
        decimal_places=4,
    )
    launch(survey=draft, by=owner)
    small = report_of(Survey.objects.get(pk=draft.pk), 1, {"0.0010": 3, "0.0040": 2, "0.0090": 1})
    table = dict(small.statistics)
    assert (table["Mean"], table["Largest"]) == ("0.003333", "0.009")
    assert table["Mean, 95 % interval (tilting, for one look)"] == "0.00151 to 0.006329"
    assert len({bar.label for bar in small.bins}) == len(small.bins)


# How far collecting has come.


def words(client, survey) -> str:
    return unescape(html(client, survey))


def with_answers(survey, count: int) -> None:
    """Invited people answer; what they write would be found anywhere."""
    _, item = questionnaire_of(survey.revision).numbered.texts[0]
    for token in factories.invite(survey, count):
        codes = ["00", item.encode("SENTINEL")]
        answer(survey, codes=codes, invitation=token)


def test_the_page_does_not_say_how_many_wait_and_says_why_they_do(client, owner):
    survey = factories.make_invited_survey(owner, batch_size=5)
    with_answers(survey, 1)
    page = words(client, survey).split("<main")[1]
    assert "until at least 5 are stored together as a batch" in page
    with_answers(survey, 3)  # and three more invitations were made
    now = words(client, survey).split("<main")[1]
    assert now == page.replace("0 of 1 invitation was", "0 of 4 invitations were")
    with_answers(survey, 1)
    assert "<strong>5</strong> responses" in words(client, survey)


def test_used_invitations_are_counted_while_open_and_after_they_were_erased(client, owner):
    survey = factories.make_invited_survey(owner)
    with_answers(survey, 3)
    factories.invite(survey, 1)
    assert "At least 0 of 4 invitations were used" in words(client, survey)
    count_anew(survey, timezone.now().date())
    assert "At least 3 of 4 invitations were used" in words(client, survey)
    close(survey=survey, by=owner)
    assert not survey.invitations.exists()
    assert "3 of 4 invitations were used" in words(client, survey)


def test_a_survey_that_is_open_to_all_mentions_no_invitations(client, survey):
    assert "invitations were used" not in words(client, survey)


@pytest.mark.parametrize(
    ("people", "warning"),
    [
        (0, None),
        (1, "Only 1 person answered. Someone who knows who this person was knows whose answers"),
        (4, "Only 4 people answered, fewer than the 5 of one batch."),
        (5, None),
    ],
)
def test_a_closed_survey_with_less_than_one_batch_warns(client, owner, people, warning):
    survey = factories.make_invited_survey(owner, batch_size=5)
    with_answers(survey, people)
    assert 'class="warning">Only' not in words(client, survey)
    close(survey=survey, by=owner)
    page = words(client, survey)
    assert ('class="warning">Only' in page) is bool(warning)
    if warning:
        assert warning in page
    assert ("with a chance of 1 in 4" in page) is (people == 4)


def test_lost_answers_are_said_in_words(client, survey):
    Survey.objects.update(lost_answers=1)
    assert "1 answer was waiting for its batch. It was lost with the key" in words(client, survey)
    Survey.objects.update(lost_answers=1200)
    assert "1,200 answers were waiting for their batch. They were lost" in words(client, survey)
    Survey.objects.update(lost_answers=0)
    assert "lost with the key" not in words(client, survey)


def test_answers_that_were_set_aside_are_told_in_steps_and_after_the_close_exactly(client, owner):
    survey = factories.make_invited_survey(owner, batch_size=5)
    assert "cannot be read" not in words(client, survey)
    set_aside(survey, 3)
    assert "Some answers cannot be read (fewer than 5)." in words(client, survey)
    set_aside(survey, 4)
    page = words(client, survey)
    assert "At least 5 answers cannot be read (counted in steps of 5)." in page
    assert "used invitations stay used" in page
    assert reverse("surveys:invitations", args=[survey.pk]) in page
    close(survey=survey, by=owner)
    page = words(client, survey)
    assert "7 answers cannot be read." in page
    assert "used invitations stay used" not in page


def set_aside(survey, count: int) -> None:
    SetAside.objects.bulk_create(
        SetAside(revision=survey.revision, batch=uuid4(), ciphertext=b"sealed")
        for _ in range(count)
    )


def test_a_text_question_says_how_many_wrote_and_never_what(client, owner):
    survey = factories.make_invited_survey(owner)
    with_answers(survey, 2)
    page = words(client, survey)
    assert "2 people wrote something" in page
    assert "SENTINEL" not in page
    assert page.count('class="chart"') == 1
    assert client.get(reverse("surveys:chart", args=[survey.pk, 2])).status_code == 404
    assert client.get(reverse("surveys:chart", args=[survey.pk, 1])).status_code == 200


def test_only_who_may_rule_is_offered_the_texts(client, owner):
    survey = factories.make_invited_survey(owner)
    texts = reverse("surveys:texts", args=[survey.pk])
    assert texts in words(client, survey)
    editor = factories.make_user("editor")
    Membership.objects.create(survey=survey, user=editor, role="editor")
    client.force_login(editor)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert texts not in page
    assert "owner can download the texts" in page


@pytest.mark.parametrize(
    ("role", "words"),
    [("editor", "You are an editor of this survey"), ("analyst", "You are an analyst")],
)
def test_editors_and_analysts_read_their_role(client, survey, role, words):
    grace = factories.make_user("grace")
    add_member(survey=survey, username="grace", role=role, by=survey.owner)
    address = reverse("surveys:dashboard", args=[survey.pk])
    for user, told in ((grace, True), (survey.owner, False)):
        client.force_login(user)
        assert (words in client.get(address).content.decode()) is told
