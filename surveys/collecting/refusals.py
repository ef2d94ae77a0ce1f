"""Refusals of respondents' requests: wrong type, too many, used invitation; reason and remedy."""

from surveys.questionnaire.messages import message
from surveys.questionnaire.refusals import BadInvitation, Malformed, Refused


class WrongType(Refused):
    """The body is not a form, by its declared type."""

    status = 415
    is_form = False
    reason = message(
        "These answers were not stored: they did not arrive in the format that this survey's "
        "page uses."
    )


class WrongMethod(Refused):
    """The address was reached in another way than its page does."""

    status = 405
    is_form = False
    reason = message("This address works only from the survey's own pages. Nothing was stored.")
    remedy = message("Open the survey from its link and answer there.")


class CrossOrigin(Refused):
    """The post did not come from this site's own page."""

    status = 403
    is_form = False
    reason = message("What was sent did not come from this survey's own page. Nothing was stored.")
    remedy = message(
        "Open the survey from its link and answer there. If you have already done that, your "
        "browser hides the page that it sends from. In that case, use another browser."
    )


class TooMany(Refused):
    """One network has sent too much within the hour; with so many bits of work it is taken."""

    def __init__(self, work_bits: int = 0) -> None:
        super().__init__(work_bits)
        self.work_bits = work_bits

    status = 429
    can_be_sent_again = True
    reason = message(
        "These answers were not stored: too many answers have come from your network within this "
        "hour."
    )
    remedy = message(
        "Your answers are kept on this page. Leave the page open and send your answers again in "
        "an hour, or from another network."
    )


class TooManyGuesses(Refused):
    """One network has sent too many codes within the hour that no invitation has."""

    status = 429
    reason = message("Too many wrong codes have come from your network within this hour.")

    def __init__(self, *, was_sent: bool) -> None:
        super().__init__(self.reason)
        self.can_be_sent_again = was_sent
        self.remedy = message("Try your code again in an hour, or from another network.")
        if was_sent:
            self.reason = message("{reason} Nothing was stored.", reason=self.reason)
            self.remedy = message(
                "Your answers are kept on this page. {remedy}", remedy=self.remedy
            )


class Unavailable(Refused):
    """The submission could not be stored just now, or it is unknown whether it was."""

    status = 503
    can_be_sent_again = True
    reason = message("Your answers could not be stored just now.")
    remedy = message(
        "Keep this page open and send your answers again in a minute. They count once, however "
        "often they are sent."
    )


class FileMissing(Refused):
    """The survey's page loads a file that was not built on this server."""

    status = 503
    can_be_opened = False
    reason = message(
        "This survey cannot be shown just now: a file of its page is missing on this server."
    )
    remedy = message(
        "You were not asked anything yet. Try again later, or write to the people who run this "
        "survey: they can repair the page."
    )


class Updating(Refused):
    """The site is in maintenance. What was sent is kept on the page that says so."""

    status = 503
    reason = message("This site is being updated")
    remedy = message("Open this page again in a few minutes.")

    def __init__(self, *, was_sent: bool) -> None:
        super().__init__(self.reason)
        self.can_be_sent_again = was_sent
        if was_sent:
            self.reason = message("This site is being updated. Nothing was stored.")
            self.remedy = Unavailable.remedy


class OtherAnswers(Refused):
    """A page that was sent before comes with other answers."""

    status = 409
    reason = message(
        "These answers were not stored: other answers were sent from this page before. The "
        "earlier answers count."
    )
    remedy = message("If another person wants to answer here, open the survey anew from its link.")


class NotProven(Malformed):
    """A ballot does not prove that it counts once; ``ticket`` is what let it in.

    Its sender reads what is said of any malformed body.
    """

    def __init__(self, ticket: str) -> None:
        super().__init__(self.reason)
        self.ticket = ticket


class NotVouched(Refused):
    """The voucher was signed for another survey, for another key of a submission, or not by us."""

    status = 403
    reason = message("These answers were not stored: they came with a wrong signature.")
    remedy = message("Open the survey from your invitation and answer there.")


class WronglySigned(Refused):
    """What the page says by itself of a signature that is not of the survey's published key.

    No server of ours answers so. A key for one person would mark what that person sends.
    """

    can_be_opened = False
    reason = message(
        "These answers were not sent: this server did not sign with the key that this survey "
        "published."
    )
    remedy = message(
        "Your answers stay unsent, because this signature could make you recognisable. Please "
        "write to the contact of this survey."
    )


class UnknownInvitation(BadInvitation):
    reason = message(
        "These answers were not stored: the invitation code does not belong to this survey."
    )
    remedy = message(
        "Compare the code with your invitation, correct it on this page and send again."
    )


class UsedInvitation(BadInvitation):
    reason = message("These answers were not stored: the invitation has been used already.")
    remedy = message(
        "Each invitation counts once. If you have another invitation, enter its code and send "
        "again."
    )
