"""PublishedSurvey: all that a respondent's page follows from, readable from one public file.

The file is ``revision.json``: the launched document with the keys of survey and revision. With the
last day, which may move, it gives every byte of the page, on any machine with this program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Self
from uuid import UUID

from surveys.kinds.rating.promise import RatingQuestion
from surveys.models.queries import published_document
from surveys.questionnaire.document import Questionnaire, languages_in
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import canonical, printed_in_groups, revision_digest
from surveys.trust.refusals import TrustRefusal


@dataclass(frozen=True)
class PublishedSurvey:
    """A launched survey as its file says it, and its last day, if it has one."""

    document: Mapping[str, Any]
    last_day: date | None = None

    @classmethod
    def read(cls, document: Any, last_day: date | None) -> Self:
        """From the content of a file. Raises TrustRefusal."""
        published = cls(document, last_day)
        try:
            canonical(document)
            UUID(document["survey"]), UUID(document["revision"])
            readings = [published.questionnaire(one) for one in published.languages]
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as problem:
            raise _no_such_file() from problem
        if not readings:
            raise _no_such_file()
        return published

    @property
    def survey(self) -> UUID:
        return UUID(self.document["survey"])

    @property
    def revision(self) -> UUID:
        return UUID(self.document["revision"])

    @property
    def languages(self) -> tuple[str, ...]:
        """The author's own is the first."""
        return languages_in(self._launched)

    @cached_property
    def _launched(self) -> dict[str, Any]:
        added = ("survey", "revision")
        return {name: value for name, value in self.document.items() if name not in added}

    def questionnaire(self, language: str) -> Questionnaire:
        """As it reads in one of its languages. Raises MissingText."""
        return Questionnaire.from_document(self._launched, language)

    @property
    def is_checkable(self) -> bool:
        """Whether the page is the same for all: where items are rated, the server draws them."""
        first = self.questionnaire(self.languages[0])
        return not any(of_kind(RatingQuestion, first.items))

    @cached_property
    def file(self) -> bytes:
        """``revision.json``. Raises TrustRefusal."""
        return canonical(self.document)

    @cached_property
    def digest(self) -> bytes:
        """Of the revision: 32 bytes."""
        return revision_digest(self.document)

    @property
    def printed(self) -> str:
        """The digest that stands on paper, in groups of four."""
        return printed_in_groups(self.digest)


def _no_such_file() -> TrustRefusal:
    return TrustRefusal(
        sentence(
            "This is no revision.json of a launched survey: download it anew, and do not change it."
        )
    )


def published_survey(survey_id: UUID, last_day: date | None) -> PublishedSurvey:
    """A survey of this site. Raises Revision.DoesNotExist for a draft."""
    return PublishedSurvey(published_document(survey_id), last_day)
