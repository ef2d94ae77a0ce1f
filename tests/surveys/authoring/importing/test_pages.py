"""The page that imports a form: remarks first, then the draft; what cannot be read is said."""

import json
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.authoring.importing.forms import LARGEST_WAITING
from surveys.definitions.documents import MOST_BYTES, to_bytes
from surveys.models import Survey
from tests.factories import make_survey, make_user
from tests.surveys.authoring.importing.making import plan_with
from tests.surveys.definitions.imports.making import dictionary, workbook

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:surveys_survey_import")
FORM = workbook(
    {"type": "integer", "name": "age", "label": "How old are you?"},
    {"type": "geopoint", "name": "home", "label": "Where do you live?"},
    {"type": "text", "name": "why", "label": "Why?", "relevant": "${home} != ''"},
)


@pytest.fixture
def staff(client):
    client.force_login(make_user("ada"))
    return client


def sent(client, content: bytes, name: str = "form.xlsx", language: str = "en"):
    file = SimpleUploadedFile(name, content)
    return client.post(PAGE, {"file": file, "language": language})


def text_of(page) -> str:
    return " ".join(page.content.decode().split())


def test_remarks_stand_on_the_page_before_anything_is_stored(staff):
    text = text_of(sent(staff, FORM))
    assert (
        "The draft has 2 questions. 1 question could not be imported completely. It is marked “not "
        "finished”."
    ) in text
    assert "Left out (2)" in text
    assert "survey, row 3, type" in text
    assert "The question is left out: locations identify people." in text
    assert "Create this draft" in text
    assert not Survey.objects.exists()


def test_the_button_makes_the_draft_and_leads_to_its_questions(staff):
    waiting = sent(staff, FORM).context["waiting"]
    page = staff.post(PAGE, {"definition": waiting}, follow=True)
    survey = Survey.objects.get()
    assert page.redirect_chain == [
        (reverse("admin:surveys_survey_questions", args=[survey.pk]), 302)
    ]
    assert "was imported as your draft" in text_of(page)
    assert "remove its mark “not finished”" in text_of(page)
    assert [question.name for question in survey.questions.all()] == ["age", "why"]
    assert survey.questions.last().unfinished


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is not a form in a format that Deniable knows"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Save the workbook as .xlsx, without a password."),
        (b'{"deniable_draft": 99}', "Correct the file at this JSON pointer"),
        (b"PK\x03\x04 no zip", "Open the workbook in a spreadsheet program, and save it again"),
        (b"{" + b"x" * MOST_BYTES, "The file has more than 5 MB"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_with_what_to_do(staff, content, words):
    page = sent(staff, content)
    text = text_of(page)
    assert "This file cannot be imported" in text
    assert words in text
    assert "Create this draft" not in text


@pytest.mark.parametrize("fields", [{}, {"file": ""}, {"language": "xx"}, {"language": "en"}])
def test_without_a_file_or_with_another_language_the_form_says_so(staff, fields):
    page = staff.post(PAGE, fields)
    assert page.status_code == 200
    assert page.context["form"].errors


@pytest.mark.parametrize("definition", ["", "{", "null", '{"deniable_draft": 1}', "\x00", "ﷺ" * 99])
def test_a_draft_that_was_changed_on_the_way_is_read_anew(staff, definition):
    page = staff.post(PAGE, {"definition": definition})
    assert page.status_code == 200
    assert "This file cannot be imported" in text_of(page)
    assert not Survey.objects.exists()


def test_the_largest_draft_that_waits_is_sent_as_the_form_sends_it(staff):
    """Encoded as an address, quotation marks would make it three times as long."""
    definition = json.loads(to_bytes(plan_with().definition))
    quoted = [{"name": f"n_{n}", "kind": "info", "text": {"en": '"' * 1500}} for n in range(280)]
    definition["sections"][0]["questions"] = quoted
    page = sent(staff, json.dumps(definition).encode(), "draft.json")
    waiting, text = page.context["waiting"], page.content.decode()
    assert LARGEST_WAITING > len(waiting) > 0.9 * LARGEST_WAITING
    form = text[text.rindex("<form", 0, text.index('name="definition"')) :]
    if "multipart/form-data" in form[: form.index(">")]:
        reply = staff.post(PAGE, {"definition": waiting})
    else:
        body = urlencode({"definition": waiting})
        reply = staff.post(PAGE, body, "application/x-www-form-urlencoded")
    assert reply.status_code == 302
    assert Survey.objects.get().questions.count() == 280


def test_a_draft_too_large_to_wait_on_the_page_is_made_by_a_command(staff):
    definition = json.loads(to_bytes(plan_with().definition))
    many = [{"name": f"n_{n}", "kind": "info", "text": {"en": "x" * 4000}} for n in range(260)]
    definition["sections"][0]["questions"] = many
    content = json.dumps(definition).encode()
    assert len(content) > LARGEST_WAITING
    text = text_of(sent(staff, content, "draft.json"))
    assert "Ask your operator to create the draft with: manage.py import" in text
    assert "Create this draft" not in text


def test_the_language_of_a_file_that_names_none_is_chosen(staff):
    page = sent(staff, dictionary({"field_name": "a", "field_label": "Warum?"}), "d.csv", "de")
    assert page.context["draft"].survey.language == "de"


def test_words_of_the_file_are_no_markup(staff):
    text = text_of(sent(staff, workbook({"type": "<script>x</script>", "name": "a", "label": "b"})))
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text


def test_remarks_and_the_page_are_in_the_reader_s_language(staff):
    staff.post(reverse("staff_language"), {"language": "de"})
    text = text_of(sent(staff, FORM))
    assert "Zeile 3" in text
    assert "The question is left out" not in text


@pytest.mark.parametrize("who", ["anyone", "reader"])
def test_who_is_no_author_sees_no_import(client, who):
    if who == "reader":
        User.objects.filter(pk=make_user("ada").pk).update(is_staff=False)
        client.force_login(User.objects.get())
    definition = to_bytes(plan_with().definition).decode()
    assert client.get(PAGE).status_code == 302
    assert client.post(PAGE, {"definition": definition}).status_code in (302, 403)
    assert not Survey.objects.exists()


def test_first_steps_and_the_list_of_surveys_lead_to_it(staff):
    for page in (reverse("admin:surveys_survey_first_steps"), reverse("surveys:list")):
        assert f'href="{PAGE}"' in staff.get(page).content.decode()


def test_a_draft_is_downloaded_from_its_list_and_imported_again(staff):
    waiting = sent(staff, FORM).context["waiting"]
    page = staff.post(PAGE, {"definition": waiting}, follow=True)
    survey = Survey.objects.get()
    address = reverse("admin:surveys_survey_definition", args=[survey.pk])
    assert f'href="{address}"' in page.content.decode()
    reply = staff.get(address)
    assert reply["Content-Disposition"].startswith('attachment; filename="habits-deniable-')
    assert reply["Content-Type"] == "application/json"
    again = sent(staff, reply.content, "draft.json").context
    assert json.loads(again["waiting"]) == json.loads(reply.content)


def test_a_draft_is_downloaded_as_a_workbook_and_imported_again(staff):
    page = staff.post(PAGE, {"definition": sent(staff, FORM).context["waiting"]}, follow=True)
    address = reverse("admin:surveys_survey_definition", args=[Survey.objects.get().pk])
    assert f'href="{address}?as=xlsx"' in page.content.decode()
    reply = staff.get(address, {"as": "xlsx"})
    assert reply["Content-Disposition"].endswith('-draft.xlsx"')
    assert reply["Content-Type"].endswith(".spreadsheetml.sheet")
    again = sent(staff, reply.content, "draft.xlsx").context
    assert json.loads(again["waiting"]) == staff.get(address).json()


def test_there_is_no_draft_as_any_other_file(staff):
    survey = make_survey(User.objects.get())
    address = reverse("admin:surveys_survey_definition", args=[survey.pk])
    assert staff.get(address, {"as": "xls"}).status_code == 404


@pytest.mark.parametrize("status", [404, 302])
def test_the_file_of_a_survey_of_others_is_not_there(client, staff, status):
    survey = make_survey(make_user("grace"))
    if status == 302:
        client.logout()
    reply = client.get(reverse("admin:surveys_survey_definition", args=[survey.pk]))
    assert reply.status_code == status
