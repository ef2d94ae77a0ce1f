"""Lock a survey's row while a person changes it, if their role allows it."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext

from surveys.models import Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.access import may
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def locked(survey: Survey, by: "User", ability: Ability) -> Survey:
    """The survey as it stands, held until the transaction ends, for a user who may do this.

    Raises NotAllowed, or NotPossible if it was deleted in the meantime.
    """
    row = lock_survey(survey)
    if not may(by, row, ability):
        raise NotAllowed(
            gettext(
                "You are not allowed to do this in “{survey}”. Ask the owner of the survey."
            ).format(survey=survey)
        )
    return row


def lock_survey(survey: Survey) -> Survey:
    """The same for Deniable itself and for the command line, who need no permission.

    Raises NotPossible.
    """
    row = Survey.objects.select_for_update().filter(pk=survey.pk).first()
    if row is None:
        raise NotPossible(
            gettext('"{survey}" was deleted in the meantime. Open the list of surveys.').format(
                survey=survey
            )
        )
    return row
