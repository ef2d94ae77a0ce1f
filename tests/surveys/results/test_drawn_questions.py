"""Results of a survey that asks each person some of the protected questions."""

import itertools
import json
import random

import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.drawing import DieSubset, draw_subset
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import kept
from tests.bodies import body_of
from tests.factories import add_question, launched, make_survey, make_user
from tests.stored import store_rows

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
PEOPLE = 60


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(make_drawn_survey)


def make_drawn_survey() -> Survey:
    """Three protected questions, of which two are asked; every subset of them equally often."""
    draft = make_survey(make_user(), asked=2)
    for text in ("First?", "Second?", "Third?"):
        add_question(draft, text=text, required=True)
    add_question(draft, text="Own a car?", design="direct", required=True)
    survey = launched(draft)
    subsets = itertools.cycle(["0100--", "01--00", "--0100"])
    for place, codes in zip(range(PEOPLE), subsets, strict=False):
        sent = [codes[:2], codes[2:4], codes[4:], f"0{place % 2}"]
        receive(survey_id=survey.pk, body=body_of(survey.revision, sent))
    return survey


def page(client, survey: Survey, name: str = "dashboard", query: str = "") -> str:
    client.force_login(survey.owner)
    reply = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def test_estimates_are_among_those_who_were_asked(survey):
    reports = [
        question_report(number, counts, Reading())
        for number, counts in enumerate(item_counts(survey.revision), 1)
    ]
    assert [(report.n, report.not_asked) for report in reports] == [(40, 20)] * 3 + [(60, 0)]
    # 20 of 40 answers are Yes to the second question, so that no channel moves the share.
    yes = next(row for row in reports[1].rows if row.label == "Yes")
    assert yes.share == pytest.approx(0.5)


def test_the_dashboard_says_how_many_were_asked_and_why_others_were_not(client, survey):
    words = page(client, survey)
    assert words.count("Asked of about 2 in 3 people, chosen by chance.") == 3
    left_out = "20 more people are left out: chance did not choose this question for these people."
    assert words.count(left_out) == 3
    assert "each person is asked 2 of 3 protected questions" in words


def test_the_files_mark_what_was_not_drawn_and_the_codebook_says_how(client, survey):
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]))
    rows = b"".join(reply.streaming_content).decode().splitlines()[1:]
    assert len(rows) == PEOPLE
    assert all(row.count("(not asked)") == 1 for row in rows)
    book = json.loads(client.get(reverse("surveys:codebook", args=[survey.pk])).content)
    assert (book["protected_questions_asked"], book["protected_questions"]) == (2, 3)
    assert "missing at random" in book["how_to_read_the_draw"]
    total = book["total_epsilon_of_randomized_questions"]
    assert total == questionnaire_of(survey.revision).loss.epsilon == pytest.approx(2.1972, 1e-4)


def test_a_break_down_leaves_out_who_was_asked_one_of_the_two(client, survey):
    close(survey=survey, by=survey.owner)
    words = page(client, survey, "break-down", "?question=1&by=4&by=2")
    assert "People left out because they were not asked all of these questions: 40." in words


def test_a_break_down_of_questions_that_no_person_gets_together_says_so(client, owner):
    draft = make_survey(owner, asked=1)
    for text in ("First?", "Second?"):
        add_question(draft, text=text, required=True)
    survey = launched(draft)
    for codes in (["01", "--"], ["--", "01"]):
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    words = page(client, survey, "break-down", "?question=1&by=2")
    assert "So far, no one has been asked all of these questions." in words
    assert "No answers yet" not in words


def by_die(rule: DieSubset, chance: random.Random) -> set[int]:
    """What a person with a die draws, by the words of the page."""
    drawn: set[int] = set()
    while len(drawn) < rule.drawn:
        thrown = "".join(chance.choice("123456") for _ in range(rule.throws))
        drawn |= {rule.place_of(thrown)} - {None}
    return set(range(rule.size)) - drawn if rule.leaves_out else drawn


@pytest.mark.parametrize("asked", [2, 5])
def test_estimates_are_right_also_where_people_with_their_own_coin_differ_from_others(owner, asked):
    """One in three uses a coin, and says yes far more often: the draw is the same for all."""
    draft = make_survey(owner, asked=asked)
    for place in range(7):
        add_question(draft, text=f"Question {place}?", required=True)
    survey = launched(draft)
    questionnaire = questionnaire_of(survey.revision)
    chance, people, truths = random.Random(asked), 4000, [0] * 7
    rows = []
    for _ in range(people):
        own = chance.random() < 1 / 3
        words = iter(lambda: chance.getrandbits(32), None)
        drawn = by_die(questionnaire.draw.die, chance) if own else draw_subset(7, asked, words)
        codes = []
        for place, item in enumerate(questionnaire.items):
            truth = int(chance.random() < (0.8 if own else 0.1 * place))
            truths[place] += truth
            sent = chance.choices((0, 1), item.weights[truth])[0]
            codes.append(item.levels[sent].code if place in drawn else item.not_asked)
        rows.append("".join(codes))
    store_rows(survey.revision, rows)
    for place, counts in enumerate(item_counts(survey.revision)):
        report = question_report(place + 1, counts, Reading())
        assert abs(report.n - people * asked / 7) < 5 * (people * asked / 7) ** 0.5
        yes = next(row for row in report.rows if row.label == "Yes")
        assert abs(yes.share - truths[place] / people) < 5 * yes.standard_error
