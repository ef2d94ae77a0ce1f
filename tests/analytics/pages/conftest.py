"""A survey with texts, and reports on them."""

import pytest

from surveys.models import Comment
from tests.analytics import examples
from tests.analytics.launched import launched_survey, owner, survey  # noqa: F401 - fixtures


@pytest.fixture
def finished(survey):  # noqa: F811
    return examples.store(survey, examples.a_report())


@pytest.fixture
def internal(survey):  # noqa: F811
    keys = [str(key) for key in Comment.objects.values_list("pk", flat=True)[:2]]
    return examples.store(survey, examples.an_internal_report(*keys))
