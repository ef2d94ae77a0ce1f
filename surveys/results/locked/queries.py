"""TallyState: how far the opening of each locked table is, and what stands of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property

from django.utils import timezone

from surveys.models import Revision, Survey, Tally, TallyFile
from surveys.models.queries import awaits_openings, is_erased, questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.tallies import LockedTable, tables_of
from surveys.results.locked.counts import OpenedTable

NOISE, SHARE = TallyFile.Kind.NOISE, TallyFile.Kind.SHARE


class State(StrEnum):
    """What comes next for a table."""

    WAITING = "waiting"  # for the close
    DESTROYED = "destroyed"  # the ballots, unread
    NOISE = "noise"  # of some trustees is missing; the list is ready
    SHARES = "shares"  # of some trustees are missing
    OPENED = "opened"
    GONE = "gone"  # with the answers, before it was opened


@dataclass(frozen=True)
class TallyState:
    """One locked table. ``files`` has the trustees, from 1, whose file of a kind is here."""

    questionnaire: Questionnaire
    table: LockedTable
    state: State
    tally: Tally | None = None
    files: Mapping[str, frozenset[int]] | None = None

    @property
    def trustees(self) -> tuple[str, ...]:
        """Who holds the keys, in the order of the launched document."""
        tally = self.questionnaire.tally
        return tuple(key.name for key in tally.trustees) if tally else ()

    def given(self, kind: str) -> frozenset[int]:
        """The trustees whose file of this kind is here."""
        return (self.files or {}).get(kind, frozenset())

    @cached_property
    def opened(self) -> OpenedTable | None:
        """The counts with their noise; None before all trustees opened them."""
        if self.tally is None or self.tally.counts is None:
            return None
        counts, people = self.tally.counts, self.tally.ballots
        return OpenedTable.of(self.questionnaire, self.table, counts, people)

    @property
    def takes_files(self) -> bool:
        """Whether a trustee's file is missing."""
        return self.state in (State.NOISE, State.SHARES)

    @property
    def has_files(self) -> bool:
        """Whether its ballots, and with them trustees' files, can be downloaded."""
        return self.files is not None


def tally_states(survey: Survey, revision: Revision, today: date | None = None) -> list[TallyState]:
    """Each locked table of a launched survey, by its number; none where nothing is counted so."""
    questionnaire = questionnaire_of(revision)
    tables = tables_of(questionnaire.tally)
    if not tables:
        return []
    erased = is_erased(survey, today or timezone.now().date())
    tallies = {one.table: one for one in Tally.objects.filter(revision=revision)}
    waits = not tallies and awaits_openings(revision.pk) and not erased
    files = {} if erased else _files(revision)
    return [
        _state(questionnaire, table, tallies.get(table.table), files, waits=waits)
        for table in tables
    ]


def tally_state(survey: Survey, revision: Revision, number: int) -> TallyState | None:
    """One of them; None if there is no such table."""
    states = tally_states(survey, revision)
    return next((one for one in states if one.table.table == number), None)


def has_opened(revision: Revision) -> bool:
    """Whether counts of a locked table were opened; they stay when the answers are erased."""
    return Tally.objects.filter(revision=revision).exclude(counts=None).exists()


def trustee_file(state: TallyState, kind: str, trustee: int) -> bytes | None:
    """A trustee's file as it was taken; None if it is not here."""
    if state.tally is None or not state.has_files or kind not in (NOISE, SHARE):
        return None
    files = TallyFile.objects.filter(tally=state.tally, kind=kind, trustee=trustee)
    content = files.values_list("content", flat=True).first()
    return None if content is None else bytes(content)


Files = Mapping[tuple[int, str], frozenset[int]]


def _files(revision: Revision) -> dict[tuple[int, str], frozenset[int]]:
    """The trustees whose files are here, by table and kind; an entry for each table's totals."""
    found: dict[tuple[int, str], frozenset[int]] = {}
    rows = TallyFile.objects.filter(tally__revision=revision)
    for table, kind, trustee in rows.values_list("tally__table", "kind", "trustee"):
        found[table, kind] = found.get((table, kind), frozenset()) | {trustee}
    return found


def _state(
    questionnaire: Questionnaire,
    table: LockedTable,
    tally: Tally | None,
    files: Files,
    *,
    waits: bool,
) -> TallyState:
    if tally is None:
        return TallyState(questionnaire, table, State.WAITING if waits else State.DESTROYED)
    here: dict[str, frozenset[int]] = {
        kind: files.get((table.table, kind), frozenset()) for kind in (NOISE, SHARE)
    }
    is_here = (table.table, TallyFile.Kind.TOTAL) in files
    size = len(questionnaire.tally.trustees) if questionnaire.tally else 0
    state = State.SHARES if len(here[NOISE]) == size else State.NOISE
    if tally.counts is not None:
        state = State.OPENED
    elif not is_here:
        state = State.GONE
    return TallyState(questionnaire, table, state, tally, here if is_here else None)
