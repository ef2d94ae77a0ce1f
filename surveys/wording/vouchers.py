"""What is said of vouchers: that nothing stored links a code to answers, and what else may.

Empty where a code is sent with the answers.
"""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire


def unlinked_line(questionnaire: Questionnaire) -> str:
    """In one sentence, for the fold of the first screen."""
    if questionnaire.vouchers is None:
        return ""
    return gettext(
        "Nothing stored here, even with every key of this server, shows which invitation sent "
        "which answers."
    )


def voucher_lines(questionnaire: Questionnaire) -> Iterator[str]:
    """All of it: how that comes about, who may guess, and what is lost with a closed page."""
    if questionnaire.vouchers is None:
        return
    yield gettext(
        "When you press Send, your browser first exchanges your code for a signature under "
        "something that this server cannot read. Your answers come with that signature, and "
        "without the code."
    )
    yield _wait(questionnaire.vouchers.wait)
    yield gettext(
        "Someone who notes every moment, address or connection on this server may guess which "
        "answers are yours."
    )
    yield open_page_line()
    if questionnaire.own_coin.is_offered:
        yield together_line()


def open_page_line() -> str:
    """What else would lose answers."""
    return gettext(
        "Once you have pressed Send, keep this page open until you see the receipt: if you close "
        "it before, your answers are lost and your code is used up."
    )


def together_line() -> str:
    """Of the form that needs no script."""
    return gettext(
        "Without the script your code and your answers are sent together: a changed program on "
        "this server could note both."
    )


def kept_of_codes(questionnaire: Questionnaire) -> str:
    """What is stored of an invitation."""
    if questionnaire.vouchers is None:
        return gettext(
            "Of your invitation two things are stored, apart from the answers: a fingerprint "
            "of its code, and whether it was used. If it was mailed, your address is kept "
            "apart from both. All of this is erased when the survey closes."
        )
    return gettext(
        "Of your invitation three things are stored, apart from the answers: a fingerprint of its "
        "code, whether it was used, and a fingerprint of what was signed for it, which would fit "
        "all answers alike. If it was mailed, your address is kept apart from them. All of this "
        "is erased when the survey closes."
    )


def _wait(seconds: int) -> str:
    if not seconds:
        return gettext("Between the two it does not wait, so that the moments tell more.")
    return gettext(
        "Between the two it waits for a random time, a minute in the mean and five at most, unless "
        "you press Send now."
    )
