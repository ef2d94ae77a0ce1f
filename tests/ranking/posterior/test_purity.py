"""The posterior package is mathematics: it works where Django is not even importable."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
IMPORT_ALL = """
import importlib, pkgutil, sys

class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError("Django was imported")

sys.meta_path.insert(0, NoDjango())
import ranking.posterior as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
from ranking.posterior.dirichlet import score_items
print(score_items([[0, 0]], [2, 3], [0, 1]).scores[0])
"""


def test_every_module_imports_and_scores_where_importing_django_raises() -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) == 0.6
