"""A page is the same for all, and follows from its published file alone."""

import hashlib
import io
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from surveys.collecting.published.page_files import COMPARED
from surveys.trust.digests import page_digest, read_printed, revision_digest
from tests.arms import make_arms_survey
from tests.factories import (
    add_question,
    invite,
    make_adaptive_survey,
    make_invited_survey,
    make_lists,
    make_open_survey,
    make_rating_survey,
    make_survey,
)
from tests.translated import make_translated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
PAGES = ("", "how-it-works/", "own-coin/", "check/", "revision.json")


def address(survey, language="en", page=""):
    return f"/{language}/s/{survey.pk}/{page}"


def fetched(client, survey, language="en", items=()):
    """Each file's SHA-256 as somebody outside works it out, and the headers of all pages."""
    files, headers, loaded = {}, set(), set()
    for page in (*items, *(one for one in PAGES if one != "own-coin/" or not items)):
        reply = client.get(address(survey, language, page), secure=True)
        assert reply.status_code == 200, page
        content = reply.content
        if not page.endswith(".json"):
            headers.add(tuple((name, reply.headers[name]) for name in COMPARED))
            loaded |= set(re.findall(rb'(?:src|href)="(/[^"]+\.(?:js|css|svg))"', content))
        content = re.sub(rb'(name="key" value=")[0-9a-f]{32}', rb"\g<1>" + b"0" * 32, content)
        content = re.sub(rb'(id="page-digest">)[0-9a-f]{64}', rb"\g<1>" + b"0" * 64, content)
        files[address(survey, language, page)] = hashlib.sha256(content).hexdigest()
    for path in loaded:
        content = (Path(settings.STATIC_ROOT) / path.decode().removeprefix("/static/")).read_bytes()
        files[path.decode()] = hashlib.sha256(content).hexdigest()
    (only,) = headers
    return page_digest(language, dict(only), files).hex()


def fingerprint(client, survey, folder, *arguments):
    path = folder / "revision.json"
    path.write_bytes(client.get(address(survey, page="revision.json")).content)
    out = io.StringIO()
    call_command("fingerprint", str(path), *arguments, stdout=out)
    return dict(line.split(maxsplit=1) for line in out.getvalue().splitlines())


def said(client, survey, language="en"):
    page = client.get(address(survey, language, "check/")).content.decode()
    return (
        re.search('id="page-digest">([^<]*)', page)[1],
        re.search('id="printed-digest">([^<]*)', page)[1],
    )


@pytest.mark.parametrize(
    "make", [make_open_survey, make_lists, make_invited_survey, make_arms_survey]
)
def test_page_program_and_outsider_say_the_same_code(client, owner, make, tmp_path):
    survey = make(owner)
    worked_out = fetched(client, survey)
    digest, printed = said(client, survey)
    assert digest == worked_out
    revision = client.get(address(survey, page="revision.json"))
    assert read_printed(printed) == revision_digest(json.loads(revision.content))[:20]
    assert revision.headers["Content-Type"] == "application/json"
    with_file = fingerprint(client, survey, tmp_path)
    assert with_file == {"page": digest, "revision": printed.replace("-", "")}


def test_each_language_has_a_code_of_its_own_and_the_survey_has_one(client, owner, tmp_path):
    survey = make_translated(owner, "de", "ar")
    codes = {language: said(client, survey, language) for language in ("en", "de", "ar")}
    assert len({digest for digest, _ in codes.values()}) == 3
    assert len({printed for _, printed in codes.values()}) == 1
    for language, (digest, _) in codes.items():
        assert fetched(client, survey, language) == digest
        assert fingerprint(client, survey, tmp_path, "--language", language)["page"] == digest


def test_the_last_day_may_move_and_is_the_one_thing_that_has_to_be_said(client, owner, tmp_path):
    survey = make_open_survey(owner)
    before = said(client, survey)
    survey.close_on = timezone.now().date() + timedelta(days=9)
    survey.save()
    after = said(client, survey)
    assert after[0] != before[0]
    assert after[1] == before[1]
    moved = fingerprint(client, survey, tmp_path, "--last-day", survey.close_on.isoformat())
    assert moved["page"] == after[0] == fetched(client, survey)
    assert fingerprint(client, survey, tmp_path)["page"] == before[0]


def test_settings_of_the_machine_that_works_it_out_change_nothing(
    client, survey, tmp_path, settings
):
    expected = fingerprint(client, survey, tmp_path)
    assert expected["page"] == fetched(client, survey)
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 3600
    settings.ALLOWED_HOSTS = []
    out = io.StringIO()
    call_command("fingerprint", str(tmp_path / "revision.json"), stdout=out)
    assert expected["page"] in out.getvalue()


def test_no_database_is_asked(client, survey, tmp_path, django_assert_num_queries):
    path = tmp_path / "revision.json"
    path.write_bytes(client.get(address(survey, page="revision.json")).content)
    with django_assert_num_queries(0):
        call_command("fingerprint", str(path), stdout=io.StringIO())


def test_a_survey_whose_items_the_server_draws_says_that_it_cannot_be_compared(
    client, owner, tmp_path
):
    survey = make_adaptive_survey(owner)
    page = client.get(address(survey, page="check/")).content.decode()
    assert "it cannot be compared with the published program" in page
    assert "page-digest" not in page
    assert fingerprint(client, survey, tmp_path)["page"].startswith("cannot be compared")


def items_of(client, survey, folder, *numbers):
    """The options that give ``fingerprint`` the files of these questions."""
    for number in numbers:
        content = client.get(address(survey, page=f"items-{number}.json")).content
        (folder / f"items-{number}.json").write_bytes(content)
        yield from ("--items", str(folder / f"items-{number}.json"))


def test_a_page_that_draws_rated_items_is_the_same_for_all(client, owner, tmp_path):
    survey = make_rating_survey(owner)
    files = [f"items-{number}.json" for number in range(1, 5)]
    pages = {client.get(address(survey)).content for _ in range(20)}
    assert len(pages) == 1
    assert fetched(client, survey, items=files) == said(client, survey)[0]
    given = list(items_of(client, survey, tmp_path, 4, 2, 1, 3))
    assert fingerprint(client, survey, tmp_path, *given)["page"] == said(client, survey)[0]
    check = client.get(address(survey, page="check/")).content.decode()
    assert "--items items-1.json --items items-2.json" in check
    assert "this server draws the items on that page" in check


def test_fingerprint_asks_for_the_items_that_a_survey_has_and_for_no_others(
    client, owner, tmp_path
):
    survey = make_rating_survey(owner)
    given = list(items_of(client, survey, tmp_path, 1, 2, 3, 4))
    changed = tmp_path / "changed.json"
    changed.write_bytes((tmp_path / "items-1.json").read_bytes().replace(b"Item 1", b"Item I"))
    spaced = tmp_path / "spaced.json"
    spaced.write_bytes((tmp_path / "items-1.json").read_bytes() + b" ")
    empty = tmp_path / "empty.json"
    empty.write_bytes(b"[]")
    for files, words in (
        ([], "The files of rated items do not match this survey. Use exactly these files: "),
        (given[:-2], "items-1.json, items-2.json, items-3.json, items-4.json"),
        (
            ["--items", str(changed), *given[2:]],
            "The files of rated items do not match this survey. Use exactly these files: ",
        ),
        (["--items", str(spaced), *given[2:]], "not an items file of a launched survey"),
        (["--items", str(empty), *given], "not an items file of a launched survey"),
        (["--items", str(tmp_path / "gone.json"), *given], "No such file"),
    ):
        with pytest.raises(CommandError, match=words):
            fingerprint(client, survey, tmp_path, *files)
    with pytest.raises(
        CommandError, match=r"do not match this survey\. Use exactly these files: –"
    ):
        fingerprint(client, make_open_survey(owner), tmp_path, *given)


@pytest.mark.parametrize("page", ["check/", "revision.json"])
def test_a_draft_publishes_nothing(client, owner, page):
    draft = make_survey(owner)
    reply = client.get(address(draft, page=page))
    assert reply.status_code == client.get(address(draft)).status_code != 200
    assert "digest" not in reply.content.decode()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", 3),
        (b"\xff", 3),
        (b"[" * 100_000, 3),
        (b"[]", 1),
        (b"{}", 1),
        (b"null", 1),
        (b'{"survey": 1, "revision": 2}', 1),
        (b'{"survey": "x", "revision": "x", "deniable": 2}', 1),
    ],
)
def test_what_is_no_published_survey_is_refused(tmp_path, content, code):
    path = tmp_path / "revision.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        call_command("fingerprint", str(path))
    assert refused.value.returncode == code


def test_a_draft_or_a_changed_file_is_refused_by_fingerprint(client, survey, tmp_path):
    document = json.loads(client.get(address(survey, page="revision.json")).content)
    path = tmp_path / "revision.json"
    for change in (
        {"deniable": 3},
        {"items": [{"kind": "unknown"}]},
        {"minutes": 2.5},
        {"languages": []},
        {"revision": None},
        {"unknown": 1},
    ):
        path.write_text(json.dumps({**document, **change}))
        with pytest.raises(CommandError):
            call_command("fingerprint", str(path))
    path.write_text(json.dumps(document))
    with pytest.raises(CommandError, match="Choose from en"):
        call_command("fingerprint", str(path), "--language", "de")
    with pytest.raises(CommandError):
        call_command("fingerprint", str(path), "--last-day", "soon")


def test_an_author_reads_before_the_launch_that_the_document_becomes_public(client, owner):
    draft = make_survey(owner)
    add_question(draft)
    client.force_login(owner)
    page = client.get(reverse("admin:surveys_survey_launch", args=[draft.pk])).content.decode()
    assert "can read everything in this list as a file, revision.json" in page


def test_a_code_behind_the_door_changes_nothing(client, owner):
    survey = make_invited_survey(owner)
    before = fetched(client, survey)
    invite(survey, 3)
    assert fetched(client, survey) == before
