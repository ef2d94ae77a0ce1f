"""Every address of staff is looked at: its page by axe, or there is a reason why it has none."""

import re

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import ROOT
from tests.contracts.files import ADDRESSES
from tests.staff_pages import ELSEWHERE, NO_PAGES, Site, addresses

FILES = {name for name, _, _ in ADDRESSES}
LOGIN = {"login", "account_login"}  # leads on who is logged in


@pytest.fixture(scope="module")
def places(made_once):
    return made_once(lambda: Site(factories.make_user("root", superuser=True)).places())


def test_every_address_of_staff_is_visited_once_or_has_no_page(places):
    known = [*places, *ELSEWHERE, *NO_PAGES]
    assert len(known) == len(set(known))
    assert set(known) == set(addresses()) - FILES


@pytest.mark.django_db
def test_each_place_is_a_page_and_those_of_a_survey_lead_back_to_its_dashboard(client, places):
    client.force_login(User.objects.get(username="root"))
    for name in places.keys() - LOGIN:
        reply = client.get(places[name])
        assert reply.status_code == 200, name
        if found := re.match(r"/surveys/[0-9a-f-]{36}/", places[name]):
            is_named = f'href="{found[0]}"' in reply.content.decode()
            assert is_named or name == "surveys:dashboard", name


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_page_that_is_looked_at_elsewhere_is_named_there(name):
    file, words = ELSEWHERE[name]
    text = (ROOT / "tests" / "browser" / file).read_text()
    assert words in text
    assert "accessible.check(" in text
