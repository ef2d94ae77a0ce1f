"""A question's page shows the fields of its kind and design, and no others."""

from datetime import date
from itertools import product

import pytest
from django.conf import settings
from django.contrib import admin as django_admin
from django.contrib.admin.utils import flatten
from django.urls import reverse

from surveys.authoring.draft.kinds import (
    ALWAYS,
    LONG_SCALES,
    draft_kinds,
    hidden_fields,
    sometimes,
    used_fields,
)
from surveys.authoring.drafts import NotReady, item_of
from surveys.models import Question, TallyTable
from tests import factories
from tests.question_forms import question_form

ADD = reverse("admin:surveys_question_add")
STYLES = settings.BASE_DIR / "static/surveys/authoring/admin.css"
EVERY_COMBINATION = list(product(Question.Kind, Question.Design))
BASE = {"survey", "text", "help", "required", "kind", "design", "protection", "arms"}
BASE |= {"rule_joins", "section", "section_text", "same_screen", "random_screens", "random_section"}
BASE |= {"behind", "name", "unfinished", "rule_text", "section_rule"}
YES_NO = BASE | {"known_share", "counted_table"}


@pytest.fixture
def survey(author):
    return factories.make_survey(author)


def address_of(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def shown_on(page) -> set[str]:
    """Names of the fields that the page shows."""
    assert "data-unused=" in page.content.decode()
    return (ALWAYS | sometimes()) - set(page.context["unused"].split())


# The table.


def test_every_field_of_the_page_belongs_to_every_question_or_to_a_combination():
    combinations = [used_fields(kind, design) for kind, design in EVERY_COMBINATION]
    fields = flatten(django_admin.site._registry[Question].fields)
    assert {*fields} == ALWAYS.union(*combinations)
    assert not ALWAYS & sometimes()


def one_of_every_combination(survey) -> None:
    factories.add_one_of_each(survey)
    factories.add_other_designs(survey)
    factories.add_long_list(survey)
    factories.add_long_list(survey, design=Question.Design.OUE)
    for design in LONG_SCALES:
        factories.add_long_scale(survey, design=design)
    factories.add_text(survey)
    factories.add_other(survey)
    factories.add_trust(survey)
    factories.add_pages(survey)
    factories.add_ticks(survey, most=2)
    factories.add_rounded(survey)
    factories.add_ranking(survey)
    factories.add_day(survey)
    factories.add_matrix(survey, shown=2)
    factories.add_rating(survey, size=12, shown=2, adaptive=True)
    factories.add_rating(survey, design=Question.Design.K_ARY, epsilon=3)


def test_what_a_question_is_launched_with_is_on_its_page(survey):
    one_of_every_combination(survey)
    designs = set()
    for question in survey.questions.all():
        item_of(question)
        designs.add(question.design)
        for name in hidden_fields(question.kind, question.design):
            assert not is_filled_in(question, name), (question, name)
    assert designs == set(Question.Design)


def is_filled_in(question: Question, name: str) -> bool:
    if name == "option_lines":
        return question.options.exists()
    if name == "alone":
        return question.options.filter(stands_alone=True).exists()
    field = Question._meta.get_field(name)
    return getattr(question, name) != field.get_default()


def fill_in(question: Question) -> None:
    """Everything that any design asks for, in a form that several of them accept."""
    question.epsilon, question.forced = 1, "1/6, 1/6"
    question.p_sensitive, question.harmless_yes = "3/4", "1/4"
    question.harmless, question.channel = "Is it March?", "3/4, 1/4\n1/4, 3/4"
    question.minimum, question.maximum = 0, 9
    question.first_day, question.last_day = date(2025, 1, 1), date(2026, 1, 31)
    question.table_rows = "One\nTwo"
    if question.design == Question.Design.TWO_GROUPS:
        question.p_sensitive, question.harmless_yes = "3/4, 1/4", "1/4, 3/4"


@pytest.mark.parametrize(("kind", "design"), EVERY_COMBINATION)
def test_the_designs_of_a_kind_are_those_that_it_can_be_launched_with(survey, kind, design):
    answers = tuple("abcdefg") if design in LONG_SCALES else ("a", "b")
    options = answers if kind in ("choice", "scale", "rating", "ticks", "matrix", "rank") else ()
    catalogue = factories.make_catalogue(survey.owner) if kind == "rating" else None
    fields = {"kind": kind, "design": design, "catalogue": catalogue}
    question = factories.add_question(survey, *options, required=True, **fields)
    fill_in(question)
    question.save()
    try:
        item_of(question)
    except NotReady:
        assert design not in draft_kinds()[kind].designs
    else:
        assert design in draft_kinds()[kind].designs


def test_a_kind_or_a_design_that_is_unknown_hides_nothing():
    assert hidden_fields("garbage", "k_ary") == hidden_fields("yes_no", "") == frozenset()


def test_every_field_that_can_be_hidden_has_its_rule_in_the_style_sheet():
    rules = STYLES.read_text()
    for name in sometimes():
        assert f'[data-unused~="{name}"] .field-{name}' in rules


# The page.


def test_a_new_question_shows_the_fields_of_yes_or_no_through_two_coins(admin, survey):
    assert shown_on(admin.get(ADD)) == YES_NO


@pytest.mark.parametrize(
    ("kind", "design", "own"),
    [
        ("yes_no", "two_coins", {"known_share", "counted_table"}),
        ("yes_no", "k_ary", {"epsilon", "known_share", "counted_table"}),
        ("yes_no", "crosswise", {"harmless", "harmless_yes", "known_share", "counted_table"}),
        ("scale", "forced_response", {"forced", "option_lines", "counted_table"}),
        ("number", "direct", {"minimum", "maximum", "decimal_places", "special"}),
        ("number", "k_ary", {"minimum", "maximum", "decimal_places", "special", "epsilon"}),
        ("text", "direct", {"longest"}),
        (
            "rating",
            "k_ary",
            {"catalogue", "shown", "adaptive", "epsilon", "option_lines"},
        ),
    ],
)
def test_a_question_shows_the_fields_of_its_kind_and_design(admin, survey, kind, design, own):
    question = factories.add_question(survey, kind=kind, design=design)
    assert shown_on(admin.get(address_of(question))) == BASE | own


def test_a_launched_question_shows_the_fields_that_it_used(admin, author):
    survey = factories.make_open_survey(author)
    question = survey.questions.get(design="forced_response")
    assert shown_on(admin.get(address_of(question))) == YES_NO | {"forced"}


def test_saving_another_design_shows_its_fields(admin, survey):
    question = factories.add_question(survey)
    changed = question_form(question, design="k_ary", _continue="1")
    page = admin.post(address_of(question), changed, follow=True)
    assert shown_on(page) == YES_NO | {"epsilon"}
    assert "The k-ary design needs an epsilon" in page.content.decode()


def test_a_value_that_the_new_design_does_not_use_is_kept(admin, survey):
    question = factories.add_question(survey, "a", "b", kind="scale", design="k_ary", epsilon=1)
    page = admin.get(address_of(question))
    shown = {name: value or "" for name, value in page.context["adminform"].form.initial.items()}
    changed = question_form(question, kind="yes_no", design="two_coins")
    admin.post(address_of(question), {**shown, **changed})
    question.refresh_from_db()
    assert (question.design, question.epsilon) == ("two_coins", 1)
    assert question.options.count() == 2


def test_every_hidden_field_is_sent_with_the_form(admin, survey):
    TallyTable.objects.create(survey=survey, table=1, sigma="4")
    text = admin.get(address_of(factories.add_question(survey))).content.decode()
    for name in sometimes():
        assert f'name="{name}"' in text


def test_a_field_with_an_error_is_shown_whatever_the_design(admin, survey):
    question = factories.add_question(survey)
    wrong = {"epsilon": "-1", "longest": ""}
    page = admin.post(address_of(question), question_form(question, **wrong))
    assert set(page.context["adminform"].form.errors) == {"epsilon", "longest"}
    assert shown_on(page) == YES_NO | {"epsilon", "longest"}


def test_options_with_an_error_are_shown_whatever_the_kind(admin, survey):
    question = factories.add_question(survey)
    page = admin.post(address_of(question), question_form(question, option_lines="Same\nSame"))
    assert shown_on(page) == YES_NO | {"option_lines"}


def test_a_mark_that_keeps_a_question_from_being_launched_is_shown(admin, survey):
    question = factories.add_question(survey, adaptive=True)
    page = admin.get(address_of(question))
    assert shown_on(page) == YES_NO | {"adaptive"}


def test_a_kind_that_is_not_offered_shows_every_field(admin, survey):
    question = factories.add_question(survey)
    page = admin.post(address_of(question), question_form(question, kind="garbage"))
    assert shown_on(page) == ALWAYS | sometimes()
