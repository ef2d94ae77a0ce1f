"""Marks that stand nowhere else, planted in every content column of a survey, and the search."""

import secrets
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from surveys.models import (
    Addressee,
    AnswerCount,
    Ballot,
    Comment,
    DailyCount,
    Export,
    Invitation,
    JointCount,
    Mailing,
    Openings,
    PlannedLook,
    RatingCount,
    Sealed,
    SealedText,
    SetAside,
    Survey,
    Tally,
    TallyFile,
)
from surveys.operations.contents import CONTENTS

FIRST_DAY = date(2000, 1, 1)  # PostgreSQL counts days from it
EARLY = date(2001, 1, 1)  # on which no survey was open
BYTES = {"PositiveSmallIntegerField": 2, "PositiveIntegerField": 4, "PositiveBigIntegerField": 8}
MOST_PLANTED = 1024  # rows of a table
ALIKE = 6  # bytes that the large numbers of one column share


@dataclass
class Mark:
    """What one column's canaries share: in the files of a database, and in its samples as shown."""

    raw: list[bytes] = field(default_factory=list)
    shown: list[bytes] = field(default_factory=list)


Marks = dict[str, Mark]


def plant(survey: Survey, count: int, *, without: Iterable[type[Model]] = ()) -> Marks:
    """So many rows in each table that retention erases; the marks by column.

    A number of two or four bytes is not told from others in a heap of files: it is looked for with
    its neighbour, or in samples alone.
    """
    marks: Marks = {}
    for model in [model for model in CONTENTS if model not in without]:
        named = {name: Mark() for name in CONTENTS[model]}
        makers = {name: _maker(model, name, mark) for name, mark in named.items()}
        if model is Openings:
            made = {name: make(0) for name, make in makers.items()}
            Openings.objects.filter(revision=survey.revision).update(**made)
        else:
            many = count
            if model is PlannedLook:  # one of each survey, in the place of its own
                many = 1
                PlannedLook.objects.filter(revision=survey.revision).delete()
            rows = [
                model(**{name: make(place) for name, make in makers.items()}, **others)
                for place, others in enumerate(_others(model, survey, many))
            ]
            model._default_manager.bulk_create(rows)
        marks |= {f"{model._meta.db_table}.{name}": mark for name, mark in named.items()}
    return marks


def found(marks: Marks, content: bytes) -> set[str]:
    """The columns of which something stands in these bytes."""
    return {column for column, mark in marks.items() if any(raw in content for raw in mark.raw)}


SAMPLES = """SELECT tablename || '.' || attname,
concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text)
FROM pg_stats WHERE schemaname = current_schema() UNION ALL
SELECT stxname::text, stxdmcv::text FROM pg_statistic_ext_data
JOIN pg_statistic_ext ON oid = stxoid"""


def in_samples(marks: Marks) -> set[str]:
    """The columns of which something stands in PostgreSQL's samples, its superuser's view."""
    if connection.vendor != "postgresql":
        return set()
    with connection.cursor() as cursor:
        cursor.execute(SAMPLES)
        kept = "\n".join(f"{column} {samples}" for column, samples in cursor.fetchall()).encode()
    return {column for column, mark in marks.items() if any(one in kept for one in mark.shown)}


def _maker(model: type[Model], name: str, mark: Mark) -> Callable[[int], object]:
    """What makes the canaries of a column, by place, and writes down their mark."""
    column = model._meta.get_field(name)
    kind = column.get_internal_type()
    if width := BYTES.get(kind):
        return _numbers(width, mark, is_daily=model is DailyCount)
    if kind == "BinaryField":
        raw = secrets.token_bytes(16)
        mark.raw, mark.shown = [raw], [raw.hex().encode()]
        return lambda place: raw + secrets.token_bytes(48)
    word = secrets.token_hex(12)
    mark.raw = mark.shown = [word.encode()]
    if kind == "JSONField":
        return lambda place: {"topics": [[word, place]]}
    end = "@example.org" if name == "address" else ""
    return lambda place: f"{word}{place:040}"[:64] + end


def _numbers(width: int, mark: Mark, *, is_daily: bool) -> Callable[[int], int]:
    """Random in all bytes but the sign's, so that each database writes them in full."""
    # The last ones are left free: each row's number is that of its place above it.
    top = secrets.randbelow(2 ** (8 * width - 2) - MOST_PLANTED) + 2 ** (8 * width - 2)
    if width == 8:
        top = top >> 16 << 16
        high = struct.pack(">q", top)[:ALIKE]
        mark.raw, mark.shown = [high, high[::-1]], [str(top)[:-6].encode()]
    elif is_daily:
        written = EARLY.isoformat().encode() + struct.pack(">i", top)
        mark.raw = [struct.pack("<ii", (EARLY - FIRST_DAY).days, top), written]
        mark.shown = [str(top).encode()]
    elif width == 4:
        mark.shown = [str(top).encode()]
    return lambda place: top + place


def _others(model: type[Model], survey: Survey, count: int) -> list[dict[str, object]]:
    """What so many rows of a table need besides their contents."""
    revision, now = {"revision": survey.revision}, timezone.now()
    rows: dict[type[Model], Callable[[int], dict[str, object]]] = {
        Comment: lambda place: {**revision, "question": 1},
        SealedText: lambda place: {**revision, "question": 1},
        Ballot: lambda place: {**revision, "table": 1},
        RatingCount: lambda place: {**revision, "question": uuid4()},
        AnswerCount: lambda place: {**revision, "question": 1},
        PlannedLook: lambda place: {**revision, "planned": 1},
        SetAside: lambda place: {**revision, "batch": uuid4()},
        JointCount: lambda place: {**revision, "questions": f"1,{place}"},
        Export: lambda place: {**revision, "kind": f"csv {place}", **export},
        DailyCount: lambda place: {**revision, "day": EARLY + timedelta(days=place)},
        Sealed: lambda place: {**revision, "round": 1, "kind": Sealed.Kind.ROW},
        Invitation: lambda place: {"survey": survey},
        Mailing: lambda place: {"survey": survey},
        Addressee: lambda place: {"mailing": mailing},
        TallyFile: lambda place: {"tally": tally, "kind": "noise", "trustee": place},
        DBTaskResult: lambda place: task,
    }
    export = {"person": User.objects.get(pk=survey.owner_id), "heard_at": now}
    mailing = Mailing.objects.create(survey=survey) if model is Addressee else None
    of_tally = {**revision, "table": 1, "ballots": count}
    tally = Tally.objects.create(**of_tally) if model is TallyFile else None
    task = {
        "args_kwargs": {"args": [], "kwargs": {}},
        "task_path": "tests.canaries",
        "backend_name": "default",
        "run_after": now,
        "finished_at": now,
        "exception_class_path": "",
    }
    make = rows.get(model, lambda place: revision)
    return [make(place) for place in range(count)]
