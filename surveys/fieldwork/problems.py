"""Why mails could not be sent: stored in English by the worker, shown in a page's language."""

import re

from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

UNREACHABLE = sentence(
    "The mail server could not be reached. Deniable tries again about once a minute."
)
TURNED_AWAY_WORDS = sentence(
    "The mail server does not accept mail from this installation of Deniable. Sending has "
    "stopped. Ask your operator to check the mail settings. After that, continue the mailing."
)
LOST = sentence(
    "The connection to the mail server broke while a mail was being sent. It is unknown whether "
    "this mail arrived. Decide below what to do with this mail. The other mails are waiting."
)
REFUSED_FOR_NOW = sentence("The mail server refuses this mail for now ({code}). Try again later.")
REFUSED_BY_CODE = sentence(
    "The mail server refuses this mail ({code}). Check that the address is right."
)
UNUSABLE = sentence("Mail cannot be sent to this address. Check that the address is right.")
CODE = re.compile(r"\((\d+)\)")


def problem_words(stored: str) -> str:
    """A stored problem in the language that is active; one that is not known as it is stored."""
    match = CODE.search(stored)
    code = int(match[1]) if match else 0
    known = (
        UNREACHABLE,
        TURNED_AWAY_WORDS,
        LOST,
        UNUSABLE,
        REFUSED_FOR_NOW.format(code=code),
        REFUSED_BY_CODE.format(code=code),
    )
    return next((translated(words) for words in known if words == stored), stored)
