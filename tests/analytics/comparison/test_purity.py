"""The comparisons and the planner of reminders are mathematics: they work without Django."""

import subprocess
import sys

from tests.conftest import ROOT

IMPORT_ALL = """
import importlib, pkgutil, sys

class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError("Django was imported")

sys.meta_path.insert(0, NoDjango())
for name in ("analytics.comparison", "surveys.fieldwork.reminders"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from analytics.comparison.transport import ordinal_distance
print(ordinal_distance([1, 0, 0], [0, 0, 1]))
"""


def test_every_module_imports_and_compares_where_importing_django_raises() -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) == 2
