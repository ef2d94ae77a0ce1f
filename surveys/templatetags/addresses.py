"""A filter for links of staff to a survey's page for respondents."""

from typing import TYPE_CHECKING

from django import template

from surveys.web.addresses import start_address

if TYPE_CHECKING:
    from surveys.models import Survey

register = template.Library()


@register.filter("start_address")
def of_survey(survey: "Survey") -> str:
    """The first page of respondents in the survey's own language."""
    return start_address(survey.pk, survey.language)
