"""Errors of text: they name the argument, its value and what to do instead."""

from surveys.randomized_response.errors import StatisticsError


class TextError(StatisticsError):
    """Texts, or a way of reading them, from which no words can be counted."""


class VocabularyError(StatisticsError):
    """A vocabulary that these answers and this budget cannot give."""
