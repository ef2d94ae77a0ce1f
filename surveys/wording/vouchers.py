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
        "Nothing that is stored here shows which answers belong to which invitation, even to "
        "someone who has every key of this server."
    )


def voucher_lines(questionnaire: Questionnaire) -> Iterator[str]:
    """All of it: how that comes about, who may guess, and what is lost with a closed page."""
    if questionnaire.vouchers is None:
        return
    yield gettext(
        "When you press Send, your browser first exchanges your code for a signature of this "
        "server. The server cannot read what it signs. Your answers are then sent with that "
        "signature and without the code."
    )
    yield _wait(questionnaire.vouchers.wait)
    yield gettext(
        "Someone who records the time, address or connection of every request to this server may "
        "guess which answers are yours."
    )
    yield open_page_line()
    if questionnaire.own_coin.is_offered:
        yield together_line()


def open_page_line() -> str:
    """What else would lose answers."""
    return gettext(
        "Once you have pressed Send, keep this page open until you see the receipt. If you close "
        "the page earlier, your answers are lost and your code is used up."
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
            "Two things about your invitation are stored, separately from the answers: a "
            "fingerprint of its code, and whether the code was used. If the invitation was "
            "mailed, your address is stored separately from both. All of this is erased when the "
            "survey closes."
        )
    return gettext(
        "Three things about your invitation are stored, separately from the answers: a "
        "fingerprint of its code, whether the code was used, and a fingerprint of what was signed "
        "for it. The last fingerprint would fit all answers equally well. If the invitation was "
        "mailed, your address is stored separately from these things. All of this is erased when "
        "the survey closes."
    )


def _wait(seconds: int) -> str:
    if not seconds:
        return gettext(
            "Your browser does not wait between the exchange and the sending. So the times of "
            "these two steps reveal more."
        )
    return gettext(
        "Between the exchange and the sending, your browser waits for a random time: one minute "
        "on average and five minutes at most. It stops waiting if you press “Send now”."
    )
