"""Regressions of numbers, and with protected predictors: as the package has them, by the gate."""

from collections import Counter

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.regression import fit_several_predictors_model
from surveys.results.analyses import regression_fits
from surveys.results.analyses.queries import outcome_counts
from surveys.results.analyses.regression_kind import RegressionForm, meaning, row_of
from surveys.results.analyses.regressions import Choice, regression
from surveys.results.reading import Reading
from tests import factories, kept
from tests.stored import store_rows
from tests.surveys.results.analyses.asked import crossed, items_of, page_of, rows_of

owner = kept.owner
survey = kept.survey
CHEATS, STEALS, HOURS, CAR, CIGARETTES, FINE = 1, 2, 3, 4, 5, 6
THE_NUMBER = Choice(None, "logit", Reading())
YES = Choice(1, "logit", Reading())
RNG = np.random.default_rng(31)


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """1 and 2 through coins, 3 hours, 4 a car, 5 a number rounded by chance, 6 what one may do."""
    return made_once(make_modelled_survey)


def make_modelled_survey() -> Survey:
    draft = factories.make_survey(factories.make_user())
    direct, kinds = Question.Design.DIRECT, Question.Kind
    factories.add_question(draft, text="Cheated?")
    factories.add_question(draft, text="Stolen?", required=True)
    factories.add_question(
        draft, text="Hours a week?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=60
    )
    factories.add_question(draft, text="Car?", design=direct, required=True)
    factories.add_rounded(draft)
    factories.add_question(
        draft, "No", "A bit", "Yes", text="Fine?", kind=kinds.CHOICE, design=direct, required=True
    )
    factories.add_question(
        draft, text="Age?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=60
    )
    return factories.launched(draft)


# 40 people each work 10, 20, 30 and 40 hours; with a car more often long.
HOURS_BY_CAR = {
    (hours, car): n
    for car, counts in (("00", (30, 25, 15, 10)), ("01", (10, 15, 25, 30)))
    for hours, n in zip(("10", "20", "30", "40"), counts, strict=True)
}


def test_a_number_is_explained_by_least_squares_with_robust_errors(survey) -> None:
    report = regression(crossed(survey, (HOURS, CAR), HOURS_BY_CAR), THE_NUMBER)
    y, x = (
        np.repeat([float(key[place]) for key in HOURS_BY_CAR], list(HOURS_BY_CAR.values()))
        for place in (0, 1)
    )
    rows = np.column_stack([np.ones(len(y)), x])
    exact, *_ = np.linalg.lstsq(rows, y, rcond=None)
    scores = rows * (y - rows @ exact)[:, None]
    bread = np.linalg.inv(rows.T @ rows)
    errors = np.sqrt(np.diag(bread @ scores.T @ scores @ bread) * len(y) / (len(y) - 1))
    assert [row.value for row in report.rows] == pytest.approx(exact)
    assert [row.standard_error for row in report.rows] == pytest.approx(errors)
    assert (report.link, report.n, report.log_likelihood) == ("identity", 160, None)
    assert meaning(row_of(report, report.rows[1])) == "Higher than with “No”."


def test_numbers_of_a_few_count_as_the_mean_of_their_neighbours(survey) -> None:
    """Also of those who are alone with their answer at their number."""
    alone = HOURS_BY_CAR | {("60", "01"): 1, ("59", "00"): 1}
    swapped = HOURS_BY_CAR | {("60", "00"): 1, ("59", "01"): 1}
    one, other = (
        regression(crossed(survey, (HOURS, CAR), each), THE_NUMBER) for each in (alone, swapped)
    )
    assert one == other
    assert any("neighbouring numbers" in note for note in one.notes)


def test_who_gave_no_number_is_left_out_only_with_many_others(survey) -> None:
    few = HOURS_BY_CAR | {("--", "00"): 1, ("--", "01"): 2}
    report = regression(crossed(survey, (HOURS, CAR), few), THE_NUMBER)
    assert (report.n, report.left_out) == (163, 0)
    many = HOURS_BY_CAR | {("--", "00"): 12, ("--", "01"): 15}
    report = regression(crossed(survey, (HOURS, CAR), many), THE_NUMBER)
    assert (report.n, report.left_out) == (160, 27)


def test_a_number_rounded_by_chance_is_explained_by_its_scores(survey) -> None:
    """Two groups: the difference of the means of the scores."""
    (item,) = items_of(survey, CIGARETTES)
    codes = [level.code for level in item.levels]
    counts = {(code, car): 5 + 3 * at * (car == "01") for at, code in enumerate(codes)
              for car in ("00", "01")}  # fmt: skip
    report = regression(crossed(survey, (CIGARETTES, CAR), counts), THE_NUMBER)
    means = [
        np.average([float(score) for score in item.scores], weights=[counts[c, car] for c in codes])
        for car in ("00", "01")
    ]
    reference = report.rows[1].reference
    low, high = means if reference == "No" else reversed(means)
    assert [row.value for row in report.rows] == pytest.approx([low, high - low])
    assert any("randomizing of the outcome" in note for note in report.notes)


def drawn(survey, *numbers: int, people: int = 4000) -> dict[tuple[str, ...], int]:
    """Counts of reports of people who cheat, steal, and so on, by chances that go together."""
    items = items_of(survey, *numbers)
    cheats = (RNG.random(people) < 0.4).astype(int)
    car = (RNG.random(people) < 0.3 + 0.3 * cheats).astype(int)
    steals = (RNG.random(people) < 0.2 + 0.5 * cheats).astype(int)
    hours = np.array([10, 20, 30, 40])[np.minimum(RNG.poisson(1 + cheats + car), 3)]
    truths = {CHEATS: cheats, STEALS: steals, CAR: car, HOURS: hours}
    columns = []
    for number, item in zip(numbers, items, strict=True):
        if number == HOURS:
            columns.append([f"{each:02d}" for each in hours])
            continue
        cumulative = np.cumsum(item.channel.matrix, axis=0)[:-1, truths[number]]
        reports = (RNG.random(people) >= cumulative).sum(axis=0)
        columns.append([item.reported_levels[report].code for report in reports])
    return Counter(zip(*columns, strict=True))


def by_hand(counts, outcome, predictors, columns, **more):
    """The package's model of one row a combination."""
    keys = list(counts)
    return fit_several_predictors_model(
        {
            name: (design, np.array([int(key[at] == code) for key in keys]))
            for name, (design, at, code) in predictors.items()
        },
        np.array([outcome(key) for key in keys]),
        np.array([[float(column(key)) for column in columns] for key in keys]),
        trait_covariates=np.array([[float(column(key)) for column in columns] for key in keys]),
        counts=np.array([counts[key] for key in keys]),
        **more,
    )


def assert_same(report, model) -> None:
    assert [row.value for row in report.rows] == pytest.approx(model.coefficients, abs=1e-4)
    errors = [row.standard_error for row in report.rows]
    assert errors == pytest.approx(model.standard_errors, rel=1e-3)
    assert [row.p_value for row in report.rows] == pytest.approx(model.p_values, abs=1e-3)
    assert {row.statistic for row in report.rows} == {None}
    assert report.log_likelihood == pytest.approx(model.log_likelihood, rel=1e-8)


def test_a_direct_answer_is_explained_by_a_protected_one(survey) -> None:
    counts = drawn(survey, CAR, STEALS)
    report = regression(crossed(survey, (CAR, STEALS), counts), YES)
    (steals,) = items_of(survey, STEALS)
    model = by_hand(
        counts, lambda key: int(key[0] == "01"), {"steals": (steals.channel, 1, "01")}, [],
        family="logistic",
    )  # fmt: skip
    assert_same(report, model)
    assert (report.rows[1].name, report.rows[1].reference) == ("2. Yes", "No")
    assert any("not known which person" in note for note in report.notes)


def test_a_protected_answer_too_and_direct_ones_beside_it(survey) -> None:
    """Of a question that one may decline, yes is compared with all other answers."""
    counts = drawn(survey, STEALS, CHEATS, CAR)
    report = regression(crossed(survey, (STEALS, CHEATS, CAR), counts), YES)
    steals, cheats = items_of(survey, STEALS, CHEATS)
    kept = float(cheats.channel.matrix[1, 1]), float(cheats.channel.matrix[1, 0])
    model = by_hand(
        counts, lambda key: int(key[0] == "01"),
        {"cheats": (Channel.binary(yes_if_true=kept[0], yes_if_false=kept[1]), 1, "01")},
        [lambda key: key[2] == ("01" if report.rows[1].name == "4. Yes" else "00")],
        family="logistic", outcome_design=steals.channel,
    )  # fmt: skip
    assert_same(report, model)
    assert [row.reference for row in report.rows[2:]] == ["all other answers"]


def test_a_number_is_explained_by_two_protected_answers(survey) -> None:
    counts = drawn(survey, HOURS, STEALS, CHEATS)
    report = regression(crossed(survey, (HOURS, STEALS, CHEATS), counts), THE_NUMBER)
    assert [row.name for row in report.drawn_rows] == ["2. Yes", "1. Yes"]
    assert (report.link, report.n) == ("identity", 4000)
    # They work longer, and no one knows who they are.
    assert meaning(row_of(report, report.rows[2])) == "Higher than with “all other answers”."


def test_too_many_different_answers_for_protected_predictors_are_refused(
    survey, monkeypatch
) -> None:
    monkeypatch.setattr(regression_fits, "MOST_TRAIT_WORK", 3)
    counts = drawn(survey, CAR, STEALS)
    with pytest.raises(StatisticsError, match="too many different answers"):
        regression(crossed(survey, (CAR, STEALS), counts), YES)


# Where everything is taken together there is nothing to explain, or to explain it by.
TOO_FEW = "at least 10 people|same for all people"
AGE = 7


def refused(survey, numbers, counts, choice=THE_NUMBER) -> None:
    with pytest.raises(StatisticsError, match=TOO_FEW):
        regression(crossed(survey, numbers, counts), choice)


def test_no_model_is_of_the_few_who_gave_both_numbers(survey) -> None:
    """Many gave each number; those who are used, and those who are not, are groups like others."""
    each = {("01", "--"): 30, ("02", "--"): 30, ("--", "02"): 30, ("--", "01"): 30}
    three = {("01", "01"): 1, ("02", "02"): 1, ("01", "02"): 1}
    refused(survey, (HOURS, AGE), each | three)
    refused(survey, (CAR, HOURS, AGE), {("01", *key): n for key, n in (each | three).items()}, YES)


def test_a_number_of_a_few_among_those_who_are_used_is_not_apart(survey) -> None:
    """Twelve of the thirteen who are 2 gave no hours: the mean of the last one is her own."""
    counts = {("01", "01"): 30, ("02", "01"): 30, ("--", "02"): 12, ("02", "02"): 1}
    other = counts | {("01", "02"): 1, ("01", "01"): 29, ("02", "01"): 31}
    del other["02", "02"]
    for each in (counts, other):
        refused(survey, (HOURS, AGE), each)


def test_two_numbers_keep_the_rule_together(survey) -> None:
    """Fifty, twelve, twelve and one: of two answers these would be pooled."""
    counts = {("01", "01"): 50, ("02", "01"): 12, ("01", "02"): 12, ("02", "02"): 1}
    refused(survey, (HOURS, AGE), counts)
    by_car = {(car, *key): n * 3 for key, n in counts.items() for car in ("00", "01")}
    refused(survey, (CAR, HOURS, AGE), by_car, YES)


def test_of_those_who_were_asked_a_protected_question_too_none_is_alone(survey) -> None:
    """One of them has two hours, and each other of the many with two was not asked it."""
    asked = {("01", "00"): 300, ("01", "01"): 299, ("02", "01"): 1}
    not_asked = items_of(survey, STEALS)[0].not_asked
    others = {("01", not_asked): 300, ("02", not_asked): 300}
    with pytest.raises(StatisticsError, match="same for all people"):
        regression(crossed(survey, (HOURS, STEALS), asked | others), THE_NUMBER)


@pytest.mark.parametrize("age", ["60", "59"])
def test_people_without_a_number_make_no_mean_of_one_person(survey, age) -> None:
    """One is far above the others: with twelve who gave no age she would be a group of her own."""
    one = {("00", "01"): 30, ("01", "01"): 30, ("00", age): 1, ("00", "--"): 6, ("01", "--"): 6}
    refused(survey, (CAR, AGE), one, YES)


def test_nor_do_they_beside_an_outcome(survey) -> None:
    found = []
    for own in ("30", "31"):
        counts = {("10", "00"): 12, ("10", "01"): 8, ("50", "00"): 8, ("50", "01"): 12}
        few = {(own, "00"): 1, ("--", "00"): 4, ("--", "01"): 5}
        found.append(regression(crossed(survey, (HOURS, CAR), counts | few), THE_NUMBER))
    # Hers is one of ten and more numbers: the mean moves by less than a tenth of what she changes.
    moved = abs(found[0].rows[0].value - found[1].rows[0].value)
    assert moved < 0.1


def test_people_who_are_left_out_of_one_page_and_not_of_another_are_no_few(survey) -> None:
    """Twenty declined the third question, among whom one pair of answers came once."""
    counts = {(hours, car, fine, "01"): 20 for hours in ("10", "20") for car in ("00", "01")
              for fine in ("00", "02")}  # fmt: skip
    out = {("10", "00", "00", "--"): 9, ("20", "00", "02", "--"): 1,
           ("20", "01", "00", "--"): 1, ("10", "01", "02", "--"): 9}  # fmt: skip
    with pytest.raises(StatisticsError):
        regression(crossed(survey, (HOURS, CAR, FINE, AGE), counts | out), THE_NUMBER)


def test_errors_of_a_number_do_not_tell_pairs_of_answers(survey) -> None:
    """Three people move around two questions, so that no count of either changes."""
    base = {("01", "00", "00"): 100, ("01", "01", "00"): 100, ("01", "00", "02"): 100,
            ("01", "01", "02"): 100, ("02", "00", "00"): 20, ("02", "01", "00"): 20,
            ("02", "00", "02"): 20, ("02", "01", "02"): 20}  # fmt: skip
    moved = dict(base)
    for key, more in ((("02", "00", "00"), 3), (("02", "01", "02"), 3),
                      (("02", "01", "00"), -3), (("02", "00", "02"), -3)):  # fmt: skip
        _, car, fine = key
        moved[key] += more
        moved["01", car, fine] -= more
    one, other = (
        regression(crossed(survey, (HOURS, CAR, FINE), each), THE_NUMBER) for each in (base, moved)
    )
    for ours, theirs in zip(one.rows, other.rows, strict=True):
        assert theirs.value == pytest.approx(ours.value, abs=1e-12)
        assert theirs.standard_error == pytest.approx(ours.standard_error, rel=1e-12)
    assert one.method.endswith("errors with one variance")
    counts = {(*key, code): n for key, n in base.items() for code in ("00", "01")}
    with pytest.raises(StatisticsError, match="only one predictor can be a direct question"):
        regression(crossed(survey, (HOURS, CAR, FINE, STEALS), counts), THE_NUMBER)


def test_who_declined_a_number_is_never_given_one_because_another_was_not_asked(survey) -> None:
    (hours,) = items_of(survey, HOURS)
    counts = {(car, hour): 20 for car in ("00", "01") for hour in ("01", "02")}
    counts |= {("00", "--"): 100, ("01", "--"): 100, ("00", hours.not_asked): 1}
    report = regression(crossed(survey, (CAR, HOURS), counts), YES)
    assert report.n <= 81


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({("02", "00"): 40, ("02", "01"): 40}, "same for all people"),
        ({("01", "00"): 40, ("02", "01"): 40}, "determine it exactly"),
    ],
)
def test_an_outcome_without_scatter_has_no_errors_of_rounding(survey, counts, words) -> None:
    with pytest.raises(StatisticsError, match=words):
        regression(crossed(survey, (HOURS, CAR), counts), THE_NUMBER)


def test_a_question_that_is_named_twice_counts_once(survey) -> None:
    found = form(survey, "outcome=4-1&predictors=1&predictors=1")
    assert found.is_valid()
    assert found.numbers == [CAR, CHEATS]


def form(survey, query: str) -> RegressionForm:
    return RegressionForm(QueryDict(query), items=questionnaire_of(survey.revision).items)


def test_numbers_are_offered_as_outcomes_and_all_questions_as_predictors(survey) -> None:
    fields = form(survey, "").fields
    outcomes = dict(fields["outcome"].choices)
    assert outcomes["3-number"] == "3. Hours a week? (the number)"
    assert outcomes["5-number"] == "5. How many cigarettes a week? (the number)"
    assert [number for number, _ in fields["predictors"].choices] == ["1", "2", "3", "4", "6", "7"]


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("outcome=4-1&predictors=1&link=probit", "link", "choose the logit link"),
        ("outcome=3-number&predictors=3", "predictors", "cannot also be a predictor"),
        ("outcome=3-0&predictors=4", "outcome", "not one of the available"),
        ("outcome=4-number&predictors=3", "outcome", "not one of the available"),
    ],
)
def test_what_no_model_has_is_refused_in_the_form(survey, query, field, words) -> None:
    errors = form(survey, query).errors
    assert list(errors) == [field]
    assert words in str(errors[field])


def test_page_and_files_say_how_a_number_was_explained(client, survey) -> None:
    for (hours, car), n in HOURS_BY_CAR.items():
        store_rows(survey.revision, [f"0000{hours}{car}000001"] * n)
    query = f"?outcome={HOURS}-number&predictors={CAR}"
    page = page_of(client, survey, "regression", query)
    for words in ("Higher than with", "intervals and tests (Wald)", "Hours a week?"):
        assert words in page
    assert "Log likelihood" not in page
    rows = rows_of(client, survey, "regression-csv", query)
    assert {row["link"] for row in rows} == {"identity"}
    assert all(row["method"].startswith("least squares") for row in rows)
    address = reverse("surveys:regression-json", args=[survey.pk])
    told = client.get(address + query).json()
    assert (told["n"], told["log_likelihood"], told["aic"]) == (160, None, None)
    picture = client.get(reverse("surveys:regression-picture", args=[survey.pk]) + query)
    assert b"Coefficient (identity)" in picture.content


def test_free_texts_are_no_outcome(owner) -> None:
    revision = factories.make_open_survey(owner).revision
    items = questionnaire_of(revision).items
    texts = [n for n, item in enumerate(items, start=1) if type(item).__name__ == "TextQuestion"]
    for number in texts:
        with pytest.raises(ValueError, match=f"^{number}$"):
            outcome_counts(revision, [number, 1])
    for number in (0, len(items) + 1):
        with pytest.raises(IndexError):
            outcome_counts(revision, [number, 1])
