"""The invitations pages in a real browser: every state, narrow, dark, printed, by keyboard."""

import re
from collections.abc import Iterator

import pytest
from django.urls import reverse

from surveys import VERSION
from surveys.authoring.services import close
from surveys.models import Addressee, Invitation, Mailing, Membership
from surveys.questionnaire import tokens
from tests import accessible, factories
from tests.browser.following import follow
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import CODE, people
from tests.tour import log_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=factories.make_invited_survey),
]
SMALL_TARGETS = """() => [...document.querySelectorAll(
        'main button, main a.button, main input:not([type=hidden]), main .links a')]
    .filter((element) => element.offsetParent !== null)
    .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24)
    .map(([text]) => text)"""
# What the picture's path draws, one character for each module.
DRAWN = """svg => {
    const canvas = document.createElement('canvas');
    const side = svg.viewBox.baseVal.width;
    canvas.width = canvas.height = side;
    const pen = canvas.getContext('2d');
    for (const path of svg.querySelectorAll('path')) {
        pen.fillStyle = path.getAttribute('fill');
        pen.fill(new Path2D(path.getAttribute('d')));
    }
    const pixels = pen.getImageData(0, 0, side, side).data;
    const dark = [...Array(side * side).keys()].map(n => pixels[4 * n] < 128 ? '1' : '0');
    return dark.join('').match(new RegExp(`.{${side}}`, 'g'));
}"""


def address_of(server, survey, name: str = "invitations", *more) -> str:
    return server.url + reverse(f"surveys:{name}", args=[survey.pk, *more])


def make_mailing(survey, state: str, problem: str = "", **counts: int) -> Mailing:
    mailing = mailings.prepare(survey, people(sum(counts.values())))
    rows = list(mailing.addressees.all())
    for name, count in counts.items():
        for _ in range(count):
            words = "The mail server refuses this mail (550)." if name == "failed" else ""
            Addressee.objects.filter(pk=rows.pop().pk).update(state=name, problem=words)
    undelivered = counts.get("sending", 0) * 3
    Mailing.objects.filter(pk=mailing.pk).update(
        state=state, problem=problem, undelivered=undelivered
    )
    return mailing


def states(page, server, survey) -> Iterator[str]:
    """Every state of every page, each yielded while it is shown."""
    page.goto(address_of(server, survey))
    yield "nothing issued"
    follow(page.get_by_role("button", name="Make sheets to print"))
    page.get_by_role("heading", name="30 code sheets").wait_for()
    yield "sheets"
    page.goto(address_of(server, survey))
    page.get_by_label("How many").fill("many")
    follow(page.get_by_role("button", name="Make sheets to print"))
    yield "a wrong number"
    page.goto(address_of(server, survey, "new-mailing"))
    yield "a new mailing"
    page.get_by_label("Or paste the addresses").fill("ada@example.org\nnobody")
    page.get_by_label("Subject").fill("Please take part")
    page.get_by_role("button", name="Save and preview").click()
    page.get_by_text("Line 2, 'nobody'").wait_for()
    yield "a bad line"
    page.get_by_label("Leave out lines").check()
    page.get_by_role("button", name="Save and preview").click()
    page.get_by_text("lines left out: 1").wait_for()
    yield "a prepared mailing"
    for mailing in (
        make_mailing(survey, "sending", sent=5, sending=1, waiting=20),
        make_mailing(survey, "stopped", "The connection broke.", sent=3, sending=2, waiting=9),
        make_mailing(survey, "done", sent=30, failed=120, sending=1),
        make_mailing(survey, "done"),
    ):
        page.goto(address_of(server, survey, "mailing", mailing.pk))
        yield f"a mailing that is {mailing.pk}"
    page.goto(address_of(server, survey))
    yield "mailings"
    draft = factories.make_survey(survey.owner, invitation_only=True)
    other = factories.make_open_survey(survey.owner)
    close(survey=survey, by=survey.owner)
    for one in (survey, draft, other):
        page.goto(address_of(server, one))
        yield f"a survey that is {one.state}"


@pytest.mark.audit
def test_every_state_is_accessible_reflows_and_keeps_the_policy(staff_page, server, survey):
    seen = 0
    for seen, state in enumerate(states(staff_page, server, survey), start=1):  # noqa: B007
        accessible.check(staff_page, state)
        assert staff_page.evaluate(SMALL_TARGETS) == [], state
    assert seen == 14


def test_a_sheets_picture_is_the_link_with_its_code_which_opens_the_survey(
    staff_page, server, survey
):
    staff_page.goto(address_of(server, survey))
    staff_page.get_by_label("How many").fill("2")
    follow(staff_page.get_by_role("button", name="Make sheets to print"))
    for sheet in staff_page.locator(".sheet").all():
        token = tokens.canonical(CODE.search(sheet.inner_text())[0])
        link = f"{server.url}/en/s/{survey.pk}/#{token}"
        assert sheet.get_by_role("link").get_attribute("href") == link
        drawn = sheet.locator("svg").evaluate(DRAWN)
        assert drawn == modules_of(link)
    staff_page.context.clear_cookies()  # who opens it is a respondent
    staff_page.goto(link)
    staff_page.get_by_role("button", name="Start", exact=True).last.click()
    staff_page.get_by_role("button", name="Continue").wait_for()
    assert "#" not in staff_page.url


def modules_of(text: str) -> list[str]:
    """The picture that the library would draw, with the margin that scanners need."""
    from qrcode.constants import ERROR_CORRECT_M
    from qrcode.main import QRCode

    code = QRCode(error_correction=ERROR_CORRECT_M, border=4, mask_pattern=3)
    code.add_data(text)
    return ["".join("1" if dark else "0" for dark in row) for row in code.get_matrix()]


def check_sheet_on_paper(staff_page) -> None:
    """White and whole, without the page around it."""
    assert staff_page.locator("header.site").is_hidden()
    assert staff_page.get_by_text("Print or save this page now").is_hidden()
    sheet = staff_page.locator(".sheet").first
    assert sheet.is_visible()
    assert sheet.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(255, 255, 255)"
    assert sheet.evaluate("one => getComputedStyle(one).breakInside") == "avoid"


@pytest.mark.audit
def test_six_sheets_and_nothing_else_fill_a_page_of_a4_and_none_is_cut_off(
    staff_page, server, survey
):
    survey = factories.make_invited_survey(survey.owner, title="Habits and health in towns " * 7)
    staff_page.goto(address_of(server, survey))
    staff_page.get_by_label("How many").fill("13")
    follow(staff_page.get_by_role("button", name="Make sheets to print"))
    staff_page.locator("footer.program").wait_for()  # the page comes sheet by sheet
    pdf = staff_page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type */Page\b", pdf)) == 3
    assert {round(float(n)) for n in re.findall(rb"MediaBox \[0 0 ([0-9.]+)", pdf)} == {595}
    staff_page.emulate_media(media="print", color_scheme="dark")
    check_sheet_on_paper(staff_page)
    staff_page.set_viewport_size({"width": 718, "height": 1047})  # 190 by 277 mm
    room = "all => all.map(one => one.clientHeight - one.scrollHeight)"
    assert min(staff_page.locator(".sheet").evaluate_all(room)) >= 0


def test_a_mailing_is_prepared_with_the_keyboard_alone(staff_page, server, survey):
    staff_page.goto(address_of(server, survey))
    staff_page.get_by_role("link", name="Write a mailing").focus()
    staff_page.keyboard.press("Enter")
    staff_page.get_by_label("Or paste the addresses").focus()
    staff_page.keyboard.type("ada@example.org\ngrace@example.org")
    staff_page.keyboard.press("Tab")
    staff_page.keyboard.press("Tab")
    staff_page.keyboard.type("Please take part")
    staff_page.keyboard.press("Enter")
    staff_page.get_by_role("heading", name="Please take part").wait_for()
    assert "Addresses saved: 2" in staff_page.get_by_role("status").inner_text()
    assert Addressee.objects.count() == 2


def test_the_pages_work_without_javascript(page_without_script, server, survey):
    page = page_without_script
    log_in(page, server, "ada")
    page.goto(address_of(server, survey))
    with page.expect_download() as download:
        page.get_by_role("button", name="Make a table (CSV)").click()
    assert (
        download.value.suggested_filename == f"habits-and-health-deniable-{VERSION}-invitations.csv"
    )
    assert Invitation.objects.count() == 30


def test_an_analyst_reads_that_the_page_is_not_theirs(client, survey):
    analyst = factories.make_user("grace")
    Membership.objects.create(survey=survey, user=analyst, role="analyst")
    client.force_login(analyst)
    reply = client.get(reverse("surveys:invitations", args=[survey.pk]))
    assert (reply.status_code, "You cannot see this page" in reply.text) == (403, True)


def test_a_second_mailing_says_what_it_adds_within_reach_of_everybody(
    staff_page, server, survey, client
):
    make_mailing(survey, "done", sent=30)
    erased = make_mailing(survey, "done", sent=1)
    erased.addressees.all().delete()
    second = mailings.prepare(survey, people(40))
    address = reverse("surveys:mailing", args=[survey.pk, second.pk])
    # This process has a mail server, the one that serves pages has none.
    client.force_login(survey.owner)
    body = client.get(address).content.decode()
    page_of_it = {"body": body, "content_type": "text/html"}
    staff_page.route(f"**{address}", lambda route: route.fulfill(**page_of_it))
    staff_page.goto(server.url + address)
    assert staff_page.get_by_role(
        "button", name="Send to all 40: 30 people could answer twice"
    ).is_visible()
    assert staff_page.get_by_label("Send anyway, although up to").is_visible()
    accessible.check_narrow(staff_page, "a second mailing")
