"""Second factors, required factors, and what a person may ask for about their account."""

import json

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.models import AuditEntry, Membership, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.accounts.services import erase, export, forget_factors, refuse_login
from tests import accounts
from tests.factories import make_open_survey, make_survey, make_user
from tests.promises.test_p9_deployable import ADDRESS, LOG_IN, clock  # noqa: F401 - a fixture
from tests.tour import respondent_pages


@pytest.fixture(autouse=True)
def _nobody_tried_before():
    cache.clear()


def confirm(client) -> None:
    """Show again who one is."""
    client.post(reverse("account_reauthenticate"), {"password": "correct horse"})


@pytest.mark.parametrize(
    "name", ["mfa_activate_totp", "mfa_add_webauthn", "mfa_generate_recovery_codes"]
)
def test_changing_factors_asks_again_who_one_is(client, owner, name):
    client.post(reverse("login"), LOG_IN)
    reply = client.get(reverse(name))
    assert reply.url == f"{reverse('account_reauthenticate')}?next={reverse(name)}"
    fields = {"password": "correct horse", "next": reverse(name)}
    assert client.post(reverse("account_reauthenticate"), fields).url == reverse(name)
    assert client.get(reverse(name)).status_code == 200


def test_an_interrupted_form_leaves_no_address_in_the_session(client, owner):
    client.post(reverse("login"), LOG_IN)
    client.post(reverse("mfa_generate_recovery_codes"), REMOTE_ADDR=ADDRESS, HTTP_USER_AGENT="X9")
    kept = [session.get_decoded() for session in Session.objects.all()]
    assert len(kept) == 1
    assert ADDRESS not in str(kept)
    assert "X9" not in str(kept)


def test_an_app_is_set_up_and_the_next_login_asks_for_its_code(client, owner, clock):  # noqa: F811
    client.post(reverse("login"), LOG_IN)
    confirm(client)
    client.get(reverse("mfa_activate_totp"))
    secret = client.session["mfa.totp.secret"]
    code = {"code": accounts.code_of(secret)}
    assert client.post(reverse("mfa_activate_totp"), code).url == reverse("mfa_view_recovery_codes")
    client.post(reverse("logout"))
    assert client.post(reverse("login"), LOG_IN).url == reverse("mfa_authenticate")
    used = client.post(reverse("mfa_authenticate"), code).content.decode()
    assert "was used before" in used
    following = {"code": accounts.code_of(secret, periods_ago=-1)}
    assert client.post(reverse("mfa_authenticate"), following).url == reverse("surveys:list")


@pytest.mark.usefixtures("clock")
def test_a_session_from_before_the_first_factor_ends_when_one_is_added(
    client, owner, django_capture_on_commit_callbacks
):
    thief = type(client)()
    for browser in (thief, client):
        browser.post(reverse("login"), LOG_IN)
    assert thief.get(reverse("surveys:list")).status_code == 200
    confirm(client)
    client.get(reverse("mfa_activate_totp"))
    code = accounts.code_of(client.session["mfa.totp.secret"])
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("mfa_activate_totp"), {"code": code})
    assert thief.get(reverse("surveys:list")).status_code == 302
    assert client.get(reverse("surveys:list")).status_code == 200


@pytest.mark.usefixtures("clock")
def test_a_used_code_does_not_make_wrong_ones_forgotten(client, owner):
    secret = accounts.set_up_app(owner)
    used = {"code": accounts.code_of(secret)}
    client.post(reverse("login"), LOG_IN)
    client.post(reverse("mfa_authenticate"), used)
    thief = type(client)()
    thief.post(reverse("login"), LOG_IN)
    for _ in range(4):
        thief.post(reverse("mfa_authenticate"), {"code": "000000"})
    thief.post(reverse("mfa_authenticate"), used)
    thief.post(reverse("mfa_authenticate"), {"code": "000000"})
    following = {"code": accounts.code_of(secret, periods_ago=-1)}
    reply = thief.post(reverse("mfa_authenticate"), following).content.decode()
    assert "too many failed attempts" in reply


def test_the_secrets_of_factors_are_not_in_the_database(client, owner):
    secret = accounts.set_up_app(owner)
    codes = RecoveryCodes.activate(owner).generate_codes()
    stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert not any(code in stored for code in codes)
    assert len(Authenticator.objects.get(type="totp").data["secret"]) > 100


def test_a_recovery_code_logs_in_once(client, owner):
    accounts.set_up_app(owner)
    code = {"code": RecoveryCodes.activate(owner).generate_codes()[3]}
    client.post(reverse("login"), LOG_IN)
    assert client.post(reverse("mfa_authenticate"), code).url == reverse("surveys:list")
    client.post(reverse("logout"))
    client.post(reverse("login"), LOG_IN)
    assert "not used yet" in client.post(reverse("mfa_authenticate"), code).content.decode()


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("periods_ago", "counts"), [(2, 0), (1, 1), (0, 1), (-1, 1), (-2, 0)])
def test_a_code_counts_one_period_before_and_after_its_own(client, owner, periods_ago, counts):
    secret = accounts.set_up_app(owner)
    client.post(reverse("login"), LOG_IN)
    client.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret, periods_ago)})
    assert (client.get(reverse("surveys:list")).status_code == 200) == counts


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("first", [1, 0, -1])
def test_no_code_counts_that_is_as_old_as_the_last_one_used(client, owner, first):
    secret = accounts.set_up_app(owner)
    for periods_ago in (first, *range(first, 2)):
        cache.clear()  # another process remembers nothing
        browser = type(client)()
        browser.post(reverse("login"), LOG_IN)
        browser.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret, periods_ago)})
    assert browser.get(reverse("surveys:list")).status_code == 302
    assert AuditEntry.objects.filter(action="code refused").count() == 2 - first


def test_after_the_secret_key_changed_the_page_says_who_can_help(client, owner, settings):
    accounts.set_up_app(owner)
    settings.SECRET_KEY = "x" * 60
    client.post(reverse("login"), LOG_IN)
    reply = client.post(reverse("mfa_authenticate"), {"code": "123456"})
    assert reply.status_code == 409
    assert "manage.py account forget-factors" in reply.content.decode()
    assert client.get(reverse("surveys:list")).status_code == 302


@pytest.mark.parametrize(
    "fields",
    [
        {"login": "a\0da", "password": "x"},
        {"login": "ada", "password": "x\0"},
        {"login": "é" * 10_000, "password": "p" * 100_000},
        {"login": "'; DROP TABLE auth_user; --", "password": "💥"},
        {"login": "", "password": ""},
        {"code": "123456"},
    ],
)
def test_garbage_at_the_login_is_refused_in_words(client, owner, fields):
    reply = client.post(reverse("login"), fields)
    assert reply.status_code == 200
    assert reply.context["form"].errors


PARTS = ("clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle")


@pytest.mark.parametrize(
    "credential",
    [
        *("", "{}", "[]", "null", "7", '{"id": 1}', "💥", "{" * 999, '{"id": "A", "rawId": "A"}'),
        json.dumps({"id": "AA", "rawId": "AA", "response": []}),
        json.dumps({"id": "AA", "rawId": "AA", "response": dict.fromkeys(PARTS, "AA")}),
        json.dumps({"id": "AA", "rawId": "AA", "response": dict.fromkeys(PARTS, "e30")}),
        json.dumps({"id": "AA", "rawId": "AA", "response": dict.fromkeys(PARTS, 1)}),
    ],
)
def test_garbage_instead_of_a_security_key_is_refused_in_words(client, owner, credential):
    client.post(reverse("login"), LOG_IN)
    confirm(client)
    for name in ("mfa_add_webauthn", "mfa_reauthenticate_webauthn", "mfa_authenticate"):
        if name == "mfa_authenticate":
            accounts.set_up_app(owner)
            client.post(reverse("logout"))
            client.post(reverse("login"), LOG_IN)
        client.get(reverse(name))
        reply = client.post(reverse(name), {"credential": credential})
        assert reply.status_code in (200, 302), name
    assert reply.context["webauthn_form"].errors
    assert not Authenticator.objects.filter(type="webauthn").exists()


def test_after_a_login_nobody_is_sent_to_another_site(client, owner):
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        reply = client.post(reverse("login"), {**LOG_IN, "next": elsewhere})
        assert reply.url == reverse("surveys:list")
        client.post(reverse("logout"))


def test_an_account_that_is_switched_off_does_not_log_in(client, owner):
    User.objects.update(is_active=False)
    assert client.post(reverse("login"), LOG_IN).url == reverse("account_inactive")
    assert "Ask an administrator" in client.get(reverse("account_inactive")).content.decode()
    assert client.get(reverse("surveys:list")).status_code == 302


def test_switching_an_account_off_ends_its_sessions(client, owner):
    client.post(reverse("login"), LOG_IN)
    assert client.get(reverse("surveys:list")).status_code == 200
    User.objects.update(is_active=False)
    assert client.get(reverse("surveys:list")).status_code == 302


def administrators(client) -> User:
    """The browser of a person who may change accounts."""
    root = make_user("root", superuser=True)
    client.force_login(root)
    return root


def change_account(client, user: User, **fields: object) -> None:
    """As the admin's form sends it."""
    given = {"username": user.username, "is_staff": "on", "is_active": "on", **fields}
    fields = {name: value for name, value in given.items() if value}
    address = reverse("admin:auth_user_change", args=[user.pk])
    assert client.post(address, fields).url == reverse("admin:auth_user_changelist")


def set_password(client, user: User, password: str) -> None:
    address = reverse("admin:auth_user_password_change", args=[user.pk])
    fields = {"usable_password": "true", "password1": password, "password2": password}
    assert client.post(address, fields).status_code == 302


def test_a_session_of_an_account_that_was_switched_off_does_not_live_again_with_it(client, owner):
    """Nobody used it meanwhile: it was still there, and needed no login."""
    administrator, half_way = type(client)(), type(client)()
    administrators(administrator)
    client.post(reverse("login"), LOG_IN)
    secret = accounts.set_up_app(owner)
    half_way.post(reverse("login"), LOG_IN)
    change_account(administrator, owner, is_active="")
    change_account(administrator, owner)
    assert User.objects.get(pk=owner.pk).is_active
    assert client.get(reverse("surveys:list")).url.startswith(reverse("login"))
    half_way.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret)})
    assert half_way.get(reverse("surveys:list")).status_code == 302
    assert administrator.get(reverse("surveys:list")).status_code == 200


def test_other_changes_of_an_account_end_no_session(client, owner):
    administrator = type(client)()
    administrators(administrator)
    client.post(reverse("login"), LOG_IN)
    change_account(administrator, owner, first_name="Ada")
    assert client.get(reverse("surveys:list")).status_code == 200


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("by_an_administrator", [True, False])
def test_a_changed_password_ends_logins_that_have_given_the_old_one(
    client, owner, by_an_administrator, django_capture_on_commit_callbacks
):
    secret = accounts.set_up_app(owner)
    changer, thief = type(client)(), type(client)()
    thief.post(reverse("login"), LOG_IN)
    if by_an_administrator:
        administrators(changer)
        set_password(changer, owner, "a new and longer one")
    else:
        changer.force_login(owner)
        fields = {"oldpassword": LOG_IN["password"], "password1": "a new and longer one"}
        fields["password2"] = fields["password1"]
        with django_capture_on_commit_callbacks(execute=True):
            changer.post(reverse("account_change_password"), fields)
    assert User.objects.get(pk=owner.pk).check_password("a new and longer one")
    thief.post(reverse("mfa_authenticate"), {"code": accounts.code_of(secret)})
    assert thief.get(reverse("surveys:list")).status_code == 302
    assert changer.get(reverse("surveys:list")).status_code == 200


@pytest.mark.django_db
def test_an_administrator_who_sets_their_own_password_stays_logged_in(client):
    root = administrators(client)
    set_password(client, root, "a new and longer one")
    assert client.get(reverse("surveys:list")).status_code == 200


def test_an_account_without_a_password_reads_who_can_set_one(client, owner):
    """An administrator may switch off their own, and stays logged in."""
    owner.set_unusable_password()
    owner.save()
    client.force_login(owner)
    reply = client.get(reverse("account_change_password"), follow=True)
    assert reply.status_code == 200
    assert "Ask an administrator to set a password" in reply.content.decode()


def test_only_who_is_logged_in_reads_that_their_account_has_no_password(client):
    assert client.get(reverse("account_set_password")).url.startswith(reverse("login"))


@pytest.mark.django_db(transaction=True)
def test_logins_refusals_and_changes_of_factors_are_in_the_audit_log(client, owner, clock):  # noqa: F811
    client.post(reverse("login"), {**LOG_IN, "password": "secret of mine"})
    client.post(reverse("login"), {"login": "nobody", "password": "wrong"})
    client.post(reverse("login"), LOG_IN)
    confirm(client)
    client.get(reverse("mfa_activate_totp"))
    client.post(reverse("mfa_activate_totp"), {"code": "000000"})
    secret = client.session["mfa.totp.secret"]
    client.post(reverse("mfa_activate_totp"), {"code": accounts.code_of(secret)})
    client.post(reverse("mfa_deactivate_totp"))
    told = [(e.action, e.actor, e.after) for e in AuditEntry.objects.order_by("pk")]
    assert told == [
        ("login refused", None, {"account": owner.pk}),
        ("login refused", None, {"account": None}),
        ("logged in", owner.pk, None),
        ("authenticator app added", owner.pk, None),
        ("authenticator app removed", owner.pk, None),
    ]


def test_where_a_second_factor_is_required_nothing_else_opens_before(client, owner, settings):
    survey = make_open_survey(owner)
    client.post(reverse("login"), LOG_IN)
    settings.REQUIRE_MFA = True
    pages = [reverse("surveys:list"), reverse("surveys:dashboard", args=[survey.pk]), "/admin/"]
    for page in pages:
        assert client.get(page).url == reverse("mfa_index"), page
    assert client.post(reverse("surveys:save-plan")).url == reverse("mfa_index")
    assert (
        "To continue, set up an authenticator app"
        in client.get(reverse("mfa_index")).content.decode()
    )
    RecoveryCodes.activate(owner)
    assert client.get(pages[0]).status_code == 302
    accounts.set_up_app(owner)
    assert [client.get(page).status_code for page in pages] == [200, 200, 200]


def test_a_required_second_factor_does_not_concern_respondents(client, owner, settings):
    survey = make_open_survey(owner)
    client.force_login(owner)
    settings.REQUIRE_MFA = True
    for browser in (client, type(client)()):
        for page in respondent_pages(survey)[:3]:
            reply = browser.get(page)
            assert reply.status_code == 200
            assert "Cookie" not in reply.headers.get("Vary", "")
            assert not reply.cookies


def test_accounts_pages_are_kept_by_no_cache(client, owner):
    client.post(reverse("login"), LOG_IN)
    for name in ("mfa_index", "account_change_password", "account_reauthenticate"):
        assert "no-store" in client.get(reverse(name)).headers["Cache-Control"]


@pytest.fixture
def eve(owner) -> User:
    """A member of one survey, whom the admin's history names."""
    eve = make_user("eve")
    eve.email = "eve@example.org"
    eve.save()
    survey = make_survey(owner)
    membership = Membership.objects.create(survey=survey, user=eve, role="editor")
    write_history(owner, eve, "Changed groups")
    write_history(eve, survey, "Changed title")
    said = json.dumps([{"added": {"name": "membership", "object": str(membership)}}])
    write_history(owner, survey, said)
    write_history(owner, survey, "Changed contact")
    return eve


def write_history(by: User, about, message: str) -> None:
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(about),
        object_id=str(about.pk),
        object_repr=str(about),
        action_flag=CHANGE,
        change_message=message,
    )


def test_an_export_holds_everything_that_is_stored_about_a_person(client, eve, capsys):
    accounts.set_up_app(eve)
    client.force_login(eve)
    refuse_login("eve")
    call_command("account", "export", "eve")
    told = json.loads(capsys.readouterr().out)
    assert told["profile"]["email"] == "eve@example.org"
    assert [one["role"] for one in told["memberships"]] == ["editor"]
    assert told["surveys_owned"] == []
    assert [factor["type"] for factor in told["second_factors"]] == ["totp"]
    assert told["sessions"] == 1
    assert [e["action"] for e in told["audit_entries"]] == ["account exported", "login refused"]
    assert len(told["admin_history"]) == 3
    assert "secret" not in json.dumps(told)
    assert "password" not in json.dumps(told)


def test_an_erased_account_is_named_nowhere(client, eve, owner, capsys):
    accounts.set_up_app(eve)
    client.force_login(eve)
    other = type(client)()
    other.force_login(owner)
    call_command("account", "erase", "eve")
    assert "eve is erased" in capsys.readouterr().out
    assert not User.objects.filter(username="eve").exists()
    assert not Membership.objects.exists()
    assert not Authenticator.objects.exists()
    assert Session.objects.count() == 1
    assert client.get(reverse("surveys:list")).status_code == 302
    assert other.get(reverse("surveys:list")).status_code == 200
    assert [entry.change_message for entry in LogEntry.objects.all()] == ["Changed contact"]
    entry = AuditEntry.objects.get(action="account erased")
    assert (entry.actor, entry.after) == (None, {"account": eve.pk})


def test_an_account_that_owns_surveys_is_not_erased_and_the_refusal_names_them(owner):
    for number in range(12):
        make_survey(owner, title=f"Survey {number:02}")
    with pytest.raises(CommandError, match=r'12 surveys: "Survey 00", .* and 2 more\. Hand over'):
        call_command("account", "erase", "ada")
    assert User.objects.filter(username="ada").exists()
    Survey.objects.all().delete()
    call_command("account", "erase", "ada")
    assert not User.objects.filter(username="ada").exists()


def test_entries_of_the_audit_log_outlive_the_account(client, eve):
    client.post(reverse("login"), {**LOG_IN, "login": "eve"})
    erase(account=eve, by=None)
    assert list(AuditEntry.objects.values_list("action", "actor").order_by("pk")) == [
        ("logged in", eve.pk or AuditEntry.objects.first().actor),
        ("account erased", None),
    ]


def test_who_lost_a_second_factor_gets_in_again_with_the_password(client, owner, capsys):
    accounts.set_up_app(owner)
    RecoveryCodes.activate(owner)
    client.force_login(owner)
    call_command("account", "forget-factors", "ada")
    assert "2 removed" in capsys.readouterr().out
    assert client.get(reverse("surveys:list")).status_code == 302
    assert client.post(reverse("login"), LOG_IN).url == reverse("surveys:list")


@pytest.mark.parametrize("action", [export, erase, forget_factors])
def test_only_an_administrator_or_the_operator_may_do_this_to_an_account(eve, owner, action):
    with pytest.raises(NotAllowed, match="ask one"):
        action(account=eve, by=owner)
    assert AuditEntry.objects.count() == 0
    root = make_user("root", superuser=True)
    action(account=eve, by=root)
    assert AuditEntry.objects.get().actor == root.pk


def test_a_survey_that_was_just_handed_over_stops_the_erasure(eve, owner):
    Survey.objects.update(owner=eve)
    with pytest.raises(NotPossible, match="1 survey: "):
        erase(account=eve, by=None)


@pytest.mark.parametrize("name", ["nobody", "ADA", "", "💥" * 500])
def test_an_unknown_name_is_refused_in_words(owner, name):
    with pytest.raises(CommandError, match="no account"):
        call_command("account", "export", name)
