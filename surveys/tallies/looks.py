"""The planned look of a survey: kept once, in the transaction whose answers make it due.

Which opening is the first with the planned number depends on how many answer, and not on what they
answer. So the interval for one look holds at it as at a number fixed beforehand.
"""

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Exists, OuterRef

from surveys.models import AnswerCount, PlannedLook, Revision, Survey
from surveys.tallies.cells import SHOWN, Cell
from surveys.tallies.queries import total, total_of


@dataclass(frozen=True)
class Look:
    """How often each cell of each question had come at the planned look, by its number."""

    planned: int
    responses: int
    is_at_close: bool
    as_of: date | None
    cells: dict[int, Counter[str]]


def keep_planned_look(
    revision_id: UUID, *, as_of: date | None = None, is_last: bool = False
) -> None:
    """Keep what readers see from this transaction on, if it is the survey's planned look.

    That is the first time that the planned number is there, or else the close, ``is_last``. The
    caller's transaction stores the answers and holds the spool or the opening, so that no other
    stores any meanwhile. What is kept already stays.
    """
    plan = _plan_to_keep(revision_id)
    if plan is None or not plan.found or not (is_last or plan.found >= plan.planned):
        return
    PlannedLook.objects.create(
        revision_id=revision_id,
        planned=plan.planned,
        responses=plan.found,
        is_at_close=is_last and plan.found < plan.planned,
        as_of=as_of,
        content=_packed(_shown(revision_id)),
    )


def planned_look(revision_id: UUID) -> Look | None:
    """The look that was kept; None if none has been yet."""
    kept = PlannedLook.objects.filter(pk=revision_id).first()
    if kept is None:
        return None
    cells = _unpacked(bytes(kept.content))
    return Look(kept.planned, kept.responses, kept.is_at_close, kept.as_of, cells)


def planned_look_size(revision_id: UUID) -> int | None:
    """Of how many responses it is: without its counts."""
    sizes = PlannedLook.objects.filter(pk=revision_id).values_list("responses", flat=True)
    return next(iter(sizes), None)


def reading_from_now(survey: Survey, reading: str) -> str:
    """The reading of a plan that is made or changed now: one look is planned before the first.

    Who has seen answers could choose the number by them, and one look would miss more often.
    """
    revision = Revision.objects.filter(survey=survey).only("pk").first()
    is_seen = revision is not None and total(revision.pk) > 0
    return Survey.Reading.ALWAYS if is_seen and reading == Survey.Reading.ONCE else reading


@dataclass(frozen=True)
class _Plan:
    planned: int
    found: int


def _plan_to_keep(revision_id: UUID) -> _Plan | None:
    """The plan of a survey that has one look before it; None where none is to be kept."""
    surveys = Survey.objects.filter(
        revision=revision_id,
        planned_responses__isnull=False,
        planned_reading=Survey.Reading.ONCE,
    ).exclude(Exists(PlannedLook.objects.filter(revision=OuterRef("revision"))))
    found = surveys.annotate(found=total_of(OuterRef("revision")))
    pairs = found.values_list("planned_responses", "found")
    return next((_Plan(planned or 0, count) for planned, count in pairs), None)


def _shown(revision_id: UUID) -> Counter[Cell]:
    rows = AnswerCount.objects.filter(revision=revision_id, opening=SHOWN, question__gt=0)
    return Counter(
        {(question, cell): count for question, cell, count in rows.values_list(*_COLUMNS)}
    )


_COLUMNS = ("question", "cell", "count")


def _packed(cells: Counter[Cell]) -> bytes:
    """In the order of the questions and cells: it says nothing about who came when."""
    rows = [[question, cell, count] for (question, cell), count in sorted(cells.items())]
    return zlib.compress(json.dumps(rows).encode())


def _unpacked(content: bytes) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = {}
    for question, cell, count in json.loads(zlib.decompress(content)):
        found.setdefault(question, Counter())[cell] = count
    return found
