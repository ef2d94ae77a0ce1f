"""Estimates among those asked, where protected answers decide who that is."""

from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import KAry
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.asked import AmongAsked, among_asked
from tests.bodies import body_of, first_code
from tests.factories import add_condition, add_question, launched, make_survey
from tests.families import make_family_survey, make_hidden_survey

PEOPLE = 300
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.survey(make=make_family_survey, batch_size=1),
]
WAYS = (0.4, 0.1, 0.15, 0.05, 0.05, 0.15, 0.1)  # as ``families.add_family`` has them


def reports_of(survey: Survey):
    return [
        question_report(number, counts, Reading())
        for number, counts in enumerate(item_counts(survey.revision), start=1)
    ]


def send_family(survey: Survey, truths: np.ndarray, rng: np.random.Generator) -> None:
    items = questionnaire_of(survey.revision).items
    family = items[1]
    for report in draw_reports(family.integer_channel, truths, rng):
        codes = [first_code(item, own_coin=False) for item in items]
        codes[1] = family.levels[report].code
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def test_simulated_respondents_are_estimated_among_those_asked(owner, client):
    survey = make_family_survey(owner, batch_size=20)
    rng = np.random.default_rng(17)
    truths = rng.choice(len(WAYS), size=PEOPLE, p=WAYS)
    send_family(survey, truths, rng)
    share = np.bincount(truths, minlength=7) / PEOPLE
    reports = reports_of(survey)
    for row, true in zip(reports[1].ways, share, strict=True):
        assert abs(row.share - true) < 4 * row.standard_error
    _, once, often = reports[1].rows
    assert (once.label, often.label) == (
        "Once, with any follow-up answers",
        "Often, with any follow-up answers",
    )
    assert abs(once.share - share[1:5].sum()) < 4 * once.standard_error
    little, much = reports[2].among_asked
    assert abs(little.share - share[1] / share[1:5].sum()) < 4 * little.standard_error
    assert little.share + much.share == pytest.approx(1)
    yes = reports[4].among_asked[0]
    assert abs(yes.share - share[5] / share[5:].sum()) < 4 * yes.standard_error
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert page.count("Based on about") == 3
    assert "The answers to this question are part of the reported answer to question 2." in page
    assert client.get(reverse("surveys:chart", args=[survey.pk, 3])).status_code == 200
    assert client.get(reverse("surveys:break-down", args=[survey.pk])).status_code == 200


def test_of_fewer_than_a_batch_who_were_asked_nothing_is_shown(survey):
    items = questionnaire_of(survey.revision).items
    family = items[1]
    counts = Counter({level.code: 100 for level in family.levels})
    asked = ItemCounts(items[4], counts, family=family, batch_size=150)
    report = question_report(5, asked, Reading())
    assert len(report.among_asked) == 2
    assert report.asked_words.startswith("Based on about 200 of ")
    few = question_report(5, ItemCounts(items[4], counts, family=family, batch_size=201), Reading())
    assert few.among_asked == ()
    assert few.asked_words == (
        "According to the estimate, fewer than 201 people were asked this question. So the "
        "answers of these people are not shown separately."
    )


def test_no_more_people_were_asked_than_reported(survey):
    """Worked back, a share may exceed 1: all reports are ways on which people were asked."""
    items = questionnaire_of(survey.revision).items
    family = items[1]
    counts = Counter({family.levels[2].code: 150, family.levels[3].code: 150})
    report = question_report(
        3, ItemCounts(items[2], counts, family=family, batch_size=1), Reading()
    )
    words = "Based on about 300 of 300 people (estimated 100.0 %, "
    assert report.asked_words.startswith(words)
    assert report.asked_words.endswith(") to whom the question applies.")


def test_where_every_answer_leads_to_a_question_no_share_is_one_of_those_asked():
    """The shares of all people say it, and a ratio to everyone is none."""
    estimate = DistributionEstimate(KAry.from_epsilon(2, 2).channel, (40, 60))
    counts = ItemCounts(item=None, by_code=Counter(), batch_size=1)
    assert among_asked(estimate, [("No", (0,)), ("Yes", (1,))], counts, Reading()) == AmongAsked()


def test_the_interval_is_that_of_ratios_and_wider_if_one_may_look_again_and_again(survey):
    items = questionnaire_of(survey.revision).items
    counts = Counter({level.code: 100 + 40 * n for n, level in enumerate(items[1].levels)})
    asked = ItemCounts(items[4], counts, family=items[1], batch_size=1)
    live, once = (
        question_report(5, asked, Reading(method)).among_asked[0].interval
        for method in ("confidence-sequence", "clopper-pearson")
    )
    assert once.method == "score"
    assert once.width < live.width < 2.3 * once.width


def test_the_files_have_one_column_for_a_family_and_say_how_to_read_it(survey, client):
    send_family(survey, np.array([2]), np.random.default_rng(1))
    client.force_login(survey.owner)
    lines = b"".join(client.get(reverse("surveys:responses", args=[survey.pk])).streaming_content)
    header = lines.decode().splitlines()[0]
    assert header == (
        "q001,q002_rep,q002_1,q002_2,q002_3,q003_1,q003_2,q003_asked,"
        "q004_yes,q004_no,q004_declined,q004_asked,q005_yes,q005_no,q005_asked,"
        "q006_rep,q006_yes,q006_no,q006_declined"
    )
    book = client.get(reverse("surveys:codebook", args=[survey.pk])).json()
    column = book["columns"][1]
    assert column["members"] == [2, 3, 4, 5]
    assert column["ways"][2] == ["01", "01", "01", "--"]
    assert column["questions"][1] == {
        "number": 3,
        "text": "What was it worth?",
        "asked_only": "Asked only of people who meet this condition: they answered “Once” to "
        "question 2. The answers to this question are part of the reported answer to question 2.",
        "answers": [{"code": "00", "label": "Little"}, {"code": "01", "label": "Much"}],
    }
    assert "Fieller" in column["how_to_read_family"]
    weights = np.array(column["weights"]) / column["denominator"]
    assert weights.sum(axis=1) == pytest.approx(1)


def people_behind(rng: np.random.Generator) -> np.ndarray:
    """True levels of the six questions of ``families.make_hidden_draft``, hidden ones included."""
    car, stolen = (rng.random(PEOPLE) < share for share in (0.7, 0.6))
    fun = np.where(stolen, rng.random(PEOPLE) < 0.3, 2)
    caught = stolen & (rng.random(PEOPLE) < 0.5)
    was_car = stolen & car & (rng.random(PEOPLE) < 0.4)
    paid = np.where(caught, rng.random(PEOPLE) < 0.5, 2)
    return np.column_stack((car, stolen, fun, caught, was_car, paid)).astype(int)


def test_reports_of_their_own_are_estimated_among_those_asked(owner, client):
    survey = make_hidden_survey(owner, batch_size=20)
    items = questionnaire_of(survey.revision).items
    rng = np.random.default_rng(23)
    truths = people_behind(rng)
    drawn = [
        draw_reports(item.integer_channel, truths[:, place], rng) if place else truths[:, 0]
        for place, item in enumerate(items)
    ]
    for person, reports in enumerate(np.column_stack(drawn)):
        codes = [item.levels[level].code for item, level in zip(items, reports, strict=True)]
        if not truths[person, 0]:
            codes[4] = "--"
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    reports = reports_of(survey)
    stolen, car = truths[:, 1] == 1, truths[:, 0] == 1
    for number, asked, level in ((3, stolen, 1), (4, stolen, 1), (5, stolen & car, 1)):
        rows = {row.label: row for row in reports[number - 1].among_asked}
        item = items[number - 1]
        row = rows[f"{item.levels[level].text}, among the people asked"]
        true = (truths[asked, number - 1] == level).mean()
        assert abs(row.share - true) < 4 * row.standard_error, number
        assert sum(one.share for one in rows.values()) == pytest.approx(1)
        assert "Does not apply, among the people asked" not in rows
    assert "Does not apply" in {row.label for row in reports[2].rows}
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert page.count("Based on about") >= 3
    assert "For people who were not asked, “No” counts as the true answer" in page
    book = client.get(reverse("surveys:codebook", args=[survey.pk])).json()
    assert book["columns"][3]["if_hidden"] == {"code": "00", "label": "No"}
    assert book["columns"][2]["if_hidden"] == {"code": "02", "label": "Does not apply"}


@pytest.mark.parametrize(("answer", "is_shown"), [("No", False), ("Yes", True)])
def test_a_rule_on_an_answer_as_which_others_only_count_is_not_estimated(owner, answer, is_shown):
    """People from whom 2 is hidden count as No there, and its No does not ask them 3."""
    draft = make_survey(owner, batch_size=1)
    first = add_question(draft, text="One?", required=True)
    second = add_question(draft, text="Two?", required=True, behind="counts")
    third = add_question(draft, text="Three?", required=True, behind="counts")
    add_condition(second, first)
    add_condition(third, second, value=answer)
    survey = launched(draft)
    for code in ("00", "01", "01", "01"):
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["01", code, "00"]))
    assert bool(reports_of(survey)[2].among_asked) == is_shown
