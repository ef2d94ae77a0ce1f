"""Counts of answers, written in the transactions that store them.

Those of an opening stand under its number until it is done, and are then added to those that
readers see, which stand under 0: what is sealed, or opened half, is in no count that anyone reads.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import connection, transaction

from surveys.counts.cells import SHOWN, WRITTEN, Cell, cells_of
from surveys.counts.queries import counted_anew
from surveys.models import AnswerCount, Openings, Spool
from surveys.models.plain_sql import as_stored
from surveys.questionnaire.document import Questionnaire

COLUMNS = "(revision_id, opening, question, cell, count)"
# The database adds, so that two transactions which count at once lose nothing.
ADDED = """ON CONFLICT (revision_id, opening, question, cell)
DO UPDATE SET count = surveys_answercount.count + excluded.count"""
ADD = f"""INSERT INTO surveys_answercount {COLUMNS}
VALUES (%(revision)s, %(opening)s, %(question)s, %(cell)s, %(count)s) {ADDED}"""  # noqa: S608 - of constants alone
# Ordered as ``_add`` does: the order of the rows says nothing about who came when.
PUBLISH = f"""INSERT INTO surveys_answercount {COLUMNS}
SELECT revision_id, %(shown)s, question, cell, count FROM surveys_answercount
WHERE revision_id = %(revision)s AND opening = %(opening)s ORDER BY question, cell {ADDED}"""  # noqa: S608 - of constants alone


def add_rows(
    revision_id: UUID, questionnaire: Questionnaire, rows: Sequence[str], *, opening: int = SHOWN
) -> None:
    """Count rows of answers that are being stored, in the caller's transaction."""
    _add(revision_id, opening, cells_of(questionnaire, rows))


def add_texts(revision_id: UUID, numbers: Iterable[int], *, opening: int = SHOWN) -> None:
    """Count texts that are being stored, by the numbers of their questions."""
    _add(revision_id, opening, Counter((number, WRITTEN) for number in numbers))


def publish(revision_id: UUID, opening: int) -> None:
    """Add an opening's counts to those that are shown, in the transaction that ends it."""
    values = {"revision": as_stored(revision_id), "opening": opening, "shown": SHOWN}
    with connection.cursor() as cursor:
        cursor.execute(PUBLISH, values)
    AnswerCount.objects.filter(revision=revision_id, opening=opening).delete()


@transaction.atomic
def recount(revision_id: UUID) -> None:
    """Count all stored answers of a revision anew: slow, and submissions wait meanwhile."""
    list(Spool.objects.select_for_update().filter(revision=revision_id))  # no batch is stored
    list(Openings.objects.select_for_update().filter(pk=revision_id))  # no chunk is opened
    AnswerCount.objects.filter(revision=revision_id).delete()
    for opening, cells in counted_anew(revision_id).items():
        _add(revision_id, opening, cells)


def _add(revision_id: UUID, opening: int, cells: Counter[Cell]) -> None:
    """In the order of the questions and cells: it says nothing about who came when."""
    revision = as_stored(revision_id)
    rows = [
        {
            "revision": revision,
            "opening": opening,
            "question": question,
            "cell": cell,
            "count": count,
        }
        for (question, cell), count in sorted(cells.items())
        if count
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(ADD, rows)
