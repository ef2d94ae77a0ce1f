"""/docs/: the documentation as it was built, for all; nothing outside its folder."""

import pytest

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
