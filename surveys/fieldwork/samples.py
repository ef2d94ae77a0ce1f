"""Letters to begin with. Invited people read them: they speak as the survey does, not as staff."""

from django.forms import Form
from django.utils.translation import gettext

from surveys.models import Survey
from surveys.web.locales import speaking


def invitation_sample(survey: Survey) -> dict[str, str]:
    """Fields of a new mailing."""
    with speaking(survey):
        return {
            "message": gettext(
                "Hello,\n\nwe ask how common some habits are. Please take part:\n\n{link}\n\n"
                'Without JavaScript, open the same page, choose "Use my own coin" and type this '
                "code: {code}\n\nYour answers are not stored with your address or your code.\n\n"
                "Anybody can check that the page is the published one. The survey's code for this "
                "check: {check}\n"
            )
        }


def reminder_sample(survey: Survey) -> dict[str, str]:
    """Fields of a new reminder."""
    with speaking(survey):
        return {
            "subject": gettext("A reminder: our survey is still open"),
            "message": gettext(
                "Hello,\n\nsome days ago we sent you a link to our survey. The survey is still "
                "open. The link in that mail is for you.\n\nIf you have answered, thank you: you "
                "do not need to do anything. We cannot see who has answered, so everyone\ngets "
                "this mail.\n"
            ),
        }


def say_language(mail: Form, survey: Survey) -> None:
    """Say what language a letter's fields are in: staff's page may be in another."""
    for name in ("subject", "message"):
        mail.fields[name].widget.attrs["lang"] = survey.language
