"""Errors of the ranking: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class RatingsError(StatisticsError):
    """Rating counts that no items can have."""


class UtilityError(StatisticsError):
    """Utilities that cannot order anything."""


class PriorError(StatisticsError):
    """A prior that says nothing, or too much."""
