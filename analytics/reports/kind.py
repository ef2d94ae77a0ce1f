"""AnswerKind: what every kind of report on stored answers can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from analytics.kinds.settings import Watch
from analytics.reports.asking import AskForm
from surveys.models import Revision, Survey
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.messages import Message
from surveys.reports.documents import Document

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class AnswerSettings(Protocol):
    """What a report is asked with; ``question``, numbered from 1, names it in lists."""

    @property
    def question(self) -> int: ...

    def to_data(self) -> dict[str, Any]:
        """Plain values for JSON."""


class AnswerResult(Protocol):
    """What a report found."""

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON."""


@dataclass(frozen=True)
class Choices:
    """What a form offers: the questions with their numbers, and surveys that ask the same."""

    items: tuple[tuple[int, Question], ...]
    others: Callable[[], Sequence[Survey]]


class AnswerKind(ABC):
    """A kind of report that spends no budget.

    ``is_open``: all who read results may see it, not curators alone. ``how_to_read`` stands in its
    JSON file, ``nothing_to_ask`` where a survey has no questions for it. ``address`` is the part of
    its page's own.
    """

    name: ClassVar[str]
    title: ClassVar[Message]
    explanation: ClassVar[Message]
    nothing_to_ask: ClassVar[Message]
    how_to_read: ClassVar[str]
    is_open: ClassVar[bool] = True
    address: ClassVar[str]

    @abstractmethod
    def form(self, data: Any, choices: Choices) -> AskForm:
        """The form that asks for one."""

    @abstractmethod
    def settings(self, data: Mapping[str, Any]) -> Any:
        """Stored settings. Raises SettingsError."""

    def check(self, settings: Any, by: "User") -> None:
        """Refuse what this person may not ask. Raises NotAllowed."""
        return None

    @abstractmethod
    def make(self, revision: Revision, settings: Any, watch: Watch) -> AnswerResult:
        """Read the answers and compute. Raises what its mathematics raises, and NotPossible."""

    def kept_with(self, revision: Revision, settings: Any) -> Revision:
        """Of the surveys whose answers a result holds, the one that is erased first."""
        return revision

    @abstractmethod
    def read(self, document: Mapping[str, Any]) -> Any:
        """A stored result. Raises DocumentError."""

    @abstractmethod
    def show(self, result: Any) -> Document:
        """What it says, in the language of the page."""
