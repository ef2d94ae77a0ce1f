"""Requests and what becomes of them begin with a launched survey."""

from tests.analytics.launched import launched_survey, owner, survey  # noqa: F401 - fixtures
