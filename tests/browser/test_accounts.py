"""Pages of accounts in a real browser: factors are set up and used, within policy and WCAG."""

import pytest
from allauth.mfa.models import Authenticator
from django.urls import reverse
from playwright.sync_api import Page

from tests import accessible, accounts
from tests.browser.following import another_page
from tests.factories import make_user
from tests.tour import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
KEY = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": False,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def ada(transactional_db):
    return make_user("ada", superuser=True)


@pytest.fixture
def site(server) -> str:
    """By name: security keys know sites by their names, not by numbers."""
    return server.url.replace("127.0.0.1", "localhost")


def go(page: Page, site: str, name: str) -> None:
    page.goto(site + reverse(name))


def press(page: Page, name: str) -> None:
    page.wait_for_load_state()  # until then no script listens to the buttons for keys
    page.get_by_role("button", name=name, exact=True).click()


def log_in(page: Page, site: str) -> None:
    go(page, site, "login")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Confirm")


def enter_code(page: Page, secret: str, button: str) -> None:
    """As a person does: if the code ran out in the meantime, enter the next one."""
    before = page.url
    for _ in range(2):
        page.get_by_role("textbox").fill(accounts.code_of(secret))
        with another_page(page):
            press(page, button)
        if page.url != before:
            return
    raise AssertionError(page.inner_text("main"))


def set_up_app(page: Page, site: str) -> str:
    """Log in and set an app up; returns its secret."""
    log_in(page, site)
    go(page, site, "mfa_activate_totp")
    confirm(page)
    secret = page.locator("code").inner_text()
    enter_code(page, secret, "Set up the app")
    return secret


def add_key(page: Page, site: str) -> None:
    """Log in and add a key, which then answers whenever it is asked."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    log_in(page, site)
    go(page, site, "mfa_add_webauthn")
    confirm(page)
    press(page, "Add this key")
    page.wait_for_url("**/recovery-codes/")


def log_out(page: Page) -> None:
    menu = page.get_by_text("Menu", exact=True)
    if menu.is_visible():  # where the header has no room for its parts
        menu.click()
    press(page, "Log out")
    page.wait_for_url("**/login/")


@pytest.mark.audit
def test_an_app_is_set_up_from_its_picture_or_secret_and_then_asked_for(page, site, ada):
    log_in(page, site)
    go(page, site, "mfa_activate_totp")
    confirm(page)
    picture = page.get_by_role("img", name="QR code").locator("svg").bounding_box()
    assert min(picture["width"], picture["height"]) > 150
    secret = page.locator("code").inner_text()
    enter_code(page, secret, "Set up the app")
    codes = page.locator(".codes code").all_inner_texts()
    assert len(set(codes)) == 10
    log_out(page)
    log_in(page, site)
    assert page.get_by_role("heading", level=1).inner_text() == "Your second factor"
    page.get_by_role("textbox").fill(codes[0])
    press(page, "Log in")
    page.wait_for_url("**/surveys/")


@pytest.mark.audit
def test_a_security_key_logs_in_within_the_policy(page, site, ada):
    page.add_init_script(accessible.WATCH)
    add_key(page, site)
    assert page.evaluate("violations") == []
    log_out(page)
    log_in(page, site)
    press(page, "Use a security key")
    page.wait_for_url("**/surveys/")
    assert page.evaluate("violations") == []
    assert Authenticator.objects.filter(user=ada, type="webauthn").count() == 1


@pytest.mark.audit
def test_a_security_key_confirms_who_one_is_is_renamed_and_removed(page, site, ada):
    add_key(page, site)
    log_out(page)
    log_in(page, site)
    press(page, "Use a security key")
    page.wait_for_url("**/surveys/")
    go(page, site, "mfa_list_webauthn")
    page.get_by_role("link", name="Rename Key 1").click()
    page.get_by_role("link", name="Use a security key").click()
    press(page, "Use a security key")
    page.wait_for_url("**/edit/")
    page.get_by_label("Name").fill("Blue key <b>")
    press(page, "Rename this key")
    page.get_by_role("link", name="Remove Blue key <b>").click()
    press(page, "Remove it")
    assert "The security key is removed." in page.get_by_role("status").inner_text()
    assert not Authenticator.objects.exists()


@pytest.mark.one_tab
def test_a_security_key_that_does_not_answer_is_said_with_what_to_do(page, server, ada):
    """No key works for a site without a name."""
    log_in(page, server.url)
    go(page, server.url, "mfa_add_webauthn")
    confirm(page)
    assert not page.locator("#key-problem").is_visible()
    press(page, "Add this key")
    page.locator("#key-problem").wait_for()
    assert "press the button again" in page.get_by_role("alert").inner_text()


@pytest.mark.audit
def test_without_a_script_an_app_works_and_a_key_says_what_it_needs(page_without_script, site, ada):
    page = page_without_script
    secret = set_up_app(page, site)
    log_out(page)
    log_in(page, site)
    assert "Security keys need JavaScript" in page.inner_text("main")
    page.get_by_role("textbox").fill("000000")
    press(page, "Log in")
    assert "This code is wrong, or it was used before." in page.get_by_role("alert").inner_text()
    assert secret not in page.content()


def states(page: Page, site: str, ada):
    """Every page of accounts, each yielded while it is shown."""
    go(page, site, "login")
    yield "login"
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    press(page, "Log in")
    yield "a wrong password"
    add_key(page, site)
    yield "recovery codes"
    for name in ("mfa_index", "mfa_list_webauthn", "mfa_add_webauthn", "mfa_activate_totp"):
        go(page, site, name)
        yield name
    page.get_by_role("textbox").fill("000000")
    press(page, "Set up the app")
    yield "a wrong code"
    accounts.set_up_app(ada)
    for name in ("mfa_index", "mfa_deactivate_totp", "mfa_generate_recovery_codes"):
        go(page, site, name)
        yield f"{name} with an app"
    for way in ("account_reauthenticate", "mfa_reauthenticate", "mfa_reauthenticate_webauthn"):
        go(page, site, way)
        yield way
    go(page, site, "account_change_password")
    yield "change the password"
    for label in ("Current Password", "New Password", "New Password (again)"):
        page.get_by_label(label, exact=True).fill("short")
    press(page, "Change password")
    yield "a password that is refused"
    key = Authenticator.objects.get(type="webauthn").pk
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        page.goto(site + reverse(name, args=[key]))
        yield name
    log_out(page)
    yield "logged out"
    go(page, site, "account_inactive")
    yield "switched off"
    log_in(page, site)
    yield "second factor"
    page.get_by_role("textbox").fill("000000")
    press(page, "Log in")
    yield "a wrong second factor"


@pytest.mark.audit
def test_every_state_is_accessible_reflows_and_keeps_the_policy(page, site, ada):
    page.add_init_script(accessible.WATCH)
    seen = []
    for state in states(page, site, ada):
        seen.append(state)
        accessible.check(page, state)
        assert page.evaluate(accessible.SMALL_TARGETS) == [], state
    assert len(seen) == 22


@pytest.mark.one_tab
def test_an_app_is_set_up_with_the_keyboard_alone(page, site, ada):
    log_in(page, site)
    go(page, site, "mfa_index")
    page.get_by_role("link", name="Set up an app").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Password").focus()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("textbox").focus()
    page.keyboard.type(accounts.code_of(page.locator("code").inner_text()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Set up the app"
