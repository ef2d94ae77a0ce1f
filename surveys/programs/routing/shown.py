"""refuse_shown_tokens, and the middleware that asks for it: no token stays good after an address.

Servers on the way log addresses, and browsers keep them.
"""

from collections.abc import Callable
from functools import reduce

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from surveys.programs.routing.problems import Problem
from surveys.programs.tokens.services import revoke_leaked
from surveys.programs.tokens.texts import MARK, tokens_in
from surveys.web.problems import is_of_programs
from surveys.web.upkeep import maintenance

Answer = Callable[[HttpRequest], HttpResponseBase]
WORD = MARK.rstrip("_")  # the character behind it may be escaped


def refuse_shown_tokens(request: HttpRequest) -> None:
    """Revoke the tokens in an address, however their characters are escaped. Raises Problem."""
    address = request.get_full_path()
    if any(tokens_in(address)):
        revoke_leaked(address)
        raise Problem(
            401,
            "A token stood in the address: it is revoked",
            "Addresses are logged. Make another token, and send it in the header Authorization.",
            headers={"WWW-Authenticate": "Bearer"},
        )


class ShownTokensMiddleware:
    """Refuses tokens in the addresses of pages and files; below /api/ each address does so itself.

    Every page of respondents pays for it: two looks for a word, and no more without one.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if WORD in request.META.get("QUERY_STRING", "") or WORD in request.path_info:
            return self._looked_at(request)
        return self.get_response(request)

    def _looked_at(self, request: HttpRequest) -> HttpResponseBase:
        # While the pages are closed there may be no database to revoke it in; all answers are 503.
        if is_of_programs(request) or maintenance.is_on():
            return self.get_response(request)
        try:
            refuse_shown_tokens(request)
        except Problem as problem:
            return _with_headers(problem)(request)
        return self.get_response(request)


def _with_headers(problem: Problem) -> Answer:
    """The refusal, with the headers of every page."""

    def refusal(request: HttpRequest) -> HttpResponseBase:
        return problem.reply()

    headers = map(import_string, settings.MIDDLEWARE_FOR_HEADERS)
    return reduce(lambda answer, middleware: middleware(answer), headers, refusal)
