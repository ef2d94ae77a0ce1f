"""Rules in the page: evaluated as the server does."""

import secrets

import pytest
from django.urls import reverse

from tests.random_rules import differences

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
PAIRS = 1000  # `make audit` compares ten times as many


def test_the_page_and_the_server_evaluate_random_rules_alike(page, server, transactional_db):
    # A page that respondents do not see: theirs run no script that they do not name.
    page.goto(server.url + reverse("login"))
    seed = secrets.randbits(32)
    print(f"{PAIRS} random rules, seed {seed}")
    wrong, found = differences(page, seed, PAIRS)
    assert wrong == [], f"seed {seed}"
    asked = [one for case in found for one in case]
    assert 0.2 < sum(asked) / len(asked) < 0.9
