"""Submissions become rows and texts: stored readably, or sealed one by one for an opening.

Rows in one random order, texts in another, ballots in a third, each under a fresh random key, so
that nothing joins what one person sent.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import F

from surveys.catalogues import services as catalogues
from surveys.counts import services as counts
from surveys.counts.looks import keep_planned_look
from surveys.kinds.text.promise import TextQuestion
from surveys.models import Ballot, Openings, Sealed, SealedText
from surveys.models.queries import digest_of_revision
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.submission import Contents
from surveys.trust import sealing
from surveys.trust.texts import seal_text

NUMBER_DIGITS = 3  # of a question, or a table; a survey has at most 200
ROW, TEXT, KEPT = Sealed.Kind.ROW, Sealed.Kind.TEXT, Sealed.Kind.KEPT
BALLOT = Sealed.Kind.BALLOT
Text = tuple[int, str]
Block = tuple[int, bytes]


# In SQL, since models take longer to make than to store: each row, or all by their columns.
RESPONSES = {
    "sqlite": """INSERT INTO surveys_response (id, revision_id, opening, answers)
VALUES (%s, %s, %s, %s)""",
    "postgresql": """INSERT INTO surveys_response (id, revision_id, opening, answers)
SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::text[])""",
}
COMMENTS = {
    "sqlite": """INSERT INTO surveys_comment (id, revision_id, opening, question, text)
VALUES (%s, %s, %s, %s, %s)""",
    "postgresql": """INSERT INTO surveys_comment (id, revision_id, opening, question, text)
SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::smallint[], %s::text[])""",
}


def store(revision_id: UUID, questionnaire: Questionnaire, answers: Sequence[Contents]) -> None:
    """Store a batch that is never sealed, in the caller's transaction."""
    save_rows(revision_id, answers)
    save_texts(revision_id, [text for contents in answers for text in contents.texts])
    catalogues.add(revision_id, questionnaire, answers)
    counts.add_rows(revision_id, questionnaire, [contents.answers for contents in answers])
    own = sum(contents.own_coin for contents in answers)
    Openings.objects.filter(pk=revision_id).update(own_coin=F("own_coin") + own)
    keep_planned_look(revision_id)


def save_rows(revision_id: UUID, answers: Iterable[Contents], *, opening: int = 0) -> None:
    """Rows without their texts and their path, in random order."""
    rows = [(contents.answers,) for contents in answers]
    secrets.SystemRandom().shuffle(rows)
    _insert(RESPONSES, revision_id, opening, rows)


def save_texts(revision_id: UUID, texts: Iterable[Text], *, opening: int = 0) -> None:
    """Texts that were written, in random order."""
    rows = [(number, text) for number, text in texts if text]
    secrets.SystemRandom().shuffle(rows)
    _insert(COMMENTS, revision_id, opening, rows)
    counts.add_texts(revision_id, (number for number, _ in rows), opening=opening)


def save_opened_texts(
    revision_id: UUID, questionnaire: Questionnaire, texts: Iterable[Block], *, opening: int
) -> None:
    """What ``open_text`` gave: readably, or still sealed for the researchers' keys."""
    if questionnaire.seals:
        _save_sealed_texts(revision_id, texts, opening)
        return
    readable = [(number, block.rstrip(b"\0").decode()) for number, block in texts]
    save_texts(revision_id, readable, opening=opening)


def _save_sealed_texts(revision_id: UUID, texts: Iterable[Block], opening: int) -> None:
    """Texts as pages sealed them, written or not, in random order."""
    rows = [
        SealedText(revision_id=revision_id, question=number, content=content, opening=opening)
        for number, content in texts
    ]
    secrets.SystemRandom().shuffle(rows)
    SealedText.objects.bulk_create(rows)


def _insert(
    into: Mapping[str, str], revision_id: UUID, opening: int, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Rows in this order, each under a fresh random key, by a statement that is planned once."""
    if not rows:
        return
    is_sqlite = connection.vendor == "sqlite"
    revision = revision_id.hex if is_sqlite else revision_id  # as ``UUIDField`` writes it
    values = [(uuid4().hex if is_sqlite else uuid4(), revision, opening, *row) for row in rows]
    with connection.cursor() as cursor:
        if is_sqlite:
            cursor.executemany(into["sqlite"], values)
        else:
            cursor.execute(
                into["postgresql"], [list(column) for column in zip(*values, strict=True)]
            )


def seal_batch(
    revision_id: UUID, questionnaire: Questionnaire, answers: Sequence[Contents]
) -> None:
    """Seal a batch for the opening that comes next, in the transaction that holds the spool.

    Each row, each text whether written or not, and each ballot is a record of its own; the rows in
    one random order, the texts in another, and so the ballots.
    """
    number = Openings.objects.values_list("round", flat=True).get(pk=revision_id)
    public = questionnaire.opening.public_key if questionnaire.opening else b""
    rows = [sealed_row(revision_id, public, number, contents) for contents in answers]
    texts = [
        Sealed(revision_id=revision_id, round=number, kind=TEXT, content=content)
        for contents in answers
        for content in _sealed_texts(revision_id, questionnaire, public, contents)
    ]
    ballots = [
        Sealed(revision_id=revision_id, round=number, kind=BALLOT, content=content)
        for contents in answers
        for content in _sealed_ballots(revision_id, public, contents)
    ]
    for records in (rows, texts, ballots):
        secrets.SystemRandom().shuffle(records)
        Sealed.objects.bulk_create(records)


def sealed_row(revision_id: UUID, public: bytes, number: int, contents: Contents) -> Sealed:
    """A row with its path, sealed for an opening, under a fresh key."""
    plain = replace(contents, texts=(), sealed=(), sizes=(), ballots=()).to_bytes()
    content = sealing.seal(public, about(revision_id, ROW), plain)
    return Sealed(revision_id=revision_id, round=number, kind=ROW, content=content)


def open_row(revision_id: UUID, private: bytes, record: Sealed) -> Contents:
    """What ``sealed_row`` sealed. Raises sealing.NotSealedFor."""
    plain = sealing.unseal(private, about(revision_id, ROW), bytes(record.content))
    # 1 for an own coin, and 2 more for a row that waits for the close.
    mark = int(plain[:1])
    return Contents(mark % 2 == 1, plain[1:].decode("ascii"), (), waits=mark >= 2)


def sealed_kept(revision_id: UUID, public: bytes, number: int, answers: str) -> Sealed:
    """The answers of an opened row that no one reads: sealed until the last release counts them."""
    content = sealing.seal(public, about(revision_id, KEPT), answers.encode("ascii"))
    return Sealed(revision_id=revision_id, round=number, kind=KEPT, content=content)


def open_kept(revision_id: UUID, private: bytes, record: Sealed) -> str:
    """What ``sealed_kept`` sealed. Raises sealing.NotSealedFor."""
    return sealing.unseal(private, about(revision_id, KEPT), bytes(record.content)).decode("ascii")


def open_text(revision_id: UUID, private: bytes, record: Sealed) -> Block:
    """The number of a text's question and its bytes, filled up or as its page sealed it.

    Raises NotSealedFor.
    """
    plain = sealing.unseal(private, about(revision_id, TEXT), bytes(record.content))
    return int(plain[:NUMBER_DIGITS]), plain[NUMBER_DIGITS:]


def open_ballot(revision_id: UUID, private: bytes, record: Sealed) -> Block:
    """The number of a ballot's table and the ballot. Raises NotSealedFor."""
    plain = sealing.unseal(private, about(revision_id, BALLOT), bytes(record.content))
    return int(plain[:NUMBER_DIGITS]), plain[NUMBER_DIGITS:]


def save_ballots(revision_id: UUID, ballots: Iterable[Block], *, opening: int) -> None:
    """Ballots as they came, in random order."""
    rows = [
        Ballot(
            revision_id=revision_id,
            table=number,
            content=content,
            digest=sha256(content).hexdigest(),
            opening=opening,
        )
        for number, content in ballots
    ]
    secrets.SystemRandom().shuffle(rows)
    Ballot.objects.bulk_create(rows)


def about(revision_id: UUID, kind: Sealed.Kind) -> bytes:
    """What a record is sealed with besides its content: it opens as nothing else."""
    return b"deniable " + kind.value.encode() + revision_id.bytes


def _sealed_texts(
    revision_id: UUID, questionnaire: Questionnaire, public: bytes, contents: Contents
) -> Iterable[bytes]:
    for number, block in contents.blocks():
        if questionnaire.seals and not any(block):
            # A person with a coin of their own: their text has to look like all others.
            block = _sealed_empty(revision_id, questionnaire, number)
        plain = f"{number:0{NUMBER_DIGITS}d}".encode() + block
        yield sealing.seal(public, about(revision_id, TEXT), plain)


def _sealed_ballots(revision_id: UUID, public: bytes, contents: Contents) -> Iterable[bytes]:
    for number, ballot in enumerate(contents.ballots, start=1):
        plain = f"{number:0{NUMBER_DIGITS}d}".encode() + ballot
        yield sealing.seal(public, about(revision_id, BALLOT), plain)


def _sealed_empty(revision_id: UUID, questionnaire: Questionnaire, number: int) -> bytes:
    """An empty text, as a page seals it for the researchers' keys."""
    item = questionnaire.items[number - 1]
    if questionnaire.seals is None or not isinstance(item, TextQuestion):
        raise TypeError(f"question {number} is no text that pages seal")
    return seal_text(
        "",
        questionnaire.seals.publics,
        revision=digest_of_revision(revision_id),
        question=number,
        longest=item.longest,
    )
