"""The documentation, built once, and its search as the site answers it."""

from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import call_command


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    into = tmp_path_factory.mktemp("documentation")
    call_command("documentation", into=into, stdout=StringIO())
    return into


@pytest.fixture
def page_of(client, site, settings):
    """The page that the search answers a query with, as text."""
    settings.DOCUMENTATION = site

    def answered(query: str) -> str:
        reply = client.get("/docs/search.html?" + urlencode({"q": query}))
        assert reply.status_code == 200
        return reply.content.decode()

    return answered
