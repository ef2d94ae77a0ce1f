"""The statistics package under test: the installed one where there is one, else the site's copy.

``from tests.randomized_response.designs import Warner`` takes either. The names below stand for its
modules, not for copies of them, so that a class is the same class by every name.
"""

import importlib
import pkgutil
import sys

try:
    NAME = importlib.import_module("randomized_response").__name__
except ModuleNotFoundError:
    NAME = "surveys.randomized_response"

package = importlib.import_module(NAME)
for found in pkgutil.walk_packages(package.__path__, f"{NAME}."):
    if not found.name.endswith("__main__"):
        alias = __name__ + found.name.removeprefix(NAME)
        sys.modules[alias] = importlib.import_module(found.name)
sys.modules[__name__] = package
