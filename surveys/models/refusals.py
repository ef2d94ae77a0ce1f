"""NotAllowed, NotPossible, NotOpen: why a service refuses, in words for the page."""

from surveys.models import Survey
from surveys.questionnaire.refusals import Refused


class NotAllowed(PermissionError):
    """This person may not do this to this survey."""


class NotPossible(ValueError):
    """The survey's state does not allow this; the message says why."""


class NotOpen(Refused):
    """The survey takes no answers now; opening it again cannot help.

    Who sent answers reads that nothing was stored, who only opened a page does not.
    """

    status = 410
    can_be_opened = False

    def __init__(self, survey: Survey, *, was_sent: bool = True) -> None:
        super().__init__(survey.pk)
        self.remedy = f"If you still want to take part, ask {survey.contact}."
        if survey.state == Survey.State.CLOSED:
            self.reason = f"This survey closed on {survey.closed_on}."
        elif survey.state == Survey.State.OPEN:
            self.reason = f"This survey ended on {survey.close_on or survey.delete_on}."
        else:
            self.reason = "This survey has not opened yet."
            asking = f", or ask {survey.contact}" if survey.contact else ""
            self.remedy = f"Keep the link and try it again later{asking}."
        if was_sent:
            self.reason += " Nothing was stored."
