"""Vouchers in the page: the numbers of the oracles, kept by a reload, spent once, or said why."""

from urllib.parse import parse_qs

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import Page, Request, Route, expect

from surveys.collecting.scripts import VOUCHER
from surveys.kinds.text.promise import based, unbased
from surveys.models import Invitation, SubmissionKey, Waiting
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length
from surveys.trust.vouchers import SIZE, new_signing_key, sign_blinded
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press
from tests.factories import invite
from tests.oracles.trust import trust_cases
from tests.vouching import make_vouched_survey, modulus_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_vouched_survey),
]
DONE = "This is everything that was sent"
WAITS = "Your answers wait on this page"
WRONGLY_SIGNED = (
    "These answers were not sent: this server did not sign with the key that this survey published."
)
# A document without a survey, in which the page's module is read anew for each case.
EMPTY = '<!doctype html><main data-n="3"></main>'
# ``kept`` is what a page draws: key, salt and factor. Asks, unblinds or verifies with it.
COMPUTE = """async ([url, n, revision, kept, signed]) => {
    history.replaceState(kept, '');
    Object.assign(document.querySelector('main').dataset, { n, digest: revision });
    const module = await import(`${url}?${Math.random()}`);
    return signed ? module.finished(signed) : module.request();
}"""


@pytest.fixture
def posted(page: Page):
    """What the page posts: the last part of the address, and the body."""
    sent: list[tuple[str, str]] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            sent.append((request.url.rstrip("/").rsplit("/", 1)[1], request.post_data or ""))

    page.on("request", note)
    yield sent
    page.remove_listener("request", note)


def open_with(page: Page, server, survey, code: str) -> None:
    page.goto(f"{answering.address(server, survey)}#{code}")
    page.get_by_role("button", name="Start", exact=True).last.wait_for()


def answer(page: Page, choice: str = "Yes") -> None:
    """From the first page to the one with Send."""
    answering.start(page)
    give(page, choice)
    press(page, "Continue")
    press(page, "Continue")


def go(page: Page, server, survey, code: str) -> None:
    """From the link of an invitation until Send is pressed."""
    open_with(page, server, survey, code)
    answer(page)
    press(page, "Send")


def wait_for(page: Page, name: str) -> None:
    page.get_by_role("heading", name=name).wait_for()


def in_page(page: Page, given: dict[str, str], signed: str = "") -> str:
    """What the module gives for a case of the oracles."""
    key, salt = given.get("key", "00" * 16), given.get("salt", "00" * 48)
    kept = key + salt + given.get("factor", "1").rjust(2 * SIZE, "0")
    url = staticfiles_storage.url(VOUCHER.path)
    return page.evaluate(COMPUTE, [url, given["n"], given["revision"], kept, signed])


@pytest.fixture
def empty_page(page: Page, server):
    """At an address of the server, so that its files can be read."""
    address = f"{server.url}/empty"
    page.route(address, lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
    page.goto(address)
    yield page
    page.unroute(address)


def cases_of(kind: str) -> list[dict]:
    return [case for case in trust_cases() if case["kind"] == kind]


def test_the_page_asks_and_unblinds_as_the_oracles_do(empty_page):
    for case in cases_of("voucher_request"):
        asked = in_page(empty_page, case["input"])
        assert asked == based(bytes.fromhex(case["expected"]["blinded"])), case["id"]
    for case in cases_of("voucher_final"):
        signed = based(bytes.fromhex(case["input"]["signed"]))
        voucher = in_page(empty_page, case["input"], signed)
        expected = bytes.fromhex(case["expected"].get("voucher", ""))  # none where it is refused
        assert voucher == based(expected), case["id"]


def test_the_page_takes_for_a_voucher_what_the_oracles_do(empty_page):
    cases = cases_of("voucher_verify")
    assert len(cases) > 20
    for case in cases:
        voucher = based(bytes.fromhex(case["input"]["voucher"]))
        is_taken = in_page(empty_page, case["input"], voucher or "A") == voucher
        assert is_taken is bool(case["expected"].get("accepted")), case["id"]


def test_a_code_is_exchanged_and_what_is_sent_has_none(page, server, survey, posted):
    (token,) = invite(survey, 1)
    go(page, server, survey, token)
    wait_for(page, DONE)
    assert [name for name, _ in posted] == ["door", "exchange", "send"]
    exchanged, sent = posted[1][1], posted[2][1]
    assert token in exchanged
    assert token not in sent
    assert set(parse_qs(exchanged)) == {"path", "invitation", "blinded"}
    assert len(sent) == body_length(questionnaire_of(survey.revision))
    assert page.evaluate("history.state") is None
    assert Invitation.objects.get().redeemed
    assert Waiting.objects.count() == SubmissionKey.objects.count() == 1
    assert "they are the same" in page.locator("main").inner_text()


@pytest.mark.survey(make=make_vouched_survey, voucher_wait=60)
def test_answers_wait_for_a_random_time_unless_a_person_sends_now(page, server, survey, posted):
    (token,) = invite(survey, 1)
    go(page, server, survey, token)
    wait_for(page, WAITS)
    assert [name for name, _ in posted] == ["door", "exchange"]
    expect(page.get_by_role("heading", name=WAITS)).to_be_focused()
    assert 0 <= int(page.locator("[data-left]").inner_text() or 0) <= 300
    accessible.check_narrow(page, "the page that waits")
    page.get_by_role("button", name="Send now").click()
    wait_for(page, DONE)
    assert posted[-1][0] == "send"


@pytest.mark.survey(make=make_vouched_survey, voucher_wait=60)
def test_a_reload_before_send_goes_on_with_the_same_request(page, server, survey, posted):
    (token,) = invite(survey, 1)
    go(page, server, survey, token)
    wait_for(page, WAITS)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.get_by_text("Type your code here and answer again").wait_for()
    accessible.check_narrow(page, "a page that was loaded anew before Send")
    page.get_by_label("Your invitation code").fill(token)
    answer(page, "No")
    press(page, "Send")
    wait_for(page, WAITS)
    page.get_by_role("button", name="Send now").click()
    wait_for(page, DONE)
    names = [name for name, _ in posted]
    assert names == ["door", "exchange", "exchange", "send"]  # who was let in passes the door
    assert posted[1] == posted[2]
    assert Waiting.objects.count() == 1


def test_a_reload_after_send_asks_nothing(page, server, survey, posted):
    (token,) = invite(survey, 1)
    page.route("**/send/", lambda route: route.abort(), times=1)
    go(page, server, survey, token)
    wait_for(page, "No reply arrived")
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.get_by_label("Your invitation code").fill(token)
    press(page, "Start")
    page.get_by_text("Your answers may have arrived.").wait_for()
    assert heading(page) == "Habits and health"
    accessible.check_narrow(page, "a page that may have sent")
    assert [name for name, _ in posted] == ["door", "exchange", "send"]


def test_a_reload_after_back_and_send_draws_nothing_anew(page, server, survey, posted):
    """One entry alone has the request: with the one before it no reload goes on."""
    (token,) = invite(survey, 1)
    page.route("**/send/", lambda route: route.abort(), times=1)
    go(page, server, survey, token)
    wait_for(page, "No reply arrived")
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.go_back(wait_until="commit")
    assert page.evaluate("history.state") is None
    page.get_by_label("Your invitation code").fill(token)
    answer(page)
    press(page, "Send")
    wait_for(page, "These answers were not stored: the invitation has been used already.")
    assert [name for name, _ in posted].count("send") == 1


def test_no_address_of_a_page_goes_along_with_its_language(page, server, survey):
    headers: list[dict[str, str]] = []
    page.on("request", lambda one: headers.append(one.headers) if one.method == "POST" else None)
    (token,) = invite(survey, 1)
    go(page, server, survey, token)
    wait_for(page, DONE)
    assert {one.get("referer") for one in headers} == {f"{server.url}/"}


def test_a_lost_reply_is_asked_for_again_with_the_same(page, server, survey, posted):
    (token,) = invite(survey, 1)
    page.route("**/exchange/", lambda route: route.abort(), times=1)
    page.route("**/send/", lambda route: route.abort(), times=1)
    go(page, server, survey, token)
    wait_for(page, "No reply arrived")
    press(page, "Send again")
    page.locator("[data-state=lost]:visible").wait_for()
    press(page, "Send again")
    wait_for(page, DONE)
    assert [name for name, _ in posted] == ["door", "exchange", "exchange", "send", "send"]
    assert posted[1] == posted[2]
    assert posted[3] == posted[4]
    assert Waiting.objects.count() == 1


def test_what_another_key_signed_is_not_sent(page, server, survey, posted):
    """A key for one person would mark what that person sends."""
    (token,) = invite(survey, 1)
    another = new_signing_key()

    def sign(route: Route) -> None:
        asked = parse_qs(route.request.post_data)["blinded"][0]
        number = int.from_bytes(unbased(asked), "big") % int.from_bytes(another.modulus, "big")
        signed = based(sign_blinded(another, number.to_bytes(SIZE, "big")))
        route.fulfill(json={"reply": "signed", "signed": signed})

    page.route("**/exchange/", sign, times=1)
    go(page, server, survey, token)
    page.get_by_text(WRONGLY_SIGNED).wait_for()
    accessible.check_narrow(page, "a wrong signature")
    assert [name for name, _ in posted] == ["door", "exchange"]
    assert page.get_by_role("button", name="Send again").count() == 0


@pytest.mark.parametrize("signed", ["", "x", "A" * 342, "=" * 342, None, 5, ["A" * 342]])
def test_what_is_no_signature_is_no_reply_of_ours(page, server, survey, posted, signed):
    (token,) = invite(survey, 1)
    forged = {"reply": "signed", "signed": signed}
    page.route("**/exchange/", lambda route: route.fulfill(json=forged), times=1)
    go(page, server, survey, token)
    page.locator("[data-state=lost]:visible, [data-state=refused]:visible").wait_for()
    assert [name for name, _ in posted] == ["door", "exchange"]


def test_a_receipt_in_place_of_a_signature_is_none(page, server, survey, posted):
    (token,) = invite(survey, 1)
    forged = {"reply": "receipt", "body": "", "hash": "0" * 16, "rows": []}
    page.route("**/exchange/", lambda route: route.fulfill(json=forged), times=1)
    go(page, server, survey, token)
    wait_for(page, "No reply arrived")
    assert [name for name, _ in posted] == ["door", "exchange"]


def test_a_code_that_was_used_meanwhile_is_replaced(page, server, survey, posted):
    token, other = invite(survey, 2)
    open_with(page, server, survey, token)
    answer(page)
    Invitation.objects.update(redeemed=True)
    press(page, "Send")
    wait_for(page, "These answers were not stored: the invitation has been used already.")
    Invitation.objects.update(redeemed=False)
    page.get_by_label("Invitation code for this attempt").fill(other)
    press(page, "Send again")
    wait_for(page, DONE)
    assert Waiting.objects.count() == 1


def test_without_a_secure_connection_it_is_said_before_the_first_question(
    fresh_page, server, survey
):
    (token,) = invite(survey, 1)
    fresh_page.add_init_script("delete Crypto.prototype.subtle")
    open_with(fresh_page, server, survey, token)
    press(fresh_page, "Start")
    fresh_page.get_by_text("This browser cannot check the signature of this server.").wait_for()
    assert (
        "Your code is then sent together with your answers."
        in fresh_page.locator("main").inner_text()
    )
    assert heading(fresh_page) == "Habits and health"


def test_the_form_without_the_script_says_that_code_and_answers_are_together(
    page_without_script, server, survey
):
    page = page_without_script
    (token,) = invite(survey, 1)
    page.goto(answering.address(server, survey, "own-coin"))
    page.get_by_label("Your invitation code").fill(token)
    press(page, "Continue")
    words = page.locator("main").inner_text()
    assert "Without the script your code and your answers are sent together" in words
    page.get_by_role("group", name="shoplifted").get_by_label("No", exact=True).check()
    press(page, "Send")
    assert heading(page) == DONE


def test_the_published_key_is_in_the_page(page, server, survey):
    answering.open_start(page, server, survey)
    assert int(page.locator("main").get_attribute("data-n"), 16) == modulus_of(survey)
