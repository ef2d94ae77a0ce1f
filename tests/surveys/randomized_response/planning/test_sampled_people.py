"""The fields on how people are sampled: what they hold, and what is refused at which of them."""

from fractions import Fraction

import pytest

from tests.randomized_response.errors import StatisticsError
from tests.randomized_response.planning import (
    INDEPENDENT,
    REQUEST_FIELDS,
    PlanRequest,
    field_of,
    plan_survey,
)

NAN, INFINITE = float("nan"), float("inf")
CLASSES = {"cluster_size": 25, "intraclass_correlation": 0.05}
REFUSED = [
    ({"weight_variation": -0.1}, "weight_variation"),
    ({"weight_variation": 10.5}, "weight_variation"),
    ({"weight_variation": NAN}, "weight_variation"),
    ({"weight_variation": None}, "weight_variation"),
    ({"weight_variation": "0.5"}, "weight_variation"),
    ({**CLASSES, "cluster_size": 0.9}, "cluster_size"),
    ({**CLASSES, "cluster_size": INFINITE}, "cluster_size"),
    ({**CLASSES, "cluster_size": 10**7}, "cluster_size"),
    ({**CLASSES, "cluster_variation": -1}, "cluster_variation"),
    ({**CLASSES, "cluster_size": 1, "cluster_variation": 0.5}, "cluster_variation"),
    ({**CLASSES, "intraclass_correlation": 1}, "intraclass_correlation"),
    ({**CLASSES, "intraclass_correlation": -0.05}, "intraclass_correlation"),
    ({**CLASSES, "intraclass_correlation": NAN}, "intraclass_correlation"),
    ({"cluster_size": 0.05, "intraclass_correlation": 25}, "cluster_size"),  # swapped
    ({"cluster_size": 25}, "intraclass_correlation"),
    ({"intraclass_correlation": 0.05}, "cluster_size"),
    ({"cluster_variation": 0.5}, "cluster_size"),
    ({"response_rate": 0}, "response_rate"),
    ({"response_rate": 1.01}, "response_rate"),
    ({"response_rate": 40}, "response_rate"),
    ({"response_rate": NAN}, "response_rate"),
    ({"assurance": 1}, "assurance"),
    ({"assurance": 0}, "assurance"),
    ({"arms": (1,)}, "arms"),
    ({"arms": (1, 0)}, "arms"),
    ({"arms": (1, 100)}, "arms"),
    ({"arms": (1, 1.5)}, "arms"),
    ({"arms": (1,) * 7}, "arms"),
    ({"arms": "1, 1"}, "arms"),
]


@pytest.mark.parametrize(("fields", "name"), REFUSED)
def test_a_sample_that_there_is_not_names_its_field(fields, name):
    with pytest.raises(StatisticsError) as refused:
        PlanRequest(**fields)
    assert refused.value.argument == name
    assert field_of("two-coins", refused.value) in (name, None)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("weight_variation", "0.5", Fraction(1, 2)),
        ("cluster_size", "2.3", Fraction(23, 10)),
        ("intraclass_correlation", "1/20", Fraction(1, 20)),
        ("response_rate", "2/5", Fraction(2, 5)),
        ("assurance", "0.95", Fraction(19, 20)),
        ("arms", "2, 1,1", (2, 1, 1)),
        ("arms", "2; 1", (2, 1)),
    ],
)
def test_what_a_person_types_is_read_exactly(name, text, value):
    assert REQUEST_FIELDS[name].read(name, text) == value


@pytest.mark.parametrize("name", ["weight_variation", "cluster_size", "response_rate", "arms"])
@pytest.mark.parametrize(
    "text", ["", "1e400", "NaN", "-1", "½", "٣", "🙂", "0x1", "1/0", "1" * 400]
)
def test_garbage_is_refused_at_its_field(name, text):
    with pytest.raises(StatisticsError) as refused:
        REQUEST_FIELDS[name].read(name, text)
    assert refused.value.argument == name


def test_the_fields_of_the_sample_come_after_the_others():
    assert next(iter(REQUEST_FIELDS)) == "design"
    assert list(REQUEST_FIELDS)[-1] == "arms"


def test_a_request_that_says_nothing_of_its_sample_is_planned_as_before():
    """Values that change nothing, by their names, give the same plan to the last digit."""
    plain = PlanRequest(share=Fraction(1, 5), null_share=Fraction(1, 10))
    said = PlanRequest(
        share=Fraction(1, 5),
        null_share=Fraction(1, 10),
        weight_variation=0,
        cluster_size=25,
        intraclass_correlation=0,
        response_rate=1,
    )
    assert plain.is_simple_sample
    assert not said.is_simple_sample
    assert plain.effects == said.effects == INDEPENDENT
    before, after = plan_survey(plain), plan_survey(said)
    for part in ("n", "people", "assumption", "sizes", "readings", "price", "comparison"):
        assert str(getattr(before, part)) == str(getattr(after, part))
    assert (before.test.plan, before.test.exact) == (after.test.plan, after.test.exact)
    assert after.sample.invitations == before.n
