"""What counts say, as rows ready to be shown: nothing here is clipped except for display."""

from surveys.reports.numbers import Bin, NumberReport
from surveys.reports.questions import RatingReport, TextReport, question_report
from surveys.reports.reading import FIXED, INTERVAL_NAMES, LIVE, Reading, default_method
from surveys.reports.shares import (
    ALL_AGREE,
    ANSWERED,
    CUT,
    NOBODY,
    ONE_ANSWER,
    TOO_WIDE,
    ShareReport,
    ShareRow,
)
from surveys.reports.words import number_words, percent

__all__ = [
    "ALL_AGREE",
    "ANSWERED",
    "CUT",
    "FIXED",
    "INTERVAL_NAMES",
    "LIVE",
    "NOBODY",
    "ONE_ANSWER",
    "TOO_WIDE",
    "Bin",
    "NumberReport",
    "RatingReport",
    "Reading",
    "ShareReport",
    "ShareRow",
    "TextReport",
    "default_method",
    "number_words",
    "percent",
    "question_report",
]
