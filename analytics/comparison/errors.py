"""Errors of comparisons and trees: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class ComparisonError(StatisticsError):
    """Groups, clouds or a ground metric that cannot be compared."""


class TreeError(StatisticsError):
    """Answers or settings from which no tree can grow."""
