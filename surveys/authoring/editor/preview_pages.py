"""PreviewPages: a survey as respondents will see it, in the admin."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.translation import gettext

from surveys.authoring.drafts import NotReady
from surveys.authoring.editor.pages import list_address
from surveys.authoring.editor.previews import preview_in
from surveys.collecting import rows
from surveys.collecting.scripts import scripts_of
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.randomized_response.messages import sentence
from surveys.staff.admin import RefusalsAdmin
from surveys.web.locales import speaking
from surveys.web.static_files import is_served
from surveys.wording.language.messages import translated

NO_FILE = sentence(
    "The page cannot be shown, because this server does not have a file that the script of the "
    "page needs. Ask your operator."
)


class PreviewPages(RefusalsAdmin):
    """The pages of a respondent, in each language, with the script and with a coin."""

    def get_urls(self) -> list[URLPattern]:
        preview = self.admin_site.admin_view(self.preview)
        own = [
            path("<uuid:survey_id>/preview/", preview, name="surveys_survey_preview"),
            path(
                "<uuid:survey_id>/preview/own-coin/",
                preview,
                {"own_coin": True},
                name="surveys_survey_preview_own_coin",
            ),
        ]
        return own + super().get_urls()

    def preview(
        self, request: HttpRequest, survey_id: UUID, *, own_coin: bool = False
    ) -> HttpResponse:
        """Exactly what a respondent will see, with nothing that can be sent.

        Of a draft that is not finished, what there is, and what is missing.
        """
        survey = self.get_object(request, str(survey_id))
        if not self.has_change_permission(request, survey):
            raise PermissionDenied
        asked = request.GET.get("language", "")
        language = asked if asked in survey.languages else survey.language
        try:
            questionnaire, missing = _previewed(survey, language)
            if not own_coin:
                _require_files(questionnaire, missing)
        except NotReady as problem:
            for reason in problem.reasons:
                self.message_user(request, translated(reason), messages.ERROR)
            return redirect(list_address(survey))
        shown = rows.own_coin_context if own_coin else rows.start_context
        missing_title = gettext("Still missing before launch: {count}").format(count=len(missing))
        with speaking(questionnaire):
            context = {
                **shown(questionnaire, last_day=survey.close_on),
                "back": list_address(survey),
                "missing": missing,
                "missing_title": missing_title,
                "preview_languages": rows.languages_named(survey.languages),
            }
            if not own_coin:
                context |= rows.previewed_arms(questionnaire, request.GET.get("arm", ""))
            return render(request, rows.OWN_COIN if own_coin else rows.START, context)


def _require_files(questionnaire: Questionnaire, missing: Sequence[str]) -> None:
    """Raises NotReady where no page can be written, since it would load a file that is not here."""
    if not all(is_served(script.path) for script in scripts_of(questionnaire)):
        raise NotReady([*missing, NO_FILE])


def _previewed(survey: Survey, language: str) -> tuple[Questionnaire, list[str]]:
    """Raises NotReady."""
    if survey.state == Survey.State.DRAFT:
        return preview_in(survey, language)
    return questionnaire_of(survey.revision, language), []
