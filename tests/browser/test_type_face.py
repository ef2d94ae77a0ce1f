"""Staff's pages load their type face within their policy, and stand without it."""

import pytest
from django.urls import reverse

from tests import accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
LOADED = """
async text => (await document.fonts.load('1em "Atkinson Hyperlegible Next"', text)).length"""
SPANISH_AND_POLISH = "¿Señor? ł"


def test_a_page_of_staff_loads_its_face_and_breaks_no_policy(watched_page, server):
    watched_page.goto(server.url + reverse("login"))
    assert watched_page.evaluate(LOADED, SPANISH_AND_POLISH) == 2
    assert watched_page.evaluate("window.violations") == []


def test_a_page_without_it_is_accessible_and_fits_a_phone(watched_page, server):
    watched_page.route("**/*.woff2", lambda route: route.abort())
    watched_page.goto(server.url + reverse("login"))
    accessible.check(watched_page, "without its face")
