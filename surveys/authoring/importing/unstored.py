"""UnstoredDraft: the rows of a definition that is judged and not stored, as those of a draft."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surveys.authoring.checklist.checks import Check, checks_of
from surveys.authoring.importing.fitting import FittedDraft
from surveys.authoring.importing.services import given_to
from surveys.models import Question, Survey

if TYPE_CHECKING:
    from uuid import UUID

    from django.contrib.auth.models import User
    from django.db.models import Model


def checks_unstored(draft: FittedDraft, *, by: "User") -> list[Check]:
    """The list before the launch of what would be a draft of this person's; it writes nothing."""
    survey = given_to(draft, by)
    for row in (survey, *draft.questions, *draft.options, *draft.conditions):
        _as_read(row)
    return checks_of(survey, UnstoredDraft(draft))


@dataclass(frozen=True)
class UnstoredDraft:
    """Rows with those that belong to them."""

    draft: FittedDraft

    def anew(self) -> tuple[Survey, list[Question]]:
        """Copies, whose words may be replaced."""
        draft = self.draft
        rows = (draft.survey, draft.questions, draft.options, draft.conditions)
        survey, questions, options, conditions = deepcopy(rows)
        _give("options", questions, options)
        _give("conditions", questions, conditions)
        return survey, questions

    def translations(self, language: str) -> Mapping[str, str]:
        """The texts in this language that say something, by digest."""
        return {
            digest: text
            for (code, digest), text in self.draft.translations.items()
            if code == language and text.strip()
        }


def _give(name: str, questions: Sequence[Question], rows: Iterable[Any]) -> None:
    """Let questions have their rows as ``prefetch_related`` gives them what it has read."""
    own: dict[UUID, list[Any]] = defaultdict(list)
    for row in rows:
        own[row.question_id].append(row)
    for question in questions:
        read = getattr(question, name).all()
        read._result_cache, read._prefetch_done = own[question.pk], True
        cache = vars(question).setdefault("_prefetched_objects_cache", {})
        cache[name] = read


def _as_read(row: "Model") -> None:
    """Give each field the type that it has when it is read."""
    for each in row._meta.concrete_fields:
        setattr(row, each.attname, each.to_python(getattr(row, each.attname)))
