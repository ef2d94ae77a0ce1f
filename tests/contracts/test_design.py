"""docs/design.md, the names of tokens.css and the parts of pages.css belong together."""

import re
from itertools import product

import pytest

from tests.conftest import ROOT
from tests.contracts.test_palette import contrast

STATIC = ROOT / "static"
TOKENS = (STATIC / "surveys/web/tokens.css").read_text()
PAGES = (STATIC / "surveys/web/pages.css").read_text()
ADMIN = (STATIC / "surveys/authoring/admin.css").read_text()
ON_SCREEN = PAGES.partition("@media print {")[0]
DESIGN = (ROOT / "docs/design.md").read_text()
NAME = re.compile(r"--[a-z][a-z0-9-]*")
COLOUR = re.compile(r"(--[a-z-]+): (#[0-9a-f]{6});")
SCHEMES = {
    name: dict(COLOUR.findall(part))
    for name, part in zip(("light", "dark"), TOKENS.split("@media"), strict=True)
}
GROUNDS = {
    **{text: ["--page", "--card", "--marked"] for text in ("--ink", "--soft", "--link")},
    "--on-accent": ["--accent", "--link", "--soft", "--error"],
    "--error": ["--page", "--card", "--error-back"],
    "--warning": ["--card", "--warning-back"],
    "--good": ["--card", "--good-back"],
}


def test_both_schemes_have_the_same_colours():
    assert SCHEMES["light"].keys() == SCHEMES["dark"].keys()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_has_a_contrast_of_four_and_a_half_to_every_ground_it_stands_on(scheme):
    colours = SCHEMES[scheme]
    pairs = [pair for text, grounds in GROUNDS.items() for pair in product([text], grounds)]
    low = {pair: contrast(*(colours[name] for name in pair)) for pair in pairs}
    assert {pair: found for pair, found in low.items() if found < 4.5} == {}


def test_the_page_of_the_design_has_every_name_and_no_other():
    spaces = {f"--space-{n}" for n in range(1, 6)}
    defined = set(re.findall(r"^ +(--[a-z0-9-]+):", TOKENS, re.M))
    assert set(NAME.findall(DESIGN)) | spaces == defined


@pytest.mark.parametrize("sheet", ["ranking/ranking.css", "analytics/reports.css"])
def test_other_sheets_bring_no_colour_and_no_letters_of_their_own(sheet):
    style = (STATIC / sheet).read_text()
    assert not re.search(r"#[0-9a-f]{3,8}\b|font-size: [\d.]", style)


def test_parts_on_the_screen_use_names_for_colours_and_sizes_of_letters():
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", ON_SCREEN)) == {"#ffffff"}, "the ground of QR codes"
    assert not re.search(r"font-size: [\d.]", ON_SCREEN)


def test_no_sheet_uses_a_name_that_does_not_exist():
    defined = set(re.findall(r"(--[a-z0-9-]+):", TOKENS + ADMIN))
    assert set(re.findall(r"var\((--[a-z0-9-]+)", PAGES + ADMIN)) <= defined


def test_the_parts_of_the_page_are_in_the_sheet():
    table = DESIGN.partition("## Parts and their states")[2].partition("## Charts")[0]
    markup = {name for each in re.findall(r'class="([^"]+)"', table) for name in each.split()}
    named = set(re.findall(r"`([a-z][a-z-]+)`", table)) - {
        "aria-invalid",
        "aria-busy",
        "aria-label",
    }
    classes = set(re.findall(r"\.([a-z][a-z-]+)", PAGES)) | {"figcaption"}
    assert (markup | named) - classes == set()
