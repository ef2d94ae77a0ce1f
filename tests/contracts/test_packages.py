"""The wheel of the statistics package has each of its folders."""

import tomllib
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "surveys" / "randomized_response"


def test_the_wheel_of_the_package_names_every_folder_of_modules():
    """Its names are written one by one: it lies in its own folder, where nothing finds them."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())
    folders = (path.parent.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("__init__.py"))
    assert project["tool"]["setuptools"]["packages"] == sorted(map(_name, folders))


def _name(folder: Path) -> str:
    return ".".join(folder.parts)
