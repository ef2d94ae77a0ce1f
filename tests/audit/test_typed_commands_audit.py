"""Commands that pages tell people to type, run as they are written, with files of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import accessible, patience
from tests.conftest import ROOT, free_port, wait_until_listening
from tests.typed import PAGES, Typed, commands_of

BOOKS = "name,1,2,3,4,5\nEmma,1,2,9,20,41\nWalden,4,9,9,4,2\nUlysses,9,1,0,1,12\n"
ANSWERS = "town,age,mood\n" + "".join(
    f"{('North', 'South')[row % 2]},{20 + row % 60},{('Bad', 'Fair', 'Good')[row % 3]}\n"
    for row in range(300)
)
FILES = {
    "books.csv": BOOKS,
    "units.json": '{"Algebra": [9, 20, 41], "Logic": [20, 30, 3], "Sets": [4, 5, 6]}',
    "answers.csv": ANSWERS,
}
# These need no site; those of docs/python.md and docs/topics.md are run in `make test`.
ON_FILES = [
    command
    for page in PAGES
    for command in commands_of(page)
    if command.management[:1] in (("rank",), ("release",), ("plan_reminders",))
    and not command.in_sentence
]
EMPTY_SITES = ("first-survey.md", "operating.md")
PASSWORD = "walk the tutorial"


def manage(words: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """``manage.py`` with these words, called in a folder that is its data directory as well."""
    variables = {"DENIABLE_DATA_DIR": str(folder), "DENIABLE_HTTPS": "off"}
    kept = {name: one for name, one in os.environ.items() if not name.startswith("DENIABLE_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        cwd=folder,
        env={**kept, **variables, "DJANGO_SUPERUSER_PASSWORD": PASSWORD},
        input=BOOKS,
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        check=False,
    )


@pytest.mark.audit
@pytest.mark.parametrize("command", ON_FILES, ids=str)
def test_a_command_on_files_runs_as_it_is_written(tmp_path, command):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    done = manage(command.management, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.audit
@pytest.mark.parametrize("name", EMPTY_SITES)
def test_an_empty_site_is_made_and_served_as_the_page_says(tmp_path, name):
    page = next(page for page in PAGES if page.name == name)
    typed = [one for one in commands_of(page) if not one.in_sentence]
    last = next(place for place, one in enumerate(typed) if one.settings)
    assert typed[last].module in ("gunicorn", "config.deniable")
    for command in typed[:last]:
        if command.management:
            done = manage(_without_questions(command), tmp_path)
            assert done.returncode == 0, (command, done.stderr)
    variables = dict(setting.split("=", 1) for setting in typed[last].settings)
    with serving(typed[last].words[1:], tmp_path, **variables) as site:
        assert "Log in" in urlopen(site, timeout=patience.SECONDS).read().decode()


DOCUMENTATION = ROOT / "docs"


@pytest.mark.audit
@pytest.mark.browser
def test_the_documentation_as_it_is_served_keeps_its_policy_and_asks_no_other_origin(
    tmp_path, page
):
    for words in (("migrate",), ("collectstatic", "--no-input"), ("documentation",)):
        assert manage(words, tmp_path).returncode == 0
    server = ("-m", "gunicorn", "-c", "config/server.py", "--bind", "127.0.0.1:8000", "config.wsgi")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(accessible.WATCH)
    with serving(server, tmp_path, DENIABLE_HTTPS="off") as site:
        for written in sorted(DOCUMENTATION.rglob("*.md")):
            name = written.relative_to(DOCUMENTATION).with_suffix(".html").as_posix()
            reply = page.goto(f"{site}/docs/{name}")
            assert reply.status == 200, name
            accessible.check(page, name)
        page.get_by_label("Search").fill("ghost ratings")
        page.get_by_label("Search").press("Enter")
        accessible.check(page, "the search")
        page.locator(".results a").first.click()
        page.wait_for_url(f"{site}/docs/ranking.html*")
    assert [address for address in asked if not address.startswith(f"{site}/")] == []


def _without_questions(command: Typed) -> tuple[str, ...]:
    """It asks at a terminal for a name and a password."""
    is_asking = command.management == ("createsuperuser",)
    extra = ("--no-input", "--username", "anna", "--email", "anna@example.org")
    return (*command.management, *(extra if is_asking else ()))


@contextmanager
def serving(words: Sequence[str], folder: Path, **variables: str) -> Iterator[str]:
    """The address of the server that these words after ``python`` start, on a free port."""
    port, log = free_port(), folder / "log.txt"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, *(word.replace("8000", str(port)) for word in words)],
            cwd=ROOT,
            env={**os.environ, **variables, "DENIABLE_DATA_DIR": str(folder)},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        wait_until_listening(process, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(patience.SECONDS)
