"""How far off an estimate may be: intervals, fixed and for looking every day."""

from .intervals import INTERVAL_METHODS, Interval, Method
from .martingales import ConfidenceSequence
from .planned_looks import PlannedLooks

__all__ = [
    "INTERVAL_METHODS",
    "ConfidenceSequence",
    "Interval",
    "Method",
    "PlannedLooks",
]
