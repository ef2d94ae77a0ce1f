"""Requests are counted in the memory of the process: those of other tests do not count here."""

import pytest

from surveys.programs.routing import entrance
from surveys.web.counts import SharedCounts


@pytest.fixture(autouse=True)
def _counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "counts", SharedCounts())
