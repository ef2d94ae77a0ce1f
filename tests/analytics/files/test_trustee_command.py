"""``trustee`` and ``tally verify`` on people's own machines: keys, noise, shares, exit codes."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from surveys.trust.digests import canonical
from surveys.trust.tally.trustees import Trustee, check_tested
from tests.analytics.files.laptops import (
    BALLOTS,
    CHOICES,
    add_noise,
    document_of,
    give_share,
    make_key,
    noise_arguments,
    phrase,
    read,
    run,
    write_list,
)

pytestmark = pytest.mark.noise(fails=0, law="noise of 1/1000 is 0 but for one in e^500,000")
QUESTION = "ab" * 32


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """Two trustees' keys and a list of ballots; scrypt is slow on purpose, so once for all."""
    folder = tmp_path_factory.mktemp("trustees")
    document = document_of([make_key(folder, name) for name in ("a", "b")])
    write_list(folder / BALLOTS, document, CHOICES)
    return folder


@pytest.fixture
def folder(place, tmp_path) -> Path:
    for file in place.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_two_trustees_and_anybody_who_verifies_come_to_the_truth(folder):
    """With noise next to none, as they read; ``--jobs`` changes nothing."""
    noises = [folder / "a.noise", add_noise(folder, "b")]
    said = run("trustee", *noise_arguments(folder, "a", noises[0]))
    assert said.startswith("Noise of deviation 1/1000 for 6 ballots of table 1 of the survey ")
    shares = [give_share(folder, name, noises) for name in ("a", "b")]
    said = run("tally", "verify", folder / BALLOTS, *noises, *shares)
    assert json.loads(said) == {"counts": [1, 2, 3]}
    again = run("tally", "verify", folder / BALLOTS, *noises, *shares, "--jobs", 2)
    assert again == said


def test_the_launch_page_is_answered_with_the_key_alone(folder):
    said = run("trustee", "test", folder / "a.key", QUESTION, *phrase(folder)).strip()
    public = read(folder / "a.key.public.json")
    trustee = Trustee("A", bytes.fromhex(public["key"]), bytes.fromhex(public["proof"]))
    check_tested(trustee, bytes.fromhex(QUESTION), bytes.fromhex(said))
    for question in ("", "ab" * 31, "x" * 64):
        with pytest.raises(CommandError, match="64 hexadecimal digits"):
            run("trustee", "test", folder / "a.key", question, *phrase(folder))


@pytest.mark.audit
def test_a_key_comes_back_from_paper_and_draws_nothing_without_a_word(folder, monkeypatch):
    noise = add_noise(folder, "a")
    _, sheet = run("trustee", "paper", folder / "a.key", *phrase(folder)).strip().split("\n")
    monkeypatch.setattr("sys.stdin", io.StringIO(sheet))
    run("trustee", "restore", "A", folder / "again.key", *phrase(folder))
    into = folder / "again.noise"
    drawing = ["trustee", "noise", folder / "again.key", folder / BALLOTS,
               "--into", into, *phrase(folder)]  # fmt: skip
    with pytest.raises(CommandError, match="--no-noise-was-drawn"):
        run(*drawing)
    assert not into.exists()
    run(*drawing, "--earlier", noise)
    assert into.read_bytes() == noise.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"", b"{}\n", b"[]\n", b"null\n", b"\xff\n", b"[" * 100_000, b'{"deniable": "ballots 1"}\n'],
)
def test_what_is_no_list_of_ballots_is_refused(folder, content):
    (folder / BALLOTS).write_bytes(content)
    with pytest.raises(CommandError):
        add_noise(folder, "a")
    assert not (folder / "a.key.used").exists()


@pytest.mark.parametrize(
    ("member", "value"),
    [("table", True), ("table", 1.0), ("ballots", 2**32), ("ballots", True), ("more", 1)],
)
def test_a_list_whose_head_is_written_in_another_way_is_refused(folder, member, value):
    """Another name for the same table would have a record of its own, and so noise of its own."""
    path = folder / BALLOTS
    head, _, body = path.read_bytes().partition(b"\n")
    changed = json.dumps({**json.loads(head), member: value}, sort_keys=True, separators=(",", ":"))
    path.write_bytes(changed.encode() + b"\n" + body)
    with pytest.raises(CommandError):
        add_noise(folder, "a")
    assert not (folder / "a.key.used").exists()


@pytest.mark.parametrize("change", ["dropped", "cut", "more", "exchanged", "twice"])
def test_a_list_that_was_changed_is_refused(folder, change):
    path = folder / BALLOTS
    head, _, body = path.read_bytes().partition(b"\n")
    size = len(body) // len(CHOICES)
    changed = {
        "dropped": body[size:],
        "cut": body[:-1],
        "more": body + body[-size:],
        "exchanged": body[size : 2 * size] + body[:size] + body[2 * size :],
        "twice": body[:size] + body[:size] + body[2 * size :],
    }[change]
    path.write_bytes(head + b"\n" + changed)
    with pytest.raises(CommandError):
        add_noise(folder, "a")


def test_exit_codes_tell_a_refusal_from_a_file_that_cannot_be_read(folder):
    noise = add_noise(folder, "a")
    with pytest.raises(CommandError, match=r"exists already\. Give a new name") as problem:
        add_noise(folder, "a")
    assert problem.value.returncode == 3
    with pytest.raises(CommandError) as problem:
        run("tally", "verify", folder / "elsewhere", noise)
    assert problem.value.returncode == 3
    with pytest.raises(CommandError) as problem:
        run("tally", "verify", folder / BALLOTS, noise)
    assert problem.value.returncode == 1
    with pytest.raises(CommandError) as problem:
        run("tally", "verify", folder / BALLOTS, noise, "--jobs", 0)
    assert problem.value.returncode == 2


def test_a_key_of_texts_is_no_trustee_s(folder):
    run("keys", "new", "A", folder / "texts.key", *phrase(folder))
    with pytest.raises(CommandError, match="damaged"):
        run("trustee", "test", folder / "texts.key", QUESTION, *phrase(folder))


def test_a_public_half_has_the_proof_that_its_secret_is_known(folder):
    public = read(folder / "a.key.public.json")
    assert set(public) == {"deniable", "name", "kind", "key", "proof"}
    assert (public["kind"], public["name"]) == ("trustee", "A")
    private = read(folder / "a.key")
    assert private["key"] == public["key"]
    assert canonical(private).count(public["proof"].encode()) == 0
