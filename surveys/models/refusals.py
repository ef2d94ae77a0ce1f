"""NotAllowed, NotPossible, NotOpen: why a service refuses, in words for the page."""

from surveys.models import Survey
from surveys.questionnaire.messages import message
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
        self.remedy = message(
            "If you still want to take part, ask {contact}.", contact=survey.contact
        )
        if survey.state == Survey.State.CLOSED:
            self.variant = "closed"
            self.reason = message("This survey closed on {day}.", day=survey.closed_on)
        elif survey.state == Survey.State.OPEN:
            self.variant = "ended"
            last = survey.close_on or survey.delete_on
            self.reason = message("This survey ended on {day}.", day=last)
        else:
            self.reason = message("This survey has not opened yet.")
            self.remedy = message("Keep the link and try it again later.")
            if survey.contact:
                self.remedy = message(
                    "Keep the link and try it again later, or ask {contact}.",
                    contact=survey.contact,
                )
        if was_sent:
            self.reason = message("{reason} Nothing was stored.", reason=self.reason)
