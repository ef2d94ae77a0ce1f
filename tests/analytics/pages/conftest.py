"""A survey with texts, and reports on them."""

import pytest

from surveys.models import Comment, Survey
from tests.analytics import examples, reporting
from tests.factories import make_user


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """What the tests of a file begin with; a file may have another."""
    return made_once(lambda: reporting.make_text_survey(make_user()))


@pytest.fixture
def survey(launched_survey, db) -> Survey:
    return Survey.objects.get(pk=launched_survey.pk)


@pytest.fixture
def owner(survey):
    return survey.owner


@pytest.fixture
def finished(survey):
    return examples.store(survey, examples.a_report())


@pytest.fixture
def internal(survey):
    keys = [str(key) for key in Comment.objects.values_list("pk", flat=True)[:2]]
    return examples.store(survey, examples.an_internal_report(*keys))
