"""Languages of staff pages: which pages have them, what a browser or a person chose."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

CHOSEN = "language"  # in the session: it ends with the login
# Pages all of whose words are in the catalogue of staff. The others are in English as a whole,
# because half a page in each language is worse than either. This list only grows.
TRANSLATED = frozenset(
    {
        "account_inactive",
        "account_reauthenticate",
        "account_change_password",
        "admin:surveys_question_add",
        "admin:surveys_question_change",
        "admin:surveys_question_delete",
        "admin:surveys_survey_checklist",
        "admin:surveys_survey_copy_questions",
        "admin:surveys_survey_first_steps",
        "admin:surveys_survey_questions",
        "admin:surveys_survey_translations",
        "logged_in_again",
        "login",
        "mfa_authenticate",
        "mfa_index",
        "mfa_reauthenticate",
        "staff_language",
        "surveys:list",
    }
)


def staff_language(request: HttpRequest) -> str:
    """What the person chose; else the first language of their browser that staff pages have."""
    offered = dict(settings.STAFF_LANGUAGES)
    chosen = request.session.get(CHOSEN, "")
    if chosen in offered:
        return str(chosen)
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    codes = (code.partition("-")[0] for code, _ in wanted)
    return next((code for code in codes if code in offered), settings.LANGUAGE_CODE)
