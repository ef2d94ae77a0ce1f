"""A walk over all pages fails where it meets an error instead of the page that it asked for."""

import pytest
from django.urls import reverse

from tests import factories
from tests.tour import MISSING, enter, errors_said, opened, require_sound

PAGE = "/surveys/"


@pytest.mark.parametrize(
    ("at", "status", "page"),
    [
        (PAGE, 500, "<h1>Something went wrong on our side</h1>"),
        (PAGE, 404, "<h1>There is no page here</h1>"),
        ("/accounts/login/", 200, "<h1>Log in</h1>"),
        (PAGE, 200, '<p class="error" role="alert">Your entries cannot be used yet:</p>'),
        (PAGE, 200, '<ul class="errorlist nonfield"><li>Choose another</li></ul>'),
        (PAGE, 200, '<div class="errornote">Please correct it</div>'),
        (PAGE, 200, '<p role="alert">No</p>'),
    ],
)
def test_a_walk_fails_on_errors_on_a_login_and_where_something_is_wrong(at, status, page):
    require_sound(PAGE, PAGE, 200, "<h1>Surveys</h1>")
    with pytest.raises(AssertionError):
        require_sound(PAGE, at, status, page)


@pytest.mark.parametrize("address", [*MISSING, "/surveys/plan/?u1=x"])
def test_a_walk_fails_where_an_error_is_meant_and_none_is_shown(address):
    with pytest.raises(AssertionError):
        require_sound(address, address, 200, "<h1>Surveys</h1>")


def test_what_waits_hidden_to_be_said_is_no_error():
    assert errors_said('<p class="problem" role="alert" hidden>Choose one</p>') == []


@pytest.mark.django_db
def test_a_plan_of_a_design_that_is_none_is_no_page_of_a_walk(client):
    enter(client, factories.make_user("root", superuser=True).username)
    planner = reverse("surveys:planner")
    assert opened(client, f"{planner}?design=two-coins&error=0.02").status_code == 200
    with pytest.raises(AssertionError):
        opened(client, f"{planner}?design=two_coins&error=0.02")
    with pytest.raises(AssertionError):
        opened(type(client)(), planner)
