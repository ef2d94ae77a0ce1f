"""The survey that a file's tests read, launched once for all of them."""

import pytest
from django.contrib.auth.models import User

from surveys.models import Survey
from tests.analytics import reporting
from tests.factories import make_user


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """What the tests of a file begin with; a file may have another."""
    return made_once(lambda: reporting.make_text_survey(make_user()))


@pytest.fixture
def survey(launched_survey: Survey, db: None) -> Survey:
    return Survey.objects.get(pk=launched_survey.pk)


@pytest.fixture
def owner(survey: Survey) -> User:
    return survey.owner
