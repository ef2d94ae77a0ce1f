"""Regressions on the site: what the page and the files say."""

from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from surveys.kinds.levels.promise import Level, LevelQuestion, Weights
from surveys.models import AuditEntry
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.errors import DesignError, SeparationError, StatisticsError
from surveys.randomized_response.regression.outcome import OutcomeModel, fit_outcome_model
from surveys.results.analyses import regression_fits
from surveys.results.analyses.queries import CrossCounts
from surveys.results.analyses.regression_fits import NOT_TESTED
from surveys.results.analyses.regression_kind import meaning, odds_words, row_of
from surveys.results.analyses.regression_outcomes import _answer_design, _slope_words
from surveys.results.analyses.regressions import (
    Choice,
    regression,
)
from surveys.results.analyses.weighted_people import SampleDesign
from surveys.results.disclosure import POOLED
from surveys.results.reading import Reading
from tests import kept
from tests.surveys.results.analyses import asked as answers
from tests.surveys.results.analyses.asked import (
    crossed,
    items_of,
    page_of,
    rows_of,
    store,
)

owner = kept.owner
asked = survey = kept.survey
launched_survey = answers.launched_survey
answered_before, answered = answers.answered_before, answers.answered
BY_NUMBER = SampleDesign(has_weight=True)


def of_three(levels: tuple[Level, ...], weights: Weights) -> LevelQuestion:
    """A question with three answers through these weights out of 10."""
    return LevelQuestion(
        id="1",
        text="?",
        help="",
        required=True,
        kind="choice",
        design="channel",
        levels=levels,
        display=(0, 1, 2),
        weights=weights,
        denominator=10,
    )


def factories_levels(*texts: str):
    from surveys.kinds.levels.promise import Level, level_code

    return tuple(Level(level_code(place), text) for place, text in enumerate(texts))


CAR_BY_PLACE = {("00", "00"): 40, ("01", "00"): 40}
CAR = {("00", "00"): 150, ("01", "00"): 90, ("00", "01"): 60, ("01", "01"): 120}


class TestRegression:
    def test_coefficients_are_those_of_the_package_with_the_channel_of_the_outcome(self, asked):
        report = regression(crossed(asked, (1, 4), CAR), Choice(1, "logit", Reading()))
        x = np.repeat([0.0, 0.0, 1.0, 1.0], list(CAR.values()))
        y = np.repeat([0, 1, 0, 1], list(CAR.values()))
        model = fit_outcome_model(items_of(asked, 1)[0].channel, y, x[:, None])
        row = report.rows[1]
        assert (row.name, row.reference) == ("4. Yes", "No")
        assert row.value == pytest.approx(model.coefficients[1], rel=1e-6)
        assert row.standard_error == pytest.approx(model.standard_errors[1], rel=1e-6)
        test = model.likelihood_ratio_tests()[1]
        assert row.p_value == pytest.approx(test.p_value, rel=1e-4)
        assert meaning(row_of(report, row)) == "More often yes than with “No”."
        assert report.n == 420

    def test_without_answers_it_is_refused_in_words(self, asked):
        with pytest.raises(StatisticsError, match="no one has answered"):
            regression(crossed(asked, (1, 2), {}), Choice(1, "logit", Reading()))

    def test_a_saturated_model_gives_back_the_moment_estimates(self, asked):
        """pi = (f - 1/4) / (1/2): 0.25 without and 5/6 with a car."""
        report = regression(crossed(asked, (1, 4), CAR), Choice(1, "logit", Reading()))
        base, slope = (row.value for row in report.rows)
        shares = [1 / (1 + np.exp(-eta)) for eta in (base, base + slope)]
        assert shares == pytest.approx([0.25, 5 / 6], abs=1e-6)

    def test_the_most_frequent_answer_is_the_reference_and_who_declined_is_left_out(self, asked):
        counts = {
            (y, place): n + (30 if y == "01" else 40)
            for place, n in (("00", 20), ("01", 60), ("02", 30))
            for y in ("00", "01")
        } | {("00", "03"): 50}
        report = regression(crossed(asked, (1, 2), counts), Choice(1, "probit", Reading()))
        assert [row.name for row in report.drawn_rows] == ["2. North", "2. East"]
        assert {row.reference for row in report.drawn_rows} == {"South"}
        assert report.left_out == 50
        assert odds_words(row_of(report, report.rows[1])) == "–"

    def test_rare_answers_are_pooled_with_the_next_smallest_so_that_none_is_left_out(self, asked):
        pooled = CAR_BY_PLACE | {("00", "01"): 4, ("01", "01"): 4, ("00", "02"): 3, ("01", "02"): 5}
        report = regression(crossed(asked, (4, 2), pooled), Choice(1, "logit", Reading()))
        assert [row.name for row in report.drawn_rows] == [f"2. {POOLED}"]
        few = {("00", "00"): 40, ("01", "00"): 40, ("00", "01"): 30, ("01", "01"): 30}
        left = few | {("00", "02"): 3, ("01", "02"): 4}
        report = regression(crossed(asked, (4, 2), left), Choice(1, "logit", Reading()))
        assert (report.n, report.left_out) == (147, 0)
        assert [row.name for row in report.drawn_rows] == [f"2. {POOLED}"]
        assert report.notes[0].endswith("few people: South; East.")

    def test_the_reference_is_a_group_of_the_gate_too(self, asked):
        """1 of 100 came out of the intercept and its standard error."""
        counts = {("00", "00"): 99, ("01", "00"): 1, ("00", "01"): 30, ("01", "01"): 30}
        counts |= {("00", "02"): 20, ("01", "02"): 20}
        report = regression(crossed(asked, (4, 2), counts), Choice(1, "logit", Reading()))
        assert [(row.name, row.reference) for row in report.drawn_rows] == [
            ("2. South", POOLED),
        ]
        model = fit_outcome_model(
            Direct(2),
            np.repeat([0, 1, 0, 1], [119, 21, 30, 30]),
            np.repeat([0.0, 0.0, 1.0, 1.0], [119, 21, 30, 30])[:, None],
        )
        assert report.rows[0].value == pytest.approx(model.coefficients[0], rel=1e-6)

    def test_a_number_with_few_values_is_no_way_around_the_gate(self, asked):
        """Of a number with the values 1 and 2 the share of the three with 2 was read."""
        counts = {("00", "1"): 40, ("01", "1"): 40, ("01", "2"): 2, ("00", "2"): 1}
        with pytest.raises(StatisticsError):
            regression(crossed(asked, (4, 3), counts), Choice(1, "logit", Reading()))
        counts |= {("00", "3"): 20, ("01", "3"): 20}
        report = regression(crossed(asked, (4, 3), counts), Choice(1, "logit", Reading()))
        mean = (2 * 3 + 3 * 40) / 43
        x = np.repeat([1.0, 1.0, mean, mean], [40, 40, 21, 22])
        y = np.repeat([0, 1, 0, 1], [40, 40, 21, 22])
        model = fit_outcome_model(Direct(2), y, x[:, None])
        assert report.rows[1].value == pytest.approx(model.coefficients[1], rel=1e-6)
        assert "People with neighbouring numbers" in report.notes[0]

    def test_few_people_without_a_number_are_not_left_out(self, asked):
        """The figure of all others, beside the dashboard's total, would be theirs."""
        counts = {("00", "1"): 40, ("01", "1"): 30, ("00", "3"): 20, ("01", "3"): 40}
        report = regression(
            crossed(asked, (4, 3), counts | {("01", "-"): 1}), Choice(1, "logit", Reading())
        )
        assert (report.n, report.left_out) == (131, 0)
        many = {("01", "-"): 15, ("00", "-"): 5}
        report = regression(crossed(asked, (4, 3), counts | many), Choice(1, "logit", Reading()))
        assert (report.n, report.left_out) == (130, 20)

    def test_two_questions_are_pooled_until_each_pair_of_their_answers_keeps_the_rule(self, asked):
        counts = {
            (y, x, car): n
            for (x, car), n in {
                ("00", "00"): 40, ("00", "01"): 2, ("01", "00"): 30, ("01", "01"): 30,
                ("02", "00"): 50, ("02", "01"): 50,
            }.items()
            for y in ("00", "01")
        }  # fmt: skip
        item, *by = items_of(asked, 4, 2, 4)
        known = CrossCounts((4, 2, 4), item, tuple(by), Counter(counts))
        report = regression(known, Choice(1, "logit", Reading()))
        assert [row.name for row in report.drawn_rows] == ["2. East", "4. Yes"]
        assert {row.reference for row in report.drawn_rows} == {POOLED, "No"}

    def test_within_a_group_no_one_is_among_a_few_who_are_left_out(self, asked):
        """Of 21 people who declined the other question one is in the South."""
        counts = {
            (y, place, other): n
            for (place, other), n in {
                ("00", "00"): 40, ("00", "03"): 10, ("01", "00"): 30, ("02", "01"): 40,
            }.items()
            for y in ("00", "01")
        } | {("00", "01", "03"): 1}  # fmt: skip
        item, *by = items_of(asked, 4, 2, 2)
        known = CrossCounts((4, 2, 5), item, tuple(by), Counter(counts))
        report = regression(known, Choice(1, "logit", Reading()))
        assert {row.name[:2] for row in report.drawn_rows} == {"5."}
        assert report.left_out == 21

    def test_one_smaller_model_without_an_estimate_leaves_the_other_tests(self, asked, monkeypatch):
        whole = OutcomeModel.likelihood_ratio_test

        def without_the_intercept_none(model, name):
            if name == "intercept":
                raise SeparationError("column 4. Yes", [-18.9], "the coefficient grows")
            return whole(model, name)

        monkeypatch.setattr(OutcomeModel, "likelihood_ratio_test", without_the_intercept_none)
        report = regression(crossed(asked, (1, 4), CAR), Choice(1, "logit", Reading()))
        assert [row.p_value is None for row in report.rows] == [True, False]
        (note,) = [note for note in report.notes if "likelihood ratio" in note]
        assert note.startswith("Not tested by likelihood ratio: intercept. The model without")
        assert "-18.9" not in note

    def test_the_price_of_randomizing_is_that_of_the_row_that_is_modelled(self):
        weights = ((6, 2, 2), (1, 8, 1), (1, 1, 8))
        levels = factories_levels("a", "b", "c")
        item = of_three(levels, weights)
        assert _slope_words(item, 0) == "2"
        assert _slope_words(item, 1) == "–"

    def test_separation_names_its_column_and_the_remedy(self, asked):
        counts = {("00", "00"): 50, ("01", "00"): 50, ("01", "01"): 60}
        with pytest.raises(StatisticsError, match=r"4\. Yes|2\. South"):
            regression(crossed(asked, (4, 2), counts), Choice(1, "logit", Reading()))

    def test_collinear_questions_name_the_column(self, asked):
        counts = {
            ("00", "00", "00"): 50, ("01", "00", "00"): 40,
            ("00", "01", "01"): 30, ("01", "01", "01"): 50,
        }  # fmt: skip
        with pytest.raises(StatisticsError, match=r"4\. Yes"):
            regression(crossed(asked, (1, 2, 4), counts), Choice(1, "logit", Reading()))

    def test_one_answer_only_is_no_predictor(self, asked):
        with pytest.raises(StatisticsError, match="same answer"):
            regression(
                crossed(asked, (1, 4), {("00", "00"): 50, ("01", "00"): 40}),
                Choice(1, "logit", Reading()),
            )

    def test_without_anybody_who_answered_all_it_says_so(self, asked):
        with pytest.raises(StatisticsError, match="at least 10 people"):
            regression(crossed(asked, (1, 3), {("00", "-"): 5}), Choice(1, "logit", Reading()))

    def test_millions_of_people_are_fitted_and_tested_by_their_counts(self, asked):
        many = {codes: n * 100_000 for codes, n in CAR.items()}
        report = regression(crossed(asked, (1, 4), many), Choice(1, "logit", Reading()))
        few = regression(crossed(asked, (1, 4), CAR), Choice(1, "logit", Reading()))
        assert report.n == 100_000 * few.n
        assert report.rows[1].value == pytest.approx(few.rows[1].value)
        assert report.rows[1].statistic == pytest.approx(100_000 * few.rows[1].statistic)

    def test_many_different_rows_are_fitted_but_not_tested_one_by_one(self, asked, monkeypatch):
        monkeypatch.setattr(regression_fits, "MOST_TESTED_VALUES", 10)
        report = regression(crossed(asked, (1, 4), CAR), Choice(1, "logit", Reading()))
        assert report.rows[1].p_value is None
        assert NOT_TESTED in report.notes

    def test_an_answer_whose_row_is_uneven_is_refused(self):
        uneven = ((6, 3, 1), (1, 7, 2), (2, 2, 6))
        levels = factories_levels("a", "b", "c")
        item = of_three(levels, uneven)
        with pytest.raises(
            DesignError, match="does not treat all other options of the outcome question alike"
        ):
            _answer_design(item, 0)

    def test_the_page_shows_table_picture_words_and_links(self, client, answered):
        page = page_of(client, answered, "regression", "?outcome=1-1&predictors=4&predictors=3")
        for words in ("Odds ratio", "likelihood-ratio tests", "than with", "This model (CSV)"):
            assert words in page
        address = reverse("surveys:regression-picture", args=[answered.pk])
        query = "?outcome=1-1&predictors=4&predictors=3"
        assert client.get(address + query).content.startswith(b"<svg")
        assert client.get(address).status_code == 404

    @pytest.mark.parametrize(
        "query",
        [
            "?outcome=1-1",
            "?outcome=4-1&predictors=4",
            "?outcome=9-9&predictors=4",
            "?outcome=1-1&predictors=1",
            "?outcome=%00&predictors=%F0%9F%98%80",
            "?outcome=1-1&predictors=4&link=none",
            "?outcome=1-1&predictors=4&level=1e9",
        ],
    )
    def test_garbage_is_answered_with_words(self, client, answered, query):
        page = page_of(client, answered, "regression", query)
        assert 'role="alert"' in page
        assert 'id="fitted"' not in page
        address = reverse("surveys:regression-csv", args=[answered.pk])
        assert client.get(address + query).status_code == 404

    def test_what_the_model_refuses_is_said_with_its_remedy(self, client, asked):
        store(asked, "00", "00", "1", "00", times=50)
        store(asked, "01", "00", "1", "01", times=50)
        page = page_of(client, asked, "regression", "?outcome=4-1&predictors=2")
        assert "This model cannot be fitted" in page
        assert "Choose another question" in page

    def test_refusals_name_columns_and_no_arguments_of_the_programming_interface(
        self, client, asked
    ):
        store(asked, "00", "00", "1", "00", times=50)
        store(asked, "01", "00", "1", "00", times=50)
        store(asked, "01", "01", "1", "01", times=60)
        page = page_of(client, asked, "regression", "?outcome=4-1&predictors=2")
        assert "This model cannot be fitted: column 2. South: the coefficient grows" in page
        assert "cannot be used: " not in page

    def test_the_files_hold_the_method_and_are_recorded(self, client, answered):
        query = "?outcome=1-1&predictors=4&link=probit"
        rows = rows_of(client, answered, "regression-csv", query)
        assert [row["column"] for row in rows] == ["intercept", "4. Yes"]
        assert {row["link"] for row in rows} == {"probit"}
        assert "maximum likelihood" in rows[0]["method"]
        address = reverse("surveys:regression-json", args=[answered.pk])
        found = client.get(address + query).json()
        assert (found["link"], found["n"]) == ("probit", 520)
        assert AuditEntry.objects.filter(action="regression downloaded").count() == 2


def test_a_known_answer_of_a_few_people_is_not_told_by_a_coefficient(client, asked):
    """Everything is sent as given here: coefficient and standard error would give the counts."""
    for place, car, times in (
        ("00", "00", 30),
        ("00", "01", 30),
        ("01", "00", 40),
        ("01", "01", 4),
    ):
        store(asked, "00", place, "1", car, times=times)
    page = page_of(client, asked, "regression", "?outcome=4-1&predictors=2")
    assert "or the groups are too small to be shown separately" in page
    assert "<table" not in page
