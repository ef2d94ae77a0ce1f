"""The survey that a file's tests read, launched once for all of them."""

import pytest

from surveys.models import Survey
from tests import kept
from tests.analytics import reporting
from tests.factories import make_user

owner, survey = kept.owner, kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """What the tests of a file begin with; a file may have another."""
    return made_once(lambda: reporting.make_text_survey(make_user()))
