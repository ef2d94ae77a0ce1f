"""Every address is behind the entrance of staff, but for those that everybody may open."""

from collections.abc import Iterator

import pytest
from django.test import RequestFactory
from django.urls import URLPattern, get_resolver, reverse

from tests.factories import make_user


def addresses(patterns, above: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        address = above + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield address, pattern
        else:
            yield from addresses(pattern.url_patterns, address)


def staff_addresses() -> dict[str, URLPattern]:
    """All but the front door, public pages, and people's own accounts.

    Below releases/ are those that their owner opened to all, and nothing else. What is below api/
    asks for a token each time (``tests/surveys/programs``).
    """
    public = (
        "en/s/",
        "en/^s/",
        "s/",
        "health/",
        "source/",
        "release.json",
        "docs/",
        "releases/",
        "accounts/",
        "api/",
    )
    found = addresses(get_resolver().url_patterns)
    return {at: pattern for at, pattern in found if at and not at.startswith(public)}


@pytest.fixture
def request_of(db):
    def request_of(user):
        request = RequestFactory().get("/")
        request.user = user
        return request

    return request_of


def test_without_a_second_factor_staff_see_no_page_but_their_accounts(request_of, settings):
    settings.REQUIRE_MFA = True
    request = request_of(make_user())
    found = staff_addresses()
    assert len(found) > 100
    for address, pattern in found.items():
        reply = pattern.callback(request)
        assert (address, reply.url) == (address, reverse("mfa_index"))


def test_nobody_is_sent_to_a_second_factor_before_the_login(client, db, settings):
    settings.REQUIRE_MFA = True
    assert client.get(reverse("surveys:list")).url.startswith(reverse("login"))
