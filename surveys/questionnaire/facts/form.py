"""Form: the fields of a submission, and the codes in them that are stored as they are sent."""

from dataclasses import dataclass
from functools import cached_property

from surveys.kinds.levels.promise import Leveled
from surveys.questionnaire.arms import FIELD, Arm
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, standing_on
from surveys.questionnaire.plans.tallies import LockedTable

NO_CODES: frozenset[str] = frozenset()


def _codes_of_levels(item: Leveled) -> frozenset[str]:
    return frozenset(level.code for level in item.reported_levels)


def _too_many(item: Question) -> frozenset[str]:
    return NO_CODES


# All codes of those whom the page asks, each of which ``Question.read`` returns as it was sent.
LISTED_CODES: Table[[], frozenset[str]] = Table.mostly(
    _too_many,
    **{
        **standing_on(Leveled, _codes_of_levels),
        **standing_on(SlottedQuestion, _too_many),
        "long_list": _too_many,
    },
)


@dataclass(frozen=True)
class Form:
    """What the page sends of the questions ``items``, of which each person is asked ``asked``.

    Where it ``is_vouched`` an invited person's page sends a voucher and no code. Last come the
    locked answers to the questions of each of the ``tables``.
    """

    items: tuple[Question, ...]
    arms: tuple[Arm, ...]
    invitation_only: bool
    asked: int | None
    is_vouched: bool = False
    tables: tuple[LockedTable, ...] = ()

    @cached_property
    def slots(self) -> tuple[tuple[str, ...], ...]:
        """The form fields of every question."""
        return tuple(tuple(item.fields(index)) for index, item in enumerate(self.items))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields of every submission of the page, in their order."""
        names = self._names("voucher" if self.is_vouched else "invitation")
        return (*names, *(table.field for table in self.tables))

    @cached_property
    def names_by_hand(self) -> tuple[str, ...]:
        """The same of the form without the script, which can lock nothing."""
        return self._names("invitation")

    def _names(self, proof: str) -> tuple[str, ...]:
        invited = (proof,) if self.invitation_only else ()
        arm = (FIELD,) if self.arms else ()
        answers = (name for slots in self.slots for name in slots)
        return ("revision", "key", "path", *invited, *arm, *answers)

    @cached_property
    def certain_codes(self) -> tuple[frozenset[str], ...]:
        """Of each question that the page asks of all, its codes, if they can be listed.

        Such a code in its field is its answer. Everything else is for the question to read.
        """
        return tuple(
            LISTED_CODES(item) if item.rule is None and not self._is_drawn(item) else NO_CODES
            for item in self.items
        )

    @cached_property
    def nothing_certain(self) -> tuple[frozenset[str], ...]:
        """The same for people with their own coin: who leaves out what depends on the question."""
        return (NO_CODES,) * len(self.items)

    def _is_drawn(self, item: Question) -> bool:
        return self.asked is not None and item.is_randomized
