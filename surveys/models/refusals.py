"""Why a service refuses."""

from surveys.models import Survey
from surveys.questionnaire.submission import Refused


class NotAllowed(PermissionError):
    """This person may not do this to this survey."""


class NotPossible(ValueError):
    """The survey's state does not allow this; the message says why."""


class NotOpen(Refused):
    """The survey takes no answers now."""

    status = 410

    def __init__(self, survey: Survey) -> None:
        super().__init__(survey.pk)
        if survey.state == Survey.State.CLOSED:
            self.reason = f"This survey closed on {survey.closed_on}. Nothing was stored."
            self.remedy = f"If you still want to take part, ask {survey.contact}."
        elif survey.state == Survey.State.OPEN:
            self.reason = f"This survey ended on {survey.close_on or survey.delete_on}."
            self.reason += " Nothing was stored."
            self.remedy = f"If you still want to take part, ask {survey.contact}."
        else:
            self.reason = "This survey has not opened yet. Nothing was stored."
            self.remedy = "Keep the link and try it again later."
