"""Templates are short in lines, as the code is."""

import pytest

from tests.conftest import ROOT

TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
LONGEST_LINE = 120


def name(path) -> str:
    return path.relative_to(ROOT / "templates").as_posix()


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_no_line_of_a_template_is_longer_than_120_characters(path):
    lines = enumerate(path.read_text().splitlines(), start=1)
    assert [number for number, line in lines if len(line) > LONGEST_LINE] == []
