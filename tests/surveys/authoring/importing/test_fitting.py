"""A definition becomes rows of a draft; whatever has no room there is named, with what to do."""

from fractions import Fraction

import numpy as np
import pytest
from django.utils import timezone

from surveys.authoring.draft.rules import ruled
from surveys.authoring.draft.trees import section_tree
from surveys.authoring.drafts import draft_questionnaires, item_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.definitions.definition import (
    DraftArm,
    DraftDesign,
    DraftExplanation,
    DraftOption,
    DraftQuestion,
    DraftRow,
    DraftSection,
    SpecialAnswer,
)
from surveys.definitions.imports.plans import ImportPlan, PlannedQuestion, stopped
from surveys.definitions.imports.remarks import Grade, Spot
from surveys.definitions.rules.text import read
from surveys.models import Question, Survey
from tests.factories import make_catalogue, make_user
from tests.surveys.authoring.importing.making import (
    ALL_ANSWERS,
    SOURCES,
    as_given,
    drawn_rule,
    holds,
    plan_with,
)
from tests.surveys.definitions.drafts import EVERYTHING

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    user = make_user("ada")
    user.email = "ada@example.org"
    user.save()
    return user


YES, BELOW_3 = {"is": [1, "01"]}, {"less": [5, 3]}
LONG = {"text": {"en": "Read this. " * 360}, "help": {"en": "And this. " * 45}}


def asked(**fields: object) -> DraftQuestion:
    defaults = {"name": "asked", "kind": "yes_no", "text": {"en": "And this?"}}
    return DraftQuestion(**{**defaults, **fields})


def remarks_on(*questions: DraftQuestion, **fields: object) -> list[tuple[str, str]]:
    found = fitted(plan_with(*questions, **fields)).remarks
    return [(str(remark.grade), str(remark.outcome)) for remark in found]


def stored(ada, *questions: DraftQuestion, **fields: object) -> Survey:
    return store(fitted(plan_with(*questions, **fields)), by=ada)


# Rows.


def test_a_draft_has_what_the_definition_says(ada):
    survey = store(fitted(ImportPlan("deniable", EVERYTHING, (), 0, 0, ())), by=ada)
    assert (survey.title, survey.language, survey.also_in) == ("Habits", "en", "de ar")
    assert (survey.arms, survey.opening, survey.asked) == ("A: 1\nB: 2", "every", 3)
    drug = survey.questions.get(name="drug")
    assert (drug.text, drug.help, drug.required) == ("Did you?", "Ever.", True)
    assert (drug.design, drug.p_sensitive, drug.harmless_yes) == ("unrelated_shown", "2/3", "1/12")
    assert (drug.harmless, drug.known_share, drug.arms) == ("Born in May?", "0", "A")
    often = survey.questions.get(name="often")
    assert (str(often.epsilon), often.behind, often.most, often.same_screen) == (
        "1.0986",
        "own",
        1,
        True,
    )
    assert [option.text for option in often.options.all()] == ["Never", "Often"]
    assert [str(row) for row in often.conditions.all()] == ["Did you? is Yes"]
    grid = survey.questions.get(name="grid")
    assert (grid.section, grid.section_text, grid.table_rows) == ("Two", "Now.", "[a] A\n[b] B")
    born = survey.questions.get(name="born")
    assert (born.first_day.isoformat(), born.last_day.isoformat()) == ("1900-01-01", "2010-12-31")
    assert survey.questions.first().random_screens


def rules_in(survey: Survey) -> list[object]:
    """The rule of each question, as a launched form would hold it."""
    rows = list(survey.questions.prefetch_related("options", "conditions"))
    items, reasons = ruled(survey, rows, [item_of(row) for row in rows])
    assert reasons == []
    return [item.rule.to_document() if item.rule else None for item in items]


def test_a_section_keeps_its_rule_which_joins_those_of_its_questions(ada):
    rule = read("drug is yes")
    own = asked(rule=read("days < 3"))
    section = DraftSection(title={"en": "Then"}, rule=rule, questions=(asked(name="b"), own))
    first = DraftSection(questions=SOURCES)
    survey = stored(ada, sections=(first, section))
    begins, follows = survey.questions.prefetch_related("options", "conditions")[5:]
    assert section_tree(begins) == begins.conditions.get()
    assert [*map(str, follows.conditions.all())] == ["Days? is less than 3"]
    assert rules_in(survey)[5:] == [YES, {"all": [YES, BELOW_3]}]


@pytest.mark.parametrize("unfit", [{"title": {}}, {"rule": read("hurt is yes")}])
def test_questions_have_the_rule_of_a_section_that_cannot_keep_it(ada, unfit):
    """A section of a draft has a title, and its rule reads direct answers."""
    hurt = asked(name="hurt", design=DraftDesign(name="two_coins"))
    fields = {"title": {"en": "Then"}, "rule": read("drug is yes"), **unfit}
    section = DraftSection(**fields, questions=(asked(name="b"), asked(name="c")))
    survey = stored(ada, sections=(DraftSection(questions=(*SOURCES, hurt)), section))
    for question in survey.questions.all()[6:]:
        assert section_tree(question) is None
        assert question.conditions.count() == 1


def test_a_text_for_a_last_answer_has_its_choice_s_rule_and_none_of_its_own(ada):
    choice = asked(name="b", kind="choice", options=SOURCES[1].options)
    section = DraftSection(
        rule=read("drug is yes"), questions=(choice, asked(name="c", kind="other"))
    )
    survey = stored(ada, sections=(DraftSection(questions=SOURCES), section))
    assert rules_in(survey)[5:] == [YES, {"is": [6, "02"]}]


def test_rows_of_a_stored_rule_ask_the_same_people(ada):
    """From the tree to rows, and from rows to the rule that respondents' pages read."""
    rng = np.random.default_rng(41)
    questions = [asked(name=f"r{n}", rule=drawn_rule(rng)) for n in range(60)]
    survey = stored(ada, *questions)
    rows = list(survey.questions.prefetch_related("options", "conditions"))
    items, reasons = ruled(survey, rows, [item_of(row) for row in rows])
    assert reasons == []
    assert sum(item.rule is not None for item in items) > 30
    for item, row in zip(items[5:], rows[5:], strict=True):
        drafted = next(each for each in questions if each.name == row.name)
        if row.unfinished:
            continue
        for at in rng.integers(len(ALL_ANSWERS), size=40):
            answers = ALL_ANSWERS[at]
            given = {
                number: as_given(answers[source.name], items[number - 1])
                for number, source in enumerate(SOURCES, start=1)
            }
            is_asked = item.rule.holds(given) if item.rule else True
            assert is_asked == holds(drafted.rule, answers), drafted.rule


def test_translations_belong_to_the_words_and_quotes_to_numbers(ada):
    words = {"en": "Why {your answer to days}?", "de": "Warum {Ihre Antwort auf days}?"}
    languages, title = ("en", "de"), {"en": "Habits", "de": "Gewohnheiten"}
    why = asked(text=words)
    survey = stored(ada, why, languages=languages, title=title)
    assert survey.questions.last().text == "Why {your answer to 5}?"
    texts = set(survey.translations.values_list("language", "text"))
    assert texts == {("de", "Gewohnheiten"), ("de", "Warum {Ihre Antwort auf 5}?")}


@pytest.mark.parametrize(
    ("text", "heading", "body"),
    [
        ("Thank you!", "Thank you!", ""),
        ("Your data\n\nWe keep it.\nFor a year.", "Your data", "We keep it.\nFor a year."),
        ("Read this. " + "And that, " * 30, "Read this.", ("And that, " * 30).strip()),
        ("word " * 60, "word " * 28 + "word…", ("word " * 60).strip()),
        ("x" * 300, "x" * 149 + "…", "x" * 300),
    ],
)
def test_a_page_has_a_heading_and_loses_nothing(ada, text, heading, body):
    page = stored(ada, asked(kind="info", text={"en": text})).questions.last()
    assert (page.text, page.help, page.unfinished) == (heading, body, None)


def test_a_finished_definition_is_ready_but_for_its_survey(ada):
    survey = stored(ada, asked(rule=read("drug is yes and (where is a or days < 3)")))
    Survey.objects.filter(pk=survey.pk).update(
        introduction="Why.", organisation="Us", close_on=timezone.now(), planned_responses=9000
    )
    [questionnaire] = draft_questionnaires(Survey.objects.get(pk=survey.pk))
    assert questionnaire.items[5].rule.to_document() == {
        "all": [{"is": [1, "01"]}, {"any": [{"is": [2, "00"]}, {"less": [5, 3]}]}]
    }


def test_a_rating_has_the_catalogue_of_its_author_or_is_not_finished(ada):
    mine = make_catalogue(ada)
    rated = [asked(name=name, kind="rating", catalogue=name) for name in (mine.name, "Unknown")]
    survey = stored(ada, *rated)
    known, unknown = survey.questions.all()[5:]
    assert (known.catalogue, known.unfinished) == (mine, None)
    assert (unknown.catalogue, unknown.unfinished) == (None, True)


# Remarks.


def test_a_plan_without_a_definition_becomes_no_draft():
    with pytest.raises(ValueError, match="no draft"):
        fitted(stopped("unknown", ()))


def test_a_question_that_fits_has_no_remark():
    assert remarks_on(asked()) == []


def test_each_remark_names_the_place_in_the_form():
    plan = plan_with(asked(text={"en": "x" * 501}))
    spots = tuple(PlannedQuestion(each.name, Spot("survey", 9), True) for each in plan.questions)
    plan = ImportPlan(
        "xlsform",
        plan.definition,
        (PlannedQuestion("asked", Spot("survey", 9), True), *spots),
        0,
        0,
        (),
    )
    (cut,) = fitted(plan).remarks
    assert (cut.grade, cut.spot.row) == (Grade.LEFT_OUT, 9)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (asked(kind="info", **LONG), "Everything after its first 3999 characters is left"),
        (asked(rule=read("asked is yes")), "“asked”, which does not come before this question"),
        (
            asked(design=DraftDesign(epsilon="7")),
            "“epsilon” is left out: Ensure this value is less",
        ),
        (asked(kind="date", first_day="2026-02-31"), "“first day” is left out"),
        (asked(kind="number", minimum="1" + "0" * 15), "“minimum” is left out"),
        (
            asked(design=DraftDesign(forced=(Fraction(1, 999_999_999),) * 50)),
            "“probabilities of forced answers” is left out",
        ),
    ],
)
def test_what_has_no_room_is_named_and_its_question_marked(ada, question, words):
    assert any(grade == "left_out" and words in said for grade, said in remarks_on(question))
    assert stored(ada, question).questions.last().unfinished


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (asked(name="arm"), "In files, something else already has the name “arm”"),
    ],
)
def test_what_changes_no_question_is_named_without_a_mark(ada, question, words):
    assert any(words in said for _, said in remarks_on(question))
    assert not stored(ada, question).questions.last().unfinished


def test_answers_beside_a_number_stay_and_rules_name_them_by_their_words(ada):
    special = (SpecialAnswer(code="-9", text={"en": "Refused"}),)
    number = asked(name="glasses", kind="number", minimum="0", maximum="7", special=special)
    assert remarks_on(number) == []
    survey = stored(ada, number, asked(name="why", rule=read("glasses is -9")))
    assert survey.questions.get(name="glasses").special == "[-9] Refused"
    (row,) = survey.questions.get(name="why").conditions.all()
    assert (row.comparison, row.value) == ("is", "Refused")


def test_an_option_that_excludes_the_others_is_ticked_alone(ada):
    options = (
        DraftOption(value="1", text={"en": "Bus"}),
        DraftOption(value="9", text={"en": "None"}, exclusive=True),
    )
    survey = stored(ada, asked(name="pick", kind="ticks", options=options))
    rows = survey.questions.get(name="pick").options.values_list("text", "stands_alone", "value")
    assert list(rows) == [("Bus", False, None), ("None", True, "9")]


def test_options_with_the_same_words_are_numbered_and_rules_name_them_still(ada):
    options = tuple(DraftOption(value=value, text={"en": "Other"}) for value in ("1", "2", "3"))
    choice = asked(name="pick", kind="choice", options=options)
    last = asked(rule=read("pick is 2"))
    survey = stored(ada, choice, last)
    assert [each.text for each in survey.questions.get(name="pick").options.all()] == [
        "Other",
        "Other (2)",
        "Other (3)",
    ]
    assert survey.questions.last().conditions.get().value == "Other (2)"


def test_an_answer_that_a_condition_cannot_name_leaves_its_rule_out(ada):
    options = (DraftOption(value="1", text={"en": "Yes | no"}),)
    survey = stored(
        ada, asked(name="pick", kind="choice", options=options), asked(rule=read("pick is 1"))
    )
    last = survey.questions.last()
    assert (last.unfinished, last.conditions.count()) == (True, 0)


def test_a_text_without_the_author_s_language_stands_in_another(ada):
    fields = {"languages": ("en", "de"), "help": {"de": "Jemals."}}
    question = asked(help=fields["help"])
    assert any("The text in “de” is used instead" in said for _, said in remarks_on(question))
    assert stored(ada, question).questions.last().help == "Jemals."


def test_two_translations_of_the_same_words_are_named():
    words = [{"en": "Same", "de": "Eins"}, {"en": "Same", "de": "Zwei"}]
    questions = [asked(name=f"q_{n}", text=text) for n, text in enumerate(words)]
    [remark] = [
        said
        for _, said in remarks_on(*questions, languages=("en", "de"))
        if "is in the file more than once" in said
    ]
    assert "The text “Same” is in the file more than once, with different translations" in remark
    assert "translations into “de”. A draft has only one translation of the same words" in remark
    assert "so “Eins” is used everywhere" in remark


def test_arms_and_rows_of_tables_keep_their_translations(ada):
    arms = (
        DraftArm(text={"en": "One", "de": "Eins"}, weight=1),
        DraftArm(text={"en": "Two", "de": "Zwei"}, weight=1),
    )
    rows = (DraftRow(value="a", text={"en": "Bread", "de": "Brot"}),)
    table = asked(kind="matrix", rows=rows, arms=("One",))
    survey = stored(ada, table, arms=arms, languages=("en", "de"))
    assert set(survey.translations.values_list("text", flat=True)) == {"Eins", "Zwei", "Brot"}
    assert Question.objects.get(kind="matrix").table_rows == "[a] Bread"


def test_explanations_become_the_survey_s_and_what_cannot_stand_there_is_left_out():
    kept = DraftExplanation(name="rank", text={"en": "1.\n2.", "de": "Nochmals."})
    wrong = [
        DraftExplanation(name="promise", text={"en": "Nothing is stored."}),
        DraftExplanation(name="find", text={"en": "One\ntwo"}),
        DraftExplanation(name="number", text={"en": "A number"}),
    ]
    plan = plan_with(asked(), explanations=(kept, *wrong), languages=("en", "de"))
    draft = fitted(plan)
    assert draft.survey.explanations == {"rank": "1.\n2."}
    assert "Nochmals." in draft.translations.values()
    left_out = [remark for remark in draft.remarks if remark.grade == Grade.LEFT_OUT]
    assert [remark.text for remark in left_out] == ["Nothing is stored.", "One\ntwo", "A number"]
