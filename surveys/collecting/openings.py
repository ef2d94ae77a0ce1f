"""Openings: sealed rows are stored readably by chance, in a random order, half of them or all.

An opening begins at its date, with the spool held; it goes on in chunks, each one transaction, and
may be killed and resumed anywhere; when it is done its rows exist for readers, all at once. Before
the close half of the rows, and at least a batch, stay sealed by selection sampling; at the close
everything opens, texts apart from rows. Every draw comes from the system's cryptographic source.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, QuerySet

from surveys.catalogues import services as catalogues
from surveys.collecting import records, spool
from surveys.collecting.keys import opening_keys, orders
from surveys.collecting.opened.paths import Marked, count_stored, kept, without_path
from surveys.collecting.opened.tables import list_ballots, make_available
from surveys.counts import queries as tallied
from surveys.counts import services as counts
from surveys.counts.looks import keep_opening, keep_planned_look
from surveys.models import (
    DailyCount,
    Openings,
    Sealed,
    SetAside,
    Spool,
    Survey,
    Waiting,
    releasing,
)
from surveys.models.queries import questionnaire_of_id
from surveys.questionnaire.document import Questionnaire, closes_at
from surveys.questionnaire.plans.openings import DAY, held_back, kept_back, withheld
from surveys.questionnaire.submission import Contents

CHUNK = 1000  # records in one transaction: about 0.1 s in which no one else writes on SQLite


class Overtaken(RuntimeError):
    """Another process opens the same records; what this one had prepared is undone."""


class OpeningHeld(RuntimeError):
    """The database fell back: this opening may have been drawn (see ``held_openings``)."""


@dataclass(frozen=True)
class RunningOpening:
    """An opening that is running: its number, whether it is the last, both halves of the key."""

    revision_id: UUID
    questionnaire: Questionnaire
    number: int
    is_last: bool
    public: bytes
    private: bytes


def is_due(survey: Survey, now: datetime) -> bool:
    """Whether an open survey's opening, or its close, has come and has not begun."""
    state = Openings.objects.filter(revision__survey=survey).first()
    if state is None or survey.close_on is None or survey.state != Survey.State.OPEN:
        return False
    questionnaire = questionnaire_of_id(state.pk)
    plan = questionnaire.opening
    if plan is None or not plan.is_sealed:
        return False
    end = closes_at(questionnaire, survey.close_on)
    is_over = end is not None and end <= now
    return is_over or _due_day(questionnaire, survey.close_on, state, now) is not None


@transaction.atomic
def begin(survey_id: UUID, now: datetime) -> bool:
    """Begin the opening that is due before the close, or put it off if too few answers wait.

    False if none is due, or if it was put off to the next date. Raises batch_keys.KeyLost, Held.
    """
    # Survey, spool, opening: all who lock several lock them in this order, and wait in no circle.
    survey = Survey.objects.select_for_update().filter(pk=survey_id, state="open").first()
    locked = Spool.objects.select_for_update().filter(survey=survey_id).first()
    if survey is None or locked is None or survey.close_on is None:
        return False
    questionnaire = questionnaire_of_id(locked.revision_id)
    state = Openings.objects.select_for_update().get(pk=locked.revision_id)
    day = _due_day(questionnaire, survey.close_on, state, now)
    if day is None:
        return False
    _require_free(state)
    waiting = Waiting.objects.filter(revision=locked.revision_id).count()
    # Rows that wait for the close anyway are no company for those that may leave.
    rows = _rows(locked.revision_id).count() + waiting - state.withheld
    # Half of the rows stay, and each half has to be a batch.
    if rows < 2 * questionnaire.batch_size:
        Openings.objects.filter(pk=state.pk).update(since=day)
        return False
    spool.turn(locked)
    keep = kept_back(rows, questionnaire.batch_size)
    _begin(state, day, rows, keep)
    if questionnaire.own_coin.left_out:
        leaving = rows - keep
        Openings.objects.filter(pk=state.pk).update(others=leaving, withhold=held_back(leaving))
    return True


def begin_last(survey: Survey) -> None:
    """Begin the opening of everything, in the transaction that closes the survey.

    One that was interrupted goes on as the last.
    """
    state = Openings.objects.select_for_update().get(revision__survey=survey)
    day = survey.close_on + DAY if survey.close_on else state.since
    _begin(state, day, _rows(state.pk).count(), 0)


def destroy_unread(survey: Survey) -> int:
    """Destroy all that is sealed or waits, in the caller's transaction, and end the spool.

    The opening key goes with it. Returns how many answers that were.
    """
    locked = Spool.objects.select_for_update().get(survey=survey)
    gone = spool.abandon(locked) + _rows(locked.revision_id).count()
    Sealed.objects.filter(revision=locked.revision_id).delete()
    Openings.objects.filter(pk=locked.revision_id).update(destroyed=gone, left=0, keep=0)
    orders.leave(Openings.objects.filter(pk=locked.revision_id))
    return gone


def has_too_few(revision_id: UUID) -> bool:
    """Whether fewer answers came in all than a batch has."""
    return _came(revision_id) < questionnaire_of_id(revision_id).batch_size


@transaction.atomic
def count_anew(survey: Survey, today: date) -> None:
    """Renew, once a day, how many answers came at least: in steps of a batch.

    What pages say that day is kept as the day's count.
    """
    state = Openings.objects.filter(revision__survey=survey).exclude(counted_on=today).first()
    if state is None:
        return
    step = questionnaire_of_id(state.pk).batch_size
    # Those that no key opens came too; only what is destroyed with too few does not count them.
    came = _came(state.pk) + SetAside.objects.filter(revision=state.pk).count()
    at_least = came // step * step
    # A clock that was set back may count a day twice; the first count is what pages said.
    others = Openings.objects.filter(pk=state.pk).exclude(counted_on=today)
    if others.update(at_least=at_least, counted_on=today):
        DailyCount.objects.get_or_create(
            revision_id=state.pk, day=today, defaults={"at_least": at_least}
        )


def _came(revision_id: UUID) -> int:
    stored = tallied.total_stored(revision_id)
    waiting = Waiting.objects.filter(revision=revision_id).count()
    return stored + waiting + _rows(revision_id).count()


def run(survey: Survey) -> bool:
    """Carry the opening that is running to its end; False if none is.

    Raises OpeningKeyLost, sealing.NotSealedFor, Held, or Overtaken if another process is at it.
    """
    state = Openings.objects.filter(revision__survey=survey).first()
    if state is None or not state.is_running:
        return False
    _require_free(state)
    questionnaire = questionnaire_of_id(state.pk)
    plan = questionnaire.opening
    # Nothing is sealed any more if the survey was stopped meanwhile: then the key is gone, too.
    is_needed = Sealed.objects.filter(revision=state.pk).exists()
    public = plan.public_key if plan else b""
    private = opening_keys.read(survey.pk, public) if is_needed else b""
    is_last = survey.state == Survey.State.CLOSED
    opening = RunningOpening(state.pk, questionnaire, state.done + 1, is_last, public, private)
    _prepare(opening, state)
    # Rows that came after this opening began are of the next round, and stay before the close.
    rows = _rows(state.pk) if is_last else _rows(state.pk).filter(round__lte=opening.number)
    for chunk in _chunks(rows):
        _open_rows(opening, chunk)
    if is_last:
        for chunk in _chunks(Sealed.objects.filter(revision=state.pk, kind=records.TEXT)):
            _open_texts(opening, chunk)
        for chunk in _chunks(Sealed.objects.filter(revision=state.pk, kind=records.BALLOT)):
            _open_ballots(opening, chunk)
    _finish(opening, _prepared(opening))
    return True


def _require_free(state: Openings) -> None:
    if state.fell_back_to is not None:
        raise OpeningHeld(f"{state.fell_back_to:%Y-%m-%d %H:%M}")


def _due_day(
    questionnaire: Questionnaire, last_day: date, state: Openings, now: datetime
) -> date | None:
    """The latest day of an opening that has come; None if none has, or one is still running."""
    plan = questionnaire.opening
    if plan is None or not plan.is_sealed or state.is_running:
        return None
    latest, day = None, plan.next_day(last_day, state.since)
    while day <= last_day and plan.at(day) <= now:
        latest, day = day, plan.next_day(last_day, day)
    return latest


def _begin(state: Openings, day: date, rows: int, keep: int) -> None:
    # This opening is number done + 1; what comes from now on is sealed for the one after it.
    Openings.objects.filter(pk=state.pk).update(
        round=state.done + 2, since=day, left=rows, keep=keep, others=None, withhold=0
    )


def _rows(revision_id: UUID) -> QuerySet[Sealed]:
    return Sealed.objects.filter(revision=revision_id, kind=records.ROW)


def _chunks(sealed: QuerySet[Sealed]) -> Iterator[list[UUID]]:
    """The records' keys in one secret permutation of all of them.

    A large opening takes minutes; orders to destroy other surveys' keys do not wait for its end.
    """
    keys = list(sealed.order_by("pk").values_list("pk", flat=True))  # in no order of arrival
    secrets.SystemRandom().shuffle(keys)
    for first in range(0, len(keys), CHUNK):
        orders.carry_out()
        yield keys[first : first + CHUNK]


def _read(keys: Sequence[UUID]) -> list[Sealed]:
    """The records in the order of these keys. Raises Overtaken if some are gone."""
    sealed = Sealed.objects.in_bulk(keys)
    if len(sealed) < len(keys):
        raise Overtaken
    return [sealed[key] for key in keys]


def _prepare(opening: RunningOpening, state: Openings) -> None:
    """Before everything opens: how many rows have to lose the answers that would mark a path.

    If a respondent used their own coin and a question could not be asked then, so many others lose
    their answers to the same questions: a batch, or a tenth of these rows. Those that openings
    held back for it come first; with them each row is as likely, whenever it came, while a tenth is
    more than a batch. These rows are only those that show their path: where questions are drawn, a
    tenth of all rows would be most of the answers to a question that few people drew. Rows of the
    own-coin path do not count towards the batch: an attacker may have sent them, and knows them.
    """
    if not opening.is_last or state.others is not None:
        return
    marked = _count_marked(opening) if opening.questionnaire.own_coin.left_out else Marked()
    least = 0
    if marked.own:
        stored = count_stored(opening.revision_id, opening.questionnaire, CHUNK)
        showing = marked.own + marked.held_back + marked.others + stored
        least = withheld(showing, opening.questionnaire.batch_size)
    Openings.objects.filter(pk=opening.revision_id, others=None).update(
        others=marked.others,
        withhold=min(max(0, least - marked.held_back), marked.others),
        withheld=marked.own + marked.held_back if marked.own else 0,
    )


def _count_marked(opening: RunningOpening) -> Marked:
    marked = Marked()
    for keys in _chunks(_rows(opening.revision_id)):
        rows = [
            records.open_row(opening.revision_id, opening.private, record) for record in _read(keys)
        ]
        marked.count(opening.questionnaire, rows)
    return marked


def _open_rows(opening: RunningOpening, keys: Sequence[UUID]) -> None:
    """Unseal a chunk, decide by chance which rows stay, and store the others.

    All that takes time is done before the transaction, which then compares the counters: if
    another process moved them, nothing of this one's is kept.
    """
    questionnaire = opening.questionnaire
    before = Openings.objects.get(pk=opening.revision_id)
    rows = [
        records.open_row(opening.revision_id, opening.private, record) for record in _read(keys)
    ]
    after = Openings(pk=before.pk, **{name: getattr(before, name) for name in COUNTERS})
    stay: list[Contents] = []
    leave: list[Contents] = []
    for row in rows:
        sealed_again = kept(questionnaire, row, after, is_last=opening.is_last)
        if sealed_again:
            stay.append(sealed_again)
        else:
            leave.append(without_path(questionnaire, row, after, is_last=opening.is_last))
    after.own_coin += sum(row.own_coin for row in leave)
    sealed = [
        records.sealed_row(opening.revision_id, opening.public, opening.number + 1, row)
        for row in stay
    ]
    left_behind = _left_behind(opening, leave)
    leave = [replace(row, answers=questionnaire.row.without_hidden(row.answers)) for row in leave]
    with transaction.atomic():
        # First: another process that opens the same rows waits at this row, and is then overtaken.
        _move_counters(before, after)
        _delete(keys)
        Sealed.objects.bulk_create([*sealed, *left_behind])
        records.save_rows(opening.revision_id, leave, opening=opening.number)
        catalogues.add_pending(opening.revision_id, questionnaire, leave)
        answers = [row.answers for row in leave]
        counts.add_rows(opening.revision_id, questionnaire, answers, opening=opening.number)


COUNTERS = ("left", "keep", "others", "withhold", "own_coin", "withheld")


def _move_counters(before: Openings, after: Openings) -> None:
    """Raises Overtaken unless the counters are still as they were read."""
    unchanged = Openings.objects.filter(pk=before.pk, round=before.round, done=before.done)
    unchanged = unchanged.filter(**{name: getattr(before, name) for name in COUNTERS})
    if not unchanged.update(**{name: getattr(after, name) for name in COUNTERS}):
        raise Overtaken


def _left_behind(opening: RunningOpening, leave: Sequence[Contents]) -> list[Sealed]:
    """What rows leave behind where direct answers are only released in tables: sealed again.

    In an order of their own: nothing joins them to the rows that they were part of.
    """
    if not opening.questionnaire.row.hidden:
        return []
    hidden_alone = opening.questionnaire.row.hidden_alone
    sealed = [
        records.sealed_kept(
            opening.revision_id, opening.public, opening.number, hidden_alone(row.answers)
        )
        for row in leave
    ]
    secrets.SystemRandom().shuffle(sealed)
    return sealed


def _prepared(opening: RunningOpening) -> Callable[[], None]:
    """Draw what this opening releases, list the locked answers after the last; what stores both."""
    release, revision, questionnaire = (
        _released(opening),
        opening.revision_id,
        opening.questionnaire,
    )
    if not opening.is_last:
        return release
    listed = list_ballots(revision, questionnaire)

    def store() -> None:
        release()
        make_available(revision, questionnaire, listed)

    return store


def _released(opening: RunningOpening) -> Callable[[], None]:
    """Draw what this opening releases of direct answers, and return what stores it.

    Nothing of it is kept unless the opening is finished in the same transaction.
    """
    releaser = releasing.registered()
    if releaser is None or not opening.questionnaire.row.hidden:
        return lambda: None  # direct answers are shown as they are given
    rows: dict[int, list[str]] = {}
    for record in _kept_records(opening).iterator(CHUNK):
        answers = records.open_kept(opening.revision_id, opening.private, record)
        rows.setdefault(record.round, []).append(answers)
    return releaser.prepared(opening.revision_id, opening.number, opening.is_last, rows)


def _kept_records(opening: RunningOpening) -> QuerySet[Sealed]:
    return Sealed.objects.filter(revision=opening.revision_id, kind=records.KEPT)


def _delete(keys: Sequence[UUID]) -> None:
    gone, _ = Sealed.objects.filter(pk__in=keys).delete()
    if gone < len(keys):
        raise Overtaken


def _open_texts(opening: RunningOpening, keys: Sequence[UUID]) -> None:
    """Store a chunk of texts: readably, or still sealed for the researchers' keys."""
    revision, questionnaire = opening.revision_id, opening.questionnaire
    texts = [records.open_text(revision, opening.private, record) for record in _read(keys)]
    with transaction.atomic():
        _delete(keys)
        records.save_opened_texts(revision, questionnaire, texts, opening=opening.number)


def _open_ballots(opening: RunningOpening, keys: Sequence[UUID]) -> None:
    """Store a chunk of ballots, which stay locked."""
    revision = opening.revision_id
    ballots = [records.open_ballot(revision, opening.private, record) for record in _read(keys)]
    with transaction.atomic():
        _delete(keys)
        records.save_ballots(revision, ballots, opening=opening.number)


@transaction.atomic
def _finish(opening: RunningOpening, store: Callable[[], None]) -> None:
    """Now its rows and its tables exist for readers; after the last, what they counted does not.

    Where direct answers are released in tables alone, neither does the key that sealed them.
    """
    # Of two processes that come to the end, the second finds ``done`` moved, and stores nothing.
    unfinished = Openings.objects.filter(pk=opening.revision_id, done=opening.number - 1, left=0)
    if not unfinished.update(done=opening.number, done_on=F("since")):
        raise Overtaken
    store()
    if opening.is_last:
        _kept_records(opening).delete()
        if opening.questionnaire.row.hidden:
            orders.leave(Openings.objects.filter(pk=opening.revision_id))
    catalogues.publish(opening.revision_id, opening.questionnaire)
    counts.publish(opening.revision_id, opening.number)
    day = Openings.objects.values_list("since", flat=True).get(pk=opening.revision_id)
    keep_opening(opening.revision_id, day)
    keep_planned_look(opening.revision_id, as_of=day, is_last=opening.is_last)
    transaction.on_commit(_empty_journal)


def _empty_journal() -> None:
    """SQLite's journal still holds the order of the commits; a reader may keep it for now."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
