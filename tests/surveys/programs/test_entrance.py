"""Who gets in: each request asks for the token, the account, the factor and the role anew."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.models import AccessToken, AuditEntry, Membership
from surveys.programs.registry import registered
from surveys.staff.accounts.services import forget_factors
from surveys.web import error_pages
from surveys.web.upkeep import maintenance
from tests import factories, kept
from tests.accounts import set_up_app
from tests.surveys.programs.asking import BASE, Program, refusal
from tests.surveys.programs.holding import token_of, without

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture
def grace(survey):
    grace = factories.make_user("grace")
    Membership.objects.create(survey=survey, user=grace, role="editor")
    set_up_app(grace)
    return grace


@pytest.fixture
def program(client, survey, grace) -> Program:
    return Program(token_of(grace, survey, "read", "edit", "rows"), client)


def test_a_token_that_acts_is_answered_without_a_cookie(program, grace, survey):
    reply = program.get("me")
    assert reply.status_code == 200
    assert reply.json() == {
        "account": "grace",
        "survey": str(survey.pk),
        "scopes": ["read", "edit", "rows"],
        "last_day": (timezone.now().date() + timedelta(days=89)).isoformat(),
    }
    assert not reply.cookies
    assert "Access-Control-Allow-Origin" not in reply.headers
    assert reply.headers["Cache-Control"] == "no-store"


def changed(text: str) -> list[str]:
    """Tokens that are none: one letter changed, cut, and of another form."""
    last = "A" if text[-1] != "A" else "B"
    return [text[:-1] + last, text[:-1], text.swapcase(), "", "deniable_", "x" * 10_000]


def test_what_is_no_token_is_refused_always_in_the_same_words(program, client):
    said = {
        Program(text, client).get("me").content for text in [*changed(program.token), uuid4().hex]
    }
    said.add(client.get(f"{BASE}/me").content)
    said.add(client.get(f"{BASE}/me", headers={"Authorization": "Basic Og=="}).content)
    assert len(said) == 1
    reply = client.get(f"{BASE}/me")
    refusal(reply, 401)
    assert reply.headers["WWW-Authenticate"] == "Bearer"


def test_a_login_is_no_token(client, survey):
    client.force_login(survey.owner)
    refusal(client.get(f"{BASE}/me"), 401)


def lose_role(grace, token):
    Membership.objects.all().delete()


def lose_account(grace, token):
    grace.is_active = False
    grace.save()


def lose_factor(grace, token):
    grace.authenticator_set.all().delete()


def end_yesterday(grace, token):
    token.update(last_day=timezone.now().date() - timedelta(days=1))


def revoke(grace, token):
    token.delete()


@pytest.mark.parametrize("lose", [lose_role, lose_account, lose_factor, end_yesterday, revoke])
def test_who_lost_what_a_token_takes_has_nothing_at_the_next_request(program, grace, lose, survey):
    assert program.get("me").status_code == 200
    lose(grace, AccessToken.objects.all())
    for path in ("me", "surveys", f"surveys/{survey.pk}", f"surveys/{survey.pk}/definition"):
        refusal(program.get(path), 401)


def test_an_editor_who_becomes_an_analyst_keeps_what_analysts_read(program, survey):
    assert program.get(f"surveys/{survey.pk}/definition").status_code == 200
    Membership.objects.update(role="analyst")
    refusal(program.get(f"surveys/{survey.pk}/definition"), 403)
    assert program.get(f"surveys/{survey.pk}/estimates").status_code == 200


def paths_of(key) -> list[tuple[str, str]]:
    """Each verb and path below a survey."""
    return [
        (route.verb, route.path.replace("<uuid:survey_id>", str(key)))
        for route in registered()
        if "survey_id" in route.path and route.path.count("<") == 1
    ]


def test_another_survey_is_not_there_whether_it_exists_or_not(program, grace, owner, settings):
    settings.API_RATE = 1_000  # definitions that are sent count more than once
    other = factories.make_open_survey(grace, title="Another of the same person")
    strange = factories.make_survey(factories.make_user("eve"))
    for key in (other.pk, strange.pk, uuid4()):
        said = {
            program.ask(verb, path, b"{}", If_Match="*").status_code for verb, path in paths_of(key)
        }
        assert said == {404}, key


def test_a_token_of_drafts_reaches_the_own_drafts_alone(client, grace, survey):
    mine = factories.make_survey(grace, title="Mine")
    factories.make_survey(survey.owner, title="A draft of another")
    launched = factories.make_open_survey(grace, title="Launched")
    program = Program(token_of(grace, None, "read", "edit"), client)
    listed = program.get("surveys").json()
    assert [one["title"] for one in listed["surveys"]] == ["Mine"]
    assert program.get(f"surveys/{mine.pk}").status_code == 200
    refusal(program.get(f"surveys/{launched.pk}"), 404)
    refusal(program.get(f"surveys/{survey.pk}"), 404)


@pytest.mark.parametrize("scope", ["read", "edit", "rows"])
def test_each_scope_opens_its_addresses_and_no_others(client, survey, grace, scope):
    program = Program(token_of(grace, survey, scope), client)
    for route in registered():
        path = route.path.replace("<uuid:survey_id>", str(survey.pk))
        path = path.replace("<uuid:key>", str(uuid4()))
        reply = program.ask(route.verb, path, b"{}", If_Match="*")
        if route.scope != scope:
            assert "scope" in refusal(reply, 403)["remedy"], route.path
        elif route.resource == "survey-make":  # takes a token for drafts
            assert "drafts" in refusal(reply, 403)["remedy"]
        else:
            assert reply.status_code not in (401, 403, 405, 500), (route.path, reply.content)


def test_a_token_in_an_address_is_refused_and_revoked(program, client):
    token = program.token
    reply = client.get(f"{BASE}/surveys?access_token={token}")
    assert "revoked" in refusal(reply, 401)["title"]
    assert not AccessToken.objects.exists()
    refusal(program.get("me"), 401)
    assert without(token, map(str, AuditEntry.objects.values_list("before", "after")))


@pytest.mark.parametrize("where", ["/api/{}", "/api/v1/{}/me", "/api/v1/me?x=%64eniable{}"])
def test_a_token_in_any_part_of_an_address_is_revoked(program, client, where):
    token = program.token
    text = token if "%64" not in where else token.removeprefix("deniable")
    client.get(where.format(text))
    assert not AccessToken.objects.exists()


OUTSIDE = [
    *("/en/s/{survey}/?x={token}", "/en/s/{survey}/{token}/", "/s/{survey}/send/?{token}"),
    *(
        "/surveys/?token={token}",
        "/surveys/{token}/",
        "/accounts/login/?next=/surveys/%3Ft={token}",
    ),
    *("/docs/{token}", "/static/deniable.css?v={token}", "/nothing?x=deniable%5F{rest}"),
    *("/apis/{token}", "/?{token}&y=1", "/health/?{token}"),
]


@pytest.mark.parametrize("where", OUTSIDE)
def test_a_token_in_any_other_address_of_the_site_is_refused_and_revoked(program, client, where):
    token, survey = program.token, AccessToken.objects.get().survey_id
    rest = token.removeprefix("deniable_")
    reply = client.get(where.format(survey=survey, token=token, rest=rest))
    assert "revoked" in refusal(reply, 401)["title"]
    assert not AccessToken.objects.exists()
    entry = AuditEntry.objects.get(action="token revoked")
    assert entry.after == {"reason": "in an address"}
    for name in ("Content-Security-Policy", "Permissions-Policy", "Cache-Control"):
        assert reply.headers[name] == client.get("/health/").headers[name]


def test_what_looks_like_a_token_and_is_none_is_refused_and_revokes_none(program, client, survey):
    letters = program.token[: len("deniable_") + 8]
    refusal(client.get(f"/en/s/{survey.pk}/?{letters}{'A' * 43}"), 401)
    for word in ("deniable", "deniable_", letters):
        assert client.get(f"/en/s/{survey.pk}/?{word}").status_code == 200
    assert AccessToken.objects.count() == 1


def test_no_redirect_to_https_shows_a_token_once_more(program):
    with override_settings(SECURE_SSL_REDIRECT=True):
        refusal(Client().get(f"/surveys/?{program.token}"), 401)
    assert not AccessToken.objects.exists()


def test_while_the_pages_are_closed_no_address_asks_the_database(
    program, client, settings, tmp_path
):
    settings.MAINTENANCE_FILE = tmp_path / "maintenance"
    settings.MAINTENANCE_FILE.touch()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"/surveys/?{program.token}").status_code == 503
    assert not asked.captured_queries
    maintenance.end()
    refusal(client.get(f"/surveys/?{program.token}"), 401)


def test_without_encryption_only_this_machine_itself_asks(program):
    for address in ("192.0.2.7", "2001:db8::1", "", "x"):
        reply = program.client.get(
            f"{BASE}/me",
            headers={"Authorization": f"Bearer {program.token}"},
            REMOTE_ADDR=address,
        )
        refusal(reply, 403)
    for more in ({"REMOTE_ADDR": "::1"}, {"REMOTE_ADDR": "192.0.2.7", "secure": True}):
        headers = {"Authorization": f"Bearer {program.token}"}
        assert program.client.get(f"{BASE}/me", headers=headers, **more).status_code == 200


def test_behind_a_proxy_this_machine_is_who_the_proxy_names(program):
    headers = {"Authorization": f"Bearer {program.token}", "X-Forwarded-For": "192.0.2.7"}
    with override_settings(BEHIND_PROXY=True):
        refusal(program.client.get(f"{BASE}/me", headers=headers), 403)
        headers |= {"X-Forwarded-For": "127.0.0.1"}
        assert program.client.get(f"{BASE}/me", headers=headers).status_code == 200


def test_no_redirect_to_https_takes_a_token_along(program):
    with override_settings(SECURE_SSL_REDIRECT=True, SECURE_REDIRECT_EXEMPT=["^api/"]):
        fresh = Client(REMOTE_ADDR="192.0.2.7")
        refusal(Program(program.token, fresh).get("me"), 403)


def test_a_token_asks_so_often_a_minute_and_another_is_not_held_up(program, settings, survey):
    settings.API_RATE = 3
    other = Program(token_of(survey.owner, survey, "read"), program.client)
    said = [program.get("me").status_code for _ in range(8)]
    assert said[:3] == [200] * 3  # or more, where a minute ends among them
    assert 429 in said
    reply = next(r for r in (program.get("me") for _ in range(8)) if r.status_code == 429)
    assert 1 <= int(reply.headers["Retry-After"]) <= 60
    refusal(reply, 429)
    assert other.get("me").status_code == 200


def test_a_request_beyond_the_limit_asks_nothing_of_the_database(program, settings):
    settings.API_RATE = 2
    asked = []
    for _ in range(8):  # a minute may end among them
        with CaptureQueriesContext(connection) as queries:
            reply = program.get("me")
        asked += [len(queries)] * (reply.status_code == 429)
    assert asked
    assert set(asked) == {0}


def test_who_knows_but_the_letters_of_a_token_does_not_use_its_requests_up(program, settings):
    settings.API_RATE = 2
    other = program.token[:-1] + ("A" if program.token[-1] != "A" else "B")
    for _ in range(5):
        # Never counted: texts without end would crowd out what is counted beside them.
        assert Program(other, program.client).get("me").status_code == 401
    assert program.get("me").status_code == 200


def test_methods_and_addresses_that_are_none(program):
    reply = program.ask("DELETE", "me")
    refusal(reply, 405)
    assert reply.headers["Allow"] == "GET, HEAD"
    for path in ("nothing", "me/", "/api/", "/api/v2/me", "surveys/1"):
        refusal(program.get(path), 404)
    head = program.ask("HEAD", "me")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=101", "limit=x", "limit=٣", "limit=%00"),
        *("cursor=x", "cursor=", "colour=red"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_named(program, query):
    content = refusal(program.get(f"surveys?{query}"), 422)
    assert content["pointer"] == query.partition("=")[0]


def test_the_list_is_read_by_cursors_of_its_own(client, grace):
    titles = {f"Draft {place}" for place in range(5)}
    for title in titles:
        factories.make_survey(grace, title=title)
    program = Program(token_of(grace, None, "read"), client)
    seen, query, cursors = [], "limit=2", []
    while query:
        page = program.get(f"surveys?{query}").json()
        seen += [one["title"] for one in page["surveys"]]
        cursors.append(page["next"])
        query = page["next"] and f"limit=2&cursor={page['next']}"
    assert (sorted(seen), len(cursors)) == (sorted(titles), 3)
    other = Program(token_of(grace, None, "read"), client)
    refusal(other.get(f"surveys?cursor={cursors[0]}"), 409)


def test_what_is_used_is_written_down_once_a_day_and_never_the_token(program, survey, capfd):
    for _ in range(3):
        program.get("me")
        program.get(f"surveys/{survey.pk}/openings")
    entries = AuditEntry.objects.filter(action="token used")
    assert {entry.after["resource"] for entry in entries} == {"me", "openings"}
    assert entries.count() == 2
    assert {entry.survey for entry in entries} == {survey.pk}
    stored = [str(row) for row in AuditEntry.objects.values()]
    stored += [str(row) for row in AccessToken.objects.values()]
    assert without(program.token, [*stored, *capfd.readouterr()])
    assert AccessToken.objects.get().used_on == timezone.now().date()


def test_errors_outside_of_our_functions_are_problems_too(rf):
    for status, page in (
        (400, lambda request: error_pages.bad_request(request, ValueError())),
        (404, lambda request: error_pages.not_found(request, ValueError())),
        (500, error_pages.server_error),
    ):
        content = refusal(page(rf.get("/api/v1/me")), status)
        assert "token" not in content["title"]


def test_a_token_does_not_outlive_the_removal_of_the_factor_it_was_made_with(grace, program):
    forget_factors(account=grace, by=None)
    set_up_app(grace)
    refusal(program.get("me"), 401)
    entry = AuditEntry.objects.get(action="token revoked")
    assert entry.after == {"reason": "second factors removed"}


def test_a_token_does_not_wake_with_an_account_that_was_switched_off(client, grace, program):
    root = factories.make_user("root", superuser=True)
    client.force_login(root)
    address = reverse("admin:auth_user_change", args=[grace.pk])
    form = client.get(address).context["adminform"].form
    sent = {name: value for name, value in form.initial.items() if value not in (None, False)}
    client.post(address, {name: sent[name] for name in ("username", "is_staff") if name in sent})
    grace.refresh_from_db()
    assert not grace.is_active
    User.objects.filter(pk=grace.pk).update(is_active=True)
    refusal(program.get("me"), 401)
    assert AuditEntry.objects.filter(after={"reason": "account switched off"}).count() == 1


def test_a_token_in_the_address_of_the_document_is_revoked_too(client, program):
    refusal(client.get(f"/api/v1/openapi.json?token={program.token}"), 401)
    refusal(program.get("me"), 401)
    assert not AccessToken.objects.exists()


def test_the_checks_of_a_draft_count_as_five_requests(program, settings, survey):
    settings.API_RATE = 12
    replies = [program.get(f"surveys/{survey.pk}/checks").status_code for _ in range(6)]
    assert 429 in replies[1:]


def test_a_definition_that_is_sent_counts_as_ten_requests(program, settings):
    settings.API_RATE = 15
    replies = [program.ask("POST", "surveys", b"{}").status_code for _ in range(6)]
    assert 429 in replies[1:]
    assert len(replies) - replies.count(429) <= 4  # of two minutes, where one ends meanwhile
