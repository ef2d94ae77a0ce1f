"""The options of a question are lines of one field: pasted, cleaned, kept where they stay."""

import pytest
from django.urls import reverse

from tests import factories
from tests.question_forms import question_form


@pytest.fixture
def question(author):
    return factories.add_question(factories.make_survey(author), "Never", "Often", kind="scale")


def type_options(admin, question, lines: str, **changes: object):
    fields = question_form(text="How often?", kind="scale", option_lines=lines)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    return admin.post(address, {**fields, **changes})


def texts(question) -> list[str]:
    return list(question.options.values_list("text", flat=True))


def test_a_question_has_its_options_as_lines(admin, question):
    page = admin.get(reverse("admin:surveys_question_change", args=[question.pk]))
    assert "Never\nOften</textarea>" in page.content.decode()


@pytest.mark.parametrize(
    "pasted",
    [
        "Never\r\nRarely\r\nOften",
        "\n\n Never\t\n\t\nRarely  \n\t Often\n\n",
        "Never\tRarely\tOften",
        "Never\u00a0\nRarely\u2028Often",
    ],
)
def test_what_is_pasted_is_cleaned_of_tabs_and_empty_lines(admin, question, pasted):
    type_options(admin, question, pasted)
    assert texts(question) == ["Never", "Rarely", "Often"]


def test_options_keep_the_order_in_which_they_were_typed(admin, question):
    type_options(admin, question, "Often\nSometimes\nRarely\nNever\nAlways")
    assert texts(question) == ["Often", "Sometimes", "Rarely", "Never", "Always"]


def test_an_option_whose_text_stays_is_the_same_row(admin, question):
    keys = dict(question.options.values_list("text", "pk"))
    type_options(admin, question, "Often\nRarely\nNever")
    kept = dict(question.options.values_list("text", "pk"))
    assert {text: kept[text] for text in keys} == keys


HEBREW = "שלום " * 39 + "abc"
MIXED = ("مرحبا Hello שלום ٣ " * 11)[:200].strip()


@pytest.mark.parametrize("label", ["ا" * 200, HEBREW, MIXED, "می\u200cخواهم", "क\u200dष"])
def test_labels_of_two_hundred_letters_in_any_script_are_options(admin, question, label):
    type_options(admin, question, f"{label}\nOther")
    assert texts(question) == [label, "Other"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("Same\nOther\nsame", "Options 1 and 3 have the same words"),
        ("a\u200fb\nab", "Options 1 and 2 have the same words"),
        ("ا" * 201, "Option 1 has 201 characters"),
        ("a\n\u202eb", "Option 2 has invisible characters"),
        ("a\nb\0", "Null characters are not allowed"),
    ],
)
def test_what_is_no_list_of_options_is_refused_and_kept_on_the_page(admin, question, lines, said):
    page = type_options(admin, question, lines)
    assert said in str(page.context["adminform"].form.errors)
    assert page.context["adminform"].form["option_lines"].value() == lines
    assert texts(question) == ["Never", "Often"]


def test_a_launched_question_shows_its_options(admin, author):
    survey = factories.make_open_survey(author)
    question = survey.questions.get(text="How often did you drive drunk?")
    page = admin.get(reverse("admin:surveys_question_change", args=[question.pk]))
    assert "Never<br>Once<br>Often" in page.content.decode()


ALONE = {"kind": "ticks", "option_lines": "Beer\nWine\nNone of these"}


def alone(question) -> list[str]:
    return list(question.options.filter(stands_alone=True).values_list("text", flat=True))


def test_those_that_can_only_be_ticked_alone_are_named_by_their_words(admin, question):
    type_options(admin, question, **_lines(ALONE), alone="None of these")
    assert alone(question) == ["None of these"]
    page = admin.get(reverse("admin:surveys_question_change", args=[question.pk])).content.decode()
    assert page.count("None of these</textarea>") == 2


@pytest.mark.parametrize("typed", ["none of these", "Water", "Beer\nWater", "Beer, Wine"])
def test_one_that_is_not_worded_as_above_is_refused_and_nothing_is_lost(admin, question, typed):
    page = type_options(admin, question, **_lines(ALONE), alone=typed)
    assert "There is no option “" in page.content.decode()
    assert texts(question) == ["Never", "Often"]
    assert f"{typed}</textarea>" in page.content.decode().replace("\r", "")


def test_one_that_is_renamed_has_to_be_renamed_in_both_fields(admin, question):
    type_options(admin, question, **_lines(ALONE), alone="None of these")
    renamed = ALONE | {"option_lines": "Beer\nWine\nNothing"}
    page = type_options(admin, question, **_lines(renamed), alone="None of these")
    assert "There is no option “None of these” above" in page.content.decode()
    type_options(admin, question, **_lines(renamed), alone="Nothing")
    assert alone(question) == ["Nothing"]


def _lines(fields: dict[str, str]) -> dict[str, str]:
    return {"kind": fields["kind"], "lines": fields["option_lines"]}
