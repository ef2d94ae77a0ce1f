"""Browsers of people who walk: each person has one of their own, with or without scripts."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from tests import accessible
from tests.audit.walks.walking import Walk
from tests.chromium import new_context
from tests.conftest import Server

WITH_AND_WITHOUT_SCRIPT = pytest.mark.parametrize(
    "has_script", [True, False], ids=["script", "no script"]
)


@pytest.fixture
def has_script() -> bool:
    """Whether browsers run scripts; staff's walks are walked with scripts and without."""
    return True


@pytest.fixture
def somebody(
    browser: Browser, server: Server, has_script: bool, monkeypatch
) -> Iterator[Callable[[], Walk]]:
    """Makes a person at a browser of their own."""
    monkeypatch.setattr(accessible, "THOROUGH", True)
    contexts = []

    def make() -> Walk:
        contexts.append(new_context(browser, java_script_enabled=has_script))
        return Walk(contexts[-1].new_page(), server, has_script=has_script)

    yield make
    for context in contexts:
        context.close()
