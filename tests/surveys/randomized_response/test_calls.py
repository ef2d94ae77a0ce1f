"""Arguments that a function does not have are refused in the words of the package."""

import numpy as np
import pytest

from tests.randomized_response.designs import Warner
from tests.randomized_response.errors import CallError
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.samples import estimate_means, survey_sample


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fit_outcome_model(Warner(0.9), [0, 1], clusters=[1, 2]), "clusters = "),
        (lambda: fit_outcome_model(Warner(0.9)), "reports = 'nothing'"),
        (lambda: fit_outcome_model(Warner(0.9), [0], [1], [2]), "'4 by position'"),
        (lambda: fit_outcome_model(Warner(0.9), [0], reports=[1]), "reports = "),
        (lambda: survey_sample([1, 2], ids=[1, 2]), "ids = "),
        (lambda: estimate_means(survey_sample([1, 2]), [1, 2], by=[1, 2]), "by = "),
    ],
)
def test_a_wrong_call_names_the_argument_and_all_that_there_are(call, words) -> None:
    with pytest.raises(CallError) as refused:
        call()
    assert words in str(refused.value)
    assert " takes " in str(refused.value)
    assert isinstance(refused.value, TypeError)


def test_a_right_call_is_not_touched() -> None:
    assert survey_sample(np.ones(3)).n == 3
    assert survey_sample.__doc__.startswith("How people came into a sample")
