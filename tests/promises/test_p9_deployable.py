"""P9: deployable: the production settings pass Django's own check, and staff accounts hold."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from django.conf import settings
from django.contrib.auth.hashers import identify_hasher
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from django.urls import NoReverseMatch, reverse

from config import settings as production
from surveys.models import AuditEntry
from tests import accounts, conftest, patience
from tests.conftest import ROOT, Server
from tests.factories import make_user
from tests.traces import files, rows

ADDRESS, GUESSING = "203.0.113.77", "203.0.113.78"
LOG_IN = {"login": "ada", "password": "correct horse"}


@pytest.fixture(autouse=True)
def _nobody_tried_before():
    cache.clear()


@pytest.fixture
def clock(monkeypatch) -> None:
    """The middle of a period of thirty seconds, so that no code runs out during a test."""
    now = time.time() // 30 * 30 + 15
    monkeypatch.setattr("time.time", lambda: now)


def test_the_default_environment_passes_the_deployment_check_without_a_warning(tmp_path):
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = {"PATH": os.environ["PATH"], "DENIABLE_DATA_DIR": str(tmp_path)}
    checked = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, "no issues" in checked.stdout) == (0, True), checked.stderr


def test_the_deployment_check_does_notice_what_is_switched_off(settings):
    """Tests run without HTTPS, and else with the settings of production."""
    settings.SILENCED_SYSTEM_CHECKS = getattr(production, "SILENCED_SYSTEM_CHECKS", [])
    with pytest.raises(SystemCheckError, match="SESSION_COOKIE_SECURE"):
        call_command("check", deploy=True, fail_level="WARNING")


class Visitor:
    """Somebody behind the proxy that ends TLS; keeps cookies and follows nothing."""

    def __init__(self, server: Server, address: str = ADDRESS) -> None:
        self.server = server
        self.address = address
        self.cookies: dict[str, str] = {}

    def ask(self, path: str, fields: dict[str, str] | None = None, *, scheme: str = "https"):
        """(status, headers, text) of a GET, or of a POST with the form's token."""
        host = self.server.url.partition("://")[2]
        headers = {
            "X-Forwarded-Proto": scheme,
            "X-Forwarded-For": f"198.51.100.1, {self.address}",
            "Origin": f"https://{host}",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        body = urllib.parse.urlencode(fields).encode() if fields else None
        request = urllib.request.Request(self.server.url + path, data=body, headers=headers)
        try:
            reply = urllib.request.build_opener(NoRedirect).open(request)
        except urllib.error.HTTPError as refusal:
            reply = refusal
        with reply:
            text = reply.read().decode()
        for line in reply.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply.status, reply.headers, text

    def send(self, path: str, page: str, **fields: str):
        """Post with the token of a page's form."""
        _, _, text = self.ask(page)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)[1]
        return self.ask(path, {"csrfmiddlewaretoken": token, **fields})

    def log_in(self, password: str = "correct horse", name: str = "ada"):
        """Through the form."""
        return self.send(reverse("login"), reverse("login"), login=name, password=password)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_, **__):
        return None


@pytest.fixture(scope="module")
def started(django_db_setup, _static_files, tmp_path_factory):
    """gunicorn with the settings of production, as a proxy that ends TLS reaches it."""
    port, log = conftest.free_port(), tmp_path_factory.mktemp("in-service") / "log.txt"
    environment = {
        **conftest.environment(),
        "DENIABLE_HTTPS": "on",
        "DENIABLE_BEHIND_PROXY": "on",
    }
    command = [sys.executable, "-m", "gunicorn", "-c", "config/server.py", "--workers", "1"]
    command += ["--bind", f"127.0.0.1:{port}", "config.wsgi"]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True
        )
    running = Server(f"http://127.0.0.1:{port}", process, log)
    conftest.wait_until_listening(process, port, log)
    yield running
    process.terminate()
    process.wait(patience.SECONDS)


@pytest.fixture
def in_service(transactional_db, started):
    return started


def test_in_service_cookies_are_bound_to_the_host_and_pages_to_https(in_service):
    make_user()
    visitor = Visitor(in_service)
    status, headers, _ = visitor.log_in()
    assert (status, headers["Location"]) == (302, reverse("surveys:list"))
    set_by_login = headers.get_all("Set-Cookie")
    assert {line.partition("=")[0] for line in set_by_login} == {"__Host-session", "__Host-csrf"}
    for line in set_by_login:
        attributes = {part.strip().lower() for part in line.split(";")[1:]}
        assert {"secure", "httponly", "path=/", "samesite=lax"} <= attributes, line
        assert not any(part.startswith("domain") for part in attributes), line
    session = next(line for line in set_by_login if line.startswith("__Host-session"))
    assert "expires" not in session.lower()
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
    status, headers, _ = visitor.ask(reverse("surveys:list"), scheme="http")
    assert status == 301
    assert headers["Location"].startswith("https://")


def test_in_service_what_a_page_has_to_say_needs_no_cookie_of_its_own(in_service):
    make_user()
    visitor = Visitor(in_service)
    visitor.log_in()
    status, _, _ = visitor.send(reverse("logout"), reverse("mfa_index"))
    assert status == 302
    assert "You are logged out." in visitor.ask(reverse("login"))[2]
    assert set(visitor.cookies) == {"__Host-session", "__Host-csrf"}


def test_in_service_a_password_is_kept_with_argon2(in_service):
    user = make_user()
    assert not user.password.startswith("argon2")
    assert Visitor(in_service).log_in()[0] == 302
    user.refresh_from_db()
    assert user.password.startswith("argon2$argon2id$")


def test_in_service_guessing_is_refused_and_no_address_reaches_a_disk(in_service):
    """The server counts for as long as it runs: no other test guesses from here or at this name."""
    make_user("guessed")
    visitor = Visitor(in_service, GUESSING)
    texts = [visitor.log_in("wrong", "guessed")[2] for _ in range(6)]
    assert all("No account has this name and password" in text for text in texts[:5])
    assert "too many failed attempts. Wait five minutes" in texts[5]
    assert "too many failed attempts" in visitor.log_in(name="guessed")[2]
    assert AuditEntry.objects.filter(action="login refused").count() == 5
    assert stored_bytes().count(GUESSING.encode()) == 0
    assert b"login refused" in stored_bytes()
    assert GUESSING not in in_service.printed()


def stored_bytes() -> bytes:
    """Every file of the data directory and every row of the database."""
    return b"".join(content for _, content in files()) + "\n".join(rows()).encode()


def test_a_new_password_is_hashed_with_argon2(db, settings):
    settings.PASSWORD_HASHERS = production.PASSWORD_HASHERS
    user = make_user()
    assert identify_hasher(user.password).algorithm == "argon2"


@pytest.mark.parametrize(
    "password", ["short", "password1234", "adalovelace", "ada@example.org", "trustno1"]
)
def test_a_password_that_is_short_common_or_like_the_person_is_refused(client, db, password):
    user = make_user()
    user.email, user.last_name = "ada@example.org", "adalovelace"
    user.save()
    client.force_login(user)
    fields = {"oldpassword": "correct horse", "password1": password, "password2": password}
    reply = client.post(reverse("account_change_password"), fields)
    assert reply.status_code == 200
    assert reply.context["form"].errors
    user.refresh_from_db()
    assert user.check_password("correct horse")


def test_long_passwords_of_any_kind_count_to_their_last_character(client, owner):
    client.force_login(owner)
    new = " ünd 💥 7" * 30
    fields = {"oldpassword": "correct horse", "password1": new, "password2": new}
    assert client.post(reverse("account_change_password"), fields).status_code == 302
    client.post(reverse("logout"))
    for wrong in (new[:-1], new.strip(), new.upper()):
        client.post(reverse("login"), {**LOG_IN, "password": wrong})
        assert client.get(reverse("surveys:list")).status_code == 302
    assert client.post(reverse("login"), {**LOG_IN, "password": new}).status_code == 302
    assert client.get(reverse("surveys:list")).status_code == 200


def test_a_form_of_staff_from_elsewhere_is_refused(owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    for name in ("logout", "account_change_password", "login"):
        reply = client.post(reverse(name), LOG_IN, HTTP_ORIGIN="https://evil.example")
        assert reply.status_code == 403
        assert "reload the page" in reply.content.decode()
    assert client.get(reverse("surveys:list")).status_code == 200


def test_a_session_that_somebody_planted_is_not_the_one_that_is_logged_in(client, owner):
    client.session.save()
    planted = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert client.post(reverse("login"), LOG_IN).status_code == 302
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != planted
    assert not Session.objects.filter(pk=planted).exists()


def test_the_session_changes_again_after_the_second_factor(client, owner, clock):
    secret = accounts.set_up_app(owner)
    client.post(reverse("login"), LOG_IN)
    half_way = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret)})
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != half_way
    assert not Session.objects.filter(pk=half_way).exists()
    assert client.get(reverse("surveys:list")).status_code == 200


def test_logging_out_ends_the_session_for_whoever_copied_it(client, owner):
    client.post(reverse("login"), LOG_IN)
    copied = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post(reverse("logout"))
    assert not Session.objects.filter(pk=copied).exists()
    client.cookies[settings.SESSION_COOKIE_NAME] = copied
    assert client.get(reverse("surveys:list")).status_code == 302


def test_a_changed_password_ends_every_other_session(client, owner):
    client.post(reverse("login"), LOG_IN)
    other = type(client)()
    other.post(reverse("login"), LOG_IN)
    new = "battery staple 42"
    fields = {"oldpassword": "correct horse", "password1": new, "password2": new}
    assert client.post(reverse("account_change_password"), fields).status_code == 302
    assert client.get(reverse("surveys:list")).status_code == 200
    assert other.get(reverse("surveys:list")).status_code == 302


def test_with_a_second_factor_the_password_alone_opens_neither_pages_nor_admin(client, db, clock):
    user = make_user(superuser=True)
    secret = accounts.set_up_app(user)
    for way in (reverse("login"), reverse("admin:login")):
        client.post(way, {**LOG_IN, "username": "ada", "next": reverse("admin:index")})
        for page in (reverse("admin:index"), reverse("surveys:list")):
            assert client.get(page).status_code == 302, (way, page)
    assert client.post(reverse("login"), LOG_IN).url == reverse("mfa_authenticate")
    client.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret)})
    assert client.get(reverse("admin:index")).status_code == 200


def test_the_admin_takes_no_password_even_from_somebody_who_is_logged_in(client, db):
    accounts.set_up_app(make_user(superuser=True))
    client.force_login(make_user("eve"))
    fields = {"username": "ada", "password": "correct horse", "next": reverse("admin:index")}
    client.post(reverse("admin:login"), fields)
    assert client.get(reverse("surveys:list")).context["user"].username == "eve"


def test_the_admin_sends_strangers_to_the_login_and_others_away(client, db):
    reply = client.get(reverse("admin:index"), follow=True)
    assert reply.redirect_chain[-1][0] == f"{reverse('login')}?next=%2Fadmin%2F"
    client.force_login(User.objects.create_user("visitor"))
    assert client.get(reverse("admin:index"), follow=True).status_code == 403


@pytest.mark.parametrize("name", ["signup", "reset_password", "email", "confirm_login_code"])
def test_nobody_can_sign_up_or_get_a_password_by_mail(client, db, name):
    with pytest.raises(NoReverseMatch):
        reverse(f"account_{name}")
    for path in ("signup", "signup/passkey", "password/reset", "email", "3rdparty/signup"):
        assert client.get(f"/accounts/{path}/").status_code == 404
        assert client.post(f"/accounts/{path}/", LOG_IN).status_code == 404
    assert not User.objects.exists()


def test_guessing_one_account_is_refused_whatever_host_and_address_it_comes_from(client, owner):
    wrong = {**LOG_IN, "password": "wrong"}
    for number in range(5):
        place = {"REMOTE_ADDR": f"203.0.113.{number}", "HTTP_HOST": f"testserver:{8000 + number}"}
        client.post(reverse("login"), wrong, **place)
    place = {"REMOTE_ADDR": "203.0.113.99", "HTTP_HOST": "testserver:9999"}
    text = client.post(reverse("login"), {**LOG_IN, "login": "ADA"}, **place).content.decode()
    assert "too many failed attempts. Wait five minutes" in text


def test_guessing_many_accounts_from_one_address_is_refused(client, owner):
    for number in range(10):
        client.post(reverse("login"), {"login": f"name{number}", "password": "wrong"})
    text = client.post(reverse("login"), LOG_IN).content.decode()
    assert "too many failed attempts" in text
    elsewhere = client.post(reverse("login"), LOG_IN, REMOTE_ADDR="203.0.113.5")
    assert elsewhere.url == reverse("surveys:list")


def test_without_a_proxy_nobody_can_choose_the_address_that_is_counted(client, owner):
    for number in range(10):
        fields = {"login": f"name{number}", "password": "wrong"}
        client.post(reverse("login"), fields, HTTP_X_FORWARDED_FOR=f"203.0.113.{number}")
    reply = client.post(reverse("login"), LOG_IN, HTTP_X_FORWARDED_FOR="203.0.113.200")
    assert "too many failed attempts" in reply.content.decode()


@pytest.mark.parametrize(
    "stated", ["203.0.113.7:{}", "[2001:db8:1:2::{}]:443", "visitor-{}", "{0}, {0}"]
)
def test_behind_a_proxy_no_form_of_an_address_escapes_the_limit(client, owner, settings, stated):
    """Ports and the addresses of one subscriber are one sender, and so are all the unreadable."""
    settings.BEHIND_PROXY = True
    for number in range(10):
        fields = {"login": f"name{number}", "password": "wrong"}
        client.post(reverse("login"), fields, HTTP_X_FORWARDED_FOR=stated.format(number))
    reply = client.post(reverse("login"), LOG_IN, HTTP_X_FORWARDED_FOR=stated.format(99))
    assert "too many failed attempts" in reply.content.decode()
    elsewhere = client.post(reverse("login"), LOG_IN, HTTP_X_FORWARDED_FOR="203.0.113.5:80")
    assert elsewhere.url == reverse("surveys:list")


def test_guessing_codes_is_refused_after_five(client, owner, clock):
    secret = accounts.set_up_app(owner)
    client.post(reverse("login"), LOG_IN)
    for _ in range(5):
        reply = client.post(reverse("mfa_authenticate"), {"code": "000000"})
        assert "This code is wrong, or it was used before" in reply.content.decode()
    reply = client.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret)})
    assert "too many failed attempts" in reply.content.decode()
    assert client.get(reverse("surveys:list")).status_code == 302


def test_a_code_counts_once_in_whichever_process_it_arrives(client, owner, clock):
    secret = accounts.set_up_app(owner)
    code = accounts.code_of(secret)
    client.post(reverse("login"), LOG_IN)
    assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 302
    cache.clear()  # another process remembers nothing
    thief = type(client)()
    thief.post(reverse("login"), LOG_IN)
    reply = thief.post(reverse("mfa_authenticate"), {"code": code})
    assert "was used before" in reply.content.decode()
    assert thief.get(reverse("surveys:list")).status_code == 302
