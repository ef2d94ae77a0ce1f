"""Two questions with one second question are launched no more, and looked at together no more."""

import itertools
import json
import math
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from django.http import QueryDict

from analytics.comparison.checks import ComparisonError
from analytics.sources.survey_answers import answers_for_tree, groups_by
from surveys.authoring import services
from surveys.authoring.confirmations import Launch
from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.models import Openings, Question, Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.sharing import sharing
from surveys.results.analyses.breakdown_kind import BreakdownForm
from surveys.results.analyses.regression_kind import RegressionForm
from surveys.results.analyses.weights_kind import WeightsForm
from surveys.results.codebook.book import codebook
from surveys.wording.learning import who_learns
from surveys.wording.odds import total_words
from surveys.wording.protection import total_odds
from tests.early_documents import version_1
from tests.factories import MOTHER, add_question, make_survey
from tests.unready import why

DESIGNS, KINDS = Question.Design, Question.Kind
HOW = {
    DESIGNS.CROSSWISE: dict(harmless_yes="1/4"),
    DESIGNS.UNRELATED_SHOWN: dict(p_sensitive="2/3", harmless_yes="1/4"),
    DESIGNS.TWO_GROUPS: dict(p_sensitive="3/4, 1/4", harmless_yes="1/4, 3/4"),
}
OTHER = "Is your door number even?"
PAIR = "1 and 2 use the same second question"


def hide(survey: Survey, text: str, harmless: str, design: str = DESIGNS.CROSSWISE) -> None:
    fields = dict(text=text, required=True, design=design, harmless=harmless)
    add_question(survey, **fields, **HOW[DESIGNS(design)])


def draft_of(owner, *seconds: str, **fields) -> Survey:
    """A crosswise question with each of these second ones, and a scale asked directly."""
    survey = make_survey(owner, **fields)
    for place, harmless in enumerate(seconds):
        hide(survey, f"Sensitive {place}?", harmless)
    add_question(
        survey, "Low", "High", text="Mood?", kind=KINDS.SCALE, design=DESIGNS.DIRECT, required=True
    )
    return survey


@pytest.fixture
def before(owner) -> Revision:
    """Launched before it was refused: questions 1 and 2 share a second one, 3 has its own."""
    draft = draft_of(owner, MOTHER, OTHER, "Is it May?")
    document = version_1(draft_questionnaire(draft).to_document())
    document["items"][1]["second"]["text"] = MOTHER.lower()
    revision = Revision.objects.create(survey=draft, document=document)
    Openings.objects.create(revision=revision, since=date(2026, 1, 1))
    return revision


# ---- Why ----------------------------------------------------------------------------------------


def test_two_crosswise_reports_with_one_second_answer_tell_whether_both_truths_agree():
    for one, two, second in itertools.product((0, 1), repeat=3):
        assert (one == second) ^ (two == second) == one ^ two


@pytest.mark.parametrize("pair", [*itertools.combinations_with_replacement(HOW, 2)])
def test_of_every_two_designs_some_reports_rule_out_some_truths(owner, pair):
    """Given one second answer, Yes of a quarter of people, both reports are independent."""
    survey = make_survey(owner)
    for place, design in enumerate(pair):
        hide(survey, f"Sensitive {place}?", (MOTHER, OTHER)[place], design)
    items = draft_questionnaire(survey).items

    def chance(item, report: int, truth: int, second: int) -> Fraction:
        if item.design == DESIGNS.CROSSWISE:
            return Fraction(report == (truth == second))
        return Fraction(item.pairs[2 * truth + second][report], item.denominator)

    def together(reports, truths) -> Fraction:
        law = ((0, Fraction(3, 4)), (1, Fraction(1, 4)))
        parts = (
            p
            * math.prod(chance(i, y, x, s) for i, y, x in zip(items, reports, truths, strict=True))
            for s, p in law
        )
        return sum(parts, Fraction(0))

    every = itertools.product(*(range(len(item.reported_levels)) for item in items))
    found = [[together(y, x) for x in itertools.product((0, 1), repeat=2)] for y in every]
    assert any(max(row) > 0 == min(row) for row in found)


# ---- At launch ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written", [MOTHER, f" {MOTHER.upper()} ", MOTHER.replace(" ", "\u00a0\n"), "".join(
        chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in MOTHER
    )]
)  # fmt: skip
def test_a_second_question_stands_once_however_it_is_written(owner, written):
    survey = draft_of(owner, MOTHER, OTHER, written)
    assert "Questions 1 and 3 use the same second question" in why(survey)
    (problem,) = Launch(survey).problems()
    assert "Write a different second question" in problem
    with pytest.raises(NotReady):
        services.launch(survey=survey, by=owner)


def test_a_second_question_is_not_asked_itself(owner):
    survey = draft_of(owner, OTHER)
    add_question(survey, text="is your door  number EVEN?", design=DESIGNS.DIRECT)
    assert "Questions 1 and 3 use the same second question" in why(survey)


@pytest.mark.parametrize("design", HOW)
def test_all_designs_with_a_second_question_are_looked_at(owner, design):
    survey = draft_of(owner, MOTHER)
    hide(survey, "Another?", MOTHER, design)
    assert "Questions 1 and 3 use the same second question" in why(survey)


def test_different_second_questions_are_launched(owner):
    frozen = draft_questionnaire(draft_of(owner, MOTHER, OTHER))
    assert sharing(frozen.items) == ()
    assert frozen.loss.epsilon == pytest.approx(2 * math.log(3))


# ---- What was launched before --------------------------------------------------------------------


def test_the_total_is_infinite_and_staff_and_respondents_read_so(before):
    frozen = questionnaire_of(before)
    assert frozen.loss.epsilon == math.inf
    assert "epsilon infinite" in total_words(frozen)
    assert "more than a million-fold" in total_odds(frozen)
    assert who_learns(frozen) == who_learns(replace(frozen, wording=1)) == "Yes"


def test_of_two_that_are_never_asked_together_the_total_is_finite(before):
    frozen = questionnaire_of(before)
    assert replace(frozen, asked=1).loss.epsilon == pytest.approx(math.log(3))
    assert replace(frozen, asked=2).loss.epsilon == math.inf


def test_the_codebook_stays_json_and_names_the_pair(before):
    book = codebook(before, responses=0)
    assert book["total_epsilon_of_randomized_questions"] is None
    assert json.loads(json.dumps(book["share_a_second_question"])) == [[1, 2]]


def test_comparisons_and_trees_refuse_the_pair(before):
    looks = (
        lambda: groups_by(before, 1, 2, ((0.0, 1.0), (1.0, 0.0))),
        lambda: answers_for_tree(before, 4, (1, 2)),
        lambda: answers_for_tree(before, 1, (2,)),
    )
    for look in looks:
        with pytest.raises(ComparisonError, match="1 and 2 share a second question"):
            look()


def test_break_downs_and_cross_tables_refuse_the_pair_and_take_others(before):
    items = questionnaire_of(before).items
    for query, is_refused in (
        ("question=1&by=2", True),
        ("question=4&by=1&also_by=2", True),
        ("question=1&by=3", False),
        ("question=4&by=2", False),
    ):
        form = BreakdownForm(QueryDict(query), items=items)
        assert form.is_valid() != is_refused
        assert (PAIR in str(form.errors)) == is_refused


def test_weights_and_models_refuse_the_second_question_itself(before):
    """Question 4 is asked directly, and is the second one of question 1."""
    frozen = questionnaire_of(before).items
    items = (*frozen[:3], replace(frozen[3], text=MOTHER))
    weighted = WeightsForm(QueryDict("by=4&margins=Low: 1%0AHigh: 1"), items=items)
    assert not weighted.is_valid()
    model = RegressionForm(QueryDict("outcome=1-1&predictors=4"), items=items)
    assert not model.is_valid()
    for form in (weighted, model):
        assert "1 and 4 use the same second question" in str(form.errors)
