"""Acts that cannot be undone: what each one's page says first, and the proof that it was shown."""

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.utils.functional import Promise


class NotAccepted(Exception):
    """A risk that the page names was not accepted; nothing was done."""


class NotProven(Exception):
    """What a person had to show that they can do was not shown; nothing was done."""


class NotAsShown(Exception):
    """What was confirmed is not what would happen now, or was never shown; nothing was done."""


@dataclass(frozen=True)
class AskingSection:
    """A part of a page that asks: a heading, and a list below it."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Risk:
    """What a person must accept by a mark of its own: what it is, and what they say by the mark."""

    key: str
    section: AskingSection
    label: str


@dataclass(frozen=True)
class Challenge:
    """What a person must show that they can do with what is ``shown``, and type what comes of it.

    ``proof`` belongs to what is shown and does not tell the answer. ``key`` names the fields;
    ``typed`` was sent, if anything was, and has at most ``longest`` characters. ``refusal`` says
    what to do where it is wrong.
    """

    key: str
    section: AskingSection
    label: str
    shown: str
    proof: str
    refusal: str
    typed: str = ""
    is_met: bool = False
    longest: int = 40


@dataclass(frozen=True)
class Act(ABC):
    """One act on one survey that cannot be undone."""

    survey: Survey

    name: ClassVar[str]
    button: ClassVar["str | Promise"]
    ability: ClassVar[Ability] = Ability.RULE

    @property
    @abstractmethod
    def title(self) -> str:
        """What the page asks."""

    @abstractmethod
    def problems(self) -> list[str]:
        """Why it cannot be done at all; empty if it can."""

    @abstractmethod
    def sections(self) -> list[AskingSection]:
        """What it changes for good, and who was promised what."""

    def risks(self) -> tuple[Risk, ...]:
        """What a person must accept, each by a mark of its own."""
        return ()

    def challenges(self, by: "User", said: Mapping[str, str]) -> tuple[Challenge, ...]:
        """What a person must show that they can do; ``said`` has the fields that were sent."""
        return ()

    @abstractmethod
    def state(self) -> Any:
        """What the sections depend on, as JSON: a change of it asks again."""

    @abstractmethod
    def do(self, by: "User") -> str:
        """Do it, and say what was done. Raises NotAllowed or NotPossible."""

    def proof(self, by: "User") -> str:
        """What only a page that was shown to this person contains, for the survey as it is."""
        shown = [self.name, str(self.survey.pk), str(by.pk), self.state()]
        text = json.dumps(shown, cls=DjangoJSONEncoder, sort_keys=True)
        return salted_hmac("surveys.confirmation", text, algorithm="sha256").hexdigest()


@transaction.atomic
def perform(
    act: Act,
    *,
    by: "User",
    shown: str,
    accepted: Collection[str] = (),
    said: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Do what was confirmed, under the survey's lock, and return what to say of it.

    ``shown`` is the proof from the page, ``accepted`` has the keys of the risks that were, and
    ``said`` all fields that were sent.
    Raises NotAsShown, NotAccepted, NotProven, NotAllowed or NotPossible.
    """
    current = replace(act, survey=locked(act.survey, by, act.ability))
    if problems := current.problems():
        raise NotPossible(" ".join(problems))
    if not constant_time_compare(shown, current.proof(by)):
        raise NotAsShown
    if not {risk.key for risk in current.risks()} <= set(accepted):
        raise NotAccepted
    if not all(challenge.is_met for challenge in current.challenges(by, said)):
        raise NotProven
    return current.do(by)
