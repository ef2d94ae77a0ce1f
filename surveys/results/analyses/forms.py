"""AnalysisForm: what is asked of a survey's questions; which of them each analysis can be asked."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.picked.promise import PickedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.sharing import sharing_pair
from surveys.results.analyses.queries import Grouping
from surveys.results.reading import Reading
from surveys.web.forms import AddressForm

USUAL = Reading()
LONGEST_CHOICE = 70


def numbered(items: Iterable[tuple[int, Question]]) -> list[tuple[str, str]]:
    """Questions as choices: their number, and their number with their words."""
    return [(str(number), f"{number}. {shortened(item.text)}") for number, item in items]


def shortened(text: str) -> str:
    """The words of a choice, cut where a list of them would be too wide."""
    return text if len(text) <= LONGEST_CHOICE else f"{text[: LONGEST_CHOICE - 1]}…"


def answerable(
    items: Iterable[Question], hidden: Collection[Question] = ()
) -> list[tuple[int, LevelQuestion]]:
    """Questions whose answers are levels with one channel, with their numbers.

    ``hidden`` ones are left out: no one reads their answers.
    """
    return [(n, item) for n, item in of_kind(LevelQuestion, items) if item not in hidden]


def told_by_few(
    items: Iterable[Question], hidden: Collection[Question] = ()
) -> list[tuple[int, LevelQuestion]]:
    """Those with so few answers that groups can be told by them.

    Of a list of hundreds some answer is always one of few people, so that all would be withheld.
    """
    pairs = answerable(items, hidden)
    return [(n, item) for n, item in pairs if not isinstance(item, PickedQuestion)]


def groupable(
    items: Sequence[Question], hidden: Collection[Question] = ()
) -> list[tuple[int, Grouping]]:
    """Questions by which others can be broken down: those, and numbers (cut into ranges)."""
    numbers: list[tuple[int, Grouping]] = [
        (n, item) for n, item in of_kind(NumberQuestion, items) if item not in hidden
    ]
    return sorted([*answerable(items, hidden), *numbers], key=itemgetter(0))


class AnalysisForm(AddressForm):
    """What is asked of a survey's questions ``items``; the ``hidden`` ones are offered nowhere.

    ``usual`` is how the survey is read unless its reader chooses. Nothing can be asked without
    choices for the fields of ``needed``. ``layout`` is the style of the form; the fields of
    ``wide`` stand above the others.
    """

    needed: ClassVar[tuple[str, ...]]
    layout: ClassVar[str] = "inline"
    wide: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        query: QueryDict,
        *,
        items: tuple[Question, ...],
        hidden: Collection[Question] = (),
        usual: Reading = USUAL,
    ) -> None:
        super().__init__()
        self.items, self.usual = items, usual
        self.offer_questions(query, hidden)
        self.read_address(query)

    @abstractmethod
    def offer_questions(self, query: QueryDict, hidden: Collection[Question]) -> None:
        """Fill the fields that name questions."""

    @property
    def wide_fields(self) -> list[forms.BoundField]:
        """Those above the others."""
        return [self[name] for name in self.wide]

    @property
    def narrow_fields(self) -> list[forms.BoundField]:
        """Those in a row with the button."""
        return [self[name] for name in self.fields if name not in self.wide]

    @property
    def has_choices(self) -> bool:
        """Whether there are questions to choose from."""
        return all(getattr(self.fields[name], "choices", ()) for name in self.needed)

    def direct_questions(self, hidden: Collection[Question]) -> list[tuple[str, str]]:
        """Questions asked directly, as choices."""
        offered = groupable(self.items, hidden)
        return numbered((n, item) for n, item in offered if not item.is_randomized)

    def offer(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        """Let a field offer these."""
        field: Any = self.fields[name]
        field.choices = choices

    def refuse_sharing(self, name: str, numbers: Iterable[str]) -> None:
        """All analyses take the reports of one person as independent, given the truths."""
        if pair := sharing_pair(self.items, map(int, numbers)):
            words = gettext(
                "Questions {one} and {other} use the same second question. So their reported "
                "answers are not independent, and the two questions cannot be estimated together. "
                "Choose one of the two."
            )
            self.add_error(name, words.format(one=pair[0], other=pair[1]))
