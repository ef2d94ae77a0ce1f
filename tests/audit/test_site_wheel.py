"""The site as a wheel, in an empty environment: one package, and a demonstration that works."""

import hashlib
import html
import json
import os
import re
import select
import signal
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode, urljoin

import pytest

from surveys import VERSION
from surveys.web.release_files import NAME, release_file
from tests import patience
from tests.audit import wheels
from tests.audit.wheels import run
from tests.conftest import free_port

SERVICE = "deniable/site/"
REPORT_MADE = "What was charged"
START = 4 * patience.SECONDS  # it sends 6,366 answers first
FIELD = re.compile(r"<input[^>]*?name=\"(\w+)\"[^>]*?>", re.DOTALL)

pytestmark = pytest.mark.audit


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return wheels.build(wheels.ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    return wheels.install(tmp_path_factory.mktemp("environment"), f"{wheel}[demo]")


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Without what the tests set for themselves."""
    ours = ("DENIABLE_", "DJANGO_", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


class Demonstration:
    """A running ``deniable demo``, and a browser with cookies that looks at it."""

    def __init__(self, command: Path, directory: Path, environment: dict[str, str]) -> None:
        self.log = directory / "log.txt"
        arguments = [str(command), "demo", "--port", str(free_port())]
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                arguments, cwd=directory, env=environment, stdout=output, stderr=output
            )
        self.cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self.browser = urllib.request.build_opener(self.cookies)
        self.wait("Booting worker", self.log.read_text)

    def wait(self, words: str, read) -> str:
        """Read again and again until these words are there."""
        deadline = time.monotonic() + START
        while words not in (found := read()):
            assert time.monotonic() < deadline, found
            assert self.process.poll() is None, found
            select.select([], [], [], 0.2)
        return found

    def link(self, label: str) -> str:
        """What was printed beside a label."""
        found = re.search(rf"{label} +(?:with the password )?(\S+)", self.log.read_text())
        assert found, label
        return found[1]

    def get(self, url: str) -> str:
        with self.browser.open(url, timeout=patience.SECONDS) as response:
            self.url = response.url
            return html.unescape(response.read().decode())

    def send(self, page: str, url: str, **answers: str) -> str:
        """The fields of a page as they stand, with these answers, sent to an address."""
        inputs = re.findall(r"<input[^>]*>", page)
        kept = {}
        for field in inputs:
            name, value = (re.search(rf'{key}="([^"]*)"', field) for key in ("name", "value"))
            is_chosen = not re.search(r'type="(?:radio|checkbox)"', field) or "checked" in field
            if name and value and is_chosen:
                kept[name[1]] = value[1]
        for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', page, re.DOTALL):
            chosen = re.search(r'value="([^"]*)" selected', options)
            kept[name] = (chosen or re.search(r'value="([^"]*)"', options))[1]
        body = urlencode(kept | answers).encode()
        headers = {"Referer": self.url, "Origin": self.url[: self.url.index("/", 8)]}
        request = urllib.request.Request(url, body, headers)
        with self.browser.open(request, timeout=patience.SECONDS) as response:
            self.url = response.url
            return html.unescape(response.read().decode())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(patience.SECONDS)


@pytest.fixture(scope="module")
def running(python, environment, tmp_path_factory) -> Iterator[Demonstration]:
    directory = tmp_path_factory.mktemp("operator")
    running = Demonstration(python.with_name("deniable"), directory, environment)
    yield running
    running.process.kill()
    running.process.wait()


def test_the_wheel_puts_one_name_at_the_top_of_site_packages(wheel, python):
    names = run(python, "-m", "zipfile", "-l", wheel).splitlines()[1:]
    assert {name.partition("/")[0] for name in names} == {
        "deniable",
        f"deniable-{VERSION}.dist-info",
    }
    assert not [name for name in names if "/tests/" in name or "__pycache__" in name]


def test_it_carries_the_statistics_package_and_both_licences(wheel, python):
    names = run(python, "-m", "zipfile", "-l", wheel)
    assert f"{SERVICE}surveys/randomized_response/__init__.py" in names
    assert "dist-info/licenses/LICENSE" in names
    assert "dist-info/licenses/surveys/randomized_response/LICENSE" in names


def test_it_carries_the_digests_of_the_files_it_was_built_from(wheel, running):
    with zipfile.ZipFile(wheel) as opened:
        carried = opened.read(f"{SERVICE}{NAME}")
        for path, digest in json.loads(carried)["files"].items():
            assert hashlib.sha256(opened.read(f"{SERVICE}{path}")).hexdigest() == digest
    assert carried == release_file(wheels.ROOT, VERSION)
    site = running.link("Answer a survey").partition("/en/")[0]
    assert running.get(f"{site}/release.json") == carried.decode()


def test_any_command_of_the_site_runs_and_data_goes_where_it_is_called(
    python, environment, tmp_path
):
    command = [python.with_name("deniable")]
    said = subprocess.check_output([*command, "version"], cwd=tmp_path, env=environment, text=True)
    assert said == f"Deniable {VERSION}\n"
    subprocess.run([*command, "migrate", "-v0"], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "var" / "deniable.sqlite3").is_file()
    elsewhere = environment | {"DENIABLE_DATA_DIR": str(tmp_path / "data")}
    subprocess.run([*command, "migrate", "-v0"], cwd=tmp_path, env=elsewhere, check=True)
    assert (tmp_path / "data" / "deniable.sqlite3").is_file()
    subprocess.run([*command, "serve", "--check-config"], cwd=tmp_path, env=environment, check=True)
    failed = subprocess.run([*command, "nothing"], cwd=tmp_path, env=environment, check=False)
    assert failed.returncode == 1


def test_its_demonstration_serves_a_survey_a_dashboard_and_a_report_on_texts(running):
    page = running.get(running.link("Answer a survey"))
    assert "Small sins" in page
    scripts = re.findall(r'<script[^>]* src="([^"]+)"', page)
    found = [running.get(urljoin(running.url, script)) for script in scripts]
    assert any("data-needs-script" in script for script in found)

    dashboard = running.link("Read the estimates")
    login = running.get(dashboard)
    page = running.send(login, running.url, login="admin", password=running.link("Log in as admin"))
    assert "Have you had an affair during your marriage?" in page
    assert "6,360" in page  # whole batches; six wait

    form = running.get(f"{dashboard}reports/")
    page = running.send(form, f"{dashboard}reports/new/", share="1/4", topics="6")
    report = running.url
    page = running.wait(REPORT_MADE, lambda: running.get(report))
    assert re.search(r"topics? in\s+5,\d{3} texts", page)


def test_a_signal_stops_its_server_and_its_worker(running):
    assert running.stop() == 0
    with pytest.raises(urllib.error.URLError):
        running.get(running.link("Answer a survey"))
