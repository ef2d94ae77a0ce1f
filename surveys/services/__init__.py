"""Every write, as something a person would name. Each is one transaction."""

from surveys.services.authoring import close, delete_survey, launch, move_question, set_plan
from surveys.services.collecting import (
    Unavailable,
    UnknownInvitation,
    UsedInvitation,
    receive,
    redeem,
    submit,
)
from surveys.services.errors import NotAllowed, NotOpen, NotPossible
from surveys.services.members import add_member, change_role, hand_over, remove_member
from surveys.services.spooling import flush

__all__ = [
    "NotAllowed",
    "NotOpen",
    "NotPossible",
    "Unavailable",
    "UnknownInvitation",
    "UsedInvitation",
    "add_member",
    "change_role",
    "close",
    "delete_survey",
    "flush",
    "hand_over",
    "launch",
    "move_question",
    "receive",
    "redeem",
    "remove_member",
    "set_plan",
    "submit",
]
