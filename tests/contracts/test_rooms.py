"""A room uses what other rooms say, never how they show it or what they keep to themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.structure import ROOT, parsed

APPS = ("surveys", "ranking", "analytics")
SHOWN = ("pages", "forms")
SHARED = "surveys.web"  # every room may use its pages and forms
# Django looks into these for what is shown, whichever room shows it; an app's configuration hands
# over the panels that surveys show without knowing them.
THIN = ("urls", "admin", "management", "apps")


def room_of(name: str) -> str:
    """``surveys.results`` for every module within; ``ranking`` for the app's own page."""
    return ".".join(name.split(".")[:2])


def imported(tree: ast.Module) -> Iterator[str]:
    """The full names of all that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def refused(module: str, tree: ast.Module) -> list[str]:
    """The imports of a module that reach into another room."""
    return [name for name in imported(tree) if _reaches(module, name)]


def _reaches(module: str, name: str) -> bool:
    app, *parts = name.split(".")
    if app not in APPS or room_of(name) == room_of(module):
        return False
    if any(part.startswith("_") for part in parts):
        return True
    is_shown = any(part in SHOWN or part.endswith(("_pages", "_forms")) for part in parts)
    return is_shown and room_of(name) != SHARED and not set(module.split(".")) & set(THIN)


def modules() -> list[Path]:
    paths = (path.relative_to(ROOT) for app in APPS for path in (ROOT / app).rglob("*.py"))
    return sorted(path for path in paths if "migrations" not in path.parts)


def test_no_room_imports_another_rooms_pages_forms_or_private_names():
    names = {".".join(path.with_suffix("").parts): path for path in modules()}
    reaching = {name: refused(name, parsed(ROOT / path)) for name, path in names.items()}
    assert {name: imports for name, imports in reaching.items() if imports} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from surveys.results.forms import SearchForm",
        "from surveys.results.analyses.forms import AnalysisForm",
        "from surveys.results import pages",
        "import surveys.planning.trial_forms",
        "def late():\n    from surveys.web.downloads import _known",
        "from ranking.pages.views import table",
    ],
)
def test_an_import_that_reaches_into_another_room_is_refused(source):
    assert refused("surveys.staff.queries", ast.parse(source))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("surveys.results.pages", "from surveys.results.forms import SearchForm"),
        ("surveys.results.pages", "from surveys.results.figures.charts import _bars"),
        ("surveys.results.pages", "from surveys.web.forms import AddressForm"),
        ("surveys.urls", "from surveys.results import pages"),
        ("surveys.management.commands.plan", "from surveys.planning.forms import PlanForm"),
        ("surveys.authoring.actions", "from surveys.collecting.queries import waiting_count"),
        ("surveys.results.pages", "from django import forms"),
    ],
)
def test_other_imports_are_free(module, source):
    assert refused(module, ast.parse(source)) == []
