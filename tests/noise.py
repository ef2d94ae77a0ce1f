"""Noise in tests: repeatable where something is asked of what was drawn; else it is said.

The noise of releases comes from the operating system and cannot be seeded. What a test bounds of
it holds "nearly always", and is red once in some thousand runs. So a test that draws it carries
``@pytest.mark.noise(fails=1e-30, law="...")``, alone or as its module: with which probability
chance makes it fail, and by which law. 0 is for tests that ask nothing of what is drawn. A test
that draws and says nothing fails (``tests/contracts/test_noise.py``).
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import pytest

SOURCE = "analytics.privacy.mechanisms"
MOST = 1e-5  # the largest probability that a test may state
METHODS = ("added_to", "laplace_added_to", "drawn_within")
UNSAID = (
    "{test} drew noise that cannot be seeded, and does not say so. Use "
    'tests.fake_noise.FakeNoise, or mark it: @pytest.mark.noise(fails=..., law="...").'
)
MALFORMED = '{test}: write @pytest.mark.noise(fails=..., law="..."), fails from 0 to {most}.'


class Watch:
    """Counts the draws of this process from the source that cannot be seeded."""

    def __init__(self) -> None:
        self.draws = 0
        self._is_watching = False

    def look(self) -> int:
        """How many there were. The source is watched from when it was imported first."""
        module = sys.modules.get(SOURCE)
        if module is not None and not self._is_watching:
            self._is_watching = True
            for name in METHODS:
                setattr(module.VettedNoise, name, self._counting(getattr(module.VettedNoise, name)))
        return self.draws

    def _counting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.draws += 1
            return draw(*args, **kwargs)

        return counted


def unsaid(item: pytest.Item, draws: int) -> str:
    """What is wrong with a test that drew so many times; empty if nothing is."""
    return "" if not draws or item.get_closest_marker("noise") else UNSAID.format(test=item.nodeid)


def malformed(item: pytest.Item) -> str:
    """What is wrong with its mark; empty if it has none, or states a probability and a law."""
    mark = item.get_closest_marker("noise")
    if mark is None:
        return ""
    fails, law = mark.kwargs.get("fails"), mark.kwargs.get("law")
    is_number = isinstance(fails, int | float) and math.isfinite(fails)
    is_said = is_number and 0 <= fails <= MOST and isinstance(law, str) and bool(law.strip())
    return "" if is_said else MALFORMED.format(test=item.nodeid, most=MOST)
