"""10,000 random rules with random answers: the page and the server evaluate them alike."""

import secrets

import pytest
from django.urls import reverse

from tests.random_rules import differences

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
PAIRS = 10_000


def test_the_page_and_the_server_evaluate_10000_random_rules_alike(page, server, transactional_db):
    # A page that respondents do not see: theirs run no script that they do not name.
    page.goto(server.url + reverse("login"))
    seed = secrets.randbits(32)
    print(f"{PAIRS} random rules, seed {seed}")
    wrong, _ = differences(page, seed, PAIRS)
    assert wrong == [], f"seed {seed}"
