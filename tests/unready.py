"""Why a draft cannot be launched: what the refusal says."""

import pytest

from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.models import Question, Survey


def reasons(draft: Question | Survey) -> list[str]:
    """All that is missing of a question, or of a draft; fails if nothing is."""
    with pytest.raises(NotReady) as refusal:
        _read(draft)
    return refusal.value.reasons


def why(draft: Question | Survey) -> str:
    """The same in one line."""
    return " ".join(reasons(draft))


def _read(draft: Question | Survey) -> object:
    """As it is stored: what a test changed in the database alone counts."""
    stored = type(draft).objects.get(pk=draft.pk)
    return item_of(stored) if isinstance(stored, Question) else draft_questionnaire(stored)
