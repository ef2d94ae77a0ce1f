"""What the statistics package says of its results, in the language of the page."""

from surveys.randomized_response.intervals import Interval
from surveys.randomized_response.intervals.intervals import OUTSIDE
from surveys.wording.language.messages import translated


def beyond_words(interval: Interval) -> str:
    """That none of an interval's values is a share; empty where some are."""
    return translated(OUTSIDE) if interval.misses_range else ""
