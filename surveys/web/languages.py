"""LanguageMiddleware: respondents' pages in the language of their address, others in English."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.translation import get_language_from_path


class LanguageMiddleware(LocaleMiddleware):
    """The language of a page is that of its address: no header, cookie or account tells it.

    Staff have no catalogue: their pages would be half in the language that a browser asks for.
    """

    def __call__(self, request: HttpRequest) -> Any:
        try:
            return super().__call__(request)
        finally:
            translation.deactivate()  # this thread may go on with work that has no page

    def process_request(self, request: HttpRequest) -> None:
        language = get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        translation.activate(language)
        request.LANGUAGE_CODE = language
