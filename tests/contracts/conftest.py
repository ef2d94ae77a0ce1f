"""A survey in which every file and picture has something to say."""

import numpy as np
import pytest

from surveys.models import Question
from tests import factories
from tests.versions.filling import answer


@pytest.fixture
def survey_of_files(db):
    """Answers to what can be broken down, weighted, explained, ranked, and reported on."""
    direct, kinds = Question.Design.DIRECT, Question.Kind
    draft = factories.make_survey(factories.make_user(superuser=True))
    factories.add_question(draft, required=True)
    factories.add_question(
        draft, "North", "South", text="Where?", kind=kinds.CHOICE, design=direct, required=True
    )
    factories.add_question(
        draft, text="Weight?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=9, required=True
    )
    factories.add_text(draft)
    factories.add_rating(draft, required=True)
    factories.add_budget(draft, source="all")
    made = factories.launched(draft)
    answer(made, 60, np.random.default_rng(3))
    return made
