"""The search as people see it in Chromium, wide and narrow, light and dark."""

import pytest

from tests import accessible


@pytest.mark.browser
@pytest.mark.parametrize("query", ["weights", "remnider weights", "xyzzyqwv", ""])
def test_the_page_of_results_can_be_read_by_all_and_fits_a_telephone(page, site, page_of, query):
    shown = site / "shown.html"
    shown.write_text(page_of(query))
    page.goto(shown.as_uri())
    accessible.check(page, query)
    shown.unlink()


@pytest.mark.browser
@pytest.mark.parametrize("name", ["search.html", "analysing.html", "api.html"])
def test_the_field_above_a_page_and_a_copy_can_be_read_by_all(page, site, name):
    page.goto((site / name).as_uri())
    accessible.check(page, name)
