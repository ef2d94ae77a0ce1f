"""Issue, mint and withdraw invitations: tokens go out, only their sorted digests are stored."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from surveys.models import AuditEntry, Invitation, Survey
from surveys.models.queries import questionnaire_of, revision_of
from surveys.models.refusals import NotPossible
from surveys.questionnaire import tokens
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability
from surveys.wording.language.numbers import grouped

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ISSUED = "issued invitations"
MOST_AT_ONCE = 10_000
MOST_PER_SURVEY = 100_000


@transaction.atomic
def issue(
    *,
    survey: Survey,
    number: int,
    by: "User | None",
    request: UUID | None = None,
    hand_over: Callable[[list[str]], None] | None = None,
) -> list[str]:
    """Make invitations and return their tokens, which cannot be read again.

    ``by`` None is the operator at the command line. ``request`` names the form that was sent, so
    that sending it twice makes no more. If ``hand_over`` fails, none was issued. Raises NotAllowed
    or NotPossible (closed, open to all, too many, the same request again).
    """
    survey = lock_for_inviting(survey, by)
    if not 1 <= number <= MOST_AT_ONCE:
        raise NotPossible(
            gettext("Choose a number of invitations from 1 to {most_at_once}.").format(
                most_at_once=grouped(MOST_AT_ONCE)
            )
        )
    require_invitations(survey)
    _require_first(survey, request)
    made = mint(survey, number)
    counted = {"invitations": number, "request": str(request)}
    record(ISSUED, by=by, survey=survey, after=counted)
    if hand_over:
        hand_over(made)
    return made


def lock_for_inviting(survey: Survey, by: "User | None") -> Survey:
    """The survey, locked for a user who may invite. Raises NotAllowed or NotPossible."""
    if by is None:
        return Survey.objects.select_for_update().get(pk=survey.pk)
    return locked(survey, by, Ability.INVITE)


def require_invitations(survey: Survey) -> None:
    """Raises NotPossible if invitations to this survey would have no effect."""
    if survey.state == Survey.State.CLOSED:
        raise NotPossible(
            gettext(
                "This survey is closed and accepts no answers, so you can no longer invite people."
            )
        )
    if not survey.invitation_only:
        raise NotPossible(
            gettext(
                "Everyone with the link can answer this survey, so an invitation would have no "
                "effect. Pass on the survey's link instead."
            )
        )


def _require_first(survey: Survey, request: UUID | None) -> None:
    before = AuditEntry.objects.filter(survey=survey.pk, action=ISSUED)
    if request and before.filter(after__request=str(request)).exists():
        raise NotPossible(
            gettext(
                "These invitations were already made, and their codes cannot be shown again. If "
                "you do not have the codes, make new invitations."
            )
        )


def mint(survey: Survey, number: int) -> list[str]:
    """Store the digests of new tokens; the caller holds the survey. Raises NotPossible.

    All are inserted together, sorted by digest: a digest's place among them tells nothing about
    the token's place on a list or in a mailing.
    """
    issued = survey.invitations.count()
    if issued + number > MOST_PER_SURVEY:
        raise NotPossible(
            gettext(
                "A survey can have at most {most_per_survey} invitations, and {issued} are "
                "already issued. Choose at most {left} new invitations."
            ).format(
                most_per_survey=grouped(MOST_PER_SURVEY),
                issued=grouped(issued),
                left=grouped(MOST_PER_SURVEY - issued),
            )
        )
    length = code_length_of(survey)
    made = [tokens.new_token(length) for _ in range(number)]
    digests = sorted(map(tokens.digest, made))
    Invitation.objects.bulk_create(Invitation(digest=digest, survey=survey) for digest in digests)
    return made


def code_length_of(survey: Survey) -> int:
    """How many characters the codes of a survey have: as it was launched, or will be."""
    revision = revision_of(survey)
    if revision:
        return questionnaire_of(revision).code_length
    return survey.code_length or tokens.LONG


def withdraw(unused: Iterable[str]) -> int:
    """Delete invitations that no one has received; returns how many there were."""
    digests = [tokens.digest(token) for token in unused]
    count, _ = Invitation.objects.filter(pk__in=digests, redeemed=False).delete()
    return count
