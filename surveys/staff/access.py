"""Who may open a page of staff (for_staff, survey_with, post_only) and do what in a survey (may).

What every page of staff passes wraps its address; a middleware would be passed by respondents'
requests, too. For a user who may not see a survey, there is none.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from surveys.counts.queries import total_of
from surveys.models import Membership, Survey
from surveys.staff.interruptions import keep_form
from surveys.staff.roles import ALLOWED, ROLES_WITH, Ability, Role
from surveys.web.addresses import Pattern, View, with_views
from surveys.web.error_pages import wrong_method

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]


class StaffRequest(HttpRequest):
    """A request after ``login_required``."""

    user: "User"


def for_staff(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The same addresses, for staff who have the second factor that DENIABLE_REQUIRE_MFA asks for.

    A session that ended asks for the login and keeps the form that was sent.
    """
    return [with_views(_behind_second_factor, pattern) for pattern in for_accounts(patterns)]


def for_accounts(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The same addresses, open to who has no second factor yet: there it is set up."""
    return [with_views(_interruptible, pattern) for pattern in patterns]


def _behind_second_factor(view: View) -> View:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **address: Any) -> HttpResponseBase:
        # Who is not logged in is asked for that by the view itself.
        lacks_factor = settings.REQUIRE_MFA and not (
            request.user.is_anonymous or has_second_factor(request.user)
        )
        return redirect("mfa_index") if lacks_factor else view(request, *args, **address)

    return answer


def has_second_factor(user: "User") -> bool:
    """Whether a person logs in with more than a password; recovery codes alone are no factor."""
    return bool(is_mfa_enabled(user, FACTORS))


def _interruptible(view: View) -> View:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **address: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **address)
        except ReauthenticationRequired:
            return _ask_again(request)
        if isinstance(response, HttpResponseNotAllowed):  # has no words for a person
            return wrong_method(request, response.headers["Allow"])
        return keep_form(request, response) if request.method == "POST" else response

    return answer


def _ask_again(request: HttpRequest) -> HttpResponseBase:
    """Who they are; then the page is opened again.

    allauth would keep the interrupted post in the session, with the request's address, agent and
    cookies.
    """
    ways = get_adapter().get_reauthentication_methods(request.user)
    address = ways[0]["url"] if ways else reverse("login")
    return redirect_to_login(request.get_full_path(), address)


def survey_with(request: StaffRequest, survey_id: UUID, ability: Ability = Ability.READ) -> Survey:
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


def role_of(user: "User | AnonymousUser", survey: Survey) -> Role | None:
    """What this person is in this survey; None for all others."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser or survey.owner_id == user.pk:
        return Role.OWNER
    role = Membership.objects.filter(survey=survey, user=user).values_list("role", flat=True)
    return Role(role[0]) if role else None


def abilities_of(user: "User | AnonymousUser", survey: Survey) -> frozenset[Ability]:
    """All that this person may do in this survey."""
    role = role_of(user, survey)
    return ALLOWED[role] if role else frozenset()


def may(user: "User | AnonymousUser", survey: Survey, ability: Ability) -> bool:
    """Whether this person may do this in this survey."""
    return ability in abilities_of(user, survey)


def surveys_for(user: "User", ability: Ability = Ability.READ) -> QuerySet[Survey]:
    """The surveys in which this person has an ability."""
    return _visible(user, ability).select_related("owner", "revision").order_by("title", "pk")


def search_surveys(user: "User", text: str) -> QuerySet[Survey]:
    """The surveys that this person may see whose title contains the text, without documents.

    Each with its number of opened responses, which only the list of them shows.
    """
    return with_response_counts(surveys_for(user).filter(title__icontains=text))


def with_response_counts(surveys: QuerySet[Survey]) -> QuerySet[Survey]:
    """The same without documents, each with ``response_count``: 0 before the first opening."""
    counted = surveys.defer("revision__document")
    return counted.annotate(response_count=total_of(OuterRef("revision")))


def editable_among(user: "User", surveys: Iterable[Survey]) -> frozenset[UUID]:
    """The keys of those surveys whose draft or plan this person may change."""
    keys = [survey.pk for survey in surveys]
    return frozenset(_visible(user, Ability.EDIT).filter(pk__in=keys).values_list("pk", flat=True))


def _visible(user: "User", ability: Ability) -> QuerySet[Survey]:
    if not user.is_active:
        return Survey.objects.none()
    if user.is_superuser:
        return Survey.objects.all()
    joined = Membership.objects.filter(user=user, role__in=ROLES_WITH[ability]).values("survey")
    return Survey.objects.filter(Q(owner=user) | Q(pk__in=joined))
