"""Reads of kept counts: how many responses there are, how often each cell came; counted anew."""

from collections import Counter
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from surveys.counts.cells import RESPONSES, SHOWN, WRITTEN, Cell, tallied
from surveys.models import AnswerCount, Comment, Openings, Response
from surveys.models.queries import questionnaire_of_id, read_all

AT_ONCE = 5_000  # rows that are read from the database together


def total(revision_id: UUID) -> int:
    """How many submissions were counted, in openings that are done: one row, found by its key."""
    return next(iter(_totals(revision_id)), 0)


def total_of(revision: OuterRef) -> Coalesce:
    """The same beside each row of a query that names a revision."""
    return Coalesce(Subquery(_totals(revision)), 0)


def _totals(revision: UUID | OuterRef) -> "QuerySet[AnswerCount, int]":
    question, cell = RESPONSES
    shown = AnswerCount.objects.filter(revision=revision, opening=SHOWN)
    return shown.filter(question=question, cell=cell).values_list("count", flat=True)


def total_stored(revision_id: UUID) -> int:
    """The same with those of an opening that is running: never for pages."""
    question, cell = RESPONSES
    stored = AnswerCount.objects.filter(revision=revision_id, question=question, cell=cell)
    return sum(stored.values_list("count", flat=True))


def cells_by_question(revision_id: UUID) -> dict[int, Counter[str]]:
    """How often each cell of each question came, by the question's number, from 1."""
    rows = AnswerCount.objects.filter(revision=revision_id, opening=SHOWN, question__gt=0)
    cells: dict[int, Counter[str]] = {}
    for number, cell, count in rows.values_list("question", "cell", "count").iterator(AT_ONCE):
        cells.setdefault(number, Counter())[cell] = count
    return cells


def shown_rows(revision_id: UUID) -> "QuerySet[AnswerCount, tuple[int, str, int]]":
    """Every count that readers see: question, cell, count, in one order."""
    shown = AnswerCount.objects.filter(revision=revision_id, opening=SHOWN)
    return shown.order_by("question", "cell").values_list("question", "cell", "count")


def cells_of_question(revision_id: UUID, number: int) -> Counter[str]:
    """How often each cell of one question came."""
    rows = AnswerCount.objects.filter(revision=revision_id, opening=SHOWN, question=number)
    return Counter(dict(rows.values_list("cell", "count")))


def texts_by_question(revision_id: UUID) -> Counter[int]:
    """How many texts were written to each question, by its number."""
    rows = AnswerCount.objects.filter(revision=revision_id, opening=SHOWN, cell=WRITTEN)
    return Counter(dict(rows.values_list("question", "count")))


def kept(revision_id: UUID) -> dict[int, Counter[Cell]]:
    """All counts that are kept, by where they stand: ``SHOWN`` or the number of an opening."""
    cells: dict[int, Counter[Cell]] = {}
    rows = AnswerCount.objects.filter(revision=revision_id)
    for opening, number, cell, count in rows.values_list("opening", "question", "cell", "count"):
        cells.setdefault(opening, Counter())[number, cell] = count
    return cells


def counted_anew(revision_id: UUID) -> dict[int, Counter[Cell]]:
    """What should be kept, from all stored answers: slow, for checking and mending only."""
    states = Openings.objects.filter(pk=revision_id).values_list("done", flat=True)
    responses = Response.objects.filter(revision=revision_id)
    comments = Comment.objects.filter(revision=revision_id)
    rows = read_all(responses, "opening", "answers", at_once=AT_ONCE)
    texts = read_all(comments, "opening", "question", at_once=AT_ONCE)
    done = next(iter(states), 0)
    questionnaire = questionnaire_of_id(revision_id)
    return tallied(questionnaire, done, rows, texts)
