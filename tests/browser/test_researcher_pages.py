"""Researchers' pages in a real browser: accessible, reflowing, within the policy."""

from base64 import b64encode

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from surveys.collecting.services import receive
from surveys.models import Membership
from surveys.staff.members.services import add_member
from tests import accessible, factories
from tests.bodies import body_of
from tests.stored import store_rows

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def survey(transactional_db):
    survey = factories.make_open_survey(factories.make_user(), planned_responses=50)
    for own_coin in (False, False, True):
        body = body_of(survey.revision, own_coin=own_coin)
        receive(survey_id=survey.pk, body=body)
    return survey


@pytest.fixture
def one_question(survey):
    draft = factories.make_survey(survey.owner)
    factories.add_question(draft)
    launched = factories.launched(draft)
    store_rows(launched.revision, ["00", "01"] * 20)
    return launched


def analysed_survey(owner):
    """Enough answers for break-downs and a regression: some owners of cars say yes more often."""
    survey = factories.make_open_survey(owner, title="Analysed")
    cells = ((60, "00", "01", "035"), (40, "01", "01", "052"), (70, "00", "00", "028"))
    cells += ((30, "01", "00", "044"), (15, "01", "00", "028"), (15, "00", "01", "061"))
    rows = [
        f"{first}{first}00{first}00{car}{age}"
        for times, first, car, age in cells
        for _ in range(times)
    ]
    store_rows(survey.revision, rows)
    return survey


def pages(survey, analysed, ready) -> list[str]:
    """Every page with as much on it as it can have."""
    regression = reverse("surveys:regression", args=[analysed.pk])
    return [
        reverse("surveys:list"),
        reverse("surveys:planner") + "?share=0.2&null_share=0.1&budget=2&answers=2,5&responses=300",
        reverse("surveys:dashboard", args=[survey.pk]),
        reverse("surveys:break-down", args=[analysed.pk]) + "?question=1&by=2&also_by=6",
        reverse("surveys:weighted", args=[analysed.pk]) + "?by=7",
        regression + "?outcome=1-1&predictors=6&predictors=7",
        reverse("surveys:trial", args=[ready.pk]) + "?n=200&runs=40&cheating=10",
        reverse("surveys:members", args=[survey.pk]),
        reverse("surveys:audit", args=[survey.pk]),
    ]


def other_states(survey, analysed, ready) -> list[str]:
    """The same pages with less on them, and with what they refuse."""
    draft = factories.make_survey(survey.owner, title="A draft")
    empty = factories.make_open_survey(survey.owner, title="Just opened")
    planner, dashboard = reverse("surveys:planner"), reverse("surveys:dashboard", args=[survey.pk])
    return [
        reverse("surveys:list") + "?q=nothing+like+it",
        planner,
        planner + "?responses=100&design=k-ary",
        planner + "?design=warner&p=nan&error=0",
        planner + "?response_rate=0.4&cluster_size=25&intraclass_correlation=0.05&arms=2,1",
        planner + "?cluster_size=25&weight_variation=-1&arms=1",
        dashboard + "?method=chebyshev&level=99&false_reports=-1",
        reverse("surveys:dashboard", args=[draft.pk]),
        reverse("surveys:dashboard", args=[empty.pk]),
        reverse("surveys:break-down", args=[survey.pk]),
        reverse("surveys:break-down", args=[survey.pk]) + "?question=1&by=2",
        reverse("surveys:break-down", args=[survey.pk]) + "?question=1&by=1",
        reverse("surveys:break-down", args=[analysed.pk]) + "?question=1&by=6",
        reverse("surveys:weighted", args=[analysed.pk]) + "?by=6&margins=Yes:+x",
        reverse("surveys:regression", args=[survey.pk]),
        reverse("surveys:regression", args=[analysed.pk]) + "?outcome=1-1&predictors=6",
        reverse("surveys:regression", args=[analysed.pk]) + "?outcome=6-1&predictors=6",
        reverse("surveys:trial", args=[draft.pk]),
        reverse("surveys:trial", args=[ready.pk]),
        reverse("surveys:trial", args=[ready.pk]) + "?n=x&shares1=9",
        reverse("surveys:audit", args=[survey.pk]) + "?action=nothing+like+it",
    ]


@pytest.mark.audit
@pytest.mark.parametrize("addresses", [pages, other_states], ids=["pages", "rest"])
def test_every_page_is_accessible_reflows_and_keeps_the_policy(
    staff_page, server, survey, addresses
):
    factories.make_user("grace")
    add_member(survey=survey, username="grace", role="analyst", by=survey.owner)
    ready = factories.make_survey(survey.owner, title="Ready to be tried")
    factories.add_one_of_each(ready)
    for address in addresses(survey, analysed_survey(survey.owner), ready):
        staff_page.goto(server.url + address)
        accessible.check(staff_page, address)


def test_a_regression_is_fitted_and_a_break_down_asked_with_the_keyboard_alone(
    staff_page, server, survey
):
    analysed = analysed_survey(survey.owner)
    staff_page.goto(server.url + reverse("surveys:regression", args=[analysed.pk]))
    staff_page.get_by_label("6. Do you own a car?").focus()
    staff_page.keyboard.press("Space")
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url("**predictors=6**")
    assert "Odds ratio" in staff_page.locator("main").inner_text()
    staff_page.get_by_role("link", name="Break-downs").focus()
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url("**/break-down/")
    staff_page.get_by_label("Broken down by", exact=True).focus()
    staff_page.keyboard.type("6")
    staff_page.get_by_role("button", name="Break down").focus()
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url("**by=6**")
    assert "Share in each group" in staff_page.locator("main").inner_text()


def test_the_planner_shows_only_the_chosen_designs_parameters(staff_page, server):
    staff_page.goto(server.url + reverse("surveys:planner"))
    staff_page.get_by_label("Design").select_option("warner")
    assert staff_page.get_by_label("Probability of the direct statement").is_visible()
    assert not staff_page.get_by_label("Number of answers").is_visible()


def test_a_plan_is_made_and_saved_with_the_keyboard_alone(staff_page, server, survey):
    staff_page.goto(server.url + reverse("surveys:planner"))
    staff_page.get_by_label("Error", exact=True).focus()
    staff_page.keyboard.press("Control+A")
    staff_page.keyboard.type("0.1")
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url("**error=0.1*")
    staff_page.get_by_role("button", name="Save 402 as plan").focus()
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url(f"**/{survey.pk}/")
    assert "now asks for 402 responses" in staff_page.get_by_role("status").inner_text()
    survey.refresh_from_db()
    assert survey.planned_responses == 402


def test_the_first_tab_stop_skips_to_the_content(staff_page, server):
    staff_page.goto(server.url + reverse("surveys:list"))
    staff_page.keyboard.press("Tab")
    assert staff_page.evaluate("document.activeElement.textContent") == "Skip to content"
    staff_page.keyboard.press("Enter")
    assert staff_page.evaluate("document.activeElement.id") == "main"


def test_a_member_is_added_changed_and_removed_by_keyboard_alone(staff_page, server, survey):
    factories.make_user("grace")
    staff_page.goto(server.url + reverse("surveys:members", args=[survey.pk]))
    staff_page.get_by_label("User name").first.fill("nobody")
    staff_page.get_by_label("User name").first.press("Enter")
    refused = staff_page.get_by_label("User name").first
    expect(refused).to_have_attribute("aria-invalid", "true")
    described = staff_page.locator(f"#{refused.get_attribute('aria-describedby')}")
    assert "There is no account" in described.inner_text()
    refused.fill("grace")
    refused.press("Enter")
    role = staff_page.get_by_label("Role of grace")
    assert role.input_value() == "analyst"
    role.focus()
    role.press("e")
    staff_page.keyboard.press("Tab")
    staff_page.keyboard.press("Enter")
    expect(staff_page.locator(".messages")).to_contain_text("grace is an editor")
    staff_page.get_by_role("button", name="Remove grace").press("Enter")
    expect(staff_page.locator(".messages")).to_contain_text("grace has no role")
    assert not Membership.objects.exists()


BOTH_ENDS = """async (url) => {
    const picture = await createImageBitmap(await (await fetch(url)).blob());
    const canvas = new OffscreenCanvas(picture.width, 1).getContext('2d');
    canvas.drawImage(picture, 0, 0);
    return [0, picture.width - 1].map(x => [...canvas.getImageData(x, 0, 1, 1).data]);
}"""


def colours_of_ends(page, x: float, y: float, width: int) -> list[list[int]]:
    """Red, green, blue and opacity of a line's first and last pixel as the browser paints them."""
    png = page.screenshot(clip={"x": int(x), "y": int(y), "width": width, "height": 1})
    empty = page.context.new_page()  # whose policy lets it read the picture
    found = empty.evaluate(BOTH_ENDS, f"data:image/png;base64,{b64encode(png).decode()}")
    empty.close()
    return found


# The picture of the scheme that the page has now is there, and not still that of the one before.
DRAWN = """image => {
  const sources = [...image.parentNode.querySelectorAll("source")];
  const of = sources.find((one) => matchMedia(one.media).matches);
  const wanted = of ? of.srcset : image.getAttribute("src");
  return image.complete && image.currentSrc.endsWith(wanted);
}"""


def test_pictures_take_the_colour_of_a_dark_page_and_paper_stays_free_of_forms(
    staff_page, server, one_question
):
    staff_page.goto(server.url + reverse("surveys:dashboard", args=[one_question.pk]))
    chart = staff_page.locator("img.chart").first
    for scheme in ("light", "dark"):
        staff_page.emulate_media(color_scheme=scheme)
        chart.scroll_into_view_if_needed()
        staff_page.wait_for_function(DRAWN, arg=chart.element_handle())
        box = chart.bounding_box()
        outside, inside = colours_of_ends(staff_page, box["x"] - 8, box["y"] + 4, 21)
        assert inside == outside, scheme
    staff_page.emulate_media(media="print")
    expect(staff_page.get_by_role("button", name="Show", exact=True)).to_be_hidden()
    breaks = "all => all.map(one => getComputedStyle(one).breakInside)"
    assert set(staff_page.locator("table.rows").evaluate_all(breaks)) == {"avoid"}
