"""Each role in an environment of its lock alone: it starts, and passes its tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import get_resolver

from config.env import ROLES
from tests.conftest import ROOT
from tests.contracts.test_pools import addresses
from tests.load import gunicorn
from tests.people import Person

pytestmark = pytest.mark.audit
LARGEST_WEB = 400 * 1024 * 1024  # bytes of libraries
# What a role does, by tests that start its servers or its commands.
ITS_TESTS = {
    "web": """
        browser/test_answering browser/test_arms browser/test_checking browser/test_first_screen
        browser/test_going_back browser/test_invited browser/test_languages
        browser/test_long_lists browser/test_long_scales browser/test_more_kinds
        browser/test_other browser/test_random_order browser/test_rating_items
        browser/test_rules browser/test_sections browser/test_sixty_by_keyboard
        browser/test_ticks browser/test_two_questions browser/test_work
        promises/test_p3_truth_stays promises/test_p4_channel promises/test_p4_marks
        promises/test_p4_subsets promises/test_p5_arms promises/test_p5_constant_shape
        promises/test_p5_protected_rules promises/test_p5_rules promises/test_p5_sixty
        promises/test_p12_counted_once surveys/collecting/test_restart
    """,
    "staff": """
        browser/test_accounts browser/test_admin_question_page browser/test_building
        browser/test_comparisons browser/test_exports browser/test_forms_after_login
        browser/test_private_trees browser/test_question_list
        browser/test_ranking_pages browser/test_releases browser/test_released_totals
        browser/test_researcher_pages browser/test_topic_reports promises/test_p9_deployable
    """,
    "worker": """
        analytics/test_tasks surveys/fieldwork/test_mailing_worker
        surveys/operations/test_backup promises/test_p15_ledger
    """,
}


@pytest.fixture(scope="module")
def environments(tmp_path_factory) -> dict[str, Path]:
    """A new environment for each role, with what its lock pins and nothing else."""
    room = tmp_path_factory.mktemp("environments")
    for role in ROLES[1:]:
        subprocess.run([sys.executable, "-m", "venv", str(room / role)], check=True)
        install = ["-m", "pip", "install", "--quiet", "--require-hashes", "-r"]
        lock = ROOT / "config" / f"{role}.lock"
        subprocess.run([str(room / role / "bin" / "python"), *install, str(lock)], check=True)
    return {role: room / role for role in ROLES[1:]}


@pytest.mark.parametrize("role", ROLES[1:])
def test_each_role_passes_its_tests_in_an_environment_of_its_lock_alone(role, environments):
    files = [f"tests/{name}.py" for name in ITS_TESTS[role].split()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *files],
        cwd=ROOT,
        env={**_plain(), "TESTED_ROLE": f"{role}:{environments[role] / 'bin' / 'python'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " skipped" not in done.stdout


def _plain() -> dict[str, str]:
    """Without what this run of tests set for itself."""
    return {name: one for name, one in os.environ.items() if not name.startswith("DENIABLE_")}


def at_its_end(person: Person, address: str) -> int:
    """The status there, or at the same address below a language, to which one without leads."""
    reply = person.ask(address)
    below_a_language = re.fullmatch("/[a-z]+" + re.escape(address), reply.location)
    return person.ask(reply.location).status if below_a_language else reply.status


@pytest.mark.parametrize("role", ["web", "staff"])
def test_an_address_of_another_role_is_not_there(
    role, environments, transactional_db, tmp_path, monkeypatch
):
    python = environments[role] / "bin" / "python"
    monkeypatch.setattr("tests.roles.ROLE", role)
    monkeypatch.setattr("tests.roles.PYTHON", str(python))
    known = dict(addresses(get_resolver().url_patterns))
    with gunicorn(tmp_path / "log.txt") as server:
        person = Person(server.port)
        statuses = {address: at_its_end(person, address) for address in known}
    theirs = {one for one, view in known.items() if view.startswith("surveys.collecting")}
    foreign = set(known) - theirs - {"/health/", "/release.json"} if role == "web" else theirs
    assert {statuses[address] for address in foreign} == {404}
    assert statuses["/health/"] == statuses["/release.json"] == 200
    if role == "staff":  # who is not logged in is led to the login
        assert {statuses[one] for one in ("/surveys/", "/admin/", "/surveys/plan/")} == {302}


LOADED = """
import django
django.setup()
from django.core.management import get_commands, load_command_class
ours = ("surveys", "ranking", "analytics")
names = {name: app for name, app in get_commands().items() if app in ours}
print(*[load_command_class(app, name).__module__.rpartition(".")[2] for name, app in names.items()])
"""


@pytest.mark.parametrize("role", ["staff", "worker"])
def test_every_command_of_ours_loads_beside_tasks_and_beside_pages(role, environments, tmp_path):
    variables = {"DENIABLE_ROLE": role, "DENIABLE_DATA_DIR": str(tmp_path), "DENIABLE_HTTPS": "off"}
    done = subprocess.run(
        [str(environments[role] / "bin" / "python"), "-c", LOADED],
        cwd=ROOT,
        env={**_plain(), **variables, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"invite", "plan_reminders", "doctor", "release"} <= set(done.stdout.split())


def test_the_libraries_of_web_are_small(environments):
    (packages,) = environments["web"].glob("lib/*/site-packages")
    taken = subprocess.check_output(["du", "-sb", str(packages)], text=True)
    assert int(taken.split()[0]) <= LARGEST_WEB, taken


def test_the_environment_of_staff_prepares_the_demonstration(environments, tmp_path):
    variables = {"DENIABLE_DATA_DIR": str(tmp_path), "DENIABLE_HTTPS": "off"}
    done = subprocess.run(
        [str(environments["staff"] / "bin" / "python"), "manage.py", "demo"],
        cwd=ROOT,
        env={**_plain(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Read the estimates" in done.stdout
