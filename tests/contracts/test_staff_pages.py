"""Every address of staff is looked at: its page by axe, or there is a reason why it has none.

That each place is the page of its address is seen where all are read in German.
"""

import pytest

from tests import factories
from tests.conftest import ROOT
from tests.contracts.files import ADDRESSES
from tests.staff_pages import ELSEWHERE, NO_PAGES, Site, addresses

FILES = {name for name, _, _ in ADDRESSES}


def test_every_address_of_staff_is_visited_once_or_has_no_page(db):
    places = Site(factories.make_user("root", superuser=True)).places()
    known = [*places, *ELSEWHERE, *NO_PAGES]
    assert len(known) == len(set(known))
    assert set(known) == set(addresses()) - FILES


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_page_that_is_looked_at_elsewhere_is_named_there(name):
    file, words = ELSEWHERE[name]
    text = (ROOT / "tests" / "browser" / file).read_text()
    assert words in text
    assert "accessible.check(" in text
