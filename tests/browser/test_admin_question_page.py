"""A question's page in the admin, as an author uses it in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import accessible, factories, tour
from tests.browser.following import another_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=factories.make_survey),
]


# What the focus is on: the words of a button.
REACHED = "document.activeElement === document.body ? null : document.activeElement.value ?? ''"


def open_question(page, server, question) -> None:
    page.goto(server.url + reverse("admin:surveys_question_change", args=[question.pk]))


SOMETIMES_SHOWN = (
    *("forced", "epsilon", "p_sensitive", "harmless", "harmless_yes", "channel"),
    *("minimum", "maximum", "decimal_places", "special"),
    *("longest", "catalogue", "shown", "adaptive"),
    "option_lines",
)


def shown(page) -> list[str]:
    """Names of the fields that can be seen."""
    return [name for name in SOMETIMES_SHOWN if page.locator(f"#id_{name}").is_visible()]


def save(page, button: str = "Save and continue editing") -> None:
    with another_page(page):
        page.get_by_role("button", name=button, exact=True).click()


def test_choosing_a_kind_and_a_design_shows_their_fields(staff_page, server, survey):
    open_question(staff_page, server, factories.add_question(survey))
    assert shown(staff_page) == []
    staff_page.select_option("#id_design", "two_groups")
    assert shown(staff_page) == ["p_sensitive", "harmless", "harmless_yes"]
    staff_page.select_option("#id_kind", "rating")
    assert shown(staff_page) == ["catalogue", "shown", "adaptive", "option_lines"]
    staff_page.select_option("#id_kind", "number")
    assert shown(staff_page) == ["minimum", "maximum", "decimal_places", "special"]
    assert staff_page.evaluate("window.violations") == []


def test_a_field_with_an_error_stays_shown_when_another_design_is_chosen(
    staff_page, server, survey
):
    open_question(staff_page, server, factories.add_question(survey, design="k_ary"))
    staff_page.fill("#id_epsilon", "-1")
    staff_page.select_option("#id_design", "crosswise")
    assert shown(staff_page) == ["harmless", "harmless_yes"]
    save(staff_page)
    assert shown(staff_page) == ["epsilon", "harmless", "harmless_yes"]
    staff_page.select_option("#id_design", "channel_matrix")
    assert shown(staff_page) == ["epsilon", "channel"]


@pytest.mark.audit
def test_without_a_script_saving_shows_the_fields_and_keeps_hidden_values(
    page_without_script, server, survey
):
    page = page_without_script
    tour.log_in(page, server, survey.owner.username)
    question = factories.add_question(survey, design="k_ary", epsilon=1, required=True)
    open_question(page, server, question)
    assert shown(page) == ["epsilon"]
    page.select_option("#id_design", "warner")
    save(page)
    assert shown(page) == ["p_sensitive"]
    assert "choose the kind or design and press" in page.inner_text("noscript")
    page.fill("#id_p_sensitive", "3/4")
    save(page)
    question.refresh_from_db()
    assert (question.design, question.p_sensitive, question.epsilon) == ("warner", "3/4", 1)


def test_a_kind_offers_the_designs_that_it_can_have_and_chooses_one_of_them(
    staff_page, server, survey
):
    open_question(staff_page, server, factories.add_question(survey))
    staff_page.select_option("#id_kind", "text")
    expect(staff_page.locator("#id_design")).to_have_value("direct")
    offered = staff_page.locator("#id_design option:not([hidden])")
    expect(offered).to_have_count(1)
    staff_page.select_option("#id_kind", "yes_no")
    expect(staff_page.locator("#id_design option:not([hidden])")).to_have_count(10)


def test_a_new_question_has_no_design_until_its_author_chooses_one(staff_page, server, survey):
    add = reverse("admin:surveys_question_add")
    staff_page.goto(f"{server.url}{add}?survey={survey.pk}")
    design = staff_page.locator("#id_design")
    for kind, chosen in (("scale", ""), ("text", "direct"), ("choice", "")):
        staff_page.select_option("#id_kind", kind)
        expect(design).to_have_value(chosen)
    staff_page.select_option("#id_design", "two_coins")
    staff_page.select_option("#id_kind", "scale")
    expect(design).to_have_value("two_coins")


def test_a_follow_up_of_a_protected_question_begins_with_its_design(staff_page, server, survey):
    protected = factories.add_question(survey, text="Stolen?", design="k_ary", epsilon=1)
    factories.add_question(survey, text="A car?", design="direct")
    add = f"{reverse('admin:surveys_question_add')}?survey={survey.pk}&design=direct"
    staff_page.goto(server.url + add)
    design, source = staff_page.locator("#id_design"), staff_page.locator("#id_conditions-0-source")
    source.evaluate("one => one.closest('details')?.setAttribute('open', '')")
    source.select_option(label="2. A car?")
    expect(design).to_have_value("direct")
    source.select_option(str(protected.pk))
    expect(design).to_have_value("k_ary")
    design.select_option("warner")
    source.select_option(str(protected.pk))
    expect(design).to_have_value("warner")


@pytest.mark.audit
def test_a_stored_design_that_does_not_fit_stays_until_another_one_is_chosen(
    staff_page, server, survey
):
    question = factories.add_question(survey, kind="text", design="two_coins")
    open_question(staff_page, server, question)
    save(staff_page)
    question.refresh_from_db()
    assert question.design == "two_coins"
    assert "Free text can only be asked directly" in staff_page.inner_text(".messagelist")


def test_a_question_is_edited_with_the_keyboard_alone(staff_page, server, survey):
    question = factories.add_question(survey, "Never", kind="scale")
    factories.add_question(survey, text="And then?")
    open_question(staff_page, server, question)
    staff_page.focus("#id_option_lines")
    staff_page.keyboard.type("\nAlways\t\n\n")
    reached = ""
    while reached != "Save and open next":
        staff_page.keyboard.press("Tab")
        reached = staff_page.evaluate(REACHED)
        assert reached is not None, "out of reach"
    staff_page.keyboard.press("Enter")
    expect(staff_page.locator("#id_text")).to_have_value("And then?")
    assert {option.text for option in question.options.all()} == {"Never", "Always"}


def test_what_a_question_tells_is_read_before_it_is_saved(staff_page, server, survey):
    open_question(staff_page, server, factories.add_question(survey))
    staff_page.select_option("#id_design", "k_ary")
    staff_page.fill("#id_epsilon", "0.5")
    save(staff_page, "See what it reveals")
    told = staff_page.get_by_role("status")
    expect(told).to_contain_text("Nothing is saved yet.")
    expect(told.get_by_role("row", name="As typed here")).to_contain_text("epsilon 0.50")
    assert staff_page.locator("#id_epsilon").input_value() == "0.5"
    accessible.check_narrow(staff_page, "what a question tells")


def test_what_respondents_see_is_drawn_again_while_one_types(staff_page, server, survey):
    """In its own style, beside the form, without a script of respondents and without a request
    that stores anything; a login that ended meanwhile is said, and what was typed stays."""
    open_question(staff_page, server, factories.add_question(survey, text="Have you stolen?"))
    sketch = staff_page.locator("#sketch .sketched")
    expect(sketch).to_contain_text("Have you stolen?")
    staff_page.fill("#id_text", "Have you ever stolen?")
    staff_page.select_option("#id_kind", "choice")
    staff_page.fill("#id_option_lines", "Never\nOnce\nOften")
    expect(sketch).to_contain_text("Have you ever stolen?")
    expect(sketch.get_by_role("radio", name="Often")).to_be_visible()
    assert sketch.locator("fieldset").evaluate("e => getComputedStyle(e).borderTopWidth") == "0px"
    form, aside = (
        staff_page.locator(part).bounding_box() for part in ("#question_form", ".sketch")
    )
    assert aside["x"] >= form["x"] + form["width"]
    for field in staff_page.locator("#question_form .form-row :is(select, textarea)").all():
        if field.is_visible():
            box = field.bounding_box()
            assert box["x"] + box["width"] <= form["x"] + form["width"]
    accessible.check(staff_page, "a question beside what respondents see")
    staff_page.context.clear_cookies()
    staff_page.fill("#id_text", "And now?")
    expect(staff_page.locator("#sketch-problem")).to_contain_text(
        "The preview could not be updated"
    )
    assert staff_page.input_value("#id_text") == "And now?"
    assert survey.questions.get().text == "Have you stolen?"


def test_problems_stand_together_and_lead_to_their_fields(staff_page, server, survey):
    question = factories.add_question(survey, text="Have you stolen?")
    open_question(staff_page, server, question)
    staff_page.fill("#id_text", "")
    staff_page.select_option("#id_kind", "number")
    staff_page.fill("#id_decimal_places", "-1")
    save(staff_page)
    problems = staff_page.get_by_role("alert").filter(has_text="Please correct")
    expect(problems.get_by_role("link")).to_have_text(["Text", "Decimal places"])
    expect(staff_page.locator(".errornote")).to_be_hidden()
    problems.get_by_role("link", name="Decimal places").click()
    assert staff_page.evaluate("location.hash") == "#id_decimal_places"
    expect(staff_page.locator("#id_decimal_places")).to_be_in_viewport()
    accessible.check(staff_page, "a question with problems")


def test_a_condition_suggests_the_answers_of_the_question_that_it_reads(staff_page, server, survey):
    often = factories.add_question(survey, "Never", "Often", kind="scale", design="direct")
    stolen = factories.add_question(survey, text="Have you stolen?", design="direct")
    open_question(staff_page, server, factories.add_question(survey))
    value, source = (staff_page.locator(f"#id_conditions-0-{name}") for name in ("value", "source"))
    texts = "e => [...e.list.options].map(option => option.value)"
    source.select_option(str(often.pk))
    assert value.evaluate(texts) == ["Never", "Often"]
    source.select_option(str(stolen.pk))
    assert value.evaluate(texts) == ["No", "Yes"]


@pytest.fixture
def asked(staff_page):
    """The kinds of dialogs, each of which is answered with staying where one is."""
    found = []

    def stay(dialog) -> None:
        found.append(dialog.type)
        dialog.dismiss()

    staff_page.on("dialog", stay)
    yield found
    staff_page.remove_listener("dialog", stay)  # others use this tab too


def test_unsaved_work_is_not_left_without_a_question(staff_page, server, survey, asked):
    """Saved work is, and so is a page on which nothing was typed."""
    question = factories.add_question(survey)
    open_question(staff_page, server, question)
    staff_page.get_by_role("link", name="Questions of").click()
    staff_page.wait_for_url("**/questions/")
    assert asked == []
    open_question(staff_page, server, question)
    staff_page.fill("#id_text", "Other words?")
    staff_page.get_by_role("link", name="Questions of").click()
    expect(staff_page.locator("#id_text")).to_have_value("Other words?")
    assert asked == ["beforeunload"]
    save(staff_page)
    staff_page.get_by_role("link", name="Questions of").click()
    staff_page.wait_for_url("**/questions/")
    assert asked == ["beforeunload"]
