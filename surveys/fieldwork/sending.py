"""A worker sends a mailing by mail server in batches: claims, marks, failures, lost connection.

What keeps an address apart from its invitation: the digests of a batch are inserted together,
sorted, before its first mail; the tokens are only in this process's memory; and addresses come in
the order of their random keys. A batch has at least 20 mails, unless the whole mailing has fewer.

What keeps a mail from being sent twice: it is marked before it is sent and again afterwards. What
is between the two marks when a process dies may have been sent, and only the owner sends it again.

The tokens of a process that died are lost. Their digests cannot be told from delivered ones, so
they stay, and ``Mailing.undelivered`` says how many there are.
"""

import logging
import secrets
import smtplib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parseaddr
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from surveys.fieldwork.invitations import mint, withdraw
from surveys.fieldwork.letters import Invite, filled
from surveys.fieldwork.mailings import Later
from surveys.fieldwork.problems import (
    LOST,
    REFUSED_BY_CODE,
    REFUSED_FOR_NOW,
    TURNED_AWAY_WORDS,
    UNREACHABLE,
    UNUSABLE,
)
from surveys.fieldwork.queries import check_code
from surveys.models import Addressee, Mailing, Survey
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record

logger = logging.getLogger(__name__)

# Digests that are stored together hide among each other, so a batch has a least size; its tokens
# are in memory alone, so it has a largest.
SMALLEST_BATCH = 20
LARGEST_BATCH = 500
# The server has said no to this one mail, so it was not sent.
REFUSED = (
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPDataError,
    smtplib.SMTPNotSupportedError,
    ValueError,
)
# It has said no to us, so no other mail would fare better.
TURNED_AWAY = (
    smtplib.SMTPSenderRefused,
    smtplib.SMTPHeloError,
    smtplib.SMTPAuthenticationError,
    smtplib.SMTPConnectError,
)


@dataclass
class Batch:
    """What one run sends. Its tokens are unused, refused (never used again), or received.

    ``check`` is the survey's printed digest.
    """

    mailing: Mailing
    link: str
    check: str
    addressees: list[tuple[UUID, str]]
    unused: list[str]
    reply_to: list[str]
    refused: list[str] = field(default_factory=list)


def mails_a_batch() -> int:
    """Mails in one run: a minute's worth, within limits that privacy and memory set."""
    return min(max(settings.MAILS_PER_MINUTE, SMALLEST_BATCH), LARGEST_BATCH)


def pause() -> timedelta:
    """From the start of a run to the start of the next, so that the rate holds on average."""
    return timedelta(minutes=mails_a_batch() / settings.MAILS_PER_MINUTE)


def send_batch(*, mailing_id: UUID, run: int, link: str, later: Later) -> None:
    """Send the next mails of a mailing, if this is its current run."""
    if not _take_turn(mailing_id, run, link, later):
        return
    connection = get_connection()
    try:
        # Before there are tokens: a server that cannot be reached leaves no digest behind.
        connection.open()
        batch = _next_batch(mailing_id, link)
        if batch:
            with _settling(batch):
                _send_all(batch, connection)
    except NotPossible as problem:
        _stop(mailing_id, str(problem), problem)
    except TURNED_AWAY as problem:
        _stop(mailing_id, TURNED_AWAY_WORDS, problem)
    except OSError as problem:
        _log(problem)
        _change(mailing_id, problem=str(UNREACHABLE))
    finally:
        connection.close()


def _take_turn(mailing_id: UUID, run: int, link: str, later: Later) -> bool:
    """Queue the next run before anything is sent: a process that dies does not end the mailing."""
    with transaction.atomic():
        mine = Mailing.objects.filter(
            pk=mailing_id,
            run=run,
            state=Mailing.State.SENDING,
            survey__in=Survey.objects.filter(state=Survey.State.OPEN),
        ).update(run=run + 1)
        if mine:
            later(mailing_id, run + 1, link, timezone.now() + pause())
    return bool(mine)


def _next_batch(mailing_id: UUID, link: str) -> Batch | None:
    """Whom to mail now, with the digests of as many new tokens stored."""
    with transaction.atomic():
        survey = Survey.objects.select_for_update().filter(mailings=mailing_id).first()
        mailing = Mailing.objects.filter(pk=mailing_id, state=Mailing.State.SENDING).first()
        if survey is None or mailing is None or survey.state != Survey.State.OPEN:
            return None
        waiting = mailing.addressees.filter(state=Addressee.State.WAITING).order_by("pk")
        rows = list(waiting.values_list("pk", "address")[: _size(waiting.count())])
        # A reminder carries no code, so that there is none to make.
        unused = [] if mailing.reminds_id else mint(survey, len(rows))
        _change(mailing_id, undelivered=F("undelivered") + len(unused), problem="")
    return Batch(mailing, link, check_code(survey), rows, unused, _reply_to(survey))


def _size(waiting: int) -> int:
    """A batch, and the rest with it if that alone would be too few to hide in."""
    batch = mails_a_batch()
    return waiting if waiting < batch + SMALLEST_BATCH else batch


@contextmanager
def _settling(batch: Batch) -> Iterator[None]:
    """After success and failure, withdraw what cannot have been received and is not needed."""
    try:
        yield
    finally:
        with transaction.atomic():
            # Together: ``undelivered`` counts the digests that stay although no mail is known to
            # have arrived.
            withdrawn = withdraw(_needless(batch))
            _change(batch.mailing.pk, undelivered=F("undelivered") - withdrawn)
            _finish(batch.mailing)


def _needless(batch: Batch) -> list[str]:
    """Tokens that no one can have received, but for as many as those that were sent hide among.

    If a batch ends after its first mails, the few digests that were sent would otherwise stand
    alone beside the few addresses that have theirs.
    """
    left = batch.unused + batch.refused
    if batch.mailing.reminds_id:
        return []
    sent = len(batch.addressees) - len(left)
    return left[max(0, SMALLEST_BATCH - sent) :] if sent else left


def _finish(mailing: Mailing) -> None:
    """The mailing is done when no address waits any more."""
    states = Counter(mailing.addressees.values_list("state", flat=True))
    sending = Mailing.objects.filter(pk=mailing.pk, state=Mailing.State.SENDING)
    if states[Addressee.State.WAITING] or not sending.update(state=Mailing.State.DONE):
        return
    record(
        "finished a mailing",
        by=None,
        survey=mailing.survey,
        after={"mailing": str(mailing.pk), "addresses": dict(states)},
    )


def _send_all(batch: Batch, connection: BaseEmailBackend) -> None:
    for key, address in batch.addressees:
        if _claim(batch, key) and not _send_one(batch, connection, key, address):
            return


def _claim(batch: Batch, key: UUID) -> bool:
    """Mark one mail as being sent; False if it is not to be sent any more."""
    # Asked anew for each mail: the owner may have stopped the mailing since the last one.
    sending = Mailing.objects.filter(pk=batch.mailing.pk, state=Mailing.State.SENDING)
    mine = Addressee.objects.filter(pk=key, state=Addressee.State.WAITING, mailing__in=sending)
    return bool(mine.update(state=Addressee.State.SENDING))


def _send_one(batch: Batch, connection: BaseEmailBackend, key: UUID, address: str) -> bool:
    """Send one mail and mark what became of it; False if the connection is lost.

    Raises what turns us away, after the mail was put back.
    """
    token = batch.unused.pop() if batch.unused else None
    try:
        connection.send_messages([_message(batch, address, token)])
    except TURNED_AWAY:
        batch.refused.extend([token] if token else [])
        _mark(key, Addressee.State.WAITING)
        raise
    except REFUSED as problem:
        batch.refused.extend([token] if token else [])
        _mark(key, Addressee.State.FAILED, problem=_reason(problem))
    # Last, because what smtplib raises are OSErrors, too. The mail stays between its two marks: it
    # is unknown whether it arrived.
    except OSError as problem:
        _stop(batch.mailing.pk, LOST, problem)
        return False
    else:
        _mark_sent(batch, key)
    return True


def _message(batch: Batch, address: str, token: str | None) -> EmailMessage:
    """Plain text. Its Message-ID is random and names the sender's domain alone."""
    words = _words(batch, token)
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return EmailMessage(
        batch.mailing.subject,
        words,
        to=[address],
        reply_to=batch.reply_to,
        headers={"Message-ID": f"<{secrets.token_hex(16)}@{domain}>"},
    )


def _words(batch: Batch, token: str | None) -> str:
    """A reminder has no code; the survey's printed digest is the same in all mails."""
    message, check = batch.mailing.message, batch.check
    if token is None:
        return filled(message, {"check": check})
    return Invite(batch.link, token).letter(message, check)


def _reply_to(survey: Survey) -> list[str]:
    """The survey's contact, where that is an e-mail address."""
    try:
        validate_email(survey.contact)
    except ValidationError:
        return []
    return [survey.contact]


def _reason(problem: Exception) -> str:
    """Why one mail was refused. Never in the server's words: they may quote the mail's link."""
    code = getattr(problem, "smtp_code", 0)
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        code = next((reply[0] for reply in problem.recipients.values()), 0)
    if 400 <= code < 500:
        return REFUSED_FOR_NOW.format(code=code)
    if code:
        return REFUSED_BY_CODE.format(code=code)
    return UNUSABLE


def _mark(key: UUID, state: Addressee.State, *, problem: str = "") -> int:
    mine = Addressee.objects.filter(pk=key, state=Addressee.State.SENDING)
    return mine.update(state=state, problem=str(problem))


def _mark_sent(batch: Batch, key: UUID) -> None:
    with transaction.atomic():
        if _mark(key, Addressee.State.SENT) and not batch.mailing.reminds_id:
            _change(batch.mailing.pk, undelivered=F("undelivered") - 1)


def _stop(mailing_id: UUID, words: str, problem: Exception) -> None:
    _log(problem)
    _change(mailing_id, state=Mailing.State.STOPPED, problem=str(words))


def _change(mailing_id: UUID, **values: Any) -> None:
    Mailing.objects.filter(pk=mailing_id).update(**values)


def _log(problem: Exception) -> None:
    logger.error("A mailing could not go on: %s", type(problem).__name__)
