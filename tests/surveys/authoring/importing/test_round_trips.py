"""From JSON to a draft and back: what a draft holds is written and read again, byte for byte."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings

from surveys.authoring.drafts import NotReady
from surveys.authoring.editor.previews import preview_of
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.models import Survey
from tests.surveys.definitions.xlsforms.making import hard_drafts

pytestmark = pytest.mark.django_db


@pytest.mark.audit
# The rows of all examples are taken back together.
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(hard_drafts())
def test_a_draft_that_is_written_and_read_again_is_the_same_with_one_preview(owner, definition):
    # What must have words and has none stands as “…” in a file.
    words = re.sub(r':"\s+"', ':"…"', to_bytes(definition).decode())
    first = _stored(words.encode(), owner)
    content = to_bytes(definition_of(first))
    second = _stored(content, owner)
    assert to_bytes(definition_of(second)) == content
    assert _seen(second) == _seen(first)


def _stored(content: bytes, owner) -> Survey:
    plan = plan_import(content, "draft.json")
    assert plan.definition, plan.remarks
    return store(fitted(plan), by=owner)


def _seen(survey: Survey) -> object:
    """What respondents would see of it, and what is missing."""
    try:
        questionnaire, missing = preview_of(survey)
    except NotReady as problem:
        return [*map(str, problem.reasons)]
    document = json.dumps(questionnaire.to_document(), sort_keys=True)
    for number, key in enumerate(survey.questions.values_list("pk", flat=True)):
        document = document.replace(str(key), str(number))
    return document, [*map(str, missing)]
