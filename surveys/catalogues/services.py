"""Rating counts and display laws, written when a batch of responses is stored.

What an adaptive question shows rests on a copy of its counts, under a key of its own, which stays
as it is for many batches (``display_laws.learns_anew``): the same for every process, whenever it
started, and never newer than what was promised. Beside the copy, as item 0, stand how many
responses were asked so far and how many of them the copy knows.
"""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from surveys.catalogues.queries import ASKED, LEARNED, display_responses
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import RatingCount
from surveys.models.plain_sql import as_stored
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.display import learns_anew
from surveys.questionnaire.ratings import display_key, pending_key
from surveys.questionnaire.submission import Contents

ADD = """INSERT INTO surveys_ratingcount (revision_id, question, item, level, count)
VALUES (%(revision)s, %(question)s, %(item)s, %(level)s, %(count)s)
ON CONFLICT (revision_id, question, item, level)
DO UPDATE SET count = surveys_ratingcount.count + excluded.count"""
FORGET = """DELETE FROM surveys_ratingcount
WHERE revision_id = %(revision)s AND question = %(display)s AND item > 0"""
COPY = """INSERT INTO surveys_ratingcount (revision_id, question, item, level, count)
SELECT revision_id, %(display)s, item, level, count FROM surveys_ratingcount
WHERE revision_id = %(revision)s AND question = %(question)s"""

Rating = tuple[UUID, int, int]


def add(revision_id: UUID, questionnaire: Questionnaire, submissions: Sequence[Contents]) -> None:
    """Count the ratings of submissions that are being stored, in the caller's transaction."""
    tally = _tally(questionnaire, submissions)
    _add(revision_id, tally)
    for _, item in questionnaire.numbered.ratings:
        counts = (count for (key, *_), count in tally.items() if key == UUID(item.id))
        _learn(revision_id, questionnaire, item, sum(counts))


def add_pending(
    revision_id: UUID, questionnaire: Questionnaire, submissions: Sequence[Contents]
) -> None:
    """Count the ratings of rows whose opening is not done, apart from those that are shown."""
    tally = _tally(questionnaire, submissions)
    _add(
        revision_id,
        Counter({(pending_key(key), item, level): n for (key, item, level), n in tally.items()}),
    )


def publish(revision_id: UUID, questionnaire: Questionnaire) -> None:
    """Add the counts of an opening to those that are shown, in the transaction that ends it."""
    for _, item in questionnaire.numbered.ratings:
        rows = RatingCount.objects.filter(revision=revision_id, question=pending_key(item.id))
        counted = rows.values_list("item", "level", "count").order_by("item", "level")
        tally = Counter({(UUID(item.id), number, level): n for number, level, n in counted})
        rows.delete()
        _add(revision_id, tally)
        _learn(revision_id, questionnaire, item, sum(tally.values()))


def _tally(questionnaire: Questionnaire, submissions: Sequence[Contents]) -> Counter[Rating]:
    tally: Counter[Rating] = Counter()
    for _, item in questionnaire.numbered.ratings:
        start, key = questionnaire.row.place_of(item), UUID(item.id)
        for contents in submissions:
            code = contents.answers[start : start + item.width]
            tally.update((key, *rating) for rating in item.slot_code.levels_in(code))
    return tally


def _learn(
    revision_id: UUID, questionnaire: Questionnaire, item: RatingQuestion, ratings: int
) -> None:
    if item.items.adaptive:
        asked = ratings // item.slots
        keep_display(revision_id, UUID(item.id), asked, batch=questionnaire.batch_size)


def _add(revision_id: UUID, tally: Counter[Rating]) -> None:
    """In the order of the items, as they stand anyway: it says nothing about who came when."""
    rows = [
        {
            "revision": as_stored(revision_id),
            "question": as_stored(question),
            "item": number,
            "level": level,
            "count": count,
        }
        for (question, number, level), count in sorted(tally.items())
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(ADD, rows)


def keep_display(revision_id: UUID, question: UUID, asked: int, *, batch: int) -> None:
    """Note that so many more were asked, and copy the counts if the display is to learn anew.

    In the caller's transaction, after the counts; ``batch`` is how many make a batch.
    """
    display = display_key(question)
    _add(revision_id, Counter({(display, *ASKED): asked}))
    known = display_responses(revision_id, question)
    if not learns_anew(known.asked, known.learned, batch):
        return
    keys = {"revision": revision_id, "display": display, "question": question}
    values = {name: as_stored(key) for name, key in keys.items()}
    with connection.cursor() as cursor:
        cursor.execute(FORGET, values)
        cursor.execute(COPY, values)
    _add(revision_id, Counter({(display, *LEARNED): known.asked - known.learned}))
