"""Who may open a page. Whoever may not see a survey is told that there is none."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from surveys.staff.queries import may, surveys_for
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey


class StaffRequest(HttpRequest):
    """A request after ``login_required``."""

    user: "User"


def survey_with(
    request: StaffRequest, survey_id: UUID, ability: Ability = Ability.READ
) -> "Survey":
    """A survey in which this person has an ability.

    Raises Http404 for who may not see it, PermissionDenied for who may see it but not do this.
    """
    surveys = surveys_for(request.user).defer("revision__document")
    survey: Survey = get_object_or_404(surveys, pk=survey_id)
    if not may(request.user, survey, ability):
        raise PermissionDenied
    return survey
