"""The package is mathematics: it works where Django is not even importable."""

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
import surveys.randomized_response as package
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
outside = {m.partition(".")[0] for m in sys.modules} - set(sys.stdlib_module_names)
print(len(names), sorted(outside & {"django", "pandas", "surveys", "numpy", "scipy"}))
estimate = package.estimates.estimate_prevalence(package.designs.TwoCoins(2), [60, 40])
print(round(estimate.prevalence, 10))
"""


def test_every_module_imports_and_estimates_where_importing_django_raises() -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    modules, estimate = result.stdout.splitlines()
    assert int(modules.split()[0]) >= 15
    assert modules.endswith("['numpy', 'scipy', 'surveys']")
    assert float(estimate) == 0.3
