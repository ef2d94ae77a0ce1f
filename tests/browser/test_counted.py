"""Answers that are counted while they are locked, in the page: from the first screen to the count.

What is sent of them is opened with the trustees' keys, as these would never open a single answer.
"""

import pytest
from playwright.sync_api import Page, Request, expect

from surveys.kinds.text.promise import unbased
from surveys.models import Survey
from surveys.models.queries import questionnaire_of, table_to_lock
from surveys.questionnaire.submission import body_length
from surveys.trust.tally.ballots import check_ballot
from surveys.trust.tally.group import subtract, times
from surveys.trust.tally.openings import small_log
from tests import accessible
from tests.browser import answering, by_keyboard
from tests.counting import NAMES, secret_of
from tests.factories import launched
from tests.surveys.authoring.trustees import ruled_draft

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
SCREEN = {"width": 320, "height": 640}
NOT_ASKED = 6  # the cell after those of a yes or no and of a scale of three answers
FIELDS = ["revision", "key", "path", "q001", "t01"]


@pytest.fixture
def survey(owner) -> Survey:
    """Those who own a car are asked two more questions, which are counted together."""
    return launched(ruled_draft(owner))


@pytest.fixture
def posted(page: Page):
    """The bodies that the page sends."""
    bodies: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data or "")

    page.on("request", note)
    yield bodies
    page.remove_listener("request", note)


UNABLE = {
    "without a secure connection": "delete Crypto.prototype.subtle",
    # A point of small order, as the keys of trustees who cancel each other would give.
    "with a key that hides nothing": """new MutationObserver(() => {
        for (const one of document.querySelectorAll('[data-table]'))
          one.dataset.table = one.dataset.table.replace(/[0-9a-f]{64}/, `01${'0'.repeat(62)}`);
      }).observe(document, { childList: true, subtree: true });""",
}


def fields_in(body: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in body.split("&"))


def cell_in(survey: Survey, body: str, table: int = 1) -> int:
    """Where the 1 is in a table's ballot, which proves itself."""
    content = unbased(fields_in(body)[f"t{table:02d}"])
    pairs = check_ballot(table_to_lock(survey.revision.pk, table), content)
    secret = sum(map(secret_of, NAMES))
    counts = [small_log(subtract(one.b, times(secret, one.a)), -3, 3) for one in pairs]
    assert sorted(counts) == [0] * (len(counts) - 1) + [1]
    return counts.index(1)


def test_by_keyboard_on_a_narrow_screen_a_cell_is_sent_locked_and_in_no_other_field(
    page, server, survey, posted
):
    page.set_viewport_size(SCREEN)
    answering.open_start(page, server, survey)
    accessible.check_narrow(page, "the first page of counted answers")
    seen: list[tuple[str, tuple[int, ...]]] = []

    def look(step: str, shown: tuple[int, ...]) -> None:
        seen.append((step, shown))
        if shown == (2,):
            accessible.check_narrow(page, "a question that is counted locked")
        if step == "send":
            words = page.locator("[data-state=ready]").inner_text()
            assert "answers are sent as you gave them, unless they are locked" in words
            assert "Questions 2 and 3: your answers are locked in this browser" in words

    given = {"q001": "01", "q002": "01", "q003": "02"}
    by_keyboard.Walk(page, given, look).to_the_receipt()
    assert [shown for _, shown in seen if shown] == [(1,), (2,), (3,)]
    (body,) = posted
    assert list(fields_in(body)) == FIELDS
    assert len(body) == body_length(questionnaire_of(survey.revision))
    assert cell_in(survey, body) == 5
    assert survey.revision.waiting.count() == 1
    receipt = " ".join(page.locator("main").inner_text().split())
    assert "Questions 2 and 3 (locked: this server cannot read it)" in receipt
    assert "This page compared the receipt with what it sent: they are the same." in receipt
    accessible.check_narrow(page, "the receipt of counted answers")


@pytest.mark.parametrize("script", UNABLE.values(), ids=UNABLE.keys())
def test_where_nothing_can_be_locked_nothing_is_asked(fresh_page, server, survey, script):
    fresh_page.add_init_script(script)
    fresh_page.goto(answering.address(server, survey))
    note = fresh_page.locator("[data-cannot-lock]")
    note.wait_for(state="visible")
    assert "This browser cannot lock your answers." in note.inner_text()
    assert "You can take part without the script" in note.inner_text()
    expect(fresh_page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    accessible.check_narrow(fresh_page, "a page that cannot lock answers")
