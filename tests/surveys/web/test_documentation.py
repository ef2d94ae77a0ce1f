"""/docs/: the documentation as it was built, for all; nothing outside its folder."""

import pytest
from django.urls import reverse_lazy

from tests import factories
from tests.conftest import ROOT

POLICY = "script-src 'self'"


@pytest.fixture
def built(settings, tmp_path):
    settings.DOCUMENTATION = tmp_path / "documentation"
    settings.DOCUMENTATION.mkdir()
    (settings.DOCUMENTATION / "index.html").write_text("<h1>Start</h1>")
    (tmp_path / "secret_key").write_text("not to be read")
    return settings.DOCUMENTATION


def test_the_first_page_is_shown_to_all_with_the_policy_of_every_page(client, built):
    reply = client.get("/docs/")
    assert reply.status_code == 200
    assert b"".join(reply.streaming_content) == b"<h1>Start</h1>"
    assert POLICY in reply.headers["Content-Security-Policy"]
    assert reply.cookies == {}


def test_where_it_is_not_built_there_is_no_page(client, settings, tmp_path):
    settings.DOCUMENTATION = tmp_path / "nothing"
    assert client.get("/docs/").status_code == 404


@pytest.mark.parametrize(
    "path", ["../secret_key", "%2e%2e/secret_key", "..%2fsecret_key", "x.html"]
)
def test_nothing_outside_its_folder_is_shown(client, built, path):
    reply = client.get(f"/docs/{path}")
    assert reply.status_code in {400, 404}
    assert b"not to be read" not in getattr(reply, "content", b"")


@pytest.fixture
def as_staff(client, db):
    client.force_login(factories.make_user("root", superuser=True))
    return client


FIRST_STEPS = reverse_lazy("admin:surveys_survey_first_steps")
LISTS = (reverse_lazy("surveys:list"), reverse_lazy("admin:index"), FIRST_STEPS)


@pytest.mark.parametrize("page", LISTS)
def test_staff_pages_lead_to_it_where_it_is_built(as_staff, built, settings, page):
    link = '<a href="/docs/">Documentation</a>'
    assert link in as_staff.get(page).content.decode()
    settings.DOCUMENTATION /= "nothing"
    assert link not in as_staff.get(page).content.decode()


def test_first_steps_lead_to_a_tutorial(as_staff, built):
    address = "/docs/tutorials/first-survey.html"
    assert address in as_staff.get(FIRST_STEPS).content.decode()
    assert (ROOT / "docs" / "tutorials" / "first-survey.md").exists()
