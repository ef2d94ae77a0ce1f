"""A question's form says what its answers would tell, before anything is saved."""

import html
import re

import pytest
from django.urls import reverse

from surveys.models import AuditEntry, Membership, Question, Survey
from tests.factories import add_question, launched, make_survey, make_user
from tests.question_forms import question_form
from tests.surveys.authoring.editor.lists import list_page

ADD = reverse("admin:surveys_question_add")
TRY = {"_try": "See what it reveals"}


def change_page(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def tried(client, address: str, form: dict[str, object]) -> str:
    reply = client.post(address, {**form, **TRY})
    assert reply.status_code == 200
    return html.unescape(reply.content.decode())


def follow_up(source: Question, **fields: object) -> dict[str, object]:
    """A new question behind a protected answer, with answers typed one below the other."""
    rule = {"source": source.pk, "comparison": "is", "value": "Yes", "id": "", "question": ""}
    rows = {f"conditions-0-{name}": value for name, value in rule.items()}
    typed = {"text": "How often?", "kind": "choice", "option_lines": "Once\nOften", "required": 1}
    asked = question_form(survey=source.survey_id, **{**typed, **fields})
    return {**asked, "conditions-TOTAL_FORMS": 1, **rows}


def table(page: str) -> dict[str, list[str]]:
    """What the trial says as saved and as it stands here: all answers, and the word."""
    shown = page.partition('class="trial"')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', shown, re.DOTALL)
    return {name: re.findall(r"<td>(.*?)</td>", cells, re.DOTALL) for name, cells in rows}


@pytest.fixture
def draft(author) -> Survey:
    return make_survey(author)


@pytest.fixture
def stolen(draft) -> Question:
    return add_question(draft, text="Have you stolen?", required=True)


def test_a_follow_up_says_what_it_costs_and_nothing_is_saved(admin, draft, stolen):
    entries = AuditEntry.objects.count()
    page = tried(admin, ADD, follow_up(stolen))
    saved, here = table(page).values()
    assert saved[0].startswith("epsilon 1.10")
    assert here[0].startswith("epsilon 1.39")
    assert "Nothing is saved yet." in page
    assert draft.questions.count() == 1
    assert AuditEntry.objects.count() == entries
    assert "was added" not in page


def test_the_list_says_the_same_once_it_is_saved(admin, draft, stolen):
    here = table(tried(admin, ADD, follow_up(stolen)))["As typed here"]
    admin.post(ADD, follow_up(stolen, _save="Save"))
    page = html.unescape(admin.get(list_page(draft)).content.decode())
    assert f"<p>{here[0]}." in page
    table_of_who = "In the table that shows who can learn their true answers"
    assert f"{table_of_who}, respondents read {here[1]}." in page


def test_what_was_typed_stays_in_the_form(admin, stolen):
    page = tried(admin, ADD, follow_up(stolen, text="How often, “really”?"))
    assert "How often, “really”?" in page
    assert re.search(r"<textarea[^>]*>\s*Once\s+Often</textarea>", page)
    assert re.search(rf'<option value="{stolen.pk}"[^>]* selected', page)


def test_another_design_is_tried_on_a_question_that_is_stored(admin, draft, stolen):
    form = question_form(stolen, design="k_ary", epsilon="0.5", required=1)
    page = tried(admin, change_page(stolen), form)
    assert "Question 1: 0.50" in page
    stolen.refresh_from_db()
    assert stolen.design == Question.Design.TWO_COINS


def test_a_form_with_errors_says_them_and_tries_nothing(admin, stolen):
    page = tried(admin, ADD, follow_up(stolen, text=""))
    assert "This field is required." in page
    assert 'class="trial"' not in page
    broken = {**follow_up(stolen), "conditions-0-comparison": "☃"}
    page = tried(admin, ADD, broken)
    assert "☃ is not one of the available choices" in page
    assert 'class="trial"' not in page


def test_where_something_is_missing_it_is_said_instead_of_a_total(admin, draft, stolen):
    add_question(draft, text="Which?", kind="choice")
    page = tried(admin, change_page(stolen), question_form(stolen, required=1))
    missing = "can show what all answers of one person together reveal, correct the following:"
    assert missing in page
    assert table(page) == {}
    assert "Question 1: 1.10" in page


@pytest.mark.parametrize("role", ["analyst", "editor", None])
def test_who_may_not_edit_tries_nothing(client, draft, stolen, role):
    member = make_user("member")
    if role:
        Membership.objects.create(survey=draft, user=member, role=role)
    client.force_login(member)
    form = {**question_form(stolen), **TRY}
    status = client.post(change_page(stolen), form).status_code
    assert status == {"editor": 200, "analyst": 403, None: 404}[role]


def test_a_question_of_a_launched_survey_is_not_tried(admin, draft, stolen):
    launched(draft)
    assert admin.post(change_page(stolen), {**question_form(stolen), **TRY}).status_code == 403


def test_a_visit_tries_nothing(admin, stolen):
    page = admin.get(change_page(stolen), TRY).content.decode()
    assert 'class="trial"' not in page
    assert 'name="_try"' in page
