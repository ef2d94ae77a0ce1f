"""A crawl: every address, read by a program and as a page by the same person."""

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from surveys.models import AccessToken, AuditEntry, Export, Survey
from surveys.models.queries import questionnaire_of
from surveys.programs.registry import registered
from surveys.programs.routing.routes import Route
from surveys.results.taking.services import write
from tests import factories
from tests.stored import store_rows
from tests.surveys.programs.asking import BASE, Program, refusal
from tests.surveys.programs.holding import token_of, without
from tests.surveys.programs.test_entrance import (
    end_yesterday,
    lose_account,
    lose_factor,
    lose_role,
    revoke,
)
from tests.surveys.programs.test_roles import person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
WHO = ("owner", "superuser", "editor", "analyst")
ALL = ("read", "edit", "rows")
# What says the same: a file of a page, which is equal, or a page, which has every cell.
FILES = {
    "codebook": "surveys:codebook",
    "breakdowns": "surveys:break-down-json",
    "definition": "admin:surveys_survey_definition",
}
PAGES = {
    **{"survey": "surveys:list", "estimates": "surveys:dashboard", "openings": "surveys:dashboard"},
    **{"ledger": "analytics:ledger", "exports": "surveys:exports"},
    "checks": "admin:surveys_survey_checklist",
}
QUERIES = {"breakdowns": "?question=1&by=2"}
TAGS, TIME = re.compile(r"<[^>]+>"), re.compile(r"\d\d:\d\d")
ORIGIN = re.compile(r"[a-z]+://|^//|[\"' ]//")


@pytest.fixture
def draft(owner) -> Survey:
    """Two questions asked directly, the second of people who said Yes to the first."""
    draft = factories.make_survey(owner, batch_size=5)
    first = factories.add_question(draft, text="Do you drive?", design="direct", required=True)
    second = factories.add_question(draft, text="Caught?", design="direct", required=True)
    factories.add_condition(second, first)
    return draft


@pytest.fixture
def survey(draft, settings, tmp_path) -> Survey:
    """The same, where fewer people were asked the second question than a batch has."""
    settings.EXPORTS_DIR, settings.API_RATE = tmp_path, 10_000
    survey = factories.launched(draft)
    item = questionnaire_of(survey.revision).items[1]
    store_rows(survey.revision, [f"00{item.not_asked}"] * 20 + ["0101"] * 3)
    return survey


def asked(who: str, survey: Survey, *scopes: str) -> tuple[Program, Client]:
    """A program of a person, and the browser in which this person is logged in."""
    someone, browser = person(who, survey), Client()
    browser.force_login(someone)
    wanted = scopes or (ALL if who != "analyst" else ("read", "rows"))
    return Program(token_of(someone, survey, *wanted), Client()), browser


def path_of(route: Route, survey: Survey, key: object = "") -> str:
    path = route.path.replace("<uuid:survey_id>", str(survey.pk))
    return path.replace("<uuid:key>", str(key or uuid4())) + QUERIES.get(route.resource, "")


def page_of(browser: Client, name: str, survey: Survey, resource: str) -> Any:
    keys = [] if name == "surveys:list" else [survey.pk]
    return browser.get(reverse(name, args=keys) + QUERIES.get(resource, ""))


def words_of(reply: Any) -> str:
    return " ".join(unescape(TAGS.sub(" ", reply.content.decode())).split())


def cells_in(content: Any) -> list[str]:
    """All that is printed in the tables of estimates."""
    tables = [table for one in content.get("questions", ()) for table in one["tables"]]
    return [" ".join(cell.split()) for table in tables for row in table["rows"] for cell in row]


def reads(route: Route) -> bool:
    return route.verb == "GET" and route.resource in {*FILES, *PAGES}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("is_draft", [True, False], ids=["draft", "answered"])
def test_what_a_program_reads_a_page_shows_to_the_same_person(request, draft, who, is_draft):
    survey = draft if is_draft else request.getfixturevalue("survey")
    program, browser = asked(who, survey)
    read = set()
    for route in filter(reads, registered()):
        reply = program.get(path_of(route, survey))
        shown = page_of(browser, {**FILES, **PAGES}[route.resource], survey, route.resource)
        if reply.status_code != 200:
            refusal(reply, reply.status_code)
            continue
        read.add(route.resource)
        assert shown.status_code == 200, (route.resource, who)
        if route.resource in FILES:
            assert reply.json() == shown.json(), route.resource
        assert [cell for cell in cells_in(reply.json()) if cell not in words_of(shown)] == []
    edits = {"definition"} if who != "analyst" else set()
    checks = {"checks"} if who != "analyst" and is_draft else set()
    results = set() if is_draft else {"estimates", "codebook", "openings", "exports"}
    assert read - {"breakdowns"} == {"survey", "ledger"} | edits | checks | results


@pytest.mark.parametrize("who", ["owner", "analyst"])
def test_of_too_few_people_no_address_says_more_than_the_page(survey, who):
    program, browser = asked(who, survey, "read")
    few = program.get(f"surveys/{survey.pk}/estimates").json()["questions"][1]
    assert few["state"] == "too_few"
    assert {few[name] for name in ("n", "not_asked", "declined", "mean", "numbers")} == {None}
    assert not any(few[name] for name in ("shares", "bins", "ranks", "tables", "missing"))
    for query in ("question=2&by=1", "question=1&by=2"):
        reply = program.get(f"surveys/{survey.pk}/breakdowns?{query}")
        shown = browser.get(f"{reverse('surveys:break-down-json', args=[survey.pk])}?{query}")
        assert (reply.status_code == 200) == (shown.status_code == 200)
        if reply.status_code == 200:
            assert reply.json() == shown.json()


def test_no_address_says_a_time_or_names_another_origin(survey):
    program, _ = asked("owner", survey)
    address = f"surveys/{survey.pk}/exports"
    key = program.ask("POST", address, b'{"kind": "csv-codes"}').json()["id"]
    write(Export.objects.get().pk)
    said = {}
    for route in registered():
        reply: Any = program.ask(route.verb, path_of(route, survey, key), b"{}", If_Match='"x"')
        content = b"".join(reply.streaming_content) if reply.streaming else reply.content
        said[route.resource] = reply.status_code
        for text in (content.decode(), *map(str, reply.headers.values())):
            assert not TIME.search(text), route.resource
            assert not ORIGIN.search(text), route.resource
    assert said["export-file"] == said["estimates"] == said["codebook"] == 200
    assert not ORIGIN.search(Client().get(f"{BASE}/openapi.json").content.decode())


def test_a_token_stands_in_no_answer_no_error_no_log_and_no_entry(survey, capfd):
    program, _ = asked("owner", survey)
    wrong = Program(program.token[:-1] + "!", Client())
    texts = []
    for route in registered():
        for one in (program, wrong):
            reply: Any = one.ask(route.verb, path_of(route, survey), b"{", If_Match="*")
            texts += [reply.content.decode(), str(dict(reply.headers))]
    texts += [str(row) for row in (*AuditEntry.objects.values(), *AccessToken.objects.values())]
    assert AuditEntry.objects.filter(action="token used").exists()
    assert without(program.token, [*texts, *capfd.readouterr()])


@pytest.mark.parametrize("lose", [lose_role, lose_account, lose_factor, end_yesterday, revoke])
def test_who_lost_what_a_token_takes_has_no_address_at_the_next_request(survey, lose):
    program, _ = asked("editor", survey)
    assert program.get(f"surveys/{survey.pk}/estimates").status_code == 200
    token = AccessToken.objects.select_related("person").get()
    lose(token.person, AccessToken.objects.all())
    for route in registered():
        refusal(program.ask(route.verb, path_of(route, survey), b"{}", If_Match='"x"'), 401)
