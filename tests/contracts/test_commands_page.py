"""The page of commands says what the commands say about themselves."""

from benchmarks.commands import page
from tests.conftest import ROOT


def test_the_page_of_commands_is_current():
    written = (ROOT / "docs" / "commands.md").read_text()
    assert written == page(), "python -m benchmarks.commands > docs/commands.md"
