"""10,000 random rules with random answers: the page and the server evaluate them alike."""

import secrets

import pytest

from tests.browser import answering
from tests.random_rules import differences

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
PAIRS = 10_000


def test_the_page_and_the_server_evaluate_ten_thousand_random_rules_alike(page, server, survey):
    answering.open_start(page, server, survey)
    seed = secrets.randbits(32)
    print(f"{PAIRS} random rules, seed {seed}")
    wrong, _ = differences(page, seed, PAIRS)
    assert wrong == [], f"seed {seed}"
