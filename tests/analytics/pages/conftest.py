"""A survey with texts, and reports on them."""

import pytest

from surveys.models import Comment
from tests.analytics import examples, reporting


@pytest.fixture
def survey(owner):
    return reporting.make_text_survey(owner)


@pytest.fixture
def finished(survey):
    return examples.store(survey, examples.a_report())


@pytest.fixture
def internal(survey):
    keys = [str(key) for key in Comment.objects.values_list("pk", flat=True)[:2]]
    return examples.store(survey, examples.an_internal_report(*keys))
