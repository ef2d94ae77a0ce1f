"""The package is mathematics: it works where Django is not even importable."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.randomized_response import __name__ as NAME

ROOT = Path(__file__).parents[3]
IMPORT_ALL = """
import importlib, pkgutil, sys

class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError("Django was imported")

sys.meta_path.insert(0, NoDjango())
package = importlib.import_module({name!r})
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
outside = {{m.partition(".")[0] for m in sys.modules}} - set(sys.stdlib_module_names)
print(len(names), sorted(outside & {{"django", "pandas", "numpy", "scipy"}}))
estimate = package.estimates.estimate_prevalence(package.designs.TwoCoins(2), [60, 40])
print(round(estimate.prevalence, 10))
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.audit  # lint finds each import of ours
def test_every_module_imports_and_estimates_where_importing_django_raises() -> None:
    result = python("-c", IMPORT_ALL.format(name=NAME))
    assert result.returncode == 0, result.stderr
    modules, estimate = result.stdout.splitlines()
    assert int(modules.split()[0]) >= 15
    assert modules.endswith("['numpy', 'scipy']")
    assert float(estimate) == 0.3


def test_a_namespace_that_does_not_exist_is_no_attribute() -> None:
    result = python("-c", f"import {NAME} as package; print(dir(package)); package.magic")
    assert "'designs'" in result.stdout
    assert "AttributeError" in result.stderr
