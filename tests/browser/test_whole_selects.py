"""Lists to choose from show what is chosen whole, at both widths, and work by keyboard."""

import pytest
from django.urls import reverse

from tests import accessible, factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
LONG = "During the past 12 months, did you ever take a prescription drug without a prescription?"
ARROW = 12  # pixels beside the words, at least
# Whether the chosen words need more room than the list's box has; native ones cut them silently.
CUT = """(select, arrow) => {
  const style = getComputedStyle(select), pen = document.createElement('canvas').getContext('2d');
  pen.font = style.font;
  const words = pen.measureText(select.selectedOptions[0].text.trim()).width;
  const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  const lines = Math.floor(select.clientHeight / (1.5 * parseFloat(style.fontSize)));
  return words > (select.clientWidth - padding - arrow) * lines + 1;
}"""


@pytest.fixture
def survey(transactional_db):
    draft = factories.make_survey(factories.make_user(), title=f"A survey on {LONG.lower()}")
    factories.add_question(draft, text=LONG)
    factories.add_question(draft, text=LONG.replace("take", "sell"), design="direct")
    return factories.launched(draft)


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", ["planner", "regression", "break-down"])
def test_no_list_cuts_what_is_chosen(staff_page, server, survey, name, width):
    staff_page.set_viewport_size({"width": width, "height": 800})
    keys = [] if name == "planner" else [survey.pk]
    staff_page.goto(server.url + reverse(f"surveys:{name}", args=keys))
    lists = staff_page.locator("main select:visible").all()
    assert lists
    cut = [one.get_attribute("id") for one in lists if one.evaluate(CUT, ARROW)]
    assert cut == []
    assert staff_page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_open_list_fits_a_phone_and_is_chosen_from_by_keyboard(staff_page, server, survey):
    staff_page.set_viewport_size({"width": 320, "height": 700})
    staff_page.goto(server.url + reverse("surveys:planner"))
    design = staff_page.get_by_label("Design")
    before = design.input_value()
    design.focus()
    for key in ("Space", "ArrowDown", "Enter"):
        staff_page.keyboard.press(key)
    assert design.input_value() != before
    staff_page.keyboard.type("War")
    staff_page.wait_for_function("document.activeElement.value === 'warner'")
    design.click()
    assert staff_page.evaluate("document.documentElement.scrollWidth") <= 320
    accessible.check_schemes(staff_page, "an open list")
