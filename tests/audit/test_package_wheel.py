"""The statistics package as a wheel, in an empty environment with numpy and SciPy alone."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.audit import wheels
from tests.audit.wheels import ROOT, run

PACKAGE = ROOT / "surveys" / "randomized_response"
TESTS = "tests/surveys/randomized_response"
# pandas, which the package reads and does not need.
WITH_PANDAS = [
    str(path.relative_to(ROOT))
    for path in sorted((ROOT / TESTS).rglob("test_*.py"))
    if re.search(r"import pandas|\.to_frame\(", path.read_text())
]
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


@pytest.fixture
def tests(tmp_path) -> Path:
    """The tests without the site, so that none can take the site's copy by mistake."""
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("*.pyc"))
    (tmp_path / "surveys" / "randomized_response").mkdir(parents=True)
    shutil.copy(PACKAGE / "README.md", tmp_path / "surveys" / "randomized_response")
    (tmp_path / "tests" / "conftest.py").unlink()
    return tmp_path


def passed(python: Path, tests: Path, *names: str) -> bool:
    options = ("-c", f"{TESTS}/pytest.ini", "-p", "no:cacheprovider")
    return "passed" in run(python, "-m", "pytest", *options, *names, cwd=tests)


def test_its_own_tests_examples_and_oracles_pass_where_it_is_installed(python, tests, tmp_path):
    oracles = "tests/oracles/test_rr_oracles.py"
    ignored = [part for path in WITH_PANDAS for part in ("--ignore", path)]
    assert passed(python, tests, TESTS, oracles, *ignored)
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


def test_it_reads_labels_of_pandas_where_that_is_installed(wheel, tests, tmp_path_factory):
    own = ("pytest", "hypothesis", "threadpoolctl", "pandas")
    python = wheels.install(tmp_path_factory.mktemp("with-pandas"), str(wheel), *own)
    assert passed(python, tests, *WITH_PANDAS)
