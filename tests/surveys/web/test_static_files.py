"""Static files: named by content, intact, and without anything that marks a browser."""

import base64
import hashlib
import re
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage

from surveys.web.static_files import HashedStaticFiles, integrity
from tests.conftest import ROOT

pytestmark = pytest.mark.usefixtures("_static_files")
MODULES = sorted(file.stem for file in (ROOT / "static/surveys/collecting").glob("*.js"))


def collected(name: str) -> Path:
    from django.contrib.staticfiles.storage import staticfiles_storage

    return Path(settings.STATIC_ROOT) / staticfiles_storage.stored_name(name)


@pytest.mark.parametrize("module", MODULES)
def test_imports_between_modules_name_the_hashed_files(module):
    text = collected(f"surveys/collecting/{module}.js").read_text()
    for imported in re.findall(r'from\s+"([^"]+)"', text):
        assert re.search(r"\.[0-9a-f]{12}\.js$", imported), imported


def test_a_script_whose_import_was_not_built_is_left_out_and_no_other(tmp_path):
    scripts = {"a.js": 'import { b } from "./b.js";\n', "b.js": "export const b = 1;\n"}
    scripts["c.js"] = 'import { d } from "./vendor/d.js";\n'
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    folder = FileSystemStorage(tmp_path)
    storage = HashedStaticFiles(location=tmp_path, base_url="/static/")
    storage.manifest_storage = folder
    served = {name for name, _, _ in storage.post_process({n: (folder, n) for n in scripts})}
    assert {"a.js", "b.js"} <= served
    assert not any(name.startswith("c") for name in served)


@pytest.mark.parametrize("module", MODULES)
def test_integrity_is_the_sha384_of_the_served_bytes(module):
    digest = hashlib.sha384(collected(f"surveys/collecting/{module}.js").read_bytes()).digest()
    assert (
        integrity(f"surveys/collecting/{module}.js")
        == "sha384-" + base64.b64encode(digest).decode()
    )


@pytest.mark.django_db(transaction=True)
def test_static_files_are_served_compressed_forever_and_without_validators(server):
    from django.contrib.staticfiles.storage import staticfiles_storage

    address = server.url + staticfiles_storage.url("surveys/collecting/respond.css")
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as reply:
        headers = reply.headers
    assert headers["Content-Encoding"] == "gzip"
    assert "immutable" in headers["Cache-Control"]
    assert headers["ETag"] is headers["Last-Modified"] is headers["Set-Cookie"] is None
