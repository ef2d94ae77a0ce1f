"""Reads of launched surveys, for every room: revision, Questionnaire (cached), opened answers."""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from surveys.models import (
    Ballot,
    Comment,
    Openings,
    Response,
    Revision,
    SealedText,
    Survey,
)
from surveys.questionnaire.document import Questionnaire, languages_in
from surveys.trust.digests import printed_in_groups, revision_digest
from surveys.trust.tally.ballots import Table
from surveys.trust.tally.trustees import joint_key_of

BALLOTS_AT_ONCE = 1000  # of up to 12 KB each


@lru_cache(maxsize=1024)
def launched_revision(survey_id: UUID) -> UUID:
    """The revision of a launched survey, read once per process: a survey is launched once.

    Raises Revision.DoesNotExist.
    """
    return Revision.objects.values_list("pk", flat=True).get(survey=survey_id)


def questionnaire_of(revision: Revision, language: str | None = None) -> Questionnaire:
    """The frozen questionnaire of a revision, in its first language unless told."""
    if language is None:  # the cache tells (key,) from (key, None): it would keep both
        return questionnaire_of_id(revision.pk)
    return questionnaire_of_id(revision.pk, language)


@lru_cache(maxsize=128)
def questionnaire_of_id(revision_id: UUID, language: str | None = None) -> Questionnaire:
    """The frozen questionnaire; read once per process, because a revision never changes.

    Raises MissingText for a language in which it does not read.
    """
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return Questionnaire.from_document(document, language)


@lru_cache(maxsize=1024)
def languages_of(revision_id: UUID) -> tuple[str, ...]:
    """The languages in which a launched questionnaire reads; its author's own is the first."""
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return languages_in(document)


@lru_cache(maxsize=32)
def published_document(survey_id: UUID) -> Mapping[str, Any]:
    """What ``revision.json`` holds: the launched document with the keys of survey and revision.

    Raises Revision.DoesNotExist.
    """
    revision = Revision.objects.only("pk", "document").get(survey=survey_id)
    return {**revision.document, "survey": str(survey_id), "revision": str(revision.pk)}


@lru_cache(maxsize=128)
def digest_of_revision(revision_id: UUID) -> bytes:
    """32 bytes that stand for what was launched: texts are sealed for it."""
    survey = Revision.objects.values_list("survey", flat=True).get(pk=revision_id)
    return revision_digest(published_document(survey))


def printed_digest(survey_id: UUID) -> str:
    """The digest of what was published, in groups of four, as it stands on sheets and in mails.

    Raises Revision.DoesNotExist.
    """
    return printed_in_groups(revision_digest(published_document(survey_id)))


def revision_of(survey: Survey) -> Revision | None:
    """What was launched; None for a draft."""
    return Revision.objects.filter(survey=survey).defer("document").first()


def is_erased(survey: Survey, today: date) -> bool:
    """Whether answers are gone or are going just now: half of them would say something wrong."""
    if survey.erased_on or survey.state == Survey.State.DRAFT:
        return survey.erased_on is not None
    return survey.delete_on is not None and survey.delete_on <= today


def opened_responses(revision_id: UUID) -> QuerySet[Response]:
    """The rows that exist for readers: those of openings that are done, or that never wait."""
    return Response.objects.filter(revision=revision_id, opening__lte=_last_opening(revision_id))


def opened_comments(revision_id: UUID) -> QuerySet[Comment]:
    """The texts that exist for readers."""
    return Comment.objects.filter(revision=revision_id, opening__lte=_last_opening(revision_id))


def opened_sealed_texts(revision_id: UUID, number: int) -> QuerySet[SealedText]:
    """The texts to one question, numbered from 1, as pages sealed them; after the close alone."""
    texts = SealedText.objects.filter(revision=revision_id, question=number)
    return texts.filter(opening__lte=_last_opening(revision_id))


def opened_ballots(revision_id: UUID, table: int) -> QuerySet[Ballot]:
    """The locked answers of one table, numbered from 1; after the close alone."""
    ballots = Ballot.objects.filter(revision=revision_id, table=table)
    return ballots.filter(opening__lte=_last_opening(revision_id))


def awaits_openings(revision_id: UUID) -> bool:
    """Whether more answers may be opened, and locked ones listed: until the close opened all."""
    state = Openings.objects.filter(pk=revision_id, revision__survey__erased_on=None)
    is_open = Q(revision__survey__state=Survey.State.OPEN)
    return state.filter(is_open | Q(round__gt=F("done") + 1)).exists()


def different_count(ballots: QuerySet[Ballot]) -> int:
    """How many different ones there are: a copy would tell what the other person answered."""
    return ballots.values("digest").distinct().count()


def contents_of(ballots: QuerySet[Ballot]) -> Iterator[bytes]:
    """Each different ballot, sorted; a thousand are in memory at once."""
    contents = ballots.order_by("content").values_list("content", flat=True)
    return (content for content, _ in groupby(map(bytes, contents.iterator(BALLOTS_AT_ONCE))))


@lru_cache(maxsize=128)
def table_to_lock(revision_id: UUID, number: int) -> Table:
    """What ballots of a launched table are made for. Raises LookupError where there is none.

    What takes long, the digest and the trustees' proofs, is done once for all tables of a revision.
    """
    tally = questionnaire_of_id(revision_id).tally
    if tally is None or not 1 <= number <= len(tally.tables):
        raise LookupError(f"no locked table {number}")
    cells = tally.tables[number - 1].cells
    return Table(digest_of_revision(revision_id), number, joint_key_of(tally), cells)


def read_opened(
    rows: "QuerySet[Response] | QuerySet[Comment]", revision_id: UUID, *fields: str, at_once: int
) -> Iterator[tuple[Any, ...]]:
    """These fields of rows that exist for readers, as ``read_all`` reads them.

    An opening that ends while they are read stays out as a whole.
    """
    done = Openings.objects.filter(pk=revision_id).values_list("done", flat=True)
    until = rows.filter(opening__lte=next(iter(done), 0))
    yield from read_all(until, *fields, at_once=at_once)


def read_all(
    rows: "QuerySet[Response] | QuerySet[Comment]", *fields: str, at_once: int
) -> Iterator[tuple[Any, ...]]:
    """These fields of all rows, in their order, with so many rows in memory at once.

    Behind a pooler they come in the order of their random keys: no cursor of the server outlives
    its statement there, and a transaction would keep a connection from all others for as long as a
    download takes. So each block is a statement of its own, and a batch of a live survey that
    is stored meanwhile may be among the rows in part.
    """
    if not connections[rows.db].settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        yield from rows.values_list(*fields).iterator(at_once)
        return
    last = UUID(int=0)  # below every key that is drawn
    left = rows.order_by("pk").values_list("pk", *fields)
    while block := list(left.filter(pk__gt=last)[:at_once]):
        yield from (row[1:] for row in block)
        last = block[-1][0]


def _last_opening(revision_id: UUID) -> Coalesce:
    """The number of the last opening that is done; 0 before the first."""
    return Coalesce(Openings.objects.filter(pk=revision_id).values("done")[:1], 0)
