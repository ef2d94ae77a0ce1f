"""RespondentMiddleware: respondents' pages by a short way, past what staff's pages alone need.

Sessions, accounts, messages and form tokens do nothing for pages without cookies, and would take a
quarter of a submission's time. What is left of the other middleware are the language of the
address and headers that are the same for every page.
"""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import cast
from uuid import UUID

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware
from django.urls import URLPattern
from django.urls.converters import UUIDConverter
from django.utils import translation
from django.utils.module_loading import import_string

Answer = Callable[[HttpRequest], HttpResponse]
View = Callable[..., HttpResponse]


class RespondentMiddleware:
    """Answers what ``RESPONDENT_URLS`` names below a survey; hands everything else on.

    What pages post to has addresses without a language, too.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        urls = import_module(settings.RESPONDENT_URLS)
        self.views = _by_address(urls.urlpatterns)
        self.views_without_language = _by_address(urls.for_all_languages)
        languages = "|".join(code for code, _ in settings.LANGUAGES)
        self.address = re.compile(rf"(?:/({languages}))?/s/({UUIDConverter.regex})/(.*)")
        # Errors become pages, as Django's own handler makes them for all other addresses.
        self.answer = cast(Answer, convert_exception_to_response(self._answer))
        self.headers: list[tuple[str, str]] = []

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match = self.address.fullmatch(request.path_info)
        if match is None or match[3] not in self._views(match):
            return self.get_response(request)
        request.LANGUAGE_CODE = match[1] or settings.LANGUAGE_CODE
        try:
            translation.activate(request.LANGUAGE_CODE)
            return self._finished(request, self.answer(request))
        finally:
            translation.deactivate()  # this thread may go on with a page in another language

    def _answer(self, request: HttpRequest) -> HttpResponse:
        request.get_host()  # refuses a name that is not this site's, as all other pages do
        match = cast(re.Match[str], self.address.fullmatch(request.path_info))
        return self._views(match)[match[3]](request, survey_id=UUID(match[2]))

    def _views(self, match: re.Match[str]) -> dict[str, View]:
        return self.views if match[1] else self.views_without_language

    def _finished(self, request: HttpRequest, page: HttpResponse) -> HttpResponse:
        """With the headers that the other middleware gives a page, and its length."""
        # Once for all pages, because nothing in them depends on a page.
        self.headers = self.headers or _headers_of_pages(request)
        for name, value in self.headers:
            page.headers.setdefault(name, value)
        page.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        page.headers.setdefault("Content-Length", str(len(page.content)))
        return page


def _by_address(patterns: Iterable[URLPattern]) -> dict[str, View]:
    return {str(pattern.pattern): pattern.callback for pattern in patterns}


def headers_of_a_page(path: str) -> dict[str, str]:
    """The headers of respondents' page at this path, by their names in lower case."""
    request = HttpRequest()
    request.method, request.path, request.path_info = "GET", path, path
    page = _with_headers(settings.MIDDLEWARE_FOR_HEADERS)(request)
    # The first of all adds headers too; asked for the page, it might lead to HTTPS.
    SecurityMiddleware(_empty_page).process_response(request, page)
    return {name.lower(): value for name, value in page.items()}


def _headers_of_pages(request: HttpRequest) -> list[tuple[str, str]]:
    """What those that only add headers add to a page: nothing of it depends on the page."""
    before = set(_empty_page(request).headers)
    answer = _with_headers(settings.MIDDLEWARE_FOR_HEADERS)
    return [(name, value) for name, value in answer(request).items() if name not in before]


def _with_headers(middleware: Iterable[str]) -> Answer:
    """An empty page with what these add."""
    answer: Answer = _empty_page
    for name in middleware:
        answer = import_string(name)(answer)
    return answer


def _empty_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse()
