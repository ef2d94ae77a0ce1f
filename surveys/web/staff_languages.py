"""Languages of staff pages: which addresses have them, what a browser or a person chose."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

CHOSEN = "language"  # in the session: it ends with the login
STAFF = ("/surveys/", "/admin/", "/accounts/")  # below these respondents have no page
FILES = (".csv", ".json", ".parquet", ".ics")  # programs read them, so they stay in English


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
