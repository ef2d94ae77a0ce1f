"""Errors of planning reminders: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class ReminderError(StatisticsError):
    """Numbers of sends, slots or success curves that no game can have."""
