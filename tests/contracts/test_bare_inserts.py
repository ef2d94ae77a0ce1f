"""The ruler of ``benchmarks.submit``: bare inserts pass what submissions pass, and never change."""

import hashlib
import inspect

import pytest
from django.test import Client

from benchmarks import bare
from benchmarks.settings import RESPONDENT_URLS, ROOT_URLCONF
from tests import kept
from tests.bodies import body_of

# Whoever makes a bare insert dearer makes every submission look cheaper. So nobody changes these
# without the ratios of the release notes being measured anew.
FROZEN = "a776443eaf5fe2c21c1f7b3462afc3fdfc90ee4f5c38352c0ba1af5121ce5e53"
FORM = "application/x-www-form-urlencoded"

survey = kept.survey


@pytest.fixture
def posted(settings, survey):
    """The replies to a submission and to both bare inserts, by the names of their addresses."""
    settings.ROOT_URLCONF, settings.RESPONDENT_URLS = ROOT_URLCONF, RESPONDENT_URLS
    client = Client(headers={"Sec-Fetch-Site": "same-origin"})
    body = body_of(survey.revision)
    return {
        name: client.post(f"/en/s/{survey.pk}/{name}/", body, content_type=FORM)
        for name in ("send", "bare", "raw")
    }


def test_bare_inserts_reply_with_the_headers_of_a_submission(posted):
    """All but the length, which is that of their own page."""
    headers = [dict(reply.items()) for reply in posted.values()]
    lengths = [int(one.pop("Content-Length")) for one in headers]
    assert lengths == [len(reply.content) for reply in posted.values()]
    assert "Integrity-Policy" in headers[0]
    assert headers[1:] == [headers[0], headers[0]]


def test_bare_inserts_pass_the_middlewares_of_a_submission(posted):
    """Of those below the short way, sessions would leave something on a request."""
    for name, reply in posted.items():
        assert reply.status_code == 200, name
        assert not hasattr(reply.wsgi_request, "session"), name


def test_bare_inserts_are_as_they_were_when_the_ratios_were_measured():
    parts = [bare.INSERT, *map(inspect.getsource, (bare.insert_one_row, bare.insert_by_hand))]
    assert hashlib.sha256("".join(parts).encode()).hexdigest() == FROZEN
