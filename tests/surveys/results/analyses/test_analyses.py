"""Weighted estimates and guided regressions: what the pages and the files say."""

from time import process_time
from typing import ClassVar
from urllib.parse import quote

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.urls import reverse

from surveys.models import AuditEntry
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.samples import estimate_weighted_distribution
from surveys.results.analyses.breakdowns import breakdown
from surveys.results.analyses.forms import answerable, groupable
from surveys.results.analyses.weighted_people import SampleDesign
from surveys.results.analyses.weighting import NO_WEIGHTS, WITHHELD, weighted_report
from surveys.results.analyses.weights_kind import WeightsForm, blocks_of
from surveys.results.disclosure import LEAST_GROUP
from surveys.results.reading import Reading
from surveys.staff.members.services import add_member
from surveys.wording.language.numbers import number_words, percent
from tests import factories, kept
from tests.surveys.results.analyses import asked as answers
from tests.surveys.results.analyses.asked import (
    crossed,
    items_of,
    page_of,
    rows_of,
)

owner = kept.owner
asked = survey = kept.survey
launched_survey = answers.launched_survey
answered_before, answered = answers.answered_before, answers.answered
BY_NUMBER = SampleDesign(has_weight=True)


class TestWeights:
    def test_a_number_is_the_weight_of_its_respondent(self, asked):
        counts = {("00", "1"): 60, ("01", "1"): 40, ("00", "3"): 20, ("01", "3"): 30}
        report = weighted_report(crossed(asked, (1, 3), counts), Reading(), BY_NUMBER)
        channel = items_of(asked, 1)[0].channel
        reports = np.repeat([0, 1, 0, 1], [60, 40, 20, 30])
        weights = np.repeat([1, 1, 3, 3], [60, 40, 20, 30])
        expected = estimate_weighted_distribution(channel, reports, weights)
        assert report.rows[0].share == pytest.approx(expected.shares[1])
        assert report.rows[0].interval == expected.interval(1)
        assert report.effective_n == pytest.approx((100 + 150) ** 2 / (100 + 450))
        assert report.n == 150

    def test_known_shares_make_the_groups_count_as_in_the_population(self, asked):
        """North has 20 % of the people and half of the answers: weights 0.4 and 1.6."""
        counts = {("00", "00"): 60, ("01", "00"): 40, ("00", "01"): 30, ("01", "01"): 70}
        report = weighted_report(
            crossed(asked, (1, 2), counts), Reading(), SampleDesign([{"00": 20, "01": 80}])
        )
        reported = 0.2 * 0.4 + 0.8 * 0.7
        assert report.rows[0].share == pytest.approx((reported - 0.25) / 0.5)

    def test_known_shares_have_the_interval_of_the_package_by_group(self, asked):
        counts = {("00", "00"): 60, ("01", "00"): 40, ("00", "01"): 30, ("01", "01"): 70}
        report = weighted_report(
            crossed(asked, (1, 2), counts), Reading(), SampleDesign([{"00": 20, "01": 80}])
        )
        channel = items_of(asked, 1)[0].channel
        reports, groups = np.repeat([0, 1, 0, 1], [60, 40, 30, 70]), np.repeat([0, 1], 100)
        expected = estimate_weighted_distribution(
            channel, reports, np.repeat([0.2, 0.8], 100), poststrata=groups
        )
        for row, place in zip(report.rows, (1, 0), strict=True):
            assert row.interval.method == "square-and-add"
            ends = row.interval.low, row.interval.high
            interval = expected.interval(place)
            assert ends == pytest.approx((interval.low, interval.high), abs=1e-12)
            assert row.effective_n == pytest.approx(expected.effective_number(place))
        linear = Reading("korn-graubard")
        report = weighted_report(
            crossed(asked, (1, 2), counts), linear, SampleDesign([{"00": 20, "01": 80}])
        )
        assert report.rows[0].interval.low == pytest.approx(
            expected.interval(1, method="korn-graubard").low
        )

    def test_impossible_reports_and_useless_intervals_are_said(self, asked):
        counts = {("00", "2"): 40}
        report = weighted_report(crossed(asked, (1, 3), counts), Reading(), BY_NUMBER)
        assert any("improbable under the design" in note for note in report.notes)
        few = weighted_report(
            crossed(asked, (1, 3), {("00", "2"): 7, ("01", "2"): 5}),
            Reading(),
            BY_NUMBER,
        )
        assert "Too few answers to say anything" in blocks_of(few)[0].text

    def test_equal_weights_change_nothing(self, asked):
        report = weighted_report(
            crossed(asked, (1, 3), {("00", "2"): 60, ("01", "2"): 40}),
            Reading(),
            BY_NUMBER,
        )
        assert report.rows[0].share == pytest.approx(report.rows[0].plain)
        assert report.effective_n == pytest.approx(100)

    def test_who_declined_the_weight_is_left_out_and_counted(self, asked):
        counts = {("00", "2"): 60, ("01", "2"): 40, ("01", "-"): 17}
        report = weighted_report(crossed(asked, (1, 3), counts), Reading(), BY_NUMBER)
        assert (report.n, report.left_out) == (100, 17)

    def test_few_people_without_a_weight_are_not_left_out(self, asked):
        """The figure of all others, beside the dashboard's total, would be theirs."""
        counts = {("00", "2"): 60, ("01", "2"): 40, ("01", "-"): 7}
        report = weighted_report(crossed(asked, (1, 3), counts), Reading(), BY_NUMBER)
        assert (report.n, report.left_out) == (107, 0)
        assert any("only a few people entered no number" in note for note in report.notes)

    def test_weights_that_are_all_zero_are_a_problem_with_a_remedy(self, asked):
        counts = {("00", "0"): 60, ("01", "0"): 40}
        report = weighted_report(crossed(asked, (1, 3), counts), Reading(), BY_NUMBER)
        assert (report.rows, report.problem) == ((), NO_WEIGHTS)

    def test_a_group_of_the_population_without_answers_is_a_problem(self, asked):
        counts = {("00", "00"): 60, ("01", "00"): 40}
        report = weighted_report(
            crossed(asked, (1, 2), counts), Reading(), SampleDesign([{"00": 1, "01": 1}])
        )
        assert "South" in report.problem

    def test_a_group_that_is_nothing_of_the_population_is_left_out_and_counted(self, asked):
        counts = {("00", "00"): 60, ("01", "00"): 40, ("00", "01"): 50, ("01", "01"): 50}
        report = weighted_report(
            crossed(asked, (1, 2), counts), Reading(), SampleDesign([{"00": 1, "01": 0}])
        )
        assert (report.n, report.left_out, report.problem) == (100, 100, "")
        assert report.rows[0].share == pytest.approx((0.4 - 0.25) / 0.5)
        nobody = {("00", "01"): 50, ("01", "01"): 50}
        report = weighted_report(
            crossed(asked, (1, 2), nobody), Reading(), SampleDesign([{"00": 1, "01": 0}])
        )
        assert report.problem == NO_WEIGHTS

    def test_known_answers_of_a_few_are_withheld(self, asked):
        counts = {("00", "2"): 60, ("01", "1"): 2}
        report = weighted_report(crossed(asked, (4, 3), counts), Reading(), BY_NUMBER)
        assert (report.rows, report.problem) == ((), WITHHELD)

    def test_weights_that_leave_but_a_few_do_not_undo_the_rule_for_small_groups(self, asked):
        """All but three people weigh next to nothing, so the estimate would be those three."""
        counts = {("00", "00"): 60, ("01", "00"): 40, ("00", "01"): 1, ("01", "01"): 2}
        margins = [{"00": 1e-9, "01": 1.0}]
        for number in (1, 4):
            report = weighted_report(
                crossed(asked, (number, 2), counts),
                Reading(),
                SampleDesign(margins, has_weight=not margins),
            )
            assert report.rows[0].share == pytest.approx(report.rows[0].plain)
            assert "North; South" in report.notes[1]

    MARGINS: ClassVar = {"00": 35, "01": 30, "02": 35}

    def one_in_the_east(self, asked, answer: str, number: int = 4):
        """170 people in two regions, who answer alike, and one in a third."""
        counts = {
            (y, place): n
            for place, n in (("00", 45), ("01", 40))
            for y in ("00", "01")
        } | {(answer, "02"): 1}  # fmt: skip
        crossing = crossed(asked, (number, 2), counts)
        return weighted_report(crossing, Reading(), SampleDesign([self.MARGINS])), breakdown(
            crossing, Reading()
        )

    def test_one_persons_weight_does_not_tell_the_answer(self, asked):
        """With a third of all the weight the share was 0.325 if she said No, 0.675 if Yes."""
        for number in (1, 4):
            (no, shown), (yes, _) = (self.one_in_the_east(asked, y, number) for y in ("00", "01"))
            assert [group.people for group in shown.answers[0].shares] == [90, 81]
            moved = abs(no.rows[0].share - yes.rows[0].share)
            slope = 1 if number == 4 else 2
            # As one of 81 who make up 65 of 100, and not as 35 of 100.
            assert moved == pytest.approx(slope * 0.65 / 81, rel=0.01)
            assert "South; East" in no.notes[1]

    def test_no_person_has_more_than_the_stated_share_of_all_the_weight(self, asked):
        counts = {("00", "1"): 60, ("01", "1"): 40, ("00", "9"): 1, ("01", "9"): 9, ("01", "8"): 3}
        for margins, by in (([], 3), ([{"00": 1, "01": 999}], 2)):
            cells = counts if by == 3 else {
                (y, "01" if w == "1" else "00"): n for (y, w), n in counts.items()
            }  # fmt: skip
            report = weighted_report(
                crossed(asked, (1, by), cells),
                Reading(),
                SampleDesign(margins, has_weight=not margins),
            )
            assert report.effective_n >= LEAST_GROUP
            assert "no person has more than 10 %" in report.notes[0]

    def test_the_page_shows_both_estimates_and_the_effective_number(self, client, answered):
        page = page_of(client, answered, "weighted", "?by=3")
        assert "Kish" in page
        assert "People left out because they have no weight or were not asked: 20." in page
        margins = "?by=2&margins=North:+30%0ASouth:+50%0AEast%3D20"
        assert "Kish" in page_of(client, answered, "weighted", margins)

    @pytest.mark.parametrize(
        "query",
        ["?by=3", "?by=2&margins=North:+30%0ASouth:+50%0AEast:+20"],
        ids=["number", "groups"],
    )
    def test_page_and_files_have_the_same_numbers_and_claim_nothing_exact(
        self, client, answered, query
    ):
        page = page_of(client, answered, "weighted", query)
        rows = rows_of(client, answered, "weighted-csv", query)
        assert len(rows) >= 4
        for row in rows:
            for name in ("low", "high"):
                assert percent(min(max(float(row[name]), 0.0), 1.0)) in page
            assert number_words(float(row["effective_n"]), 1) in page
        cells = " ".join(value for row in rows for value in row.values())
        assert "exact" not in page.casefold() + cells.casefold()

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("?by=2", "Enter a share for each answer"),
            ("?by=2&margins=North:+30", "Missing: South, East"),
            ("?by=2&margins=North:+x", "The line “North: x” cannot be read"),
            ("?by=2&margins=Nowhere:+1", "The line “Nowhere: 1” cannot be read"),
            ("?by=2&margins=North:+1%0ANorth:+2", "“North” is listed twice"),
            ("?by=2&margins=North:+0%0ASouth:0%0AEast:0", "At least one share must be above 0"),
            ("?by=2&margins=North:+nan", "The line “North: nan” cannot be read"),
            ("?by=3&margins=North:+1", "Leave this field empty"),
            ("?by=1", "not one of the available choices"),
            ("?by=3&method=confidence-sequence", "not one of the available choices"),
            ("?by=%F0%9F%98%80&margins=%00", "not one of the available choices"),
        ],
    )
    def test_what_cannot_be_a_weight_is_refused_at_its_field(self, client, answered, query, words):
        page = page_of(client, answered, "weighted", query)
        assert words in page
        assert "Kish" not in page
        for name in ("weighted-csv", "weighted-json"):
            address = reverse(f"surveys:{name}", args=[answered.pk])
            assert client.get(address + query).status_code == 404

    @pytest.mark.parametrize(
        "line", ["North:30", "North = 30 %", "north\t30%", "North ; 30 ", "North:\t30"]
    )
    def test_a_share_is_read_behind_a_colon_a_semicolon_an_equals_sign_or_a_tab(self, asked, line):
        query = QueryDict(f"by=2&margins={quote(line)}%0ASouth:50%0AEast:20")
        form = WeightsForm(query, items=questionnaire_of(asked.revision).items)
        assert form.is_valid(), form.errors
        assert form.population == [{"00": 30, "01": 50, "02": 20}]

    def test_the_longest_line_that_is_no_share_is_refused_at_once(self, asked):
        items = questionnaire_of(asked.revision).items
        start = process_time()
        for letters in ("a\t", "\t", ": ", "5", "a%", " :"):
            line = quote("a" + letters * (3_990 // len(letters)) + "b")
            assert not WeightsForm(QueryDict(f"by=2&margins={line}"), items=items).is_valid()
        assert process_time() - start < 1

    def test_on_german_pages_a_count_with_its_thousands_apart_is_no_share(self, client, answered):
        """Beside 900 people in the South and in the East, 1.2 were in the North."""
        client.force_login(answered.owner)
        client.post(reverse("staff_language"), {"language": "de"})
        margins = "?by=2&margins=North:+1.200%0ASouth:+900%0AEast:+900"
        page = page_of(client, answered, "weighted", margins)
        assert "„1.200“ lässt sich auf zwei Weisen lesen. Schreiben Sie 1200 oder 1.2000." in page
        assert "Kish" not in page

    def test_the_files_hold_the_method_and_are_recorded(self, client, answered):
        rows = rows_of(client, answered, "weighted-csv", "?by=3&method=wilson")
        assert {row["method"] for row in rows} == {"weighted, Wilson"}
        rows = rows_of(client, answered, "weighted-csv", "?by=3")
        assert {row["method"] for row in rows} == {"weighted, Korn and Graubard (Beta)"}
        assert {row["question"] for row in rows} >= {"Car?", "Where?"}
        address = reverse("surveys:weighted-json", args=[answered.pk])
        found = client.get(address + "?by=3").json()
        assert found["weights_from"] == "Weight?"
        assert AuditEntry.objects.filter(action="weighted estimates downloaded").count() == 3

    def test_without_answers_every_question_says_so(self, client, asked):
        assert page_of(client, asked, "weighted", "?by=3").count("No answers yet") == 3


QUERIES = {
    "break-down-picture": "?question=1&by=4",
    "break-down-csv": "?question=1&by=4",
    "break-down-json": "?question=1&by=4",
    "weighted-csv": "?by=3",
    "weighted-json": "?by=3",
    "regression-picture": "?outcome=1-1&predictors=4",
    "regression-csv": "?outcome=1-1&predictors=4",
    "regression-json": "?outcome=1-1&predictors=4",
}


def test_analysts_get_every_picture_and_file_and_strangers_none(client, answered):
    factories.make_user("alan")
    add_member(survey=answered, username="alan", role="analyst", by=answered.owner)
    analyst, stranger = (User.objects.get(username="alan"), factories.make_user("eve"))
    for name, query in QUERIES.items():
        values = [answered.pk, 1] if name == "break-down-picture" else [answered.pk]
        address = reverse(f"surveys:{name}", args=values) + query
        client.logout()
        assert client.get(address).url.startswith(reverse("login")), name
        for user, status in ((analyst, 200), (stranger, 404)):
            client.force_login(user)
            assert client.get(address).status_code == status, name


def test_questions_in_groups_texts_and_numbers_are_offered_where_they_fit(owner):
    items = questionnaire_of(factories.make_open_survey(owner).revision).items
    assert [n for n, _ in answerable(items)] == [1, 2, 3, 4, 5, 6]
    assert [n for n, _ in groupable(items)] == [1, 2, 3, 4, 5, 6, 7]
