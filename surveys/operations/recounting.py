"""Count the answers of a survey anew, where what is kept is not what is stored."""

from django.db import transaction
from django.utils import timezone

from surveys.counts import queries, services
from surveys.models import Survey
from surveys.models.queries import is_erased, revision_of
from surveys.models.refusals import NotPossible
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey


@transaction.atomic
def recount(survey: Survey) -> int:
    """Count anew and return how many responses pages show now; the audit log says so.

    Raises NotPossible for a draft, and for a survey whose answers are erased.
    """
    survey = lock_survey(survey)
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise NotPossible(f'Nothing was counted: "{survey}" has no stored answers.')
    services.recount(revision.pk)
    total = queries.total(revision.pk)
    record("counted answers anew", by=None, survey=survey, after={"responses": total})
    return total
