"""Take a trustee's file: checked before a lock is held, stored once, never replaced.

Proofs of noise take up to a second (60 cells in 24 bits), mostly a tenth of it, so they are checked
while the person waits. With the last share the counts are opened, in the same transaction.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from surveys.models import Revision, Survey, Tally, TallyFile
from surveys.models.queries import is_erased, questionnaire_of, table_to_lock
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.plans.tallies import MOST_TRUSTEES
from surveys.results.locked.queries import NOISE, SHARE
from surveys.staff.access import may
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability
from surveys.trust.digests import canonical
from surveys.trust.tally import files as tally_files
from surveys.trust.tally.ballots import ciphers_in, written_ciphers
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan, read_json
from surveys.trust.tally.proofs import Cipher
from surveys.trust.tally.trustees import promised_trustee

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KINDS = {tally_files.NOISE: NOISE, tally_files.SHARE: SHARE}
# Each further one found that another file came first, of which there are two a trustee.
MOST_TRIES = 2 * MOST_TRUSTEES + 1


@dataclass(frozen=True)
class TakenFile:
    """Which file was taken; ``is_new``: not the same again; ``is_opened``: it opened the counts."""

    kind: str
    trustee: str
    is_new: bool
    is_opened: bool


def take_file(*, survey: Survey, number: int, content: bytes, by: "User") -> TakenFile:
    """Keep a noise or share file of a trustee of a table, if its proofs hold.

    The same file again changes nothing. Raises NotAllowed, NotPossible (no list of this table;
    another file of this trustee is here; noise is missing) or TrustRefusal (it is not such a file,
    belongs elsewhere, or proves nothing).
    """
    if not may(by, survey, Ability.RULE):
        raise NotAllowed(
            gettext("You may not upload trustees' files. Ask the survey's owner to upload them.")
        )
    file = read_json(content)
    for _ in range(MOST_TRIES):
        opening = _OpeningTally.read(survey, number)
        checked = opening.checked(file)
        if checked.row is None or _is_stored(survey, opening, checked, by):
            is_opened = checked.counts is not None
            name = opening.names[checked.trustee - 1]
            return TakenFile(checked.kind, name, checked.row is not None, is_opened)
    raise NotPossible(
        gettext(
            "Your file was not saved: other people are uploading files of this table at the "
            "moment. Upload your file again."
        )
    )


@dataclass(frozen=True)
class _Checked:
    """A file whose proofs hold: ``row`` is what is stored, None of one that is here already."""

    kind: str
    trustee: int
    row: TallyFile | None = None
    counts: list[int] | None = None


@dataclass(frozen=True)
class _OpeningTally:
    """A table as it stands: its list of ballots, and the files here by kind and trustee."""

    tally: Tally
    listed: BallotList
    rows: Mapping[tuple[str, int], TallyFile]

    @classmethod
    def read(cls, survey: Survey, number: int) -> "_OpeningTally":
        """Raises NotPossible."""
        revision = Revision.objects.filter(survey=survey).defer("document").first()
        tally = Tally.objects.filter(revision=revision, table=number).first()
        if revision is None or tally is None or is_erased(survey, timezone.now().date()):
            raise NotPossible(gettext("This table has no locked answers to open."))
        rows = {(row.kind, row.trustee): row for row in tally.files.all()}
        totals = rows.pop((TallyFile.Kind.TOTAL, 0), None)
        if totals is None:
            raise NotPossible(gettext("The locked answers of this table were deleted."))
        plan = _plan(revision, number)
        digest = bytes.fromhex(tally.digest)
        listed = BallotList(plan, tally.ballots, digest, _ciphers(totals))
        return cls(tally, listed, rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the trustees, in their order."""
        return tuple(trustee.name for trustee in self.listed.plan.trustees)

    def checked(self, file: Mapping[str, Any]) -> _Checked:
        """The file with what it changes. Raises NotPossible, TrustRefusal."""
        kind, trustee = self._named(file)
        if row := self.rows.get((kind, trustee)):
            return self._again(row, canonical(file))
        if kind == NOISE:
            ciphers = written_ciphers(self.listed.read_noise(file, trustee))
            return _Checked(kind, trustee, self._row(kind, trustee, file, ciphers))
        multiples = self._totals().read_share(file, trustee)
        row = self._row(kind, trustee, file, b"")
        return _Checked(kind, trustee, row, self._counts(trustee, multiples))

    def _named(self, file: Mapping[str, Any]) -> tuple[str, int]:
        """Which kind of file it says to be, of which trustee, from 1."""
        said, trustee = file.get("deniable"), file.get("trustee")
        kind = KINDS.get(said) if isinstance(said, str) else None
        if kind is None:
            raise NotPossible(
                gettext(
                    "This file does not come from a trustee. Upload the file that “trustee noise” "
                    "or “trustee open” created."
                )
            )
        if type(trustee) is not int or not 1 <= trustee <= len(self.names):
            raise NotPossible(
                gettext(
                    "This file does not come from a trustee of this table. Check the table and the "
                    "file."
                )
            )
        return kind, trustee

    def _again(self, row: TallyFile, content: bytes) -> _Checked:
        if bytes(row.content) == content:
            return _Checked(row.kind, row.trustee)
        words = gettext(
            "Your file was not saved: another noise file of {name} was uploaded before. Noise "
            "files are never replaced."
        )
        if row.kind == SHARE:
            words = gettext(
                "Your file was not saved: another share file of {name} was uploaded before. Share "
                "files are never replaced."
            )
        raise NotPossible(words.format(name=self.names[row.trustee - 1]))

    def _totals(self) -> NoisyTotals:
        """With all noise. Raises NotPossible while some is missing."""
        numbers = range(1, len(self.names) + 1)
        missing = [self.names[n - 1] for n in numbers if (NOISE, n) not in self.rows]
        if missing:
            words = gettext(
                "The share file was not saved: all noise files must be uploaded first. Missing: "
                "the noise of {names}."
            )
            raise NotPossible(words.format(names=", ".join(missing)))
        rows = [self.rows[NOISE, n] for n in numbers]
        noises = tuple(read_json(bytes(row.content)) for row in rows)
        return NoisyTotals(self.listed, noises, tuple(map(_ciphers, rows)))

    def _counts(self, trustee: int, multiples: list[bytes]) -> list[int] | None:
        """What all shares open, with this one; None while others are missing."""
        totals = self._totals()
        shares = {trustee: multiples}
        for kind, other in self.rows:
            if kind == SHARE:
                content = bytes(self.rows[kind, other].content)
                shares[other] = totals.read_share(read_json(content), other)
        if len(shares) < len(self.names):
            return None
        return totals.opened([shares[n] for n in sorted(shares)])

    def _row(self, kind: str, trustee: int, file: Mapping[str, Any], ciphers: bytes) -> TallyFile:
        content = canonical(file)
        return TallyFile(
            tally=self.tally, kind=kind, trustee=trustee, content=content, locked=ciphers
        )


@transaction.atomic
def _is_stored(survey: Survey, opening: _OpeningTally, checked: _Checked, by: "User") -> bool:
    """Whether it was stored; not if other files came since it was checked."""
    survey = locked(survey, by, Ability.RULE)  # of two uploads at once, the second waits here
    if is_erased(survey, timezone.now().date()):
        return False  # the day of deletion came meanwhile: nothing is stored beside what goes
    here = set(TallyFile.objects.filter(tally=opening.tally).values_list("pk", flat=True))
    if checked.row is None or len(here) != len(opening.rows) + 1:
        return False
    checked.row.save(force_insert=True)
    entry = {"table": opening.tally.table, "trustee": checked.trustee, "file": checked.kind}
    record("trustee's file taken", by=by, survey=survey, after=entry)
    if checked.counts is not None:
        today = timezone.now().date()
        Tally.objects.filter(pk=opening.tally.pk).update(counts=checked.counts, opened_on=today)
        after = {"table": opening.tally.table}
        record("locked totals opened", by=by, survey=survey, after=after)
    return True


def _plan(revision: Revision, number: int) -> TallyPlan:
    questionnaire = questionnaire_of(revision)
    if questionnaire.tally is None:
        raise NotPossible(gettext("This table has no locked answers to open."))
    trustees = tuple(map(promised_trustee, questionnaire.tally.trustees))
    table = questionnaire.tally.tables[number - 1]
    return TallyPlan(
        table_to_lock(revision.pk, number),
        trustees,
        Fraction(table.sigma),
        questionnaire.batch_size,
    )


def _ciphers(row: TallyFile) -> tuple[Cipher, ...]:
    return tuple(ciphers_in(bytes(row.locked)))
