"""Before they write, respondents read who sees their texts and what reports may tell."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.urls import reverse

from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.questionnaire.plans.openings import OpeningPlan
from surveys.questionnaire.plans.schedules import ReleasePlan
from surveys.wording.openings import flooding_note
from surveys.wording.protection import keeping_lines, total_odds
from surveys.wording.texts import direct_mark, reports_explained, reports_line, tables_line
from tests.factories import add_budget, add_question, add_text, launched, make_survey

TEXT = TextQuestion(
    id="t", text="Why?", help="", required=False, kind="text", design="direct", longest=100
)
DIRECT = LevelQuestion(
    id="d",
    text="Do you own a car?",
    help="",
    required=True,
    kind="yes_no",
    design="direct",
    levels=(Level("00", "No"), Level("01", "Yes")),
    display=(1, 0),
)
OPEN = Questionnaire("T", "I", "O", "C", 1, (TEXT,))
BUDGET = PromisedBudget("4", "0.000001")


def told(**changes: object) -> str:
    return " ".join(reports_explained(replace(OPEN, **changes)))


def test_a_budget_is_told_as_odds_and_as_the_chance_that_they_fail():
    line = reports_line(replace(OPEN, budget=BUDGET))
    assert line == (
        "The people who run this survey can read the texts. Reports on these texts are blurred. "
        "All these reports together change the odds of any guess about you at most 54.6-fold. The "
        "chance that this does not hold is one in a million."
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "times", "chance"),
    [
        ("0.1", "0.01", "at most 1.11-fold", "is one in 100."),
        ("2", "0.0003", "at most 7.39-fold", "is one in 3,333."),
        (
            "20",
            "0.000001",
            "more than a million-fold, which is hardly any protection",
            "is one in a million.",
        ),
    ],
)
def test_every_number_comes_from_the_budget(epsilon, delta, times, chance):
    line = reports_line(replace(OPEN, budget=PromisedBudget(epsilon, delta)))
    assert times in line
    assert chance in line


def test_a_budget_for_tables_is_told_to_who_gives_direct_answers():
    asked = replace(OPEN, items=(DIRECT,), budget=replace(BUDGET, source="all"))
    line = tables_line(asked)
    assert line == (
        "The people who run this survey see unprotected answers as you give them, and can count "
        "them exactly. Reports on texts are blurred, and so are tables for other people. All "
        "these reports and tables together change the odds of any guess about you at most "
        "54.6-fold. The chance that this does not hold is one in a million."
    )
    explained = reports_explained(asked)
    assert explained[0] == line
    assert "One ledger adds up what all reports and tables" in explained[1]
    assert "what these people tell others about the answers" in explained[-1]
    assert "number of texts" not in " ".join(explained)
    assert "number of people is exact" in told(
        items=(DIRECT,), budget=replace(BUDGET, source="all", adjacency="replace_one")
    )


def test_texts_and_tables_of_one_budget_are_told_the_limit_once():
    both = replace(OPEN, items=(TEXT, DIRECT), budget=replace(BUDGET, source="all"))
    assert "54.6-fold" in reports_line(both)
    assert "54.6-fold" not in tables_line(both)
    assert "can count them exactly" in tables_line(both)


ALONE = replace(
    OPEN,
    items=(DIRECT,),
    budget=replace(BUDGET, source="all", adjacency="replace_one"),
    opening=OpeningPlan("close"),
    releases=ReleasePlan(3),
)


def test_where_tables_alone_are_released_respondents_read_who_sees_what_and_until_when():
    assert tables_line(ALONE) == (
        "Unprotected answers stay encrypted. The people who run this survey see neither these "
        "answers nor exact counts of these answers. The people who run this survey see blurred "
        "tables. All these tables together change the odds of any guess about you at most "
        "54.6-fold. The chance that this does not hold is one in a million. How many people "
        "answered is shown exactly. When the survey closes, the last tables are made, and the "
        "unprotected answers are destroyed. Until then, someone who has the keys of this server "
        "could read these answers."
    )
    explained = " ".join(reports_explained(ALONE))
    assert "as you give them, and can count" not in explained
    assert "see the unprotected answers" not in explained
    assert "the number of people is exact" in explained


def test_where_tables_alone_are_released_the_first_screen_says_so():
    assert direct_mark(OPEN) == "not protected"
    assert direct_mark(ALONE) == "shown only in blurred tables"
    assert direct_mark(replace(ALONE, items=(DIRECT, TEXT))).startswith("texts are read")
    assert total_odds(ALONE).endswith("shown only in blurred tables.")
    assert "sees only tables in which your answers are blurred" in flooding_note(ALONE)


PROTECTED = replace(DIRECT, id="p", design="two_coins", weights=((3, 1), (1, 3)), denominator=4)


@pytest.mark.parametrize("protected", [(), (PROTECTED,)])
@pytest.mark.parametrize("texts", [(), (TEXT,)])
def test_where_tables_alone_are_released_only_what_is_asked_is_said_to_be_seen(protected, texts):
    asked = replace(ALONE, items=(DIRECT, *protected, *texts))
    note = flooding_note(asked)
    tables = "sees only tables in which your answers are blurred."
    assert note.endswith("stay blurred even for that person." if protected or texts else tables)
    assert ("protected questions" in note) == bool(protected)
    assert ("texts" in note or "wrote" in note) == bool(texts)
    if not protected:
        assert ("Texts are read" in total_odds(asked)) == bool(texts)
        assert (
            "Every answer is sent as you give it, and shown only in blurred tables"
            in (total_odds(asked))
        ) == (not texts)


def test_with_texts_the_limit_of_tables_alone_is_told_once():
    both = replace(ALONE, items=(TEXT, DIRECT))
    assert "54.6-fold" in reports_line(both)
    assert "54.6-fold" not in tables_line(both)
    assert "These tables share one limit with the reports on texts" in tables_line(both)


def test_a_budget_for_texts_alone_says_nothing_of_tables():
    assert tables_line(replace(OPEN, items=(TEXT, DIRECT), budget=BUDGET)) == ""
    assert "tables" not in reports_line(replace(OPEN, items=(TEXT, DIRECT), budget=BUDGET))


def test_without_a_budget_nothing_is_called_protected():
    line = reports_line(OPEN)
    assert line.startswith("The people who run this survey can read the texts.")
    assert "No protected report on the texts is promised" in line
    assert "fold" not in line
    assert reports_explained(OPEN) == [line]


def test_a_survey_without_texts_says_nothing_about_reports_on_them():
    silent = replace(OPEN, items=())
    assert reports_line(silent) == ""
    assert reports_explained(silent) == []


def test_what_a_report_hides_is_told_as_it_is():
    assert "do not hide that you took part" not in told(budget=BUDGET)
    replaced = replace(BUDGET, adjacency="replace_one")
    assert "Reports hide what you wrote. They do not hide that you took part" in told(
        budget=replaced
    )
    assert "number of texts is exact" in told(budget=replaced)
    assert "number of texts is shown exactly" in told(budget=BUDGET)
    for_all = told(budget=replace(replaced, source="all"))
    assert "number of people is exact" in for_all
    assert "number of texts is shown exactly" in for_all


def test_who_can_answer_twice_is_told_that_the_limit_counts_each_time():
    assert "If you answer twice, you reveal more" in told(budget=BUDGET)
    assert "twice" not in told(budget=BUDGET, invitation_only=True)


def test_what_internal_reports_took_is_deleted_with_the_answers_and_blurred_reports_stay():
    dated = replace(OPEN, delete_on="2027-03-01")
    deleted = (
        "All answers are deleted on March 1, 2027 at the latest, and so is everything that "
        "internal reports took from your texts."
    )
    blurred = keeping_lines(replace(dated, budget=BUDGET))[-1]
    assert blurred == f"{deleted} Blurred reports are not deleted."
    assert keeping_lines(replace(dated, budget=None))[-1] == deleted
    with_tables = keeping_lines(replace(dated, budget=replace(BUDGET, source="all")))[-1]
    assert with_tables == f"{deleted} Blurred reports and tables are not deleted."


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
@pytest.mark.parametrize("budget", [True, False])
def test_every_page_of_the_respondent_says_it(client, owner, name, budget):
    draft = make_survey(owner)
    add_question(draft)
    add_text(draft)
    if budget:
        add_budget(draft)
    survey = launched(draft)
    reply = client.get(reverse(f"respondent:{name}", args=[survey.pk]))
    page = re.sub(r"\s+", " ", unescape(reply.content.decode()))
    promised = reports_line(Questionnaire.from_document(survey.revision.document))
    times = {"start": 2, "own-coin": 1, "how-it-works": 1}[name]  # on the start page: before, there
    assert page.count(promised) == times
    assert ("at most 54.6-fold" in promised) == budget
