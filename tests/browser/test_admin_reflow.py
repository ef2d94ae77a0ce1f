"""The admin's pages for surveys and questions fit wide and narrow screens."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from surveys.models import Survey
from tests import accessible, factories, tour
from tests.browser.following import another_page, follow
from tests.surveys.authoring.asking import page_of
from tests.surveys.authoring.editor.lists import list_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=factories.make_survey),
]
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente" * 3
HAS_MORE = "(box) => box.scrollWidth > box.clientWidth"


@pytest.fixture
def staff_page(page, server, survey):
    tour.log_in(page, server, survey.owner.username)
    return page


def survey_page(survey: Survey) -> str:
    return reverse("admin:surveys_survey_change", args=[survey.pk])


def question_pages(survey: Survey) -> list[str]:
    return [
        reverse("admin:surveys_question_change", args=[question.pk])
        for question in survey.questions.all()
    ]


# Whether a button's words are wider than it and stand in one line; its own measures do not say so.
# With the letters as wide apart as people may set them (WCAG 1.4.12).
IS_CUT = """button => {
  button.style.letterSpacing = "0.12em";
  const words = document.createElement("span");
  words.textContent = button.value;
  words.style.font = getComputedStyle(button).font;
  words.style.letterSpacing = "0.12em";
  words.style.position = "absolute";
  words.style.whiteSpace = "nowrap";
  button.after(words);
  const { width, height } = words.getBoundingClientRect();
  words.remove();
  return width > button.clientWidth && button.clientHeight < 2 * height;
}"""


def check_that_nothing_overflows(page, server, address: str) -> None:
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(server.url + address)
        widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1] == width, (address, widths)


@pytest.mark.audit
def test_the_page_of_a_survey_does_not_scroll_sideways(staff_page, server, survey):
    factories.add_one_of_each(survey)
    factories.add_other_designs(survey)
    opened = factories.make_open_survey(survey.owner)
    addresses = [survey_page(survey), survey_page(opened), reverse("admin:surveys_survey_add")]
    for address in addresses:
        check_that_nothing_overflows(staff_page, server, address)


# What begins or ends outside the box of its group; a box in which wide rows scroll is its own.
CUT = """(groups) => groups.flatMap((group) => {
  const box = group.getBoundingClientRect();
  const parts = [...group.querySelectorAll(".form-row *")].filter((part) =>
    part.getClientRects().length && !part.closest("[role=region], .visually-hidden"));
  return parts.map((part) => [part.getBoundingClientRect(), part.outerHTML.slice(0, 80)])
    .filter(([place]) => place.left < box.left || place.right > box.right)
    .map(([, html]) => html);
})"""


def test_no_field_of_a_group_is_cut_on_a_narrow_screen(staff_page, server, survey):
    staff_page.set_viewport_size({"width": 320, "height": 800})
    staff_page.goto(server.url + survey_page(survey))
    follow(staff_page.get_by_role("link", name="Open all groups"))
    groups = staff_page.locator("details.group")
    assert groups.count() == staff_page.locator("details.group[open]").count() > 5
    assert groups.evaluate_all(CUT) == []


@pytest.mark.parametrize("width", [1280, 320])
def test_no_field_of_a_question_is_cut(staff_page, server, survey, width):
    """Two fields in a row are narrower than their sentences beside what respondents see."""
    staff_page.set_viewport_size({"width": width, "height": 800})
    factories.add_question(survey)
    staff_page.goto(server.url + question_pages(survey)[0])
    groups = staff_page.locator("details.group")
    groups.evaluate_all("(groups) => groups.forEach((group) => { group.open = true; })")
    assert groups.count() > 2
    assert groups.evaluate_all(CUT) == []


def test_the_list_of_surveys_is_accessible_at_all_widths(staff_page, server, survey):
    factories.make_open_survey(survey.owner)  # with two states there is something to filter by
    staff_page.goto(server.url + reverse("admin:surveys_survey_changelist"))
    assert staff_page.get_by_role("link", name="All", exact=True).count() > 0
    accessible.check_narrow(staff_page, "list of surveys")


def asking_pages(draft: Survey, opened: Survey) -> list[str]:
    return [
        page_of(draft, "launch"),
        f"{page_of(draft, 'checklist')}?people=20&shares1=50",
        f"{page_of(draft, 'checklist')}?people=20",
        page_of(opened, "close"),
        page_of(opened, "delete_by", "2999-01-01"),
    ]


@pytest.mark.audit
def test_pages_that_ask_before_an_act_are_accessible_at_all_widths(staff_page, server, survey):
    factories.add_one_of_each(survey)
    opened = factories.make_open_survey(survey.owner)
    for address in asking_pages(survey, opened):
        staff_page.goto(server.url + address)
        accessible.check(staff_page, address)


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.audit)])
def test_the_authors_pages_are_accessible_in_german(staff_page, server, survey, most):
    """Their words are longer; letters from right to left stand among them."""
    question = factories.add_question(survey, "ب" * 200, "Car", kind="scale")
    staff_page.set_extra_http_headers({"Accept-Language": "de"})
    list_of_questions = reverse("admin:surveys_survey_questions", args=[survey.pk])
    simulated = f"{page_of(survey, 'checklist')}?people=20"
    for address in [*question_pages(survey), list_of_questions, simulated][:most]:
        staff_page.goto(server.url + address)
        assert staff_page.get_attribute("html", "lang") == "de"
        accessible.check(staff_page, address)
    assert question.options.count() == 2


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.audit)])
def test_the_other_pages_of_an_author_are_accessible(staff_page, server, survey, most):
    Survey.objects.filter(pk=survey.pk).update(also_in="ar")
    factories.add_question(survey, "Bus", "Car", kind="choice")
    other = factories.make_open_survey(survey.owner)
    copying = reverse("admin:surveys_survey_copy_questions", args=[survey.pk])
    addresses = [
        survey_page(survey),
        reverse("admin:surveys_survey_translations", args=[survey.pk, "ar"]),
        reverse("admin:surveys_survey_first_steps"),
        f"{copying}?from={other.pk}",
        reverse("staff_language"),
        reverse("admin:index"),
    ]
    for address in addresses[:most]:
        staff_page.goto(server.url + address)
        accessible.check_narrow(staff_page, address)


def test_a_survey_is_launched_with_the_keyboard_alone(staff_page, server, survey):
    factories.add_question(survey)
    staff_page.goto(server.url + page_of(survey, "launch"))
    button = staff_page.get_by_role("button", name="Launch for good")
    while not button.evaluate("button => button === document.activeElement"):
        staff_page.keyboard.press("Tab")
        name = staff_page.evaluate("document.activeElement.name ?? document.activeElement.tagName")
        assert name != "BODY", "out of reach"
        if name == "accepted":
            staff_page.keyboard.press("Space")
    staff_page.keyboard.press("Enter")
    expect(staff_page.get_by_text("is open at")).to_be_visible()


@pytest.mark.audit
@pytest.mark.parametrize("most", [3, None])
def test_the_page_of_a_question_does_not_scroll_sideways(staff_page, server, survey, most):
    factories.add_one_of_each(survey)
    factories.add_other_designs(survey)
    factories.add_rating(survey, catalogue=factories.make_catalogue(survey.owner, name="B " * 40))
    for address in [reverse("admin:surveys_question_add"), *question_pages(survey)][:most]:
        check_that_nothing_overflows(staff_page, server, address)


@pytest.mark.audit
def test_long_words_do_not_widen_the_pages(staff_page, server, survey):
    Survey.objects.filter(pk=survey.pk).update(title=LONG_WORD, contact=LONG_WORD)
    factories.add_question(survey, LONG_WORD, text=LONG_WORD, kind="scale")
    for address in [survey_page(survey), *question_pages(survey)]:
        check_that_nothing_overflows(staff_page, server, address)


@pytest.mark.audit
def test_messages_with_a_long_word_do_not_widen_the_page(staff_page, server, survey):
    question = factories.add_question(survey, text=LONG_WORD, design="k_ary")
    [address] = question_pages(survey)
    staff_page.goto(server.url + address)
    for width in (1280, 320):
        staff_page.set_viewport_size({"width": width, "height": 800})
        with another_page(staff_page):
            staff_page.get_by_role("button", name="Save and continue editing").click()
        assert question.text in staff_page.inner_text(".messagelist")
        assert staff_page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.audit
def test_rows_that_are_too_wide_scroll_in_a_box_that_the_keyboard_reaches(
    staff_page, server, survey
):
    factories.add_question(survey, "Never", "Always", kind="scale")
    staff_page.set_viewport_size({"width": 320, "height": 800})
    staff_page.goto(server.url + list_page(survey))
    box = staff_page.get_by_role("region", name="Questions")
    box.focus()
    expect(box).to_be_focused()
    assert box.evaluate(HAS_MORE)
    staff_page.keyboard.press("ArrowRight")
    staff_page.wait_for_function("(box) => box.scrollLeft > 0", arg=box.element_handle())


@pytest.mark.audit
def test_conditions_stand_below_each_other_where_a_row_has_no_room(staff_page, server, survey):
    factories.add_question(survey, "Never", "Always", kind="scale")
    staff_page.goto(server.url + question_pages(survey)[0])
    for width in (1280, 320):
        staff_page.set_viewport_size({"width": width, "height": 800})
        assert not staff_page.get_by_role("region", name="Conditions").evaluate(HAS_MORE)


@pytest.mark.audit
def test_translations_fit_beside_and_below_their_texts(staff_page, server, survey):
    Survey.objects.filter(pk=survey.pk).update(also_in="ar")
    factories.add_question(survey, text=LONG_WORD)
    address = reverse("admin:surveys_survey_translations", args=[survey.pk, "ar"])
    check_that_nothing_overflows(staff_page, server, address)
    buttons = staff_page.locator(".submit-row input")
    assert [one.evaluate(IS_CUT) for one in buttons.all()] == [False, False]
    accessible.check(staff_page, "translations")
