"""The container and the compose file of ``deploy/`` keep what the services promise."""

import os
import re
import signal
import subprocess
from fnmatch import fnmatch

import yaml

from config import env, server
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
STEPS = (DEPLOY / "Containerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = {name: one for name, one in COMPOSE["services"].items() if name != "database"}
TARGETS = dict(re.findall(r"^FROM base AS (\w+)\n(.*?)(?=^FROM|\Z)", STEPS, re.M | re.S))
LEFT_OUT = (ROOT / ".containerignore").read_text().split()


def settings() -> dict[str, str]:
    lines = (DEPLOY / "compose.env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_a_container_runs_as_an_account_of_its_own_and_cannot_change_itself():
    assert re.search(r"useradd .* (\w+)$", STEPS, re.M)[1] == "deniable"
    for steps in TARGETS.values():
        assert steps.index("COPY . .") < steps.index("USER deniable") < steps.index("CMD")
    for name, service in OURS.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["read_only"] is True, name
        assert service["security_opt"] == ["no-new-privileges:true"], name


def test_each_role_has_an_image_with_the_libraries_of_its_lock_alone():
    assert tuple(TARGETS) == env.ROLES[1:]
    for role, steps in TARGETS.items():
        assert re.findall(r"config/(\w+)\.lock", steps) == [role] * 3
        assert f"ENV DENIABLE_ROLE={role}\n" in steps
    for name, service in OURS.items():
        role = name if name in TARGETS else "worker"
        assert service["image"] == f"deniable-{role}", name
        assert service["build"]["target"] == role, name


def test_its_account_has_a_number_that_the_operator_can_give_a_directory_to():
    numbers = re.search(r"useradd .*--uid (\d+) --gid (\d+)", STEPS).groups()
    assert re.search(r"groupadd .*--gid (\d+) deniable", STEPS)[1] == numbers[1]
    page = (ROOT / "docs" / "operating.md").read_text()
    assert "install -d -o {} -g {} -m 0700".format(*numbers) in page


def test_its_programs_make_backups_of_the_database_beside_it():
    """``pg_dump`` refuses a newer server; each release of Debian has one version of it."""
    client = re.search(r"apt-get install .*postgresql-client-(\d+)", STEPS)[1]
    base = re.search(r"^FROM python:[\d.]+-slim-(\w+)", STEPS, re.M)[1]
    assert COMPOSE["services"]["database"]["image"] == f"postgres:{client}-{base}"


def test_no_secret_and_no_answer_is_copied_into_it():
    for name in (".git", "var", "tests"):
        assert name in LEFT_OUT
    for needed in ("config", "surveys", "ranking", "analytics", "templates", "static", "deploy"):
        assert not any(fnmatch(needed, pattern) for pattern in LEFT_OUT), needed


def test_the_pages_are_for_the_proxy_of_this_machine_alone():
    port = server.bind.rpartition(":")[2]
    assert OURS["web"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert OURS["staff"]["ports"] == [f"127.0.0.1:8001:{port}"]
    assert [name for name, one in COMPOSE["services"].items() if "ports" in one] == ["web", "staff"]


def test_what_has_to_happen_by_itself_has_a_container_and_all_share_the_keys():
    assert {one["command"][0] for one in OURS.values()} == {
        "migrate",
        "web",
        "staff",
        "worker",
        "reports",
        "dates",
    }
    assert all(one["volumes"] == ["data:/var/lib/deniable"] for one in OURS.values())


def test_the_container_of_dates_opens_within_a_minute_and_erases_beside_it(tmp_path):
    """Its script, with a stand-in for Python that writes down what it was asked and takes long."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$2" >> asked\nexec sleep 100\n')
    python.chmod(0o700)
    script = [str(DEPLOY / "container.sh"), "dates"]
    process = subprocess.Popen(["sh", *script], cwd=tmp_path, start_new_session=True)
    try:
        while not (asked := tmp_path / "asked").exists() or len(asked.read_text().split()) < 2:
            assert process.poll() is None
            os.sched_yield()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert set(asked.read_text().split()) == {"opening", "retention"}
    opening = (DEPLOY / "container.sh").read_text().partition("manage.py opening")[2]
    assert int(re.search(r"sleep (\d+)", opening)[1]) <= 50


def test_the_database_logs_no_statement_and_keeps_no_old_log():
    said = COMPOSE["services"]["database"]["command"]
    assert {"log_statement=none", "log_min_duration_statement=-1", "wal_recycle=off"} <= set(said)


def test_the_settings_of_the_example_are_understood(tmp_path):
    ours = {name: value for name, value in settings().items() if name.startswith(env.PREFIX)}
    read = env.read({**ours, "DENIABLE_DATA_DIR": str(tmp_path)})
    assert (read.https, read.behind_proxy, read.require_mfa) == (True, True, True)
    assert settings()["POSTGRES_PASSWORD"] in read.database_url
