"""Fixtures of tests in Chromium."""

import pytest

from tests import tour


@pytest.fixture
def staff_page(watched_page, server, survey):
    """A page at which the survey's owner has logged in."""
    tour.log_in(watched_page, server, survey.owner.username)
    return watched_page
