"""Letters to begin with. Invited people read them: they speak as the survey does, not as staff."""

from django.forms import Form
from django.utils.translation import gettext

from surveys.models import Survey
from surveys.web.locales import speaking


def invitation_sample(survey: Survey) -> dict[str, str]:
    """Fields of a new mailing."""
    with speaking(survey):
        return {
            "message": gettext("""Hello,

we ask how common some habits are. Please take part:

{link}

Without JavaScript, open the same page, choose "Use my own coin" and type this code: {code}

Your answers are not stored with your address or your code.

Anybody can check that the page is the published one. The survey's code for that: {check}
""")
        }


def reminder_sample(survey: Survey) -> dict[str, str]:
    """Fields of a new reminder."""
    with speaking(survey):
        return {
            "subject": gettext("A reminder: our survey is still open"),
            "message": gettext("""Hello,

some days ago we sent you a link to our survey. It is still open; the link in that mail is yours.

If you have answered, thank you: you need do nothing. We cannot see who has answered, so everyone
gets this mail.
"""),
        }


def say_language(mail: Form, survey: Survey) -> None:
    """Say what language a letter's fields are in: staff's page may be in another."""
    for name in ("subject", "message"):
        mail.fields[name].widget.attrs["lang"] = survey.language
