"""PublishedSurvey: all that a respondent's page follows from, readable from one public file.

The file is ``revision.json``: the launched document with the keys of survey and revision. With the
last day, which may move, it gives every byte of the page, on any machine with this program.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, Self
from uuid import UUID

from surveys.collecting.published.rated_items import digest_in, launched_items
from surveys.models.queries import published_document
from surveys.questionnaire.document import Questionnaire, languages_in
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import canonical, printed_in_groups, revision_digest
from surveys.trust.refusals import TrustRefusal


@dataclass(frozen=True)
class PublishedSurvey:
    """A launched survey as its files say it, and its last day, if it has one.

    ``items`` are the files of rated items that its page draws from, by the number of the question.
    """

    document: Mapping[str, Any]
    last_day: date | None = None
    items: Mapping[int, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Any, last_day: date | None, items: Iterable[bytes] = ()) -> Self:
        """From the content of files; those of rated items in any order. Raises TrustRefusal."""
        published = cls._read(document, last_day)
        return replace(published, items=_by_number(published, items))

    @classmethod
    def _read(cls, document: Any, last_day: date | None) -> Self:
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
        """Whether the page is the same for all: it is not where a server draws rated items."""
        return not self.questionnaire(self.languages[0]).numbered.drawn_by_server

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


def _by_number(published: PublishedSurvey, items: Iterable[bytes]) -> dict[int, bytes]:
    """The files of rated items by their questions, which name their digest. Raises TrustRefusal."""
    numbered = published.questionnaire(published.languages[0]).numbered
    by_digest = {_digest_of(content): content for content in items}
    wanted = {n: item.items.digest for n, item in numbered.ratings if n in numbered.drawn_in_page}
    if set(by_digest) != set(wanted.values()):
        names = ", ".join(f"items-{number}.json" for number in wanted)
        raise TrustRefusal(
            sentence(
                "The files of rated items do not match this survey. Use exactly these files: "
                "{names}.",
                names=names or "–",
            )
        )
    return {number: by_digest[digest] for number, digest in wanted.items()}


def _digest_of(content: bytes) -> str:
    try:
        return digest_in(content)
    except (LookupError, TypeError, ValueError, RecursionError) as problem:
        raise TrustRefusal(
            sentence(
                "This file is not an items file of a launched survey. Download the file again."
            )
        ) from problem


def _no_such_file() -> TrustRefusal:
    return TrustRefusal(
        sentence(
            "This file is not the revision.json of a launched survey. Download the file again, "
            "and do not change it."
        )
    )


def published_survey(survey_id: UUID, last_day: date | None) -> PublishedSurvey:
    """A survey of this site. Raises Revision.DoesNotExist for a draft."""
    document = published_document(survey_id)
    return PublishedSurvey(document, last_day, launched_items(UUID(document["revision"])))
