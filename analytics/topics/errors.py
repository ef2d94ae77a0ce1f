"""Errors of topic models: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class TopicsError(StatisticsError):
    """Topics that these answers, or these settings, cannot give."""
