"""A report as a page of its own, opened from a disk."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from tests import accessible
from tests.analytics.themes import themed_texts

pytestmark = [pytest.mark.browser, pytest.mark.one_tab]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("report")
    texts = (json.dumps({"text": text}) + "\n" for text in themed_texts(300))
    (home / "answers.jsonl").write_text("".join(texts))
    given = ("--input", str(home / "answers.jsonl"), "--column", "text", "--topics", "3")
    output = home / "report.html"
    options = (*given, "--kind", "exact_topics", "--output", str(output))
    call_command("topics", *options, verbosity=0)
    return output


def test_it_is_accessible_and_keeps_its_own_policy(watched_page, file):
    page = watched_page
    page.goto(file.as_uri())
    accessible.check(page, file.name)


def test_its_policy_allows_its_own_style_and_no_other(page, file):
    page.goto(file.as_uri())
    assert page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == (
        "collapse"
    )
    page.evaluate(
        """() => document.head.append(Object.assign(document.createElement('style'),
        {textContent: 'table { display: none }'}))"""
    )
    assert page.locator("table").first.is_visible()
    assert "unsafe-" not in file.read_text().split("<body>")[0]


def test_it_asks_nobody_for_anything(page, file):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri(), wait_until="networkidle")
    assert asked == [file.as_uri()]
