"""Why a model cannot be fitted: each error says which column and what to do."""

from surveys.randomized_response.errors import EstimationError


class RegressionError(EstimationError):
    """Data or options from which no model can be fitted."""


class CollinearityError(RegressionError):
    """A column that the columns before it already determine, so no coefficient is unique."""


class SeparationError(RegressionError):
    """The likelihood grows without end along some coefficient: its estimate is infinite."""


class ConvergenceError(RegressionError):
    """No maximum of the likelihood was reached."""
