"""Sealed texts in the page: locked before they leave it, all alike, or not asked at all."""

from urllib.parse import parse_qs

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse
from playwright.sync_api import Page, Request, expect

from surveys.kinds.text.promise import unbased
from surveys.models import Survey
from surveys.models.queries import digest_of_revision, questionnaire_of
from surveys.questionnaire.submission import body_length
from surveys.trust.bundles import HPKE
from surveys.trust.refusals import NotOpened
from surveys.trust.texts import open_text, read_block, text_info
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, press, step
from tests.factories import add_other, add_text, launched, make_survey
from tests.locked_texts import sealed_in_page
from tests.oracles.trust import trust_cases
from tests.surveys.authoring.text_keys import add_key, new_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
FIRST, SECOND = new_key("Registry"), new_key("Institute")
PRIVATES = [FIRST.key, SECOND.key]
SENTINEL = "On a mule called Zyxoquartz: ä🙂"
OTHER, WHAT = 2, 3  # the numbers of the texts
UNABLE = {
    "without a secure connection": "delete Crypto.prototype.subtle",
    "in an old browser": """const before = SubtleCrypto.prototype.importKey;
        SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...more) {
          if (algorithm === 'X25519' || algorithm.name === 'X25519')
            return Promise.reject(new DOMException('', 'NotSupportedError'));
          return before.call(this, format, key, algorithm, ...more);
        };""",
}
# What a holder of the keys would do with this page's library: each layer opened, or null.
OPEN = """async ([url, sealed, privates, infos]) => {
    const hpke = await import(url);
    const suite = new hpke.CipherSuite(
        hpke.KEM_DHKEM_X25519_HKDF_SHA256, hpke.KDF_HKDF_SHA256, hpke.AEAD_AES_256_GCM);
    const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
    let content = bytes(sealed);
    try {
        for (const [place, one] of privates.entries()) {
            const key = await suite.DeserializePrivateKey(bytes(one), true);
            const info = bytes(infos[place]);
            const [enc, locked] = [content.slice(0, 32), content.slice(32)];
            content = await suite.Open(key, enc, locked, { info });
        }
        return [...content].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    } catch (error) {
        return null;
    }
}"""


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner, opening="close", close_on="2099-01-01", batch_size=5)
    add_other(draft)
    add_text(draft, required=False, longest=60)
    for layer, key in enumerate((FIRST, SECOND), start=1):
        add_key(draft, key, layer)
    return launched(draft)


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


def go(page: Page, answer: str, *, other: str = "", what: str = "") -> None:
    """From the first page to the receipt."""
    press(page, "Start")
    give(page, answer)
    if other:
        step(page).get_by_role("textbox").fill(other)
    press(page, "Continue")
    step(page).get_by_role("textbox").fill(what)
    press(page, "Continue")
    answering.send(page)


def sealed_in(body: str, number: int) -> bytes:
    return unbased(parse_qs(body)[f"q{number:03d}"][0])


def opened(survey: Survey, body: str, number: int, privates: list[bytes] = PRIVATES) -> str:
    return open_text(
        sealed_in(body, number),
        privates,
        revision=digest_of_revision(survey.revision.pk),
        question=number,
        longest=questionnaire_of(survey.revision).items[number - 1].longest,
    )


def test_what_is_written_leaves_the_page_locked_for_both_keys(page, server, survey, posted):
    answering.open_start(page, server, survey)
    accessible.check_narrow(page, "the first page of sealed texts")
    words = " ".join(page.locator("main").inner_text().split())
    assert "Only both keys of the researchers together can open it; this server cannot." in words
    go(page, "Other", other=SENTINEL, what="second")
    (body,) = posted
    assert "Zyxoquartz" not in body + page.content()
    assert (opened(survey, body, OTHER), opened(survey, body, WHAT)) == (SENTINEL, "second")
    for alone in ([FIRST.key], [SECOND.key], [SECOND.key, FIRST.key]):
        with pytest.raises(NotOpened):
            opened(survey, body, OTHER, alone)
    receipt = page.locator("main").inner_text()
    assert "(locked: this server cannot read it)" in receipt
    assert "This page compared the receipt with what it sent: they are the same." in receipt
    accessible.check_narrow(page, "the receipt of sealed texts")


def test_nothing_written_and_nothing_asked_are_sealed_alike(page, server, survey, posted):
    for way in (
        {"answer": "Other", "other": SENTINEL, "what": "w" * 60},
        {"answer": "Other", "other": "x"},
        {"answer": "Bus"},
    ):
        answering.open_start(page, server, survey)
        go(page, **way)
    assert {len(body) for body in posted} == {body_length(questionnaire_of(survey.revision))}
    texts = [(opened(survey, body, OTHER), opened(survey, body, WHAT)) for body in posted]
    assert texts == [(SENTINEL, "w" * 60), ("x", ""), ("", "")]
    sealed = {sealed_in(body, number) for body in posted for number in (OTHER, WHAT)}
    assert len({content[:32] for content in sealed}) == 6  # each under a key of its own


def test_a_repeat_after_a_lost_reply_sends_the_same_seals(page, server, survey, posted):
    answering.open_start(page, server, survey)
    page.route("**/send/", lambda route: route.abort(), times=1)
    press(page, "Start")
    give(page, "Bus")
    press(page, "Continue")
    press(page, "Continue")
    press(page, "Send")
    page.get_by_role("heading", name="No reply arrived").wait_for()
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    first, second = posted
    assert first == second


@pytest.mark.parametrize("script", UNABLE.values(), ids=UNABLE.keys())
def test_where_nothing_can_be_locked_nothing_is_asked(fresh_page, server, survey, script):
    fresh_page.add_init_script(script)
    fresh_page.goto(answering.address(server, survey))
    note = fresh_page.locator("[data-cannot-lock]")
    note.wait_for(state="visible")
    assert "This browser cannot lock what you write." in note.inner_text()
    assert "You can take part without the script" in note.inner_text()
    starts = fresh_page.get_by_role("button", name="Start", exact=True)
    expect(starts.last).to_be_disabled()
    assert all(start.is_disabled() for start in starts.all())
    accessible.check_narrow(fresh_page, "a page that cannot seal")


def test_with_an_own_coin_no_text_is_asked_and_an_empty_one_is_sent(page, server, survey):
    page.goto(answering.address(server, survey, "own-coin"))
    assert page.get_by_role("textbox").count() == 0
    words = " ".join(page.locator("main").inner_text().split())
    assert words.count("only the script can lock what you write") == 2
    accessible.check_narrow(page, "the form without script of sealed texts")
    answering.fill_own_coin(page, {"How do you travel?": "Other"})
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator("main[data-reply]").wait_for()
    assert parse_qs(answering.raw(page), keep_blank_values=True)["q003"] == [""]


def open_in_page(page: Page, sealed: bytes, keys: list[bytes], infos: list[bytes]) -> bytes | None:
    """By the library of the page; ``keys`` and ``infos`` from the outermost layer to the first."""
    url = staticfiles_storage.url(HPKE.path)
    given = [sealed.hex(), [key.hex() for key in keys], [info.hex() for info in infos]]
    content = page.evaluate(OPEN, [url, *given])
    return None if content is None else bytes.fromhex(content)


def test_the_library_of_the_page_opens_what_this_program_seals(page, server, survey):
    answering.open_start(page, server, survey)
    revision = digest_of_revision(survey.revision.pk)
    infos = [text_info(revision, WHAT, layer) for layer in (2, 1)]
    sealed = unbased(sealed_in_page(survey, SENTINEL, WHAT))
    content = open_in_page(page, sealed, [SECOND.key, FIRST.key], infos)
    assert content is not None
    assert read_block(content, 60) == SENTINEL


def test_the_oracles_open_and_are_refused_in_the_page_too(page, server, survey):
    answering.open_start(page, server, survey)
    cases = [case for case in trust_cases() if case["kind"] == "text_open"]
    assert len(cases) > 40
    for case in cases:
        given = case["input"]
        privates = [bytes.fromhex(one) for one in given["privates"]]
        layers = range(len(privates), 0, -1)
        revision = bytes.fromhex(given["revision"])
        infos = [text_info(revision, given["question"], layer) for layer in layers]
        content = open_in_page(page, bytes.fromhex(given["sealed"]), privates[::-1], infos)
        assert _read(content, given["longest"]) == case["expected"].get("text"), case["id"]


def _read(content: bytes | None, longest: int) -> str | None:
    try:
        return None if content is None else read_block(content, longest)
    except NotOpened:
        return None


def test_a_draft_shows_the_way_and_seals_nothing(staff_page, server, owner):
    draft = make_survey(owner, opening="close", close_on="2099-01-01", batch_size=5)
    add_text(draft)
    add_key(draft, FIRST)
    staff_page.goto(server.url + reverse("admin:surveys_survey_preview", args=[draft.pk]))
    press(staff_page, "Start")
    staff_page.get_by_role("textbox").fill(SENTINEL)
    press(staff_page, "Continue")
    expect(staff_page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
