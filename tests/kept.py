"""The survey that a file's tests begin with, launched once for all of them: ``launched_survey``.

What a test stores is rolled back; a test that commits makes a survey of its own.
"""

import pytest
from django.contrib.auth.models import User

from surveys.models import Survey


@pytest.fixture
def survey(launched_survey: Survey, db: None) -> Survey:
    return Survey.objects.get(pk=launched_survey.pk)


@pytest.fixture
def owner(survey: Survey) -> User:
    return survey.owner
