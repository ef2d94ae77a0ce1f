"""The gallery: published figures come out of the code and the commands that its pages show."""

import json
import re
from decimal import Decimal
from typing import NamedTuple

import pytest

from tests.conftest import ROOT
from tests.shown import Shown, printed

DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "gallery").glob("*.md"))
HEAD = "| Figure | Published | Here | Difference |"
LINK = re.compile(r"\]\(gallery/([\w-]+\.md)\)")
PARTS = ("**Question.**", "**Design.**", "## Counts", "\nSource: ", "## Figures", "\nPublished: ")
NOT_PRINTED = "–"

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


class Figure(NamedTuple):
    """A line of a page's figures: what it is, what the authors print, what is computed, and why."""

    name: str
    published: str
    here: str
    difference: str

    @property
    def agrees(self) -> bool:
        """To the last digit that the authors print."""
        return rounded_as(self.here, self.published) == Decimal(self.published)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def figures_of(text: str) -> list[Figure]:
    """The lines below the head and its rule, up to the end of the table."""
    table = text.partition(HEAD + "\n")[2].partition("\n\n")[0]
    return [Figure(*cells(line)) for line in table.splitlines()[1:]]


def rounded_as(number: str | float, pattern: str) -> Decimal:
    """A number with as many decimals as the pattern has."""
    return Decimal(number).quantize(Decimal(pattern))


@each_page
def test_the_code_prints_the_figures_of_its_page(page):
    output = "".join(map(printed, Shown.on(page).python))
    assert output.split() == [figure.here for figure in figures_of(page.read_text())]


@each_page
def test_a_figure_agrees_to_the_last_printed_digit_or_its_difference_is_explained(page):
    compared = [one for one in figures_of(page.read_text()) if one.published != NOT_PRINTED]
    assert compared
    for figure in compared:
        assert figure.agrees == (figure.difference == ""), figure


@each_page
def test_the_command_gives_figures_of_its_page(page, tmp_path):
    shown = Shown.on(page)
    there = [figure.here for figure in figures_of(page.read_text())]
    assert shown.commands
    for command in shown.commands:
        for estimate in json.loads(shown.output(command, tmp_path))["estimates"]:
            for field in ("estimate", "standard_error"):
                value = estimate[field]
                assert any(rounded_as(value, here) == Decimal(here) for here in there), estimate


@each_page
def test_a_page_has_question_design_counts_and_figures_with_their_sources(page):
    text = page.read_text()
    places = [text.find(part) for part in PARTS]
    assert places == sorted(places)
    assert places[0] > 0
    assert "https://doi.org/" in text


def test_the_list_has_every_page_and_the_first_figure_of_each():
    rows = (DOCS / "gallery.md").read_text().splitlines()
    listed = {name: cells(row)[-2:] for row in rows for name in LINK.findall(row)}
    first = {page.name: figures_of(page.read_text())[0] for page in PAGES}
    assert listed == {name: [one.published, one.here] for name, one in first.items()}
    assert len(PAGES) >= 3


@pytest.mark.parametrize(
    ("published", "here", "agrees"),
    [("0.26", "0.2619", True), ("0.2619", "0.2620", False), (".871", "0.8704", False)],
)
def test_agreement_is_to_the_printed_digits(published, here, agrees):
    assert Figure("share", published, here, "").agrees is agrees
