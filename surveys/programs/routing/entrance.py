"""enter: what every request of a program passes: a safe way, a token that acts, its rate."""

from datetime import date

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from surveys.models import AccessToken
from surveys.programs.routing.problems import Problem, no_token, not_permitted
from surveys.programs.routing.routes import Call, Route
from surveys.programs.routing.shown import refuse_shown_tokens
from surveys.programs.tokens import scopes as scoped
from surveys.programs.tokens.queries import may_act, token_shown
from surveys.programs.tokens.texts import digest_of, letters_of
from surveys.web.counts import counts
from surveys.web.floods import network_of

# This machine itself, as ``network_of`` says it: IPv6 by the network of one subscriber.
ITSELF = ("127.0.0.1", "::/64")
MINUTE = 60


def enter(request: HttpRequest, route: Route, today: date) -> Call:
    """The call of a program that may ask for this. Raises Problem (401, 403, 429)."""
    text = _text(request)
    name = _minute_of(text)
    # Before the token is looked up: what is refused here costs a loop more than it costs us.
    if counts.seen(name) >= settings.API_RATE:
        raise _too_many()
    token = _token(text, today)
    # Tokens that act alone: names without end would crowd out all that is counted here.
    if max(counts.count(name) for _ in range(route.cost)) > settings.API_RATE:
        raise _too_many()
    if route.scope and route.scope not in scoped.read(token.scopes):
        raise not_permitted(f"Make a token with the scope “{route.scope}”.")
    return Call(request, token, route.scope)


def check_way(request: HttpRequest) -> None:
    """Refuse what others can read on the way, tokens in addresses among it. Raises Problem."""
    refuse_shown_tokens(request)
    if not (request.is_secure() or network_of(request) in ITSELF):
        raise Problem(
            403,
            "This came without encryption",
            "Use https://. Revoke the token: others may have read it on the way.",
        )


def _text(request: HttpRequest) -> str:
    """What has the form of a token. Raises Problem."""
    kind, _, text = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not letters_of(text.strip()):
        raise no_token()
    return text.strip()


def _token(text: str, today: date) -> AccessToken:
    token = token_shown(text)
    if token is None or not may_act(token, today):
        raise no_token()
    return token


def _minute_of(text: str) -> str:
    """What the requests of a token are counted as, in memory alone, in a minute of the clock.

    By all of the text: who knows the letters of another's token must not use its requests up.
    """
    return f"program {digest_of(text)} {_now() // MINUTE}"


def _too_many() -> Problem:
    return Problem(
        429,
        "Too many requests",
        f"A token asks at most {settings.API_RATE} times a minute. Wait, then go on.",
        headers={"Retry-After": str(MINUTE - _now() % MINUTE)},
    )


def _now() -> int:
    return int(timezone.now().timestamp())
