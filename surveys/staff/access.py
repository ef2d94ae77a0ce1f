"""Who may open a page. For a user who may not see a survey, there is none."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from surveys.staff.queries import may, surveys_for
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey


View = Callable[..., HttpResponseBase]


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


def post_only(page: str, *keys: str, ability: Ability | None = None) -> Callable[[View], View]:
    """Let a view change something by POST alone, and lead a GET to the page with its form.

    A GET comes from people who log in after their session ended: the login leads to the address
    that they had sent to. ``page`` names the form's page; ``keys`` are the parts of the address
    that it shares. With an ability, a GET is refused to the same people as the change itself.
    """

    def decorate(view: View) -> View:
        change = require_POST(view)

        @wraps(view)
        def answer(request: StaffRequest, **address: Any) -> HttpResponseBase:
            if request.method not in ("GET", "HEAD"):
                return change(request, **address)
            if ability:
                survey_with(request, address["survey_id"], ability)
            return redirect(page, **{key: address[key] for key in keys})

        return answer

    return decorate
