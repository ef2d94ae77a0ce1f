"""What every fault has: where it happens, what dies, and what was lost or counted twice."""

import contextlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crowds import Outcome
from benchmarks.machines import Gunicorn, Postgresql, Sqlite

if TYPE_CHECKING:
    from surveys.models import Survey


@dataclass
class Field:
    """Where it happens: the machine, chance, and a number for every submission."""

    directory: Path
    database: Sqlite | Postgresql
    server: Gunicorn
    chance: random.Random
    serial: int = 0

    def next_serial(self) -> int:
        self.serial += 1
        return self.serial


@dataclass
class Finding:
    """What one kind of fault did. ``excused`` were lost with their key, and said to be."""

    title: str
    outcome: Outcome
    counted: list[int]
    excused: int = 0
    notes: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @property
    def lost(self) -> int:
        missing = Counter(self.outcome.acknowledged) - Counter(self.counted)
        return missing.total() - self.excused

    @property
    def duplicated(self) -> int:
        return (Counter(self.counted) - Counter(self.outcome.acknowledged)).total()

    def lines(self) -> Iterator[str]:
        yield f"\n{self.title}"
        outcome = self.outcome
        yield (
            f"  sent {outcome.sent:,}  acknowledged {len(outcome.acknowledged):,}  "
            f"counted {len(self.counted):,}  refused {outcome.refused.total():,}  "
            f"sent again {outcome.resent.total():,}  lost {self.lost}  duplicated {self.duplicated}"
        )
        for words, many in (("refused", outcome.refused), ("sent again", outcome.resent)):
            for reason, count in many.most_common():
                yield f"    {words} {count:,}: {reason}"
        yield from (f"    {note}" for note in self.notes)
        yield from (f"    BROKEN: {words}" for words in self.broken)

    @property
    def holds(self) -> bool:
        return not (self.lost or self.duplicated or self.broken)


def kill_something(place: Field) -> str:
    """Workers die most often, because only they can die often without stopping everything."""
    kinds = {
        "worker": lambda: place.server.kill_a_worker(place.chance),
        "master": place.server.kill_the_master,
        **place.database.kills(place.chance),
    }
    weights = [6, *[1] * (len(kinds) - 1)]
    kind = place.chance.choices(list(kinds), weights)[0]
    kinds[kind]()
    return kind


def compared(title: str, outcome: Outcome, *surveys: "Survey", **more: object) -> Finding:
    """Close the surveys, if they are still open, and compare."""
    from surveys.models import Response

    disconnect()
    for survey in surveys:
        close_survey(survey)
    rows = Response.objects.filter(revision__survey__in=surveys)
    stored = [int(answers) for answers in rows.values_list("answers", flat=True)]
    finding = Finding(title, outcome, stored, **more)  # type: ignore[arg-type]
    if any(reason[:1] in "05" for reason in outcome.refused) and not finding.excused:
        finding.broken.append("a person gave up")
    if any(reason.startswith("500") for reason in outcome.resent):
        finding.broken.append("a person was answered with an error instead of 503 and advice")
    return finding


def close_survey(survey: "Survey") -> None:
    from surveys.authoring.services import close
    from surveys.models.refusals import NotPossible

    with contextlib.suppress(NotPossible):  # closed by the fault itself
        close(survey=survey, by=survey.owner)


def disconnect() -> None:
    """The database may have been killed since this process used it."""
    from django.db import connections

    connections.close_all()
