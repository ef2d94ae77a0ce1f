"""``keys`` and ``texts`` on a researcher's machine: files, paper, exit codes; no database."""

import io
import json
import shutil
import stat

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from surveys.questionnaire.plans.seals import SUITE_NAME
from surveys.trust.digests import revision_digest
from surveys.trust.keyfiles import read_public
from surveys.trust.sealed_files import written
from surveys.trust.sealing import new_private, public_of
from surveys.trust.texts import seal_text
from surveys.trust.words import seal_word


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Two keys and their passphrase; made once, since that is slow on purpose."""
    folder = tmp_path_factory.mktemp("keys")
    (folder / "phrase").write_text("correct horse\n")
    for name in ("a.key", "b.key"):
        run("keys", "new", "Registry", folder / name, "--passphrase-file", folder / "phrase")
    return folder


@pytest.fixture
def folder(keys, tmp_path):
    shutil.copytree(keys, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(command, *arguments):
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def sealed_file_for(folder, *names):
    publics = [read_public((folder / f"{name}.public.json").read_bytes()) for name in names]
    revision = {
        "items": [{"longest": 20}],
        "seals": {
            "keys": [{"name": one.name, "key": one.key.hex()} for one in publics],
            "suite": SUITE_NAME,
        },
    }
    texts = [
        seal_text(
            text,
            [one.key for one in publics],
            revision=revision_digest(revision),
            question=1,
            longest=20,
        )
        for text in ("", "Yes, often", "=1+1")
    ]
    path = folder / "texts-1.json"
    path.write_text(written(revision, 1, texts))
    return path


def test_a_key_is_made_for_its_owner_alone(folder):
    path = folder / "a.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text())["name"] == "Registry"


def test_texts_are_opened_into_a_table_that_no_spreadsheet_runs(folder):
    """Two keys are both needed, in any order."""
    file, into = sealed_file_for(folder, "a.key", "b.key"), folder / "texts.csv"
    phrase = ["--passphrase-file", folder / "phrase"]
    opening = ["texts", "open", file, folder / "b.key", folder / "a.key", "--into", into]
    with pytest.raises(CommandError, match="once for each key file"):
        run(*opening, *phrase)
    assert not into.exists()
    said = run(*opening, *phrase, *phrase)
    assert sorted(into.read_text().splitlines()) == sorted(["text", '""', '"Yes, often"', "'=1+1"])
    assert said.startswith("3 people, of whom 2 wrote a text. Left out: 0")


def test_the_word_of_the_launch_page_is_read_with_its_key_alone(folder):
    phrase = ["--passphrase-file", folder / "phrase"]
    public = read_public((folder / "a.key.public.json").read_bytes())
    sealed = seal_word("7kq0vw3m", public.key).hex()
    assert run("texts", "word", folder / "a.key", sealed, *phrase) == "7kq0vw3m\n"
    for wrong in (seal_word("7kq0vw3m", public_of(new_private())).hex(), "", "zz", sealed[:-2]):
        with pytest.raises(
            CommandError,
            match="This word was sealed for another key, or a part of the word is missing",
        ):
            run("texts", "word", folder / "a.key", wrong, *phrase)


def test_paper_brings_a_lost_key_back(folder, monkeypatch):
    phrase = ["--passphrase-file", folder / "phrase"]
    name, code = run("keys", "paper", folder / "a.key", *phrase).splitlines()
    monkeypatch.setattr("sys.stdin", io.StringIO(code.upper() + "\n"))
    run("keys", "restore", name, folder / "again.key", *phrase)
    public = (folder / "a.key.public.json").read_bytes()
    assert (folder / "again.key.public.json").read_bytes() == public


def test_what_is_refused_is_refused_with_1(folder):
    phrase = ["--passphrase-file", folder / "phrase"]
    with pytest.raises(CommandError, match="This file is not a private key file") as refused:
        run("keys", "paper", folder / "a.key.public.json", *phrase)
    assert refused.value.returncode == 1


def test_files_that_cannot_be_read_or_would_be_lost_are_refused_with_3(folder):
    path = folder / "a.key"
    phrase = ["--passphrase-file", folder / "phrase"]
    (folder / "a.csv").write_text("kept")
    for arguments in (
        ("keys", "new", "A", path, *phrase),
        ("keys", "new", "A", folder / "no" / "c.key", *phrase),
        ("keys", "paper", folder / "none.key", *phrase),
        ("keys", "paper", folder, *phrase),
        ("keys", "paper", path, "--passphrase-file", folder / "none"),
        ("texts", "open", folder / "none", path, "--into", folder / "b.csv", *phrase),
        ("texts", "open", path, path, "--into", folder / "a.csv", *phrase),
        ("texts", "word", folder / "none", "00", *phrase),
    ):
        with pytest.raises(CommandError) as refused:
            run(*arguments)
        assert refused.value.returncode == 3, arguments
    assert (folder / "a.csv").read_text() == "kept"


def test_without_a_terminal_a_passphrase_has_to_come_from_a_file(folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(CommandError, match="--passphrase-file"):
        run("keys", "new", "A", folder / "c.key")
    assert not list(folder.glob("c.key*"))
