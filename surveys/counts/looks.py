"""Looks at a survey: the planned one, kept once with its counts; all openings, by day and size.

The planned look is kept in the transaction whose answers make it due. Which opening is the first
with the planned number depends on how many answer, and not on what they answer. So the interval for
one look holds at it as at a number fixed beforehand.
"""

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db import connection
from django.db.models import UUIDField

from surveys.counts.cells import RESPONSES, SHOWN, Cell
from surveys.counts.queries import total
from surveys.models import AnswerCount, Openings, PlannedLook, Revision, Survey

PLAN = """SELECT s.planned_responses, c.count FROM surveys_revision r
JOIN surveys_survey s ON s.id = r.survey_id
JOIN surveys_answercount c ON c.revision_id = r.id
 AND c.opening = %(shown)s AND c.question = %(question)s AND c.cell = %(cell)s
LEFT JOIN surveys_plannedlook l ON l.revision_id = r.id
WHERE r.id = %(revision)s AND s.planned_responses IS NOT NULL
 AND s.planned_reading = %(once)s AND l.revision_id IS NULL"""


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
    planned, responses = _plan_to_keep(revision_id) or (0, 0)
    if not responses or not (is_last or responses >= planned):
        return
    PlannedLook.objects.create(
        revision_id=revision_id,
        planned=planned,
        responses=responses,
        is_at_close=responses < planned,
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


def keep_opening(revision_id: UUID, day: date) -> None:
    """Keep that an opening is done, in the transaction that lets readers see its answers.

    One that was interrupted went on as the last, of the same day: readers saw one.
    """
    openings = Openings.objects.only("looks").get(pk=revision_id)
    before = [look for look in openings.looks or () if look[0] < day.isoformat()]
    if size := total(revision_id):
        openings.looks = [*before, [day.isoformat(), size]]
        openings.save(update_fields=["looks"])


def reading_from_now(survey: Survey, reading: str) -> str:
    """The reading of a plan that is made or changed now: one look is planned before the first.

    Who has seen answers could choose the number by them, and one look would miss more often.
    """
    revision = Revision.objects.filter(survey=survey).only("pk").first()
    is_seen = revision is not None and total(revision.pk) > 0
    return Survey.Reading.ALWAYS if is_seen and reading == Survey.Reading.ONCE else reading


def _plan_to_keep(revision_id: UUID) -> tuple[int, int] | None:
    """The planned number and that of responses, where one look is ahead; None where none is.

    In SQL: each batch of a live survey asks, and building the query takes longer than running it.
    """
    question, cell = RESPONSES
    values = {
        "revision": UUIDField().get_db_prep_value(revision_id, connection),
        "once": Survey.Reading.ONCE.value,
        "shown": SHOWN,
        "question": question,
        "cell": cell,
    }
    with connection.cursor() as cursor:
        cursor.execute(PLAN, values)
        return cursor.fetchone()


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
    cells: dict[int, Counter[str]] = {}
    for question, cell, count in json.loads(zlib.decompress(content)):
        cells.setdefault(question, Counter())[cell] = count
    return cells
