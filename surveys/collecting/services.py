"""Receive a submission: redeem its invitation, submit it to the spool, flush a whole batch.

Where a survey has vouchers an invitation is exchanged for a signature instead, in a request of its
own that has no answers, and the submission comes with that (RFC 9474; ``surveys.trust.vouchers``).
"""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import Error, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from surveys.collecting import door, lost_batches, spool
from surveys.collecting.flushing import flush_soon
from surveys.collecting.keys import signing_keys
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.collecting.queries import survey_to_answer
from surveys.collecting.refusals import (
    NotProven,
    NotVouched,
    OtherAnswers,
    Unavailable,
    UnknownInvitation,
    UsedInvitation,
)
from surveys.models import Invitation, Revision, SubmissionKey
from surveys.models.queries import (
    digest_of_revision,
    launched_revision,
    questionnaire_of_id,
    table_to_lock,
)
from surveys.models.refusals import NotOpen
from surveys.models.surveys import takes_answers
from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.vouchers import VoucherPlan
from surveys.questionnaire.refusals import Malformed
from surveys.questionnaire.submission import Submission, canonical_code, parse
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import check_ballot, make_ballot
from surveys.trust.vouchers import (
    NotAVoucher,
    check_voucher,
    is_signable,
    sign_blinded,
    voucher_message,
)

logger = logging.getLogger(__name__)
OPENNESS = ("survey__state", "survey__close_on", "survey__delete_on")
SIDE_BY_SIDE = 4  # submissions that are being stored side by side, nearly always


def receive(
    *, survey_id: UUID, body: bytes, admit: Callable[[Submission], None] | None = None
) -> Submission:
    """Store one submission, once, however often it is sent.

    ``admit`` may refuse one that is well formed, and vouched for where it has to be, before
    anything is stored. Raises Survey.DoesNotExist, NotOpen, Unavailable or another Refused. Except
    for Unavailable, nothing is stored then.
    """
    try:
        return _receive(survey_id, body, admit)
    except (Error, KeyLost, OSError) as problem:
        logger.error("A submission could not be stored: %s", type(problem).__name__)
        raise Unavailable from problem


def _receive(
    survey_id: UUID, body: bytes, admit: Callable[[Submission], None] | None
) -> Submission:
    revision_id = _launched(survey_id)
    questionnaire = questionnaire_of_id(revision_id)
    submission = parse(body, questionnaire=questionnaire, revision=str(revision_id))
    if questionnaire.vouchers and submission.is_vouched:
        _require_voucher(questionnaire.vouchers, submission)
    if admit is not None:
        admit(submission)
    # The very same was proven when it came first.
    if questionnaire.row.tables and not spool.is_known(submission):
        submission = _with_ballots(questionnaire, submission)
    if submission.invitation:
        # Before it redeems: else today's first invitation would be announced with those used
        # before.
        door.renew(survey_id)
    return lost_batches.going_on(survey_id, partial(_take, survey_id, submission, questionnaire))


def _take(survey_id: UUID, submission: Submission, questionnaire: Questionnaire) -> Submission:
    take = _redeem_and_submit if submission.invitation else submit
    try:
        added = take(survey_id, submission)
    # Used by this very submission, if its key is known: the reply to the first one was lost.
    except UsedInvitation:
        if not SubmissionKey.objects.filter(pk=submission.key_digest).exists():
            raise
        return _repeated(survey_id, submission, spool.hold(survey_id))
    if added is None or not added.is_new:
        return _repeated(survey_id, submission, added.held_spool if added else None)
    if _is_whole(added.held_spool, submission.revision_id, questionnaire.batch_size):
        flush_soon(survey_id)
    return submission


@transaction.atomic
def _redeem_and_submit(survey_id: UUID, submission: Submission) -> spool.Added | None:
    """Both or neither. The spool is locked first, as everywhere that both are locked."""
    held_spool = spool.hold(survey_id)
    if held_spool is None:
        return None
    redeem(survey_id=survey_id, token=submission.invitation)
    added = submit(survey_id, submission)
    if added and not added.is_new:
        transaction.set_rollback(True)  # other answers under a used key, with a fresh invitation
    return added


def redeem(*, survey_id: UUID, token: str) -> None:
    """Use up an invitation, in the caller's transaction.

    Raises UnknownInvitation or UsedInvitation.
    """
    invitation = _invitation(survey_id, token)
    if not invitation.filter(redeemed=False).update(redeemed=True):
        raise UsedInvitation if invitation.exists() else UnknownInvitation


def exchange(
    *,
    survey_id: UUID,
    typed: str,
    blinded: bytes,
    admit_again: Callable[[], None] = lambda: None,
) -> bytes:
    """Sign what a page blinded (256 bytes), once for each invitation; the same again for the same.

    ``admit_again`` may refuse a code that was used or is unknown. Raises Survey.DoesNotExist,
    NotOpen, Malformed, BadInvitation, Unavailable or what that raises; nothing is used up then,
    except perhaps for Unavailable.
    """
    try:
        return _exchange(survey_id, typed, blinded, admit_again)
    except (Error, KeyLost, OSError, ArithmeticError) as problem:
        logger.error("An invitation could not be exchanged: %s", type(problem).__name__)
        raise Unavailable from problem


def _exchange(
    survey_id: UUID, typed: str, blinded: bytes, admit_again: Callable[[], None]
) -> bytes:
    questionnaire = questionnaire_of_id(_launched(survey_id))
    if questionnaire.vouchers is None:
        raise Malformed
    token = canonical_code(typed, questionnaire.code_length)
    request = hashlib.sha256(blinded).hexdigest()
    modulus = questionnaire.vouchers.modulus
    # Before the code is looked at: who gets this refused burns no code, and would learn from the
    # other refusal that it was used, as often as they ask.
    if not is_signable(modulus, blinded):
        raise Malformed
    try:
        signing = signing_keys.read(spool.keys_directory(), survey_id, modulus)
    except KeyLost:
        _require_open(survey_id)  # at the close it goes
        raise
    _require_exchangeable(survey_id, token, request, admit_again)
    signed = sign_blinded(signing, blinded)  # outside of every lock: it takes milliseconds
    door.renew(survey_id)  # as before every use
    unused_or_same = _invitation(survey_id, token).filter(Q(redeemed=False) | Q(request=request))
    if not unused_or_same.update(redeemed=True, request=request):
        raise UsedInvitation  # meanwhile, for something else
    return signed


def _require_exchangeable(
    survey_id: UUID, token: str, request: str, admit_again: Callable[[], None]
) -> None:
    """Raises NotOpen, UnknownInvitation or UsedInvitation; by one query where there is nothing."""
    found = _invitation(survey_id, token).values_list("redeemed", "request", *OPENNESS).first()
    today = timezone.now().date()
    if found is None or not takes_answers(found[2], found[3], found[4], today):
        _require_open(survey_id)
    if found is not None and found[:2] == (False, ""):
        return
    admit_again()
    if found is None:
        raise UnknownInvitation
    if found[:2] != (True, request):
        raise UsedInvitation


def _require_open(survey_id: UUID) -> None:
    survey = survey_to_answer(survey_id)
    if not survey.takes_answers(timezone.now().date()):
        raise NotOpen(survey)


def _invitation(survey_id: UUID, token: str) -> QuerySet[Invitation]:
    return Invitation.objects.filter(pk=tokens.digest(token), survey=survey_id)


def _require_voucher(plan: VoucherPlan, submission: Submission) -> None:
    """Raises NotVouched."""
    digest, key = digest_of_revision(submission.revision_id), bytes.fromhex(submission.key)
    try:
        check_voucher(plan.modulus, voucher_message(digest, key), submission.voucher)
    except NotAVoucher as problem:
        raise NotVouched from problem


def _with_ballots(questionnaire: Questionnaire, submission: Submission) -> Submission:
    """With ballots that are proven, outside every lock: each takes milliseconds.

    For a person with a coin of their own they are made here, as of people who are not asked. Raises
    NotProven for one that proves nothing.
    """
    revision = submission.revision_id
    tables = [table_to_lock(revision, table.table) for table in questionnaire.row.tables]
    if submission.own_coin:
        made = tuple(make_ballot(table, table.cells - 1) for table in tables)
        return replace(submission, made=made)
    try:
        for table, ballot in zip(tables, submission.ballots, strict=True):
            check_ballot(table, ballot)
    except TrustRefusal as problem:
        raise NotProven(submission.ticket) from problem
    return submission


def submit(survey_id: UUID, submission: Submission) -> spool.Added | None:
    """Put a submission into the spool, once; None if the survey takes none. Raises KeyLost."""
    return spool.add(survey_id, submission)


def _launched(survey_id: UUID) -> UUID:
    try:
        return launched_revision(survey_id)
    except Revision.DoesNotExist:
        raise NotOpen(survey_to_answer(survey_id)) from None


def _repeated(
    survey_id: UUID, submission: Submission, locked: spool.HeldSpool | None
) -> Submission:
    """The same again, which was counted; everything else is refused.

    Raises NotOpen, OtherAnswers, or KeyLost if what was counted may be lost.
    """
    revision_id = submission.revision_id
    known = SubmissionKey.objects.filter(pk=submission.key_digest, revision=revision_id).first()
    if known is None and locked is None:
        raise NotOpen(survey_to_answer(survey_id))
    if known is None or known.content not in ("", submission.content_digest):
        raise OtherAnswers
    if locked:
        spool.require_key(locked, revision_id)
    return submission


def _is_whole(held_spool: spool.HeldSpool, revision_id: UUID, batch_size: int) -> bool:
    """Whether a whole batch waits now; counted anew where others may have added meanwhile."""
    # ``waiting`` was read before others of the same moment were committed. Near a whole batch they
    # may make the difference, so there it is counted.
    if not batch_size - SIDE_BY_SIDE <= held_spool.waiting < batch_size - 1:
        return held_spool.waiting >= batch_size - 1
    return spool.count(revision_id) >= batch_size
