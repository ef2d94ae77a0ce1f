"""Languages of pages: a respondent's is that of the address, staff's is chosen by them."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.translation import get_language_from_path
from django.utils.translation.trans_real import parse_accept_lang_header

CHOSEN = "language"  # in the session: it ends with the login
STAFF = ("/surveys/", "/admin/", "/accounts/")  # below these respondents have no page
# Programs read them, so they stay in English.
FILES = (".csv", ".json", ".parquet", ".ics", ".R", ".do", ".sps")


def has_staff_language(path: str) -> bool:
    """Whether staff choose the language of this address.

    What outsiders open stays in English: released tables, the source and the documentation.
    """
    return path.startswith(STAFF) and not path.endswith(FILES)


def staff_language(request: HttpRequest) -> str:
    """What the person chose; else the first language of their browser that staff pages have."""
    chosen = request.session.get(CHOSEN, "")
    return str(chosen) if chosen in dict(settings.STAFF_LANGUAGES) else browser_language(request)


def browser_language(request: HttpRequest) -> str:
    """The first language of a browser that staff pages have."""
    offered = dict(settings.STAFF_LANGUAGES)
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    codes = (code.partition("-")[0] for code, _ in wanted)
    return next((code for code in codes if code in offered), settings.LANGUAGE_CODE)


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
