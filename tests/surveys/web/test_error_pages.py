"""Error pages say what to do next, also without a database; staff's lead back to their surveys."""

from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from surveys.web import error_pages
from tests import accessible, factories

LIST = '<a href="/surveys/">'


def too_many(request) -> HttpResponse:
    """As django-allauth answers when a password was tried too often."""
    return render(request, "429.html", status=429)


PAGES = {
    "400": (400, lambda request: error_pages.bad_request(request, ValueError())),
    "403": (403, lambda request: error_pages.forbidden(request, PermissionDenied())),
    "403 of a form": (403, error_pages.forbidden_form),
    "404": (404, lambda request: error_pages.not_found(request, Http404())),
    "405": (405, lambda request: error_pages.wrong_method(request, "GET, HEAD")),
    "429": (429, too_many),
    "500": (500, error_pages.server_error),
}


@pytest.fixture
def at(rf, _static_files):
    """A request at an address. No test here has a database unless it asks for one."""

    def request_at(address: str):
        request = rf.get(address)
        request.user = AnonymousUser()
        return request

    return request_at


@pytest.mark.parametrize("name", PAGES)
def test_an_error_page_needs_no_database_and_says_what_to_do_next(at, name):
    status, answer = PAGES[name]
    reply = answer(at("/surveys/x/"))
    text = reply.content.decode()
    assert reply.status_code == status
    assert "<h1" in text
    assert any(word in text for word in ("again", "Log in", "Check that"))


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["surveys:list", "surveys:planner", "logged_in_again"])
def test_a_page_of_staff_that_is_only_read_says_so_in_words_when_it_is_sent_to(client, name):
    client.force_login(factories.make_user())
    reply = client.post(reverse(name))
    assert reply.status_code == 405
    assert reply["Allow"] == "GET, HEAD"
    assert LIST in reply.content.decode()


@pytest.mark.parametrize("address", ["/surveys/x/", "/admin/x/", "/accounts/x/"])
def test_the_error_pages_of_staff_lead_to_their_surveys(at, address):
    assert reverse("surveys:list") == "/surveys/"
    assert LIST in error_pages.server_error(at(address)).content.decode()


@pytest.mark.parametrize("address", ["/en/s/x/", "/nothing/", "/releases/x/"])
def test_the_error_pages_of_others_do_not(at, address):
    assert LIST not in error_pages.server_error(at(address)).content.decode()


@pytest.mark.browser
@pytest.mark.audit
@pytest.mark.django_db(transaction=True)
def test_error_pages_are_readable_in_both_schemes_and_on_narrow_screens(at, server, page):
    for name, (status, answer) in PAGES.items():
        body = answer(at("/surveys/x/")).content
        page.route("**/x/", partial(answered, status=status, body=body))
        page.goto(f"{server.url}/surveys/x/")
        accessible.check(page, name)


def answered(route, *, status: int, body: bytes) -> None:
    """In place of the server: a page that it shows only when it is broken or tired."""
    route.fulfill(status=status, body=body, content_type="text/html")
