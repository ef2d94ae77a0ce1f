"""Errors of planned releases: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class WorkloadError(StatisticsError):
    """A workload that cannot be asked, or a domain that is too large to plan for."""


class StrategyError(StatisticsError):
    """A strategy that does not answer its workload, or that no noise can protect."""
