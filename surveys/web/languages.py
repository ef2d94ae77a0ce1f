"""LanguageMiddleware: respondents' pages in the language of their address, staff's in theirs."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.translation import get_language_from_path

from surveys.web.staff_languages import has_staff_language, staff_language


class LanguageMiddleware(LocaleMiddleware):
    """The language of a respondent's page is that of its address: no header or cookie tells it.

    Pages of staff are in the language that staff chose, their files in English.
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

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        """Not before: an address without a page is answered without the database."""
        if has_staff_language(request.path_info):
            request.LANGUAGE_CODE = staff_language(request)
            translation.activate(request.LANGUAGE_CODE)
