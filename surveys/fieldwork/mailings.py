"""Writes of mailings: prepare, send, retry, stop, settle uncertain mails, erase addresses."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from surveys.fieldwork.invitations import lock_for_inviting, require_invitations
from surveys.fieldwork.queries import ERASED_ADDRESS, Overlap, overlap_of, reached_before
from surveys.models import Addressee, Mailing, Survey
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.wording.language.numbers import grouped

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Queues a run of a mailing: (mailing, number of the run, the survey's link, not before).
Later = Callable[[UUID, int, str, datetime | None], None]
SHOWN_ONLY = {"console", "dummy"}
PREPARED_IN_ONE_STATEMENT = 5000


def mail_is_off() -> bool:
    """Whether mails would go nowhere, because the operator named no mail server."""
    backend = settings.EMAIL_BACKEND.removesuffix(".EmailBackend").rpartition(".")[2]
    return backend in SHOWN_ONLY or (backend == "smtp" and not settings.EMAIL_HOST)


@transaction.atomic
def prepare_mailing(
    *, survey: Survey, subject: str, message: str, addresses: Sequence[str], by: "User"
) -> Mailing:
    """Keep a mail and whom to send it to, all or nothing. Raises NotAllowed or NotPossible."""
    survey = lock_for_inviting(survey, by)
    require_invitations(survey)
    mailing = Mailing.objects.create(survey=survey, subject=subject, message=message)
    rows = [Addressee(mailing=mailing, address=address) for address in addresses]
    Addressee.objects.bulk_create(rows, batch_size=PREPARED_IN_ONE_STATEMENT)
    _record("prepared a mailing", mailing, by, {"addresses": len(rows)})
    return mailing


@transaction.atomic
def schedule_reminders(
    *,
    mailing: Mailing,
    subject: str,
    message: str,
    moments: Sequence[datetime],
    link: str,
    later: Later,
    by: "User",
) -> list[Mailing]:
    """Queue a reminder at each moment to every address of a mailing, without a code.

    Which address got which invitation is not stored, so that neither who answered nor whom to spare
    can be known: all get it. Raises NotAllowed or NotPossible.
    """
    mailing = _held(mailing, by)
    _require_remindable(mailing, moments)
    addresses = list(mailing.addressees.values_list("address", flat=True))
    made = []
    for moment in moments:
        reminder = Mailing.objects.create(
            survey=mailing.survey,
            subject=subject,
            message=message,
            reminds=mailing,
            due=moment,
            state=Mailing.State.SENDING,
            run=1,
        )
        rows = [Addressee(mailing=reminder, address=address) for address in addresses]
        Addressee.objects.bulk_create(rows, batch_size=PREPARED_IN_ONE_STATEMENT)
        later(reminder.pk, reminder.run, link, moment)
        made.append(reminder)
    _record("scheduled reminders", mailing, by, {"reminders": len(made)})
    return made


def _require_remindable(mailing: Mailing, moments: Sequence[datetime]) -> None:
    _require_sendable(mailing)
    if mailing.reminds_id:
        raise NotPossible(
            gettext("You cannot remind people of a reminder. Choose a mailing with invitations.")
        )
    if not mailing.addressees.exists():
        raise NotPossible(
            gettext("No one can be reminded, because the addresses of this mailing were erased.")
        )
    if not mailing.addressees.filter(state=Addressee.State.SENT).exists():
        raise NotPossible(gettext("No one can be reminded yet. Send the invitations first."))
    if not moments or min(moments) <= timezone.now():
        raise NotPossible(
            gettext(
                "The schedule has a reminder in the past. Plan the reminders again, with a "
                "later first day."
            )
        )


@transaction.atomic
def send_mailing(
    *,
    mailing: Mailing,
    link: str,
    later: Later,
    by: "User",
    second_votes: int = 0,
    despite_erased: bool = False,
) -> None:
    """Start or continue sending to all who wait, but for those who have an invitation already.

    With ``second_votes`` these get one more; the number says that the author knows how many.
    ``despite_erased`` confirms that this is not known where a list was erased. Raises NotAllowed or
    NotPossible.
    """
    mailing = _held(mailing, by)
    _require_sendable(mailing)
    overlap = overlap_of(mailing)
    if not overlap.waiting:
        raise NotPossible(
            gettext("There is nothing to send, because no address is waiting for this mail.")
        )
    settled = _settle_overlap(mailing, overlap, second_votes, despite_erased=despite_erased)
    _record("started a mailing", mailing, by, settled)
    _start(mailing, link, later)


@transaction.atomic
def retry_failed(
    *,
    mailing: Mailing,
    link: str,
    later: Later,
    by: "User",
    despite_erased: bool = False,
) -> None:
    """Send once more to the addresses that were refused. Raises NotAllowed or NotPossible.

    Those whom another mailing reached meanwhile are left out.
    """
    mailing = _held(mailing, by)
    _require_sendable(mailing)
    again = mailing.addressees.filter(state=Addressee.State.FAILED).update(
        state=Addressee.State.WAITING, problem=""
    )
    if not again:
        raise NotPossible(gettext("There is nothing to retry, because no address has failed."))
    # After the addresses wait again, so that those reached elsewhere meanwhile are among the
    # repeated.
    settled = _settle_overlap(mailing, overlap_of(mailing), 0, despite_erased=despite_erased)
    _record("retried a mailing", mailing, by, settled)
    _start(mailing, link, later)


@transaction.atomic
def stop_mailing(*, mailing: Mailing, by: "User") -> None:
    """Send no further mail; it can be continued. Raises NotAllowed or NotPossible."""
    mailing = _held(mailing, by)
    if mailing.state != Mailing.State.SENDING:
        raise NotPossible(
            gettext("There is nothing to stop, because this mailing is not being sent.")
        )
    _update(mailing, state=Mailing.State.STOPPED)
    _record("stopped a mailing", mailing, by, {})


@transaction.atomic
def settle_uncertain(*, mailing: Mailing, arrived: bool, by: "User") -> None:
    """Decide about mails that may have been sent: take them as sent, or send them again.

    Raises NotAllowed or NotPossible.
    """
    mailing = _held(mailing, by)
    if mailing.state == Mailing.State.SENDING:
        raise NotPossible(gettext("Mails are being sent at the moment. Stop the mailing first."))
    uncertain = mailing.addressees.filter(state=Addressee.State.SENDING)
    settled = uncertain.update(state=Addressee.State.SENT if arrived else Addressee.State.WAITING)
    if not settled:
        raise NotPossible(
            gettext("There is nothing to decide: Deniable knows of each mail whether it was sent.")
        )
    if arrived:
        _update(mailing, undelivered=max(0, mailing.undelivered - settled))
    # Addresses wait again, so the mailing is not done.
    elif mailing.state == Mailing.State.DONE:
        _update(mailing, state=Mailing.State.STOPPED)
    _record("settled a mailing", mailing, by, {"addresses": settled, "arrived": arrived})


@transaction.atomic
def erase_addresses(*, mailing: Mailing, by: "User") -> int:
    """Erase a mailing's address list; a draft goes whole. Raises NotAllowed or NotPossible."""
    mailing = _held(mailing, by)
    erased, _ = mailing.addressees.all().delete()
    _record("erased an address list", mailing, by, {"addresses": erased})
    if mailing.state == Mailing.State.DRAFT:
        mailing.delete()
    else:
        _update(mailing, state=Mailing.State.DONE, problem="")
    return erased


@transaction.atomic
def erase_address(address: str) -> int:
    """Erase one address from every list, for the person who asks; returns from how many."""
    addressees = Addressee.objects.filter(address__iexact=address)
    surveys = Survey.objects.filter(mailings__addressees__in=addressees).distinct()
    # Before the rows go, by which these surveys are known.
    for survey in surveys:
        record(ERASED_ADDRESS, by=None, survey=survey)
    erased, _ = addressees.delete()
    return erased


def _held(mailing: Mailing, by: "User") -> Mailing:
    """The mailing as it stands, in a held survey. Raises NotAllowed or NotPossible."""
    survey = lock_for_inviting(mailing.survey, by)
    locked = Mailing.objects.select_for_update().filter(pk=mailing.pk).first()
    if locked is None:
        raise NotPossible(gettext("This mailing was erased in the meantime."))
    locked.survey = survey
    return locked


def _require_sendable(mailing: Mailing) -> None:
    require_invitations(mailing.survey)
    if mailing.survey.state != Survey.State.OPEN:
        raise NotPossible(
            gettext("Launch the survey first. The link to the survey works only after the launch.")
        )
    if mailing.state == Mailing.State.SENDING:
        raise NotPossible(gettext("This mailing is already being sent."))
    if mail_is_off():
        raise NotPossible(
            gettext(
                "No mail server is set up, so Deniable cannot send mails. Ask your operator to "
                "set up a mail server, or hand out printed code sheets."
            )
        )


def _settle_overlap(
    mailing: Mailing, overlap: Overlap, second_votes: int, *, despite_erased: bool
) -> dict[str, int]:
    """Leave out who has an invitation, or add as many votes as the author confirmed.

    Decided while the survey is held, so that of two mailings the second sees the first. Raises
    NotPossible.
    """
    if overlap.is_unknown and not despite_erased:
        raise NotPossible(
            gettext(
                "Sending has not started: an address list was erased, so it is unknown who "
                "already has an invitation. Confirm that up to {waiting} people could answer "
                "twice."
            ).format(waiting=grouped(overlap.waiting))
        )
    if second_votes:
        if second_votes != overlap.repeated:
            raise NotPossible(
                gettext(
                    "Sending has not started: the number of people who could answer twice is now "
                    "{repeated}, not {second_votes}. Check the numbers again."
                ).format(repeated=grouped(overlap.repeated), second_votes=grouped(second_votes))
            )
        return {"addresses": overlap.waiting, "second_votes": second_votes}
    if not overlap.others:
        raise NotPossible(
            gettext(
                "Sending has not started, because each waiting address already has an invitation."
            )
        )
    reached_before(mailing).delete()
    return {"addresses": overlap.others, "left_out": overlap.repeated}


def _start(mailing: Mailing, link: str, later: Later) -> None:
    """A new number, so that what was queued before a stop does nothing any more."""
    run = mailing.run + 1
    _update(mailing, state=Mailing.State.SENDING, problem="", run=run)
    later(mailing.pk, run, link, None)


def _update(mailing: Mailing, **values: object) -> None:
    Mailing.objects.filter(pk=mailing.pk).update(**values)


def _record(action: str, mailing: Mailing, by: "User", after: Mapping[str, int | bool]) -> None:
    values = {"mailing": str(mailing.pk), **after}
    record(action, by=by, survey=mailing.survey, after=values)
