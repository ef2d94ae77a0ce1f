"""StatisticsError and its kinds: argument, value and remedy, in one sentence."""

from decimal import Decimal
from fractions import Fraction
from math import isfinite

from .messages import Message, Messages, sentence, shortened

_REFUSED = sentence("{argument} = {value} cannot be used: {remedy}")


def _shown(value: object) -> str:
    is_text = isinstance(value, Fraction | Message | Messages)
    return shortened(str(value) if is_text else repr(value))


class StatisticsError(ValueError):
    """An argument that has no statistical meaning; the message names a remedy."""

    def __init__(self, argument: str, value: object, remedy: str) -> None:
        super().__init__(argument, value, remedy)
        self.argument = argument
        self.value = value
        self.remedy = remedy

    def __str__(self) -> str:
        return str(self._saying(_shown(self.value)))

    @property
    def message(self) -> Message:
        """The same for another language, in which numbers and messages within it are said too."""
        value = self.value
        # repr() is the shortest decimal that stands for the float.
        if isinstance(value, float) and isfinite(value):
            return self._saying(Decimal(repr(float(value))))
        return self._saying(value if isinstance(value, Message | Messages) else _shown(value))

    def _saying(self, value: str | Decimal) -> Message:
        return _REFUSED.format(argument=self.argument, value=value, remedy=self.remedy)

    def about(self, option: str) -> str:
        """The same refusal for a person who wrote the value after an option of a command.

        A value that is missing cannot be shown: then the remedy says which option to add.
        """
        if self.value is None:
            return self.remedy[:1].upper() + self.remedy[1:]
        if self.value is True:
            return f"{option} cannot be used: {self.remedy}"
        value = f"{self.value:g}" if isinstance(self.value, float) else str(self.value)
        return f"{option} {shortened(value)} cannot be used: {self.remedy}"


class CallError(StatisticsError, TypeError):
    """A function was called with an argument that it does not have, or without one."""


class DesignError(StatisticsError):
    """A randomizing design from which the true shares cannot be recovered."""


class CountsError(StatisticsError):
    """Counts that no survey can have produced."""


class PlanError(StatisticsError):
    """A sample size that cannot be planned or cannot be reached."""


class EstimationError(StatisticsError):
    """A question to an estimate that it cannot answer."""


class SamplingError(StatisticsError):
    """A draw that cannot be made."""


class WeightsError(StatisticsError):
    """Weights, inclusion probabilities or groups that no sample can have."""


class ReportError(StatisticsError):
    """A report that its protocol cannot have produced."""


class RegressionError(EstimationError):
    """Data or options from which no model can be fitted."""


class CollinearityError(RegressionError):
    """A column that the columns before it already determine, so no coefficient is unique."""


class SeparationError(RegressionError):
    """The likelihood grows without end along some coefficient: its estimate is infinite."""


class ConvergenceError(RegressionError):
    """No maximum of the likelihood was reached."""
