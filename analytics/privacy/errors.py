"""Errors of the privacy accounts: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class AccountingError(StatisticsError):
    """A privacy parameter that no mechanism can have."""


class BudgetError(StatisticsError):
    """A budget that does not protect, or an amount that cannot be spent."""


class BudgetExceeded(BudgetError):
    """A report that costs more than is left; nothing was charged."""


class NoiseError(StatisticsError):
    """A release that cannot be made privately."""


class QuantisationError(StatisticsError):
    """Vectors that cannot be put on the integer grid."""


class AuditError(StatisticsError):
    """Attack scores from which nothing can be concluded."""
