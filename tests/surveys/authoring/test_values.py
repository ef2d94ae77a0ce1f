"""Values of options and rows: what files and definitions call them, and respondents never see."""

import csv
import io

import pytest
from django.urls import reverse

from surveys.authoring.draft.languages import put_into
from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.authoring.editor.copies import copy_survey
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.models import Option, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.models.translations import digest_of
from surveys.questionnaire.document import Questionnaire
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from tests import factories
from tests.bodies import body_of
from tests.posting import post
from tests.question_forms import save_question

pytestmark = pytest.mark.django_db
OFTEN = "[never] Never\n[some] Now and then\nEvery day"
RESPONDENT = ("start", "how-it-works", "own-coin")


@pytest.fixture
def draft(owner) -> Survey:
    return factories.make_survey(owner, batch_size=20)  # a definition takes from 5 on


def reasons(draft: Survey) -> str:
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(draft)
    return " ".join(map(str, refused.value.reasons))


@pytest.fixture
def valued(draft) -> Survey:
    """A choice, a multiple choice and a table whose answers have values, and names for files."""
    often = factories.add_question(draft, "Never", "Daily", kind="choice", name="often")
    _give(often, Never="never", Daily="daily_or_more")
    ticks = factories.add_ticks(draft, "Bus", "Car", "None", name="travel")
    _give(ticks, Bus="bus", Car="9")
    factories.add_matrix(
        draft, "Bad", "Good", name="mood", table_rows="[home] At home\nAt work", required=True
    )
    return draft


def _give(question: Question, **values: str) -> None:
    for text, value in values.items():
        Option.objects.filter(question=question, text=text).update(value=value)


# ---- An author's lines ---------------------------------------------------------------------------


def test_a_value_stands_in_brackets_before_an_option_and_comes_back_so(staff, draft):
    question = factories.add_question(draft, "Only", kind="choice")
    save_question(staff, question, option_lines=OFTEN)
    stored = list(question.options.values_list("text", "value"))
    assert stored == [("Never", "never"), ("Now and then", "some"), ("Every day", None)]
    address = reverse("admin:surveys_question_change", args=[question.pk])
    page = staff.get(address).content.decode()
    assert "[never] Never" in page
    save_question(staff, question, option_lines="[no] Never\nNow and then\n[x 1] Every day")
    stored = list(question.options.values_list("text", "value"))
    assert stored == [("Never", "no"), ("Now and then", None), ("[x 1] Every day", None)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("[a] One\n[A] Two", "Options 1 and 2 have the same value."),
        ("One\n[1] Two", "Options 1 and 2 have the same value."),
        ("[a] One\n[b] one", "Options 1 and 2 have the same words: one"),
    ],
)
def test_two_of_one_value_or_words_are_refused_and_nothing_is_lost(staff, draft, lines, said):
    question = factories.add_question(draft, "Yes", "No", kind="choice")
    reply = save_question(staff, question, option_lines=lines)
    assert said in reply.content.decode()
    assert question.options.count() == 2


def test_rows_of_one_value_are_no_table(draft):
    factories.add_matrix(draft, "Bad", "Good", table_rows="[a] At home\n[A] At work")
    assert "1 and 2 have the same value, “A”" in reasons(draft)


def test_the_log_and_copies_have_the_values(staff, valued, owner):
    question = valued.questions.first()
    save_question(staff, question, option_lines="[no] Never\nDaily", name="often")
    page = staff.get(reverse("surveys:audit", args=[valued.pk])).content.decode()
    assert "[no] Never" in page
    copy = copy_survey(survey=valued, by=owner)
    assert list(copy.questions.first().options.values_list("value", flat=True)) == ["no", None]


def test_translations_are_of_the_words_alone(valued):
    matrix = valued.questions.get(kind="matrix")
    assert item_of(matrix).parts == ("At home", "At work")
    put_into({digest_of("At home"): "Zu Hause"}, valued, [matrix])
    assert item_of(matrix).parts == ("Zu Hause", "At work")
    assert item_of(matrix).values == ("home", "")


# ---- What is frozen, and what respondents get ----------------------------------------------------


def test_a_document_has_the_values_and_no_others(valued):
    questionnaire = draft_questionnaire(valued)
    document = questionnaire.to_document()
    often, travel, mood = document["items"]
    assert [level.get("value") for level in often["levels"]] == ["never", "daily_or_more", None]
    assert travel["parts"] == [
        {"text": {"en": "Bus"}, "value": "bus"},
        {"text": {"en": "Car"}, "value": "9"},
        {"text": {"en": "None"}},
    ]
    assert [part.get("value") for part in mood["parts"]] == ["home", None]
    assert all("value" not in level for level in mood["levels"])
    assert Questionnaire.from_document(document) == questionnaire


def test_no_page_and_no_receipt_has_a_value(client, valued):
    survey = factories.launched(valued)
    pages = [client.get(reverse(f"respondent:{name}", args=[survey.pk])) for name in RESPONDENT]
    pages.append(post(survey, body_of(survey.revision)))
    for page in pages:
        assert "daily_or_more" not in page.content.decode()
        assert "[home]" not in page.content.decode()


# ---- Files and definitions -----------------------------------------------------------------------


def test_files_and_the_codebook_call_columns_by_values(valued):
    survey = factories.launched(valued)
    revision = survey.revision
    assert questionnaire_of(revision).items[1].value_of(2) == "9"
    (header,) = csv.reader(io.StringIO(next(iter(responses_csv(revision, debiased=True)))))
    assert {"often_never", "often_daily_or_more", "often_declined"} <= set(header)
    assert {"travel_bus_rep", "travel_9_rep", "travel_03_rep", "travel_bus", "travel_3"} <= set(
        header
    )
    assert {"mood_home_rep", "mood_02_rep"} <= set(header)
    often, travel, _ = codebook(revision, responses=0)["columns"]
    assert [level.get("value") for level in often["levels"]] == ["never", "daily_or_more", None]
    assert [part.get("value") for part in travel["columns"]] == ["bus", "9", None]


def test_a_definition_has_them_and_makes_the_same_draft_again(valued, owner):
    source = factories.add_question(valued, "A", "B", kind="choice", design="direct")
    factories.add_condition(factories.add_question(valued, design="direct"), source, value="B")
    Option.objects.filter(text="B").update(value="b_value")
    definition = definition_of(valued)
    questions = {each.name: each for each in definition.questions}
    assert [option.value for option in questions["travel"].options] == ["bus", "9", "3"]
    assert [row.value for row in questions["mood"].rows] == ["home", "2"]
    assert {each.rule.value for each in questions.values() if each.rule} == {"b_value"}
    content = to_bytes(definition)
    plan = plan_import(content, "draft.json")
    assert plan.remarks == ()
    again = store(fitted(plan), by=owner)
    assert fitted(plan).remarks == ()
    assert to_bytes(definition_of(again)) == content
    first, second = (draft_questionnaire(draft) for draft in (valued, again))
    assert [item.text for item in first.items] == [item.text for item in second.items]


@pytest.mark.parametrize("text", ["[x] Yes", "[3] Yes"])
def test_words_that_look_like_a_line_with_a_value_stay_words(draft, owner, text):
    question = factories.add_question(draft, text, "No", kind="choice", design="direct")
    factories.add_matrix(draft, "A", "B", table_rows=f"[1] {text}\nOther")
    definition = definition_of(draft)
    choice, matrix = definition.questions
    assert choice.options[0].text == matrix.rows[0].text == {"en": text}
    again = store(fitted(plan_import(to_bytes(definition), "draft.json")), by=owner)
    assert to_bytes(definition_of(again)) == to_bytes(definition)
    assert question.options.count() == 2
