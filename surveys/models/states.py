"""States of a survey that follow from several of its fields."""

from datetime import date

from surveys.models import (
    Survey,
)


def is_erased(survey: Survey, today: date) -> bool:
    """Whether answers are gone or are going just now: half of them would say something wrong."""
    if survey.erased_on or survey.state == Survey.State.DRAFT:
        return survey.erased_on is not None
    return survey.delete_on is not None and survey.delete_on <= today
