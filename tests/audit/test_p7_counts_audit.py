"""P7 against the counts at greater size: the flood, and the order in which counts are kept."""

import pytest
from django.db import connection

from tests.promises import test_p7_counts as short
from tests.promises.test_p7_openings import bound

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]


def test_of_200_weeks_a_flood_finds_the_target_in_the_counts_as_often_as_chance(owner, capsys):
    rate = short.found_by_counts(owner, 200, 10, 40)
    with capsys.disabled():
        print(f"\n{connection.vendor}: {rate:.1%} found, at most {bound(1 / 10, 200):.1%}")
    assert rate <= bound(1 / 10, 200)


def test_of_1000_people_the_order_of_counts_tells_no_one_s_place(owner, capsys, monkeypatch):
    rate = short.kept_at_the_close(owner, 1000, 50, monkeypatch)
    with capsys.disabled():
        print(f"\n{connection.vendor}: {1000 * rate:.0f} of 1,000 places kept")
    assert rate <= bound(1 / 1000, 1000)
