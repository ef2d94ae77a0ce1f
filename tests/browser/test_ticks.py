"""Multiple choice in the page: which options it sends, and when it asks what depends on them."""

import numpy as np
import pytest
from scipy import stats

from surveys.authoring.services import replace_options
from surveys.models import Response
from surveys.models.queries import questionnaire_of
from tests import accessible, ticked
from tests.bodies import rating_code
from tests.browser import answering
from tests.factories import TRAVEL, add_ticks, launched, make_survey
from tests.promises.test_p4_channel import OTHER_SOURCES, url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
DECLINED, YES_CODE = 2, "01"
# Tick these options alone; is the second question asked then, which is on the screen of the first?
ASKED_OF = """chosen => {
    for (const box of document.querySelectorAll('fieldset[data-name=q001] input[type=checkbox]'))
        if (box.checked !== chosen.includes(box.labels[0].innerText.trim())) box.click();
    return !document.querySelectorAll('[data-question]')[1].hidden;
}"""
DRAW_MANY = """async ([url, draws]) => {
    const { bodyOf, read } = await import(url);
    const fieldset = document.querySelector('fieldset[data-name=q001]');
    const bodies = Array.from({ length: draws }, () => bodyOf('r', [read(fieldset)]));
    return (await Promise.all(bodies)).map((body) => body.split('q001s01=')[1]);
}"""


def test_the_page_draws_options_evenly_and_their_answers_by_the_channel(page, server, owner):
    """Each comparison fails by chance once in 10^7."""
    survey = ticked.asked(owner)
    page.add_init_script(OTHER_SOURCES)
    answering.open_start(page, server, survey)
    page.locator("fieldset[data-name=q001] input").nth(1).evaluate("box => { box.checked = true }")
    slots = page.evaluate(DRAW_MANY, [url("send"), 20_000])
    numbers = np.array([int(slot[:2]) for slot in slots])
    sent = np.array([int(slot[2:]) for slot in slots])
    assert stats.chisquare(np.bincount(numbers, minlength=5)[1:]).pvalue > 1e-7
    for number in range(1, 5):
        yes = sent[numbers == number]
        chance = 0.75 if number == 2 else 0.25
        assert stats.binomtest(int(yes.sum()), len(yes), chance).pvalue > 1e-7


@pytest.mark.parametrize(
    ("comparison", "value", "asking"),
    [
        ("is", "Bus|car", {"Bus", "Car", "Bus+Car"}),
        ("is_not", "Bus", {"", "Car", "declined"}),
        ("marked", "2", {"Bus+Car"}),
        ("answered", "", {"", "Bus", "Car", "Bus+Car"}),
        ("missing", "", {"declined"}),
    ],
)
@pytest.mark.one_tab
def test_rules_read_ticks_alike_in_the_page_and_on_the_server(
    page, server, owner, comparison, value, asking
):
    """Every answer of two options, given in the page, and evaluated as a row."""
    survey = launched(ticked.routed(owner, comparison, value, required=False))
    questionnaire = questionnaire_of(survey.revision)
    ticks = questionnaire.items[0]
    page.goto(answering.address(server, survey))
    answering.press(page, "Start")
    found, known = set(), set()
    for name in ("", "Bus", "Car", "Bus+Car", "declined"):
        chosen = ["Prefer not to say"] if name == "declined" else name.split("+")
        found |= {name} if page.evaluate(ASKED_OF, chosen) else set()
        levels = [DECLINED] * 4 if name == "declined" else [int(o in chosen) for o in TRAVEL]
        row = rating_code(ticks, dict(enumerate(levels, start=1)))
        known |= {name} if questionnaire.routes.asked_of([row, YES_CODE])[1] else set()
    assert found == known == asking


@pytest.mark.one_tab
def test_what_can_only_be_ticked_alone_and_the_others_clear_each_other(page, server, owner):
    draft = make_survey(owner)
    ticks = add_ticks(draft, design="direct")
    replace_options(question=ticks, texts=[*TRAVEL, "None of these"], alone=["None of these"])
    survey = launched(draft)
    answering.open_start(page, server, survey)
    answering.press(page, "Start")
    step = answering.step(page)
    assert (
        "Each of these answers can be ticked only if no other answer is ticked: “None of these”."
        in step.inner_text()
    )
    accessible.check_narrow(page, "an answer that stands alone")
    boxes = {name: step.get_by_label(name, exact=True) for name in ("Bus", "Car", "None of these")}

    def ticked() -> list[str]:
        return [name for name, box in boxes.items() if box.is_checked()]

    for name in ("Bus", "Car"):
        boxes[name].check()
    assert ticked() == ["Bus", "Car"]
    boxes["None of these"].focus()
    page.keyboard.press("Space")
    assert ticked() == ["None of these"]
    boxes["Car"].check()
    assert ticked() == ["Car"]
    boxes["None of these"].check()
    answering.press(page, "Continue")
    answering.send(page)
    assert list(Response.objects.values_list("answers", flat=True)) == ["01000200030004000501"]
