"""What a user may do in the admin: it follows from their role in the survey, and its state."""

from django.http import HttpRequest

from surveys.models import Question, Survey
from surveys.staff import access
from surveys.staff.roles import Ability


def may(request: HttpRequest, obj: Survey | Question | None, ability: Ability) -> bool:
    """Whether this person may do this there; without an object: in any survey at all."""
    survey = obj.survey if isinstance(obj, Question) else obj
    return survey is None or access.may(request.user, survey, ability)


def may_edit_draft(request: HttpRequest, obj: Survey | Question | None) -> bool:
    """Whether this person may change what will be promised at launch."""
    return is_staff(request) and is_draft(obj) and may(request, obj, Ability.EDIT)


def is_draft(obj: Survey | Question | None) -> bool:
    """Whether nothing was promised yet."""
    survey = obj.survey if isinstance(obj, Question) else obj
    return survey is None or survey.state == Survey.State.DRAFT


def is_staff(request: HttpRequest) -> bool:
    """Whether a member of staff is logged in."""
    return request.user.is_active and request.user.is_staff
