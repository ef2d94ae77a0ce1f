"""Write down a plan: how many responses a survey aims at."""

from typing import TYPE_CHECKING

from django.db import transaction

from surveys.models import Survey
from surveys.staff.audit.services import record
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User
from surveys.staff.locks import locked


@transaction.atomic
def set_plan(*, survey: Survey, responses: int, by: "User") -> None:
    """Record how many responses the plan asks for. Raises NotAllowed."""
    survey = locked(survey, by, Ability.EDIT)
    before = {"planned_responses": survey.planned_responses}
    record("planned", by=by, survey=survey, before=before, after={"planned_responses": responses})
    Survey.objects.filter(pk=survey.pk).update(planned_responses=responses)
