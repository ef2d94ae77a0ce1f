"""Stages of a report in plain words, for people who watch it being made."""

from collections.abc import Callable

# Called with a stage that begins and how much of the whole lies before it, 0 to 1. It may raise to
# stop: no result is returned then. The stages of a private report are the same for all texts; how
# long each takes is not, so a survey's report is charged before its first text is read.
Watch = Callable[[str, float], None]

DONE = "Done"


def unwatched(stage: str, fraction: float) -> None:
    """Do nothing: the report is not watched."""
