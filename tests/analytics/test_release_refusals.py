"""Releases that cannot be: refused by the number of respondents alone, before they are charged."""

import pytest

from analytics.models import Report
from analytics.workloads import crosstabs
from analytics.workloads.checks import StrategyError
from tests.analytics import tabulating
from tests.analytics.answering import finished

pytestmark = pytest.mark.django_db(transaction=True)
# Of two questions in 24 bits together, for fewer than 120 people.
LITTLE_ROOM = 2**26


def test_more_respondents_than_fit_are_refused_before_anything_is_set_aside(owner, monkeypatch):
    survey = tabulating.make_tabulated_survey(owner)
    monkeypatch.setattr(crosstabs, "_LARGEST_SUM", LITTLE_ROOM)
    with pytest.raises(StrategyError, match="put fewer questions into one table"):
        tabulating.ask(survey)
    assert not Report.objects.exists()


def test_a_release_that_no_longer_fits_ends_uncharged(owner, monkeypatch):
    report = tabulating.ask(tabulating.make_tabulated_survey(owner))
    monkeypatch.setattr(crosstabs, "_LARGEST_SUM", LITTLE_ROOM)
    ended = finished(report)
    assert ended.state == "failed"
    assert not ended.is_charged
