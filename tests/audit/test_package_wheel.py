"""The statistics package as a wheel, in an empty environment with numpy and SciPy alone."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.audit import wheels
from tests.audit.wheels import ROOT, run

PACKAGE = ROOT / "surveys" / "randomized_response"
TESTS = "tests/surveys/randomized_response"
LARGEST = 1_000_000  # bytes

pytestmark = pytest.mark.audit


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return wheels.build(PACKAGE, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The interpreter of an environment that has nothing but the wheel and what tests need."""
    directory = tmp_path_factory.mktemp("environment")
    return wheels.install(directory, str(wheel), "pytest", "hypothesis", "threadpoolctl")


def test_the_wheel_is_small_and_has_its_licence_and_types(wheel):
    assert wheel.stat().st_size < LARGEST
    names = run(sys.executable, "-m", "zipfile", "-l", wheel)
    assert "randomized_response/py.typed" in names
    assert "licenses/LICENSE" in names


def test_its_own_tests_examples_and_oracles_pass_where_it_is_installed(python, tmp_path):
    """The site's copy is not there, so no test can take it by mistake."""
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("*.pyc"))
    (tmp_path / "surveys" / "randomized_response").mkdir(parents=True)
    for name in ("README.md",):
        shutil.copy(PACKAGE / name, tmp_path / "surveys" / "randomized_response")
    (tmp_path / "tests" / "conftest.py").unlink()
    said = run(
        python,
        "-m",
        "pytest",
        "-c",
        f"{TESTS}/pytest.ini",
        "-p",
        "no:cacheprovider",
        TESTS,
        "tests/oracles/test_rr_oracles.py",
        cwd=tmp_path,
    )
    assert "passed" in said
    where = "import randomized_response; print(randomized_response.__file__)"
    assert "site-packages" in run(python, "-c", where, cwd=tmp_path)


def test_its_command_works_without_django(python, tmp_path):
    said = run(
        python,
        "-m",
        "randomized_response",
        "plan",
        "--design",
        "warner",
        "--set",
        "p_direct=3/4",
        cwd=tmp_path,
    )
    assert "6,000" in said
    lines = run(python, "-m", "pip", "list", "--format", "freeze", cwd=tmp_path).lower().split()
    assert not any(line.startswith("django") for line in lines)
