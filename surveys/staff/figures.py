"""Figures of a survey: where they are from, in words; one in a page of staff, or taken away."""

from django.http import HttpResponse

from surveys.models import Survey
from surveys.staff.access import StaffRequest
from surveys.staff.audit.services import record_download
from surveys.web.drawing.figures import Figure
from surveys.web.responses import figure_file, figure_shown, file_asked


def source_of(survey: Survey) -> str:
    """What the source line of a survey's figures says."""
    return f"“{survey.title}”"


def survey_figure(request: StaffRequest, survey: Survey, figure: Figure) -> HttpResponse:
    """A figure of a survey; that a file was taken away is written down. Raises Http404."""
    ending = file_asked(request)
    if not ending:
        return figure_shown(request, figure)
    record_download("picture", survey=survey, by=request.user)
    return figure_file(figure, ending, survey.title)
