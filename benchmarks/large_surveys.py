"""A survey with as many answers as wanted, written in bulk as openings would have left them.

It has ten questions of several kinds, or the same again and again; its answers are counted by what
the migration uses.
"""

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from benchmarks.sites import make_owner

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Revision, Survey

BLOCK = 100_000
AGES = (18, 100)


def large_survey(size: int, times: int = 1) -> "Survey":
    """A survey with so many answers, of an owner of its own, and how long it took.

    It asks ten questions so many ``times``.
    """
    from surveys.counts.services import recount

    survey = _open_survey(make_owner(f"of-{size}"), times)
    start = time.perf_counter()
    _fill(survey.revision, size)
    filled, before = time.perf_counter(), time.process_time()
    recount(survey.revision.pk)
    print(
        f"{size:,} answers filled in {filled - start:.1f} s, counted in "
        f"{time.perf_counter() - filled:.1f} s ({time.process_time() - before:.1f} s of CPU here)",
        flush=True,
    )
    return survey


def _open_survey(owner: "User", times: int) -> "Survey":
    """An open survey."""
    from surveys.authoring.services import launch
    from surveys.models import Survey

    survey = Survey.objects.create(
        owner=owner,
        title="Habits",
        introduction="Answer.",
        organisation="Us",
        contact="us",
        opening=Survey.Opening.LIVE,
    )
    for _ in range(times):
        _add_ten(survey)
    launch(survey=survey, by=owner)
    return Survey.objects.get(pk=survey.pk)


def _add_ten(survey: "Survey") -> None:
    """Ten questions: coins, a long list, parts, direct ones and an age."""
    from surveys.models import Question

    kinds, designs = Question.Kind, Question.Design
    yes_no = {"kind": kinds.YES_NO, "required": True}
    for place in range(4):
        _add(survey, text=f"Secret {place}?", design=designs.TWO_COINS, **yes_no)
    _add(survey, text="Do you own a car?", design=designs.DIRECT, **yes_no)
    towns, direct = ("North", "East", "South", "West"), {"design": designs.DIRECT}
    _add(survey, *towns, text="Where do you live?", kind=kinds.CHOICE, required=True, **direct)
    _add(survey, "Never", "Once", "Often", text="Drunk?", kind=kinds.SCALE, epsilon="1.5",
         design=designs.K_ARY)  # fmt: skip
    _add(survey, *(f"Place {n}" for n in range(50)), text="Where was it?", kind=kinds.CHOICE,
         design=designs.SUBSET, epsilon="1.0986", required=True)  # fmt: skip
    _add(survey, *(f"Thing {n}" for n in range(5)), text="Which have you?", kind=kinds.TICKS,
         design=designs.TWO_COINS, required=True, shown=2)  # fmt: skip
    _add(survey, text="How old are you?", kind=kinds.NUMBER, minimum=AGES[0], maximum=AGES[1],
         required=True, **direct)  # fmt: skip


def _add(survey: "Survey", *options: str, **fields: object) -> None:
    from surveys.models import Option, Question

    place = survey.questions.count()
    question = Question.objects.create(survey=survey, position=place, **fields)
    Option.objects.bulk_create(
        Option(question=question, position=n, text=text) for n, text in enumerate(options)
    )


def _fill(revision: "Revision", size: int) -> None:
    """Rows of answers, in the fastest way of each database."""
    from django.db import connection

    rng = np.random.default_rng(7)
    for first in range(0, size, BLOCK):
        rows = list(_rows(revision, min(BLOCK, size - first), rng))
        if connection.vendor == "sqlite":
            _insert(revision, rows)
        else:
            _copy(revision, rows)


def _rows(revision: "Revision", count: int, rng: np.random.Generator) -> Iterator[str]:
    """Random codes of each question, put together to rows."""
    from surveys.models.queries import questionnaire_of

    columns = []
    for item in questionnaire_of(revision).items:
        codes = np.array(_codes(item, rng))
        columns.append(codes[rng.integers(0, len(codes), count)])
    return map("".join, zip(*columns, strict=True))


def _codes(item, rng: np.random.Generator) -> list[str]:
    """Codes among which a person's is drawn evenly."""
    from surveys.kinds.levels.promise import Leveled
    from surveys.kinds.long_list.promise import ListQuestion
    from surveys.kinds.ticks.promise import TicksQuestion

    if isinstance(item, TicksQuestion):
        return [
            "".join(f"{item.slot_code.of_number(part)}{level.code}" for part in parts)
            for parts in ((1, 2), (1, 5), (2, 3), (3, 4))
            for level in item.levels
        ]
    if isinstance(item, ListQuestion):
        draw = item.marks.form.code_from_words
        words = iter(rng.integers(0, 1 << 32, 1 << 19).tolist())
        # More than a download keeps: in a survey nearly every report is a code of its own.
        return [draw(option % item.marks.options, words)[0] for option in range(2_000)]
    if isinstance(item, Leveled):
        return [level.code for level in item.reported_levels]
    return [f"{age:03d}" for age in range(AGES[0], AGES[1] + 1)]


def _insert(revision: "Revision", rows: list[str]) -> None:
    from django.db import connection, transaction

    statement = "INSERT INTO surveys_response (id, revision_id, opening, answers) VALUES (?,?,0,?)"
    keys = (UUID(bytes=os.urandom(16), version=4).hex for _ in rows)
    values = [(key, revision.pk.hex, row) for key, row in zip(keys, rows, strict=True)]
    with transaction.atomic():
        connection.ensure_connection()
        connection.connection.executemany(statement, values)


def _copy(revision: "Revision", rows: list[str]) -> None:
    from django.db import connection

    statement = "COPY surveys_response (id, revision_id, opening, answers) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row((UUID(bytes=os.urandom(16), version=4), revision.pk, 0, row))


def addresses_of(survey: str) -> dict[str, list[str]]:
    """Each kind of page of its results, with its addresses."""
    from django.urls import reverse

    charts = [reverse("surveys:chart", args=[survey, number]) for number in (1, 6, 7, 8, 9, 10)]
    return {
        "list": [reverse("surveys:list")],
        "dashboard": [reverse("surveys:dashboard", args=[survey])],
        "one chart": charts,
        "break-down": [reverse("surveys:break-down", args=[survey]) + "?question=1&by=6"],
        "by number": [reverse("surveys:break-down", args=[survey]) + "?question=2&by=10&also_by=5"],
        "regression": [
            reverse("surveys:regression", args=[survey])
            + "?outcome=1-1&predictors=5&predictors=6&predictors=10"
        ],
    }
