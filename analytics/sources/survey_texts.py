"""The stored comments of one question, cut in parts for this process or for a cluster's workers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from analytics.kinds.settings import Settings
from analytics.sources.executors import Executor, ExecutorError, PartSource, go_on, open_partitions
from analytics.sources.partitions import PART, DatabaseTexts, blocks_of
from analytics.text.bags import Bags
from surveys.models import Comment, Revision
from surveys.models.queries import opened_comments, read_opened

# Keys are UUIDs, numbers of 128 bits.
_KEYS = 2**128


@dataclass(frozen=True)
class StoredTexts:
    """All comments to one question, read by this process in the order of their random keys."""

    revision: UUID
    number: int
    settings: Settings

    def read(self) -> Iterator[Bags]:
        rows = _comments(self.revision, self.number).order_by("pk")
        texts = (text for (text,) in read_opened(rows, self.revision, "text", at_once=2000))
        yield from blocks_of(texts, self.settings)


def partitions_of_question(
    revision: Revision,
    number: int,
    settings: Settings,
    scheduler: str | None = None,
    *,
    beat: Callable[[], None] = go_on,
) -> Executor:
    """The comments to question ``number`` (from 1), one respondent each; close it when done.

    In this process they are in the order of their keys. The workers of a ``scheduler`` read ranges
    of keys from PostgreSQL, each with the address in its own environment. ``beat`` as in
    ``open_partitions``. Raises ExecutorError.
    """
    chosen = replace(settings)  # without the stop lists that it may have loaded
    sources: list[PartSource] = [StoredTexts(revision.pk, number, chosen)]
    if scheduler is not None:
        _require_postgresql(scheduler)
        parts = max(1, ceil(_comments(revision.pk, number).count() / PART))
        sources = ranges_of_question(revision, number, chosen, parts)
    return open_partitions(sources, scheduler, most_words=settings.most_words, beat=beat)


def ranges_of_question(
    revision: Revision, number: int, settings: Settings, parts: int
) -> list[PartSource]:
    """The comments by equal ranges of their keys, which are random: nearly equally many in each."""
    bounds = [part * _KEYS // parts for part in range(parts + 1)]
    return [
        _between(revision.pk, number, settings, UUID(int=first), UUID(int=end - 1))
        for first, end in pairwise(bounds)
    ]


def _between(
    revision: UUID, number: int, settings: Settings, first: UUID, last: UUID
) -> DatabaseTexts:
    rows = _comments(revision, number).filter(pk__range=(first, last)).values_list("text")
    # As SQL: workers have neither Django nor its settings, only the address of the database.
    query, parameters = rows.query.sql_with_params()
    return DatabaseTexts(query, tuple(parameters), settings)


def _comments(revision: UUID, number: int) -> "QuerySet[Comment]":
    return opened_comments(revision).filter(question=number)


def _require_postgresql(scheduler: str) -> None:
    if connection.vendor != "postgresql":
        remedy = "workers read from PostgreSQL; with SQLite leave DENIABLE_DASK_SCHEDULER out"
        raise ExecutorError("scheduler", scheduler, remedy)
