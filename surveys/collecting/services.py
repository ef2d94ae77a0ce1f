"""Receive a submission: redeem its invitation, submit it to the spool, flush a whole batch.

The two are services of their own, so that something can come between them later that the server
cannot follow (blind signatures, RFC 9474).
"""

import logging
from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import Error, transaction

from surveys.collecting import door, lost_batches, spool
from surveys.collecting.flushing import flush_soon
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.collecting.queries import survey_to_answer
from surveys.collecting.refusals import (
    OtherAnswers,
    Unavailable,
    UnknownInvitation,
    UsedInvitation,
)
from surveys.models import Invitation, Revision, SubmissionKey
from surveys.models.queries import launched_revision, questionnaire_of_id
from surveys.models.refusals import NotOpen
from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.submission import Submission, parse

logger = logging.getLogger(__name__)
SIDE_BY_SIDE = 4  # submissions that are being stored side by side, nearly always


def receive(
    *, survey_id: UUID, body: bytes, admit: Callable[[Submission], None] | None = None
) -> Submission:
    """Store one submission, once, however often it is sent.

    ``admit`` may refuse one that is well formed, before anything is stored. Raises
    Survey.DoesNotExist, NotOpen, Unavailable or another Refused. Except for Unavailable, nothing
    is stored then.
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
    if admit is not None:
        admit(submission)
    if questionnaire.invitation_only:
        # Before it redeems: else today's first invitation would be announced with those used
        # before.
        door.renew(survey_id)
    return lost_batches.going_on(survey_id, partial(_take, survey_id, submission, questionnaire))


def _take(survey_id: UUID, submission: Submission, questionnaire: Questionnaire) -> Submission:
    take = _redeem_and_submit if questionnaire.invitation_only else submit
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
    invitation = Invitation.objects.filter(pk=tokens.digest(token), survey=survey_id)
    if not invitation.filter(redeemed=False).update(redeemed=True):
        raise UsedInvitation if invitation.exists() else UnknownInvitation


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
