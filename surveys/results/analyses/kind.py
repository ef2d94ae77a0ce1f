"""AnalysisKind: what break-downs, weights and regressions have in common; counted: their counts."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django.http import QueryDict
from django.utils.functional import Promise

from surveys.counts import joint
from surveys.counts.tasks import count_later
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.errors import StatisticsError
from surveys.reports.documents import Document
from surveys.results.analyses.forms import AnalysisForm
from surveys.results.analyses.queries import Asked, JointAnswers
from surveys.results.reading import refusal_words

if TYPE_CHECKING:
    from surveys.models import Revision


class AnalysisKind(ABC):
    """An analysis that is made at once, when its page or one of its files is asked for.

    ``name`` begins the names of its addresses and of its files, ``path`` the address of its page.
    ``picture`` is the address of its charts; empty without any. ``download`` is what the audit log
    calls its files, ``rows`` what its JSON file calls the rows of its table. ``is_linked``: its
    result has a link to itself. The other names are words of its page.
    """

    name: ClassVar[str]
    path: ClassVar[str]
    picture: ClassVar[str] = ""
    download: ClassVar[str]
    rows: ClassVar[str] = "findings"
    is_linked: ClassVar[bool] = True
    title: ClassVar[str | Promise]
    heading: ClassVar[str | Promise]
    button: ClassVar[str | Promise]
    nothing: ClassVar[str | Promise]
    why_nothing: ClassVar[str | Promise]
    refusal: ClassVar[str | Promise]
    files: ClassVar[str | Promise]
    asked_with: ClassVar[type[AnalysisForm]]

    def form(self, revision: "Revision", query: QueryDict) -> AnalysisForm:
        """What the address asks for; the answers of the form are the settings."""
        questionnaire = questionnaire_of(revision)
        items, hidden = questionnaire.items, questionnaire.row.hidden
        return self.asked_with(query, items=items, hidden=hidden)

    @abstractmethod
    def read(self, revision: "Revision", form: Any) -> Any:
        """The counts that it needs. Raises joint.BeingCounted."""

    @abstractmethod
    def compute(self, data: Any, form: Any) -> Any:
        """What they say; None without anything to say. Raises StatisticsError."""

    @abstractmethod
    def show(self, result: Any, source: str) -> Document:
        """A result in the language of the page; ``source`` says on charts where it is from."""

    @abstractmethod
    def facts(self, result: Any) -> dict[str, Any]:
        """What its JSON file says before the rows of the table."""

    def made(self, revision: "Revision", query: QueryDict) -> tuple[AnalysisForm, Any]:
        """The form with its result, None without one; the form says what statistics refuses.

        Raises joint.BeingCounted.
        """
        form = self.form(revision, query)
        if not form.is_bound or not form.is_valid():
            return form, None
        data = self.read(revision, form)
        try:
            return form, self.compute(data, form)
        except StatisticsError as problem:
            form.add_error(None, str(self.refusal).format(problem=refusal_words(problem)))
            return form, None

    def content(self, result: Any, source: str) -> dict[str, Any]:
        """What was asked, how to read it, what was left out, and the rows of its table."""
        rows = list(self.show(result, source).table.file_rows())
        return {**self.facts(result), self.rows: rows}

    @property
    def help_template(self) -> str:
        """How to read it: a fold below every result, and below the form alone."""
        return f"surveys/results/analyses/{self.name}_help.html"


def counted(
    revision: "Revision",
    choices: Iterable[Sequence[int]],
    read: Callable[["Revision", Sequence[int]], JointAnswers[Asked]],
) -> list[JointAnswers[Asked]]:
    """The counts of each choice of questions.

    Of a large survey those that were counted last; what is not counted as it stands now is asked
    for. Raises joint.BeingCounted while some were never counted, and what ``cross_counts`` does.
    """
    counts, waiting = [], []
    for numbers in choices:
        try:
            counts.append(read(revision, numbers))
        except joint.BeingCounted as reason:
            waiting.append(reason)
        # Also after a refusal: the worker counts all of them while the page waits, not one a visit.
        joint.ask(revision.pk, numbers, later=count_later)
    if waiting:
        raise min(waiting, key=lambda reason: reason.counted)
    return counts
