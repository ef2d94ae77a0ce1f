"""One mark: the coin of icon.svg, wherever the program shows it."""

import re

import pytest

from tests.conftest import ROOT

ICON = (ROOT / "static/surveys/collecting/icon.svg").read_text()
LEFT, RIGHT = re.findall(r'fill="(#[0-9a-f]{6})"', ICON)
HALVES = re.compile(r"::before \{[^}]*linear-gradient\(90deg, ([^ ]+) 50%, ([^ ]+) 50%\)")
SHEETS = (
    "static/surveys/web/tokens.css",
    "static/surveys/collecting/respond.css",
    "templates/surveys/results/handover/report.css",
    "templates/analytics/standalone.css",
)


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_sheet_draws_the_halves_of_the_icon(sheet):
    style = (ROOT / sheet).read_text()
    (halves,) = HALVES.findall(style)
    names = [half.removeprefix("var(").removesuffix(")") for half in halves]
    values = [re.search(rf"{one}: (#[0-9a-f]{{6}});", style) for one in names]
    drawn = [found[1] if found else name for found, name in zip(values, names, strict=True)]
    assert drawn == [LEFT, RIGHT]


@pytest.mark.parametrize(
    "template",
    ["base.html", "base_respondent.html", "admin/base_site.html", "../docs/theme/main.html"],
)
def test_the_icon_is_that_of_every_page(template):
    (icon,) = re.findall(r'<link rel="icon"[^>]*>', (ROOT / "templates" / template).read_text())
    assert "icon.svg" in icon
