"""What a page or a message tells people to install exists, in the versions that we need."""

import re
import tomllib

import pytest

from benchmarks.structure import PRODUCT, ROOT
from surveys import VERSION

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEEDED = {
    line
    for lines in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for line in lines
}
# What `pip wheel .` builds; tests/audit/test_site_wheel.py installs it.
WHEEL = f"dist/deniable-{VERSION}-py3-none-any.whl"
NEEDED |= {WHEEL, *(f"{WHEEL}[{extra}]" for extra in PROJECT["optional-dependencies"])}
TEXTS = [
    *(path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")),
    *(ROOT / "docs").glob("*.md"),
    ROOT / "README.md",
]
INSTALL = re.compile(r"pip install ((?:\"[^\"]+\" ?)+)")


def told(path) -> list[str]:
    """The requirements in what a text tells people to install."""
    found = INSTALL.findall(path.read_text())
    return [name for names in found for name in re.findall(r'"([^"]+)"', names)]


def test_some_texts_say_what_to_install():
    assert {name for path in TEXTS for name in told(path)} >= {"pyarrow>=17", "dask>=2025.1"}


@pytest.mark.parametrize("path", [p for p in TEXTS if told(p)], ids=lambda p: p.name)
def test_what_people_are_told_to_install_is_one_of_our_requirements(path):
    assert set(told(path)) <= NEEDED
