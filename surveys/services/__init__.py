"""Every write, as something a person would name. Each is one transaction."""

from surveys.services.authoring import close, delete_survey, launch, move_question, set_plan
from surveys.services.collecting import (
    OtherAnswers,
    Unavailable,
    UnknownInvitation,
    UsedInvitation,
    receive,
    redeem,
    submit,
)
from surveys.services.errors import NotAllowed, NotOpen, NotPossible
from surveys.services.invitations import issue
from surveys.services.mailings import (
    erase_address,
    erase_addresses,
    mail_is_off,
    prepare_mailing,
    retry_failed,
    send_mailing,
    settle_uncertain,
    stop_mailing,
)
from surveys.services.members import add_member, change_role, hand_over, remove_member
from surveys.services.sending import send_batch
from surveys.services.spooling import flush

__all__ = [
    "NotAllowed",
    "NotOpen",
    "NotPossible",
    "OtherAnswers",
    "Unavailable",
    "UnknownInvitation",
    "UsedInvitation",
    "add_member",
    "change_role",
    "close",
    "delete_survey",
    "erase_address",
    "erase_addresses",
    "flush",
    "hand_over",
    "issue",
    "launch",
    "mail_is_off",
    "move_question",
    "prepare_mailing",
    "receive",
    "redeem",
    "remove_member",
    "retry_failed",
    "send_batch",
    "send_mailing",
    "set_plan",
    "settle_uncertain",
    "stop_mailing",
    "submit",
]
