"""``audit.json``: after the close, how many codes were exchanged, and how many answers came.

Invitations, keys of submissions, rows and ballots are counted each by itself, so that who adds
answers or drops them has to falsify several. Who has a receipt finds the digest of its key here,
and of each ballot that came with it.
"""

from functools import lru_cache
from typing import Any
from uuid import UUID

from django.utils import timezone

from surveys.models import Openings, Response, SetAside, SubmissionKey, Survey
from surveys.models.queries import launched_revision, opened_ballots, questionnaire_of_id
from surveys.trust.digests import canonical


def audit_file(survey: Survey) -> bytes | None:
    """The file of a closed survey whose answers are opened; None where there is none.

    There are as many ``digests`` as ``responses`` and ``destroyed``. With vouchers, ``by_voucher``
    is what the digests have beyond ``by_code``. It is at most ``exchanged``, and that and
    ``by_code`` together at most ``issued``. Of each table that has ``ballots``, these and how many
    were ``equal`` to another are as many as ``responses``.
    """
    if not has_audit(survey):
        return None
    state = _state(survey)
    count = SubmissionKey.objects.filter(revision=state.pk).count()
    digests = _digests(state.pk, count)
    set_aside = SetAside.objects.filter(revision=state.pk).count()
    members = {
        "responses": Response.objects.filter(revision=state.pk).count(),
        "destroyed": state.destroyed + survey.lost_answers + set_aside,
        "digests": digests,
    }
    return canonical({**members, **_of_codes(survey, len(digests)), **_of_ballots(state.pk)})


def _of_codes(survey: Survey, count: int) -> dict[str, int]:
    """Nothing where no codes were exchanged."""
    if survey.exchanged is None:
        return {}
    by_code = (survey.redeemed or 0) - survey.exchanged
    return {
        "issued": survey.invited or 0,
        "exchanged": survey.exchanged,
        "by_voucher": count - by_code,
        "by_code": by_code,
    }


def _of_ballots(revision_id: UUID) -> dict[str, Any]:
    """Nothing where no answers were counted locked; of no table whose ballots were destroyed."""
    tables = questionnaire_of_id(revision_id).row.tables
    counts = {one.table: opened_ballots(revision_id, one.table).count() for one in tables}
    digests = {
        table: _ballot_digests(revision_id, table) for table, count in counts.items() if count
    }
    if not tables:
        return {}
    return {
        "ballots": {str(table): listed for table, listed in digests.items()},
        "equal": {str(table): counts[table] - len(listed) for table, listed in digests.items()},
    }


def _ballot_digests(revision_id: UUID, table: int) -> list[str]:
    """SHA-256 of each different ballot, from the index alone: no ballot is read for it."""
    digests = opened_ballots(revision_id, table).values_list("digest", flat=True)
    return sorted(digests.order_by("digest").distinct())


@lru_cache(maxsize=4)  # of the largest survey some 10 MB each
def _digests(revision_id: UUID, count: int) -> list[str]:
    """All there are, which are ``count``: after the close they stay as they are."""
    keys = SubmissionKey.objects.filter(revision=revision_id)
    return sorted(keys.values_list("digest", flat=True))


def has_audit(survey: Survey) -> bool:
    """Whether it exchanged codes or counted answers locked, is closed, and all are opened or gone.

    Not where a budget promises to hide that a person took part at all: exact numbers would not.
    """
    is_due = survey.delete_on is not None and survey.delete_on <= timezone.now().date()
    # Erasing goes on for a while, and says only at its end that it is done.
    if survey.state != Survey.State.CLOSED or is_due:
        return False
    questionnaire = questionnaire_of_id(launched_revision(survey.pk))
    if survey.exchanged is None and questionnaire.tally is None:
        return False
    state, budget = _state(survey), questionnaire.budget
    return not state.is_running and (budget is None or budget.adjacency == "replace_one")


def _state(survey: Survey) -> Openings:
    openings = Openings.objects.defer("recovery", "voucher_recovery")
    return openings.get(revision__survey=survey)
