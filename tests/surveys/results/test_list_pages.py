"""Lists that are longer than a page: the links lead through all of it and keep what was asked."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import chain
from urllib.parse import urljoin

import pytest
from django.urls import reverse

from surveys.models import Addressee
from surveys.staff.audit.services import record
from tests import factories
from tests.surveys.fieldwork import mailing as mailings

pytestmark = pytest.mark.django_db


def pages_from(client, address: str, towards: str = "next") -> Iterator[str]:
    """Follow the links in one direction, to the end."""
    while address:
        page = client.get(address).content.decode()
        yield page
        link = re.search(rf'<a rel="{towards}" href="([^"]*)"', page)
        address = urljoin(address, unescape(link[1])) if link else ""


@pytest.mark.both_databases
def test_the_pages_of_surveys_keep_the_search(client, owner):
    words = 'Ärger & "Ruhe"; <b>50 %</b>'
    for number in range(60):
        factories.make_survey(owner, title=f"{words} {number:02d}")
        factories.make_survey(owner, title=f"Another {number}")
    client.force_login(owner)
    address = reverse("surveys:list")
    pages = list(pages_from(client, f"{address}?q=%C3%84rger+%26+%22Ruhe%22%3B+%3Cb%3E50+%25"))
    shown = [re.findall(r"&lt;/b&gt; (\d\d)</a>", page) for page in pages]
    assert [len(numbers) for numbers in shown] == [25, 25, 10]
    assert [*chain(*shown)] == [f"{number:02d}" for number in range(60)]
    assert not any("Another" in page for page in pages)
    assert len(list(pages_from(client, address))) == 5


def test_the_pages_of_the_audit_log_lead_back_as_well(as_owner, survey):
    for number in range(120):
        record("looked", by=survey.owner, survey=survey, after={"place": number})
    address = reverse("surveys:audit", args=[survey.pk]) + "?action=looked"
    older = list(pages_from(as_owner, address))
    newer = list(pages_from(as_owner, f"{address}&page=3", "prev"))
    counts = [page.count("<td>looked</td>") for page in older]
    assert counts == [50, 50, 20]
    assert [page.count("<td>looked</td>") for page in newer] == counts[::-1]
    assert ">Older</a>" in older[0]
    assert ">Newer</a>" in newer[0]


def test_the_addresses_that_failed_are_all_listed(client, owner):
    survey = factories.make_invited_survey(owner)
    mailing = mailings.prepare(survey, mailings.people(250))
    Addressee.objects.update(state=Addressee.State.FAILED, problem="unknown")
    client.force_login(owner)
    pages = list(pages_from(client, reverse("surveys:mailing", args=[survey.pk, mailing.pk])))
    assert len(pages) == 3
    shown = {address for page in pages for address in re.findall(r"person\d+@example.org", page)}
    assert shown == set(mailings.people(250))


def test_a_list_of_one_page_has_no_links_to_others(as_owner, survey):
    assert 'aria-label="Pages"' not in as_owner.get(reverse("surveys:list")).content.decode()
