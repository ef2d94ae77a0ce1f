"""Locked tables at the close: few ballots are destroyed, of the others a list is made available.

A list's digest and its locked totals are worked out before the transaction that finishes the
opening: of 10,000 ballots with 12 cells that takes some seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from surveys.models import Ballot, Tally, TallyFile, releasing
from surveys.models.queries import contents_of, different_count, table_to_lock
from surveys.questionnaire.document import Questionnaire
from surveys.trust.tally.ballots import RunningDigest, total_of_proven, written_ciphers
from surveys.trust.tally.proofs import Cipher


@dataclass(frozen=True)
class ListedBallots:
    """All different ballots of a table: how many, what stands for them, and their locked totals."""

    table: int
    count: int
    digest: bytes
    totals: list[Cipher]


def list_ballots(revision_id: UUID, questionnaire: Questionnaire) -> list[ListedBallots]:
    """Of each table that has ballots of a batch of people. Raises TrustRefusal."""
    return list(_listed(revision_id, questionnaire))


def _listed(revision_id: UUID, questionnaire: Questionnaire) -> Iterator[ListedBallots]:
    for number in (one.table for one in questionnaire.row.tables):
        ballots = Ballot.objects.filter(revision=revision_id, table=number)
        count = different_count(ballots)
        if count < questionnaire.batch_size:
            continue
        table = table_to_lock(revision_id, number)
        running = RunningDigest(table, count)
        totals = total_of_proven(table, running.passing(contents_of(ballots)))
        yield ListedBallots(number, count, running.finished(), totals)


def make_available(
    revision_id: UUID, questionnaire: Questionnaire, listed: list[ListedBallots]
) -> None:
    """Store and charge these lists, in the transaction that finishes the last opening.

    Locked answers of fewer different people than a batch are never opened: their ballots go, also
    where rows of so few are shown, and what was set aside for them is free again.
    """
    if not questionnaire.row.tables:
        return
    kept = [one.table for one in listed]
    Ballot.objects.filter(revision=revision_id).exclude(table__in=kept).delete()
    for one in listed:
        tally = Tally.objects.create(
            revision_id=revision_id,
            table=one.table,
            ballots=one.count,
            digest=one.digest.hex(),
        )
        TallyFile.objects.create(
            tally=tally,
            kind=TallyFile.Kind.TOTAL,
            trustee=0,
            content=b"",
            locked=written_ciphers(one.totals),
        )
    if kept and (releaser := releasing.registered()):
        releaser.listed(revision_id, kept)
