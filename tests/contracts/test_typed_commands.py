"""Every command that a page tells people to type is understood by the program that it names."""

import re
from dataclasses import fields
from importlib.util import find_spec

import pytest
from django.core.management import CommandError, get_commands, load_command_class

from config import env
from tests.conftest import ROOT
from tests.typed import BLOCK, PAGES, Typed, commands_of

ALL = [command for page in PAGES for command in commands_of(page)]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
# What pages write where a person puts something of their own.
OWN = {
    "SURVEY": "6e83bbe9-7512-50da-a547-31f1c16fda10",
    "FILE": "file",
    "NAME": "anna",
    "PLACE": "place",
}
# What no test runs, and why.
NOT_RUN = {
    "systemctl": "needs systemd; the units are run by tests/audit/test_container_audit.py",
    "systemd-run": "needs systemd; the units are run by tests/audit/test_container_audit.py",
    "podman": "needs a container engine; its steps are run by tests/audit/test_container_audit.py",
    "useradd": "changes accounts of the machine",
    "install": "changes folders of the machine that the service's account owns",
    "git": "fetches the program from where its operator has it from",
    "pip": "fetches packages from an index",
    "cd": "goes to a folder",
    "ln": "links a folder of the machine; run by tests/audit/test_upgrade_audit.py",
    "find": "deletes backups of the machine; run by tests/audit/test_container_audit.py",
    "cp": "copies files of deploy/, whose content has tests of its own",
    "chmod": "changes a file that the line above it copied",
    "sudo": "changes a database server of the machine",
    "curl": "asks a site in service",
    "pip install": "fetches packages from an index",
    "sha256sum": "checks a deposit; run by tests/surveys/results/deposit/test_contents.py",
    "python": "runs a deposit's script; run by tests/surveys/results/deposit/test_figures.py",
    "Rscript": "runs a deposit's script; run by tests/audit/test_deposit_audit.py",
    ".venv/bin/dask": "needs certificates and two machines; see tests/analytics/clusters.py",
}


def parsed(command: Typed) -> str:
    """What the command's own parser says against it; empty if it would run."""
    name, *rest = command.management
    if name not in get_commands():
        return f"there is no command {name}"
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    try:
        parser.parse_args([OWN.get(word, word) for word in rest])
    except CommandError as problem:
        shortened = command.in_sentence and re.search(
            "required|expected one argument", str(problem)
        )
        return "" if shortened else str(problem)
    except SystemExit as end:  # --help
        return str(end.code or "")
    return ""


def test_commands_are_found_on_the_pages_that_have_them():
    pages = {command.page for command in ALL if command.management and not command.in_sentence}
    assert pages >= {
        *("administering.md", "first-survey.md", "operating.md", "python.md", "ranking.md"),
        *("releases.md", "retention.md", "topics.md"),
    }
    assert len(ALL) > 100


@pytest.mark.parametrize("command", [one for one in ALL if one.management], ids=str)
def test_the_commands_own_parser_understands_it(command):
    if command.management[0] not in ("COMMAND", "…"):
        assert parsed(command) == ""


@pytest.mark.parametrize("command", [one for one in ALL if not one.management], ids=str)
def test_a_program_is_ours_and_there_or_is_listed_with_the_reason_why_no_test_runs_it(command):
    program = command.words[0]
    if command.module and command.module != "pip":
        assert find_spec(command.module), command
    elif program == "make":
        assert command.words[1] in TARGETS, command
    elif re.fullmatch(r"[a-z]+=/\S+", program):
        assert not command.words[1:], command  # a variable of the shell
    elif program not in ("deniable", "gunicorn"):  # demo and serve, run by the audit
        assert ("pip" if command.module else program) in NOT_RUN, command


@pytest.mark.parametrize("command", [one for one in ALL if one.settings], ids=str)
def test_a_setting_before_a_command_is_one(command):
    known = {f"DENIABLE_{field.name.upper()}" for field in fields(env.Environment)}
    for setting in command.settings:
        assert setting.partition("=")[0] in {*known, "PATIENCE", "ORACLES"}, setting


def test_a_page_with_python_is_run_by_its_own_test():
    pages = {page.name for page in PAGES if "python" in dict(BLOCK.findall(page.read_text()))}
    run = {
        "analysing.md": "tests/surveys/results/test_analysing_page.py",
        "python.md": "tests/contracts/test_python_page.py",
        "from-r.md": "tests/contracts/test_from_r_page.py",
        "programs.md": "tests/surveys/programs/test_page.py",
        **{
            page.name: "tests/docs/test_gallery.py"
            for page in (ROOT / "docs" / "gallery").glob("*.md")
        },
    }
    assert pages == set(run), f"only these are run: {run}"


def test_what_is_wrong_is_found():
    wrong = ("plan --eror 0.05", "plann", "invite SURVEY --count many")
    assert all(parsed(Typed("x.md", (), ("manage.py", *line.split()), False)) for line in wrong)
