"""Every tutorial is walked: its page has steps, and a browser test follows them."""

import pytest

from tests.conftest import ROOT
from tests.tutorials import FOLDER, marks_of

WALKS = (ROOT / "tests" / "browser" / "test_tutorials.py").read_text()
PAGES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_tutorial_has_steps_that_a_browser_test_follows(page):
    assert len(list(marks_of(page.read_text()))) > 5
    assert f'"{page.name}"' in WALKS
