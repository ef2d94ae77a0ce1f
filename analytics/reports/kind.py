"""Kind: what every kind of report says of itself; AnswerKind: what those on answers can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from analytics.kinds.settings import Watch
from analytics.models import Report
from analytics.reports.asking import AskForm
from surveys.models import Revision, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.messages import Message
from surveys.reports.documents import Document
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from analytics.privacy.accounting import Cost


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


@dataclass(frozen=True)
class ReportFacts:
    """What is known of a report besides its result, the same for all kinds.

    ``names`` are those that people gave to its topics, "" where a topic has none. ``texts`` reads
    comments by their keys, for staff who may read them. ``address`` is that of what is published,
    and ``questionnaire`` what its respondents were promised.
    """

    names: Sequence[str] = ()
    texts: Callable[[Iterable[str]], Mapping[str, str]] = lambda keys: {}
    finished_at: datetime | None = None
    code_version: str = ""
    questionnaire: Questionnaire | None = None
    address: str = ""


NO_FACTS = ReportFacts()


class Kind:
    """A kind of report in words, and who may do what with its reports.

    ``pays``: it spends privacy budget, and what it releases may be published. ``is_open``: all who
    read results may see it, not curators alone. ``asked_by``: what a person needs to ask for one,
    cancel or repeat it. ``finds`` is what one of its parts is called. ``counts_answers``: it pays,
    for counts of direct answers, which a promise for texts alone does not cover. ``is_of_tables``:
    it is about several questions. ``is_of_texts``: it is about the answers to a text question.
    ``draws_at_openings``: each opening adds to its result.
    """

    name: str
    title: str
    explanation: str
    pays: bool = False
    is_open: bool = False
    asked_by: Ability = Ability.RULE
    finds: str = "topic"
    counts_answers: bool = False
    is_of_tables: bool = False
    is_of_texts: bool = False
    draws_at_openings: bool = False

    # What a JSON file says of itself, and how names of files end; "": the kind's own name.
    how_to_read: str = ""
    file_name: str = ""

    def result(self, report: Report) -> Any:
        """What a report found; None if it is not made, or was erased. Raises DocumentError."""
        raise NotImplementedError

    def show(self, result: Any, facts: ReportFacts = NO_FACTS) -> Document:
        """What a result says, in the language of the page."""
        raise NotImplementedError

    def about_file(self, result: Any) -> dict[str, str]:
        """What a JSON file says first."""
        return {"how_to_read": self.how_to_read}

    def content(self, result: Any, facts: ReportFacts) -> dict[str, Any]:
        """A result as a JSON file has it."""
        content: dict[str, Any] = result.to_document()
        return content

    def is_public(self, report: Report) -> bool:
        """Whether all who have its address may see it."""
        return False

    def cost(self, report: Report) -> "Cost | None":
        """What a report says that it was charged; None if it is not made. Raises DocumentError."""
        result = self.result(report)
        return None if result is None else result.cost


class AnswerKind(Kind, ABC):
    """A kind of report on stored answers; it spends no budget.

    ``nothing_to_ask`` stands where a survey has no questions for it. ``address`` is the part of its
    page's own.
    """

    nothing_to_ask: ClassVar[Message]
    address: ClassVar[str]
    is_open = True
    # A comparison shows what break-downs show, so that who may read may ask.
    asked_by = Ability.READ

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

    def result(self, report: Report) -> Any:
        """What a report found. Raises DocumentError."""
        return self.read(report.extract.document) if report.extract else None
