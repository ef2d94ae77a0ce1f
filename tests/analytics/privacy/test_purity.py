"""The accounts are mathematics: Django is not needed, and noise is loaded by one module alone."""

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
import analytics.privacy as package
names = {m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")}
for name in sorted(names - {"analytics.privacy.mechanisms"}):
    importlib.import_module(name)
print("opendp" in sys.modules)
importlib.import_module("analytics.privacy.mechanisms")
print("opendp" in sys.modules, len(names))
"""


def test_every_module_imports_where_importing_django_raises_and_one_loads_the_sampler() -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["False", "True", "13"]
