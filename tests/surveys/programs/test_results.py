"""What programs read of results: the figures of the dashboard, for every kind, to the digit."""

import json
import re
from html import unescape

import jsonschema
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from surveys.models import Openings, PlannedLook, Survey
from surveys.models.queries import questionnaire_of
from surveys.programs.openapi import document
from surveys.programs.registry import registered
from surveys.programs.resources.inputs import inputs_of_results
from surveys.programs.routing.routes import Call
from surveys.programs.tokens.queries import token_shown
from surveys.programs.tokens.scopes import Scope
from surveys.results.queries import reading_now
from surveys.results.questions import all_reports
from surveys.trust.keyfiles import new_key
from surveys.wording.language.numbers import percent
from tests import factories
from tests.locked_texts import locked_survey
from tests.stored import store_rows
from tests.surveys.authoring.trustees import counted_draft
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of
from tests.surveys.results.test_debiased_columns import MAKERS, answered

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TAGS = re.compile(r"<[^>]+>")


@pytest.fixture(params=MAKERS)
def survey(request, owner):
    return answered(MAKERS[request.param](owner))


def reader(client, survey, *scopes: str) -> Program:
    return Program(token_of(survey.owner, survey, *(scopes or ("read",))), client)


def fits(content: object, path: str, verb: str = "get") -> None:
    """Hold an answer to the document that says what it is."""
    book = document()
    (response,) = [
        one
        for status, one in book["paths"][path][verb]["responses"].items()
        if status.startswith("2")
    ]
    (kind,) = response["content"].values()
    schema = {**kind["schema"], "components": book["components"]}
    jsonschema.Draft202012Validator(schema).validate(content)


def page_words(client, survey, query: str = "") -> str:
    """The dashboard as one line of words."""
    client.force_login(survey.owner)
    address = reverse("surveys:dashboard", args=[survey.pk]) + query
    words = unescape(TAGS.sub(" ", client.get(address).content.decode()))
    return " ".join(words.split())


def test_estimates_are_those_of_the_dashboard_to_the_digit(client, survey):
    content = reader(client, survey).get(f"surveys/{survey.pk}/estimates").json()
    fits(content, "/surveys/{survey_id}/estimates")
    revision = survey.revision
    with override("en"):
        reports = all_reports(revision, reading_now(survey, revision))
    words, printed = page_words(client, survey), 0
    for one, (report, _) in zip(content["questions"], reports, strict=True):
        assert (one["number"], one["text"]) == (report.number, report.item.text)
        rows = getattr(report, "all_rows", ())
        assert [row["share"] for row in one["shares"]][: len(rows)] == [row.share for row in rows]
        for row in one["shares"]:
            assert percent(row["shown_share"]) in words
            assert percent(row["shown_low"]) in words
            assert percent(row["shown_high"]) in words
        for table in one["tables"]:
            for cells in table["rows"]:
                printed += len(cells)
                missing = [cell for cell in cells if " ".join(cell.split()) not in words]
                assert missing == [], (one["kind"], cells)
    assert printed > 0


def test_another_reading_is_that_of_the_page(client, survey):
    program = reader(client, survey)
    address = f"surveys/{survey.pk}/estimates"
    content = program.get(f"{address}?method=wald&level=90").json()
    assert content["reading"] == {"method": "wald", "method_name": "Wald (normal)", "level": 0.9}
    words = page_words(client, survey, "?method=wald&level=90")
    for one in content["questions"]:
        for row in one["shares"]:
            assert percent(row["shown_low"]) in words
    for query in ("method=best", "level=94", "level=", "method="):
        refusal(program.get(f"{address}?{query}"), 422)
    refusal(program.get(f"{address}?method=openings"), 409)


def test_the_codebook_is_that_of_the_download(client, survey):
    content = reader(client, survey).get(f"surveys/{survey.pk}/codebook").json()
    client.force_login(survey.owner)
    assert content == client.get(reverse("surveys:codebook", args=[survey.pk])).json()


def one_of_each(owner, **fields):
    return factories.make_open_survey(owner, **fields)


def test_an_answer_is_sent_once_until_it_changes(client, owner):
    survey = one_of_each(owner, batch_size=1)
    store_rows(survey.revision, ["01010000" + "01" + "01" + "035"] * 8)
    program = reader(client, survey, "read", "edit")
    for name in ("estimates", "codebook", "openings", "definition"):
        path = f"surveys/{survey.pk}/{name}"
        first = program.get(path)
        again = program.get(path, If_None_Match=first.headers["ETag"])
        assert (again.status_code, again.content) == (304, b""), name
        assert again.headers["ETag"] == first.headers["ETag"]
        weak = program.get(path, If_None_Match=f'"x", W/{first.headers["ETag"]}')
        assert weak.status_code == 304
        assert program.get(path, If_None_Match='"x"').status_code == 200
    before = program.get(f"surveys/{survey.pk}/openings").headers["ETag"]
    tag = program.get(f"surveys/{survey.pk}/estimates").headers["ETag"]
    store_rows(survey.revision, ["00010000" + "01" + "01" + "035"])
    reply = program.get(f"surveys/{survey.pk}/estimates", If_None_Match=tag)
    assert reply.status_code == 200
    assert reply.headers["ETag"] != tag
    assert program.get(f"surveys/{survey.pk}/openings").headers["ETag"] == before


WORKED_OUT = {"estimates": "", "breakdowns": "?question=1&by=6"}
# What is asked of each request, and of the digest of what figures are made from.
ASKED_ALWAYS = {"accesstoken", "authenticator", "membership", "revision", "survey"}
INPUTS = {"answercount", "openings", "plannedlook", "jointcount"}


def tables_asked(program: Program, path: str, **headers: str) -> tuple[int, set[str]]:
    """The status of an answer, and the tables that were read for it."""
    with CaptureQueriesContext(connection) as asked:
        status = program.get(path, **headers).status_code
    found = re.findall(r'(?:FROM|JOIN) "(\w+)"', " ".join(one["sql"] for one in asked))
    return status, {name.rpartition("_")[2] for name in found} - {"user"}


@pytest.mark.parametrize("name", WORKED_OUT)
def test_what_is_unchanged_is_not_worked_out_again(client, owner, name):
    survey = one_of_each(owner, batch_size=1)
    rows = [f"0101000000{car}035" for car in ("00", "01")]
    store_rows(survey.revision, rows * 20)
    program = reader(client, survey)
    path = f"surveys/{survey.pk}/{name}{WORKED_OUT[name]}"
    tag = program.get(path).headers["ETag"]
    assert program.get(path, If_None_Match=tag).status_code == 304  # and known from now on
    with CaptureQueriesContext(connection) as full:
        program.get(path)
    with CaptureQueriesContext(connection) as asked:
        again = program.get(path, If_None_Match=f'"x", W/{tag}')
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert "surveys_response" not in " ".join(one["sql"] for one in asked)
    assert len([one for one in asked if "answercount" in one["sql"]]) == 1
    assert len([one for one in full if "answercount" in one["sql"]]) > 1
    assert program.get(path, If_None_Match='"x"').status_code == 200
    store_rows(survey.revision, rows[:1])
    changed = program.get(path, If_None_Match=tag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag
    assert changed.content == program.get(path).content


@pytest.mark.parametrize("name", WORKED_OUT)
def test_figures_are_made_from_the_tables_that_are_compared_and_from_no_others(
    client, survey, name
):
    """Else an answer could change, and programs be told that it has not."""
    program = reader(client, survey)
    for query in ("?question=1&by=2", "?question=2&by=1", "?question=1&by=3"):
        path = f"surveys/{survey.pk}/{name}{query if name == 'breakdowns' else ''}"
        _, tables = tables_asked(program, path)
        # Responses are counted in the transaction that stores them.
        assert tables <= {*ASKED_ALWAYS, *INPUTS, "response"}


def close(survey):
    survey.state = Survey.State.CLOSED
    survey.save()


def open_now(survey):
    Openings.objects.filter(pk=survey.revision.pk).update(done_on="2026-01-01", looks=[])


def look_ahead(survey):
    PlannedLook.objects.create(
        revision=survey.revision, planned=5, responses=8, content=b"", as_of="2026-01-01"
    )


@pytest.mark.parametrize("change", [close, open_now, look_ahead])
def test_what_changes_how_figures_are_read_is_noticed(rf, owner, change):
    survey = one_of_each(owner, batch_size=1)
    store_rows(survey.revision, ["01010000" + "01" + "01" + "035"] * 8)
    token = token_shown(token_of(owner, survey, "read"))
    call = Call(rf.get("/"), token, Scope.READ)
    before = inputs_of_results(call, survey.pk)
    assert before == inputs_of_results(call, survey.pk)
    change(survey)
    assert inputs_of_results(call, survey.pk) != before


def with_counted(owner):
    return factories.launched(counted_draft(owner))


def with_sealed(owner):
    return locked_survey(owner, new_key("Registry"))


@pytest.mark.parametrize("make", [with_counted, with_sealed])
def test_where_figures_are_made_from_more_nothing_is_known_to_be_unchanged(rf, owner, make):
    survey = make(owner)
    token = token_shown(token_of(owner, survey, "read"))
    assert inputs_of_results(Call(rf.get("/"), token, Scope.READ), survey.pk) == ""


def test_who_lost_the_role_is_not_told_that_nothing_has_changed(client, owner):
    survey = one_of_each(owner, batch_size=1)
    store_rows(survey.revision, ["01010000" + "01" + "01" + "035"] * 8)
    grace = factories.make_user("grace")
    member = survey.memberships.create(user=grace, role="analyst")
    program = Program(token_of(grace, survey, "read"), client)
    path = f"surveys/{survey.pk}/estimates"
    tag = program.get(path).headers["ETag"]
    assert program.get(path, If_None_Match=tag).status_code == 304
    member.delete()
    refusal(program.get(path, If_None_Match=tag), 401)


def test_nothing_is_shown_of_too_few_people(client, owner):
    draft = factories.make_survey(owner, batch_size=5)
    first = factories.add_question(draft, text="Do you drive?", design="direct", required=True)
    second = factories.add_question(
        draft, text="Were you ever caught?", design="direct", required=True
    )
    factories.add_condition(second, first)
    survey = factories.launched(draft)
    item = questionnaire_of(survey.revision).items[1]
    store_rows(survey.revision, [f"00{item.not_asked}"] * 20 + ["0101"] * 3)
    content = reader(client, survey).get(f"surveys/{survey.pk}/estimates").json()
    few = content["questions"][1]
    assert few["state"] == "too_few"
    for name in ("n", "not_asked", "declined", "mean", "numbers"):
        assert few[name] is None
    for name in ("shares", "bins", "ranks", "tables"):
        assert few[name] == []
    assert few["missing"] == ""
    assert content["questions"][0]["state"] == "estimated"


def test_a_break_down_is_the_file_of_its_page(client, owner):
    survey = one_of_each(owner, batch_size=1)
    rows = [f"0101000000{car}035" for car in ("00", "01")]
    store_rows(survey.revision, rows * 20)
    program = reader(client, survey)
    reply = program.get(f"surveys/{survey.pk}/breakdowns?question=1&by=6")
    client.force_login(survey.owner)
    address = reverse("surveys:break-down-json", args=[survey.pk])
    assert reply.json() == client.get(f"{address}?question=1&by=6").json()
    refused = refusal(program.get(f"surveys/{survey.pk}/breakdowns?question=1&by=99"), 409)
    assert refused["pointer"] == "by"
    refusal(program.get(f"surveys/{survey.pk}/breakdowns"), 422)


def test_a_draft_has_checks_and_no_results_and_a_launched_survey_the_other_way_round(client, owner):
    draft = factories.make_survey(owner)
    program = reader(client, draft)
    content = program.get(f"surveys/{draft.pk}/checks").json()
    fits(content, "/surveys/{survey_id}/checks")
    assert content["is_ready"] is False
    for name in ("estimates", "codebook", "openings", "breakdowns"):
        refusal(program.get(f"surveys/{draft.pk}/{name}"), 404)
    survey = one_of_each(owner)
    refusal(reader(client, survey).get(f"surveys/{survey.pk}/checks"), 409)


def test_an_analyst_reads_no_checks_as_on_the_pages(client, owner):
    draft = factories.make_survey(owner)
    grace = factories.make_user("grace")
    draft.memberships.create(user=grace, role="analyst")
    program = Program(token_of(grace, draft, "read"), client)
    refusal(program.get(f"surveys/{draft.pk}/checks"), 403)


def test_erased_answers_are_gone_for_programs_too(client, owner):
    survey = one_of_each(owner)
    survey.erased_on = survey.revision.launched_at.date()
    survey.save()
    program = reader(client, survey)
    for name in ("estimates", "codebook", "openings"):
        refusal(program.get(f"surveys/{survey.pk}/{name}"), 404)
    assert program.get(f"surveys/{survey.pk}").status_code == 200


def test_a_definition_is_the_file_of_the_admin(client, owner):
    draft = factories.make_survey(owner)
    factories.add_one_of_each(draft)
    reply = reader(client, draft, "edit").get(f"surveys/{draft.pk}/definition")
    client.force_login(owner)
    address = reverse("admin:surveys_survey_definition", args=[draft.pk])
    assert reply.content == client.get(address).content


def test_no_answer_says_a_time(client, owner):
    """Days alone: a time of the day beside answers would tell who sent them."""
    survey = one_of_each(owner, batch_size=1)
    store_rows(survey.revision, ["01010000" + "01" + "01" + "035"] * 8)
    program = reader(client, survey, "read", "edit")
    for name in ("", "/estimates", "/codebook", "/openings", "/definition"):
        text = program.get(f"surveys/{survey.pk}{name}").content.decode()
        assert not re.search(r"\d\d:\d\d", text), name


def test_every_route_has_its_place_in_the_document():
    paths = document()["paths"]
    listed = {(verb.upper(), path) for path, verbs in paths.items() for verb in verbs}
    assert len(listed) == len(registered())
    assert json.dumps(document())
