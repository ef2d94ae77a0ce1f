"""Answers beside a number in drafts: how authors write, translate, copy, import and export them."""

import csv
import io

import pytest
from django.urls import reverse

from surveys.authoring.draft.languages import missing_in, put_into, source_texts
from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.authoring.editor.copies import copy_survey
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.models import Question, Survey
from surveys.models.translations import digest_of
from surveys.questionnaire.logic.rules import Given
from surveys.results.exports import responses_csv
from tests import factories
from tests.bodies import body_of
from tests.posting import post
from tests.question_forms import save_question
from tests.stored import store_rows

pytestmark = pytest.mark.django_db
LINES = "[999] Do not know\n[-9] Refused"
RTL = "لا أعرف"


@pytest.fixture
def draft(owner) -> Survey:
    return factories.make_survey(owner, batch_size=20)  # a definition takes from 5 on


def number(draft: Survey, special: str | None = LINES, **fields: object) -> Question:
    usual = {"text": "How many drinks?", "kind": "number", "design": "direct", "name": "drinks"}
    bounds = {"minimum": 0, "maximum": 120, "required": False}
    return factories.add_question(draft, **{**usual, **bounds, "special": special, **fields})


def reasons(draft: Survey) -> str:
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(draft)
    return " ".join(map(str, refused.value.reasons))


# ---- An author's lines ---------------------------------------------------------------------------


def test_a_line_has_a_code_in_brackets_and_words(draft):
    special = item_of(number(draft)).number.special
    assert [(each.code, each.text) for each in special] == [
        ("999", "Do not know"),
        ("-9", "Refused"),
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("Do not know", "Special answer 1 needs a code in front of its words"),
        ("[abc] Do not know", "The code is a number of at most 15 characters"),
        ("[] Do not know", "needs a code in front of its words"),
        ("[0999] Do not know", "needs a code in front of its words"),
        ("[9.] Do not know", "needs a code in front of its words"),
        ("[٩٩٩] Do not know", "needs a code in front of its words"),
        (f"[{'9' * 40}] Do not know", "needs a code in front of its words"),
        (
            "[99] Do not know",
            "The code 99 can also be an answer. Choose a number below 0 or above 120",
        ),
        ("[120] Do not know", "such as 999."),
        ("[999.5] Do not know", "The code 999.5 has more decimal places than the answers may have"),
        ("[999]", "Special answer 1 has no words"),
        ("[999] 7", "The special answer “7” is itself a number that respondents can enter"),
        ("[999] " + "x" * 201, "Special answer 1 has 201 characters. Shorten it to 200"),
        ("[999] A\n[999] B", "Two special answers have the same code or the same words"),
        ("[999] A\n[998] a", "Two special answers have the same code or the same words"),
        (
            "[999] A\n[998] B\n[997] C\n[996] D",
            "can have at most 3 special answers. This question has 4",
        ),
    ],
)
def test_what_cannot_be_launched_says_what_to_write(draft, lines, said):
    number(draft, lines)
    assert said in reasons(draft)


@pytest.mark.parametrize("words", [RTL, "<b>markup</b>", "=1+1", "{{ text }}", "999", "[x] y"])
def test_any_words_are_words(client, draft, words):
    factories.launched(_with(draft, f"[999] {words}"))
    page = client.get(reverse("respondent:start", args=[draft.pk])).content.decode()
    assert "<b>markup</b>" not in page
    by_hand = client.get(reverse("respondent:own-coin", args=[draft.pk])).content.decode()
    assert "<b>markup</b>" not in by_hand


def _with(draft: Survey, lines: str) -> Survey:
    number(draft, lines)
    return draft


def test_the_editor_keeps_them_and_refuses_what_cannot_be_seen(staff, draft):
    question = number(draft)
    fields = {"minimum": 0, "maximum": 120, "name": "drinks"}
    save_question(staff, question, special=" [999]  Do not  know \n\n[998] No answer", **fields)
    question.refresh_from_db()
    assert question.special == "[999] Do not know\n[998] No answer"
    address = reverse("admin:surveys_question_change", args=[question.pk])
    assert "[998] No answer" in staff.get(address).content.decode()
    reply = save_question(staff, question, special="[999] Do\u202e not", **fields)
    assert "Special answer 1 has invisible characters" in reply.content.decode()
    page = staff.get(reverse("surveys:audit", args=[draft.pk])).content.decode()
    assert "[998] No answer" in page


def test_rules_follow_an_answer_that_is_renamed(staff, draft):
    source = number(draft)
    reader = factories.add_question(draft, design="direct")
    factories.add_condition(reader, source, value="Refused")
    fields = {"minimum": 0, "maximum": 120, "name": "drinks"}
    save_question(staff, source, special="[999] Do not know\n[-9] Would not say", **fields)
    assert reader.conditions.get().value == "Would not say"
    assert draft_questionnaire(draft).items[1].rule.codes == ("bbb",)


def test_rules_name_answers_and_compare_numbers_alone(draft):
    source = number(draft)
    for comparison, value in (("is", "do not KNOW"), ("more", "18"), ("least", "18")):
        reader = factories.add_question(draft, design="direct", text=f"{comparison}?")
        factories.add_condition(reader, source, comparison=comparison, value=value)
    named, more, least = (item.rule for item in draft_questionnaire(draft).items[1:])
    for answer, holds in ((Given(("aaa",)), [True, False, False]), (Given(number=18), [0, 0, 1])):
        assert [rule.holds({1: answer}) for rule in (named, more, least)] == holds
    assert [rule.holds({1: Given(number=19)}) for rule in (more, least)] == [True, True]


# ---- Languages and copies ------------------------------------------------------------------------


def test_translations_are_of_the_words_alone(draft):
    question = number(draft)
    draft.also_in = "de"
    texts = [source.text for source in source_texts(draft, [question])]
    assert texts[-2:] == ["Do not know", "Refused"]
    assert missing_in(draft, [question]) == [{"de": 3}]
    put_into({digest_of("Do not know"): "Weiß nicht"}, draft, [question])
    special = item_of(question).number.special
    assert [(each.code, each.text) for each in special] == [
        ("999", "Weiß nicht"),
        ("-9", "Refused"),
    ]


def test_a_copy_has_them(draft, owner):
    number(draft)
    assert copy_survey(survey=draft, by=owner).questions.get().special == LINES


# ---- Definitions ---------------------------------------------------------------------------------


def test_a_definition_has_them_and_makes_the_same_draft_again(draft, owner):
    source = number(draft)
    factories.add_condition(
        factories.add_question(draft, design="direct"), source, value="Do not know"
    )
    definition = definition_of(draft)
    drinks, reader = definition.questions
    assert [each.code for each in drinks.special] == ["999", "-9"]
    assert reader.rule.value == "999"
    content = to_bytes(definition)
    plan = plan_import(content, "draft.json")
    again = fitted(plan)
    assert again.remarks == ()
    stored = store(again, by=owner)
    assert to_bytes(definition_of(stored)) == content
    assert [item.rule for item in draft_questionnaire(stored).items] == [
        item.rule for item in draft_questionnaire(draft).items
    ]


# ---- What respondents send, and files ------------------------------------------------------------


def test_files_have_the_code_or_the_words_of_who_gave_no_number(draft):
    survey = factories.launched(_with(draft, LINES))
    assert post(survey, body_of(survey.revision, ["aaa"])).status_code == 200
    store_rows(survey.revision, ["007", "aaa", "bbb", "---"])
    words = ("Do not know", "Refused", "Prefer not to say")
    for codes, said in ((True, ("999", "-9", "---")), (False, words)):
        lines = csv.reader(io.StringIO("".join(responses_csv(survey.revision, codes=codes))))
        columns, *rows = lines
        assert columns[:2] == ["drinks", "drinks_missing"]
        assert {tuple(row[:2]) for row in rows} == {("7", ""), *(("", each) for each in said)}
