"""/release.json names every file of the program that makes respondents' pages, with its digest."""

import hashlib
import json
import re
import shutil

import pytest
from django.conf import settings

from surveys import VERSION
from surveys.web.release_files import paths, release_file

NAMED = re.compile(r"""{% (extends|include|static) ["']([^"']+)["']""")
IMPORTED = re.compile(r"""(?:from|import) ["']\./([^"']+)["']""")


@pytest.fixture(scope="module")
def files():
    return paths(settings.BASE_DIR)


@pytest.mark.django_db
def test_it_says_the_version_and_the_digest_of_each_file(client, files):
    reply = client.get("/release.json")
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "application/json")
    assert reply.headers["Cache-Control"] == "public, max-age=300"
    assert not reply.cookies
    said = json.loads(reply.content)
    assert (said["version"], list(said["files"])) == (VERSION, files)
    for path, digest in said["files"].items():
        content = (settings.BASE_DIR / path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, path


def test_nothing_that_those_files_name_is_missing(files):
    named = set()
    for path in files:
        if path.startswith("templates/"):
            for kind, name in NAMED.findall((settings.BASE_DIR / path).read_text()):
                named.add(f"{'static' if kind == 'static' else 'templates'}/{name}")
        if path.endswith(".js"):
            folder = path.rpartition("/")[0]
            text = (settings.BASE_DIR / path).read_text()
            named |= {f"{folder}/{name}" for name in IMPORTED.findall(text)}
    assert len(named) > 30
    assert named <= set(files)


def test_a_file_that_is_changed_missing_or_more_is_noticed(tmp_path, files):
    for path in files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(settings.BASE_DIR / path, tmp_path / path)
    before = release_file(tmp_path, VERSION)
    assert before == release_file(settings.BASE_DIR, VERSION)
    for path in files:
        content = (tmp_path / path).read_bytes()
        (tmp_path / path).write_bytes(content + b" ")
        assert release_file(tmp_path, VERSION) != before, path
        (tmp_path / path).write_bytes(content)
    assert release_file(tmp_path, "another version") != before
    more = tmp_path / "static/surveys/collecting/more.js"
    more.write_text("")
    assert release_file(tmp_path, VERSION) != before
    more.unlink()
    (tmp_path / files[-1]).unlink()
    assert release_file(tmp_path, VERSION) != before
