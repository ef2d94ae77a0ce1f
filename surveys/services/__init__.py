"""Every write, as something a person would name. Each is one transaction."""

from surveys.services.authoring import close, launch, move_question, set_plan
from surveys.services.collecting import Unavailable, receive, redeem, submit
from surveys.services.errors import NotAllowed, NotOpen, NotPossible

__all__ = [
    "NotAllowed",
    "NotOpen",
    "NotPossible",
    "Unavailable",
    "close",
    "launch",
    "move_question",
    "receive",
    "redeem",
    "set_plan",
    "submit",
]
