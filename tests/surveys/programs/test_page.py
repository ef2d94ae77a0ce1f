"""docs/programs.md: what it shows in Python runs and prints what the dashboard shows."""

import re
import sys
import types
from typing import Any

import pytest
from django.test import Client

from tests import factories
from tests.conftest import ROOT
from tests.stored import store_rows
from tests.surveys.programs.holding import token_of

PAGE = (ROOT / "docs" / "programs.md").read_text()
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
HOST = "https://survey.example.org"


class Session:
    """What the page uses of the library's sessions, over a client of tests."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}

    def get(self, address: str) -> Any:
        assert address.startswith(HOST)
        return Client().get(address.removeprefix(HOST), headers=self.headers)


@pytest.mark.django_db
def test_the_python_of_the_page_prints_every_share(owner, tmp_path, monkeypatch, capsys):
    survey = factories.make_open_survey(owner, batch_size=1)
    store_rows(survey.revision, ["010100000001035"] * 20)
    (tmp_path / "token.txt").write_text(f"{token_of(owner, survey, 'read')}\n")
    monkeypatch.chdir(tmp_path)
    library = types.ModuleType("requests")
    library.Session = Session  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "requests", library)
    exec(compile(PYTHON, "docs/programs.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 10
    assert lines[0].startswith("q001 Yes ")


def test_each_language_takes_about_ten_lines():
    blocks = re.findall(r"```(?:text|r|python)\n(.*?)```", PAGE, re.S)
    assert len(blocks) == 3
    assert all(5 <= len(block.splitlines()) <= 12 for block in blocks)
