"""What every page of staff passes, and no page of respondents.

With DENIABLE_REQUIRE_MFA, staff set up a second factor before they see anything else. A session
that ended asks for the login and keeps the form that was sent. Before a factor changes, the person
who is logged in shows again who they are.

These are not middlewares, which respondents' requests would pass, too.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse

from surveys.staff.interruptions import keep_form

FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]

View = Callable[..., HttpResponseBase]
Pattern = URLPattern | URLResolver


def for_staff(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The same addresses, which ask staff for the second factor that they need."""
    return [_with_views(_behind_second_factor, pattern) for pattern in for_accounts(patterns)]


def for_accounts(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The same addresses, open to who has no second factor yet: there it is set up."""
    return [_with_views(_interruptible, pattern) for pattern in patterns]


def _with_views(change: Callable[[View], View], pattern: Pattern) -> Pattern:
    if isinstance(pattern, URLPattern):
        view = change(pattern.callback)
        return URLPattern(pattern.pattern, view, pattern.default_args, pattern.name)
    inside = [_with_views(change, one) for one in pattern.url_patterns]
    names = (pattern.default_kwargs, pattern.app_name, pattern.namespace)
    return URLResolver(pattern.pattern, inside, *names)


def _behind_second_factor(view: View) -> View:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **address: Any) -> HttpResponseBase:
        lacks_factor = settings.REQUIRE_MFA and not (
            request.user.is_anonymous or is_mfa_enabled(request.user, FACTORS)
        )
        return redirect("mfa_index") if lacks_factor else view(request, *args, **address)

    return answer


def _interruptible(view: View) -> View:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **address: Any) -> HttpResponseBase:
        try:
            return keep_form(request, view(request, *args, **address))
        except ReauthenticationRequired:
            return _ask_again(request)

    return answer


def _ask_again(request: HttpRequest) -> HttpResponseBase:
    """Who they are; then the page is opened again.

    allauth would keep the interrupted post in the session, with the request's address, agent and
    cookies.
    """
    ways = get_adapter().get_reauthentication_methods(request.user)
    address = ways[0]["url"] if ways else reverse("login")
    return redirect_to_login(request.get_full_path(), address)
