"""A draft as a definition: an import of it makes the same draft, and the same file again."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from surveys.authoring.draft.rules import ruled
from surveys.authoring.drafts import item_of
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.authoring.services import replace_options
from surveys.definitions.definition import DraftQuestion, DraftSection
from surveys.definitions.documents import from_bytes, to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.rules.text import read, written
from surveys.models import Condition, Question, Survey
from surveys.models.translations import digest_of
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.staff.differences import described
from tests import factories
from tests.surveys.authoring.importing.making import (
    ALL_ANSWERS,
    SOURCES,
    as_given,
    drawn_rule,
    plan_with,
)
from tests.surveys.definitions.drafts import EVERYTHING

pytestmark = pytest.mark.django_db
KEPT_APART = {"contact", "delete_on", "close_on"}  # an import sets them itself


@pytest.fixture
def ada():
    return factories.make_user("ada")


def imported(survey: Survey, ada) -> Survey:
    """The draft that the file of this one becomes."""
    plan = plan_import(to_bytes(definition_of(survey)), "draft.json")
    assert plan.remarks == ()
    return store(fitted(plan), by=ada)


def asked(**fields: object) -> DraftQuestion:
    defaults = {"name": "asked", "kind": "yes_no", "text": {"en": "And this?"}}
    return DraftQuestion(**{**defaults, **fields})


def test_a_draft_of_every_kind_comes_back_with_every_field(ada):
    survey = factories.make_survey(ada, batch_size=20)
    factories.add_one_of_each(survey)
    factories.add_other_designs(survey)
    factories.add_long_list(survey)
    factories.add_text(survey)
    factories.add_other(survey)
    factories.add_pages(survey)
    ticks = factories.add_ticks(survey, most=2)
    replace_options(question=ticks, texts=factories.TRAVEL, alone=factories.TRAVEL[-1:])
    factories.add_ranking(survey)
    factories.add_day(survey)
    factories.add_matrix(survey, shown=2)
    factories.add_rating(survey, size=12, shown=2, adaptive=True)
    copy = imported(survey, ada)
    was, now = described(survey), described(copy)
    planned = set(Survey.PLAN) | KEPT_APART
    assert {n: v for n, v in was.survey.items() if n not in planned} == {
        n: v for n, v in now.survey.items() if n not in planned
    }
    for before, after in zip(was.questions.values(), now.questions.values(), strict=True):
        used = {name: value for name, value in before.items() if name != "unfinished"}
        differing = {name for name, value in used.items() if after[name] != value}
        # What its kind and design do not use is not in a definition.
        assert not any(used[name] for name in differing), (used["kind"], differing)


def test_the_same_file_is_written_again(ada):
    first = store(fitted(plan_with(asked(rule=read("drug is yes or days > 3")))), by=ada)
    content = to_bytes(definition_of(first))
    assert to_bytes(definition_of(imported(first, ada))) == content
    assert to_bytes(from_bytes(content)) == content


def test_rules_come_back_as_rules_that_ask_the_same(ada):
    rng = np.random.default_rng(42)
    questions = [asked(name=f"r{n}", rule=drawn_rule(rng)) for n in range(60)]
    first = store(fitted(plan_with(*questions)), by=ada)
    second = imported(first, ada)
    pairs = zip(items_of(first), items_of(second), strict=True)
    people = [ALL_ANSWERS[at] for at in rng.integers(len(ALL_ANSWERS), size=40)]
    for was, now in list(pairs)[len(SOURCES) :]:
        for answers in people:
            given = {
                number: as_given(answers[source.name], item)
                for number, (source, item) in enumerate(
                    zip(SOURCES, items_of(first)[: len(SOURCES)], strict=True), start=1
                )
            }
            rules = [item.rule is None or item.rule.holds(given) for item in (was, now)]
            assert rules[0] == rules[1]


@cache
def items_of(survey: Survey) -> list[PromisedQuestion]:
    rows = list(survey.questions.prefetch_related("options", "conditions"))
    items, reasons = ruled(survey, rows, [item_of(row) for row in rows])
    assert reasons == []
    return items


def test_names_translations_quotes_and_sections_come_back(ada):
    plan = plan_with()
    draft = fitted(plan)
    draft.survey.also_in = "de"
    survey = store(draft, by=ada)
    Question.objects.filter(survey=survey, name="where").update(
        name=None, section="Then", text="Where, {your answer to question 1}?"
    )
    for own, german in {"Did you?": "Haben Sie?", "Then": "Dann"}.items():
        survey.translations.create(language="de", digest=digest_of(own), text=german)
    definition = definition_of(survey)
    assert [question.name for question in definition.questions] == [
        "drug",
        "q002",
        "often",
        "fruit",
        "days",
    ]
    first, then = definition.sections
    assert first.questions[0].text == {"en": "Did you?", "de": "Haben Sie?"}
    assert then.title == {"en": "Then", "de": "Dann"}
    assert then.questions[0].text == {"en": "Where, {your answer to question drug}?"}
    copy = imported(survey, ada)
    again = copy.questions.all()[1]
    assert (again.name, again.text) == (None, "Where, {your answer to question 1}?")


def test_everything_that_a_draft_can_hold_of_a_definition_comes_back(ada):
    plan = plan_import(to_bytes(EVERYTHING), "draft.json")
    definition = definition_of(store(fitted(plan), by=ada))
    assert definition.arms == EVERYTHING.arms
    assert definition.promises == replace(EVERYTHING.promises, opening_days=None)  # as usual
    drug = next(question for question in definition.questions if question.name == "drug")
    assert drug == next(question for question in EVERYTHING.questions if question.name == "drug")


def test_what_cannot_be_read_is_left_out_and_marked(ada):
    survey = store(fitted(plan_with(asked(rule=read("where is a")))), by=ada)
    last = survey.questions.last()
    last.conditions.update(value="An answer that is gone")
    Question.objects.filter(survey=survey, name="drug").update(
        design="forced_response", forced="a lot"
    )
    written_again = {each.name: each for each in definition_of(survey).questions}
    assert (written_again["asked"].rule, written_again["asked"].unfinished) == (None, True)
    assert (written_again["drug"].design.forced, written_again["drug"].unfinished) == ((), True)


def test_an_empty_draft_is_a_file_too(ada):
    survey = factories.make_survey(ada, batch_size=20)
    assert imported(survey, ada).questions.count() == 0


def test_lines_that_a_browser_sent_and_controls_make_a_file_that_is_imported(ada):
    survey = factories.make_survey(ada, batch_size=20, introduction="One\r\nTwo\x0b\rThree")
    assert definition_of(survey).introduction == {"en": "One\nTwo\nThree"}
    assert imported(survey, ada).introduction == "One\nTwo\nThree"


def test_a_rule_is_written_in_words_that_a_person_reads(ada):
    rule = read("drug is yes and (where is a or days < 3)")
    survey = store(fitted(plan_with(asked(rule=rule))), by=ada)
    last = list(definition_of(survey).questions)[-1]
    assert written(last.rule) == "drug is yes and (where is a or days < 3)"


GARBAGE = (
    "",
    "|",
    "Yes | gone",
    "NaN",
    "Infinity",
    "1e400",
    "9" * 40,
    "٣",
    "-1",
    "0",
    "2.5",
    "=1+1",
)


def test_rules_with_garbage_still_make_a_file_that_is_imported(ada):
    """The form takes any value of a condition; the checklist says what is wrong with it."""
    survey = store(fitted(plan_with()), by=ada)
    sources = list(survey.questions.all())
    for source in sources:
        for comparison in Condition.Comparison:
            for value in GARBAGE:
                last = factories.add_question(survey, text="And?", design="direct")
                factories.add_condition(last, source, comparison, value)
    elsewhere = factories.add_question(factories.make_survey(ada, batch_size=20))
    factories.add_condition(factories.add_question(survey), elsewhere)
    written_again = list(definition_of(survey).questions)[len(sources) :]
    for at in range(0, len(written_again), 250):  # a survey has at most 300 questions
        part = DraftSection(questions=(*SOURCES, *written_again[at : at + 250]))
        definition = replace(definition_of(survey), sections=(part,))
        assert from_bytes(to_bytes(definition)) == definition
    assert written_again[-1].unfinished


def test_a_probability_too_fine_for_a_file_is_left_out_and_marked(ada):
    survey = store(fitted(plan_with()), by=ada)
    Question.objects.filter(survey=survey, name="drug").update(
        design="warner", p_sensitive=".123456789"
    )
    drug = next(iter(definition_of(survey).questions))
    assert (drug.design.p_sensitive, drug.unfinished) == ((), True)
    assert from_bytes(to_bytes(definition_of(survey)))
