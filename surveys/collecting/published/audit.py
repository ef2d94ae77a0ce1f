"""``audit.json``: after the close, how many codes were exchanged, and how many answers came.

Invitations, keys of submissions and rows are counted each by itself, so that who adds answers or
drops them has to falsify several. Who has a receipt finds the digest of its key here.
"""

from functools import lru_cache
from uuid import UUID

from django.utils import timezone

from surveys.models import Openings, Response, SetAside, SubmissionKey, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.trust.digests import canonical


def audit_file(survey: Survey) -> bytes | None:
    """The file of a closed survey whose answers are opened; None where there is none.

    ``by_voucher`` is what the digests have beyond ``by_code``. It is at most ``exchanged``, and
    that and ``by_code`` together at most ``issued``; there are as many ``digests`` as ``responses``
    and ``destroyed``.
    """
    if not has_audit(survey):
        return None
    state = _state(survey)
    count = SubmissionKey.objects.filter(revision=state.pk).count()
    digests = _digests(state.pk, count)
    exchanged = survey.exchanged or 0
    by_code = (survey.redeemed or 0) - exchanged
    set_aside = SetAside.objects.filter(revision=state.pk).count()
    return canonical(
        {
            "issued": survey.invited or 0,
            "exchanged": exchanged,
            "by_voucher": len(digests) - by_code,
            "by_code": by_code,
            "responses": Response.objects.filter(revision=state.pk).count(),
            "destroyed": state.destroyed + survey.lost_answers + set_aside,
            "digests": digests,
        }
    )


@lru_cache(maxsize=4)  # of the largest survey some 10 MB each
def _digests(revision_id: UUID, count: int) -> list[str]:
    """All there are, which are ``count``: after the close they stay as they are."""
    keys = SubmissionKey.objects.filter(revision=revision_id)
    return sorted(keys.values_list("digest", flat=True))


def has_audit(survey: Survey) -> bool:
    """Whether it exchanged codes, is closed, and all its answers are opened or destroyed.

    Not where a budget promises to hide that a person took part at all: exact numbers would not.
    """
    is_due = survey.delete_on is not None and survey.delete_on <= timezone.now().date()
    # Erasing goes on for a while, and says only at its end that it is done.
    if survey.state != Survey.State.CLOSED or survey.exchanged is None or is_due:
        return False
    state = _state(survey)
    budget = questionnaire_of_id(state.pk).budget
    return not state.is_running and (budget is None or budget.adjacency == "replace_one")


def _state(survey: Survey) -> Openings:
    openings = Openings.objects.defer("recovery", "voucher_recovery")
    return openings.get(revision__survey=survey)
