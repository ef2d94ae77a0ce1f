"""Two authors save the same question: the second is told, and loses nothing."""

import pytest
from django.test import Client
from django.urls import reverse

from surveys.authoring.editor.versions import version_of
from surveys.models import Membership, Question
from tests import factories
from tests.question_forms import NO_CONDITIONS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]


@pytest.fixture
def survey():
    return factories.make_survey(factories.make_user("author"))


@pytest.fixture
def question(survey):
    return factories.add_question(survey, "Never", "Often", kind="scale", text="How often?")


@pytest.fixture
def two(survey):
    """Two people who edit the same survey, each with a browser."""
    other = factories.make_user("other")
    Membership.objects.create(survey=survey, user=other, role="editor")
    browsers = Client(), Client()
    for browser, user in zip(browsers, (survey.owner, other), strict=True):
        browser.force_login(user)
    return browsers


def page_of(question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def opened(browser, question) -> dict[str, object]:
    """What the form sends as it is shown."""
    form = browser.get(page_of(question)).context["adminform"].form
    shown = {field.name: field.value() for field in form}
    sent = {
        name: value for name, value in shown.items() if value is not None and value is not False
    }
    rows = question.conditions.count()
    sent |= {**NO_CONDITIONS, "conditions-TOTAL_FORMS": rows, "conditions-INITIAL_FORMS": rows}
    for place, row in enumerate(question.conditions.all()):
        values = {"id": row.pk, "question": question.pk, "source": row.source_id}
        values |= {"comparison": row.comparison, "value": row.value}
        sent |= {f"conditions-{place}-{name}": value for name, value in values.items()}
    return sent


def test_the_second_is_told_what_the_first_saved_and_keeps_what_was_typed(two, question):
    first, second = two
    forms = [opened(browser, question) for browser in two]
    assert first.post(page_of(question), {**forms[0], "text": "How many?"}).status_code == 302
    mine = {**forms[1], "text": "How much?", "option_lines": "None\nAll"}
    page = second.post(page_of(question), mine)
    form = page.context["adminform"].form
    [told] = form.non_field_errors()
    assert "because another person changed this question" in told
    assert "Text is now: How many?." in told
    assert (form["text"].value(), form["option_lines"].value()) == ("How much?", "None\nAll")
    question.refresh_from_db()
    assert question.text == "How many?"
    again = {**mine, "as_read": form["as_read"].value()}
    assert second.post(page_of(question), again).status_code == 302
    question.refresh_from_db()
    assert question.text == "How much?"
    assert list(question.options.values_list("text", flat=True)) == ["None", "All"]


def test_a_condition_that_the_first_deleted_is_kept_by_the_second_save(two, survey):
    car = factories.add_question(survey, text="Car?", design="direct")
    drunk = factories.add_question(survey, text="Drunk?")
    condition = factories.add_condition(drunk, car)
    mine = opened(two[1], drunk)
    condition.delete()
    page = two[1].post(page_of(drunk), mine)
    again = {**mine, "as_read": page.context["adminform"].form["as_read"].value()}
    assert two[1].post(page_of(drunk), again).status_code == 302
    assert drunk.conditions.get().source == car


def test_a_form_that_nobody_else_saved_is_saved_at_once(two, question):
    for text in ("One?", "Two?"):
        form = opened(two[0], question)
        assert two[0].post(page_of(question), {**form, "text": text}).status_code == 302


def test_moving_a_question_meanwhile_is_no_change_of_it(two, question):
    form = opened(two[0], question)
    Question.objects.filter(pk=question.pk).update(position=9)
    assert two[0].post(page_of(question), form).status_code == 302


@pytest.mark.parametrize("name", ["text", "section", "required", "epsilon"])
def test_every_field_is_part_of_the_version(question, name):
    before = version_of(question)
    value = {"required": True, "epsilon": 2}.get(name, "Other")
    Question.objects.filter(pk=question.pk).update(**{name: value})
    assert version_of(question) != before


def test_options_and_conditions_are_part_of_the_version(survey, question):
    seen = {version_of(question)}
    question.options.last().delete()
    seen.add(version_of(question))
    question.options.update(stands_alone=True)
    seen.add(version_of(question))
    factories.add_condition(question, factories.add_question(survey))
    seen.add(version_of(question))
    assert len(seen) == 4
