"""What a ranking still says where promising items were shown more often: by simulation."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from django.urls import reverse

from ranking.posterior.linear_bayes import linear_bayes
from ranking.posterior.priors import linear_empirical_bayes, posterior_under
from surveys.collecting.services import receive
from surveys.questionnaire.plans.display import DisplayLaw, learn_law, learns_anew
from surveys.randomized_response.designs import KAry
from tests.bodies import body_of
from tests.factories import make_adaptive_survey, make_rating_survey
from tests.ranking.posterior.test_coverage import BASE, LEAST, STARS

ITEMS, SHOWN, BATCH = 30, 2, 20
DESIGNS = {"open": None, "epsilon 2": KAry.from_epsilon(5, 2.0)}
PEOPLE = {"open": 400, "epsilon 2": 800}


@dataclass(frozen=True)
class Fieldwork:
    """Errors of one survey of 30 items, in stars.

    ``means`` and ``scores``: averages over the items of what is estimated minus what is true, for
    plain means of the items that were rated and for scores; ``overall``: the average of all ratings
    against that of all items; ``held``: the share of 95 % intervals that hold the true score.
    """

    means: float
    scores: float
    overall: float
    held: float


def fieldwork(rng: np.random.Generator, name: str, *, adaptive: bool) -> Fieldwork:
    """Items as different as book ratings are; pages of two, in batches of 20."""
    design = DESIGNS[name]
    true = rng.dirichlet(10 * BASE, ITEMS)
    channel = np.eye(5) if design is None else design.channel.matrix
    told = true @ channel.T
    told = told.cumsum(axis=1) / told.sum(axis=1, keepdims=True)
    counts, law, learned = np.zeros((ITEMS, 5)), DisplayLaw(np.zeros(ITEMS), np.ones(ITEMS)), 0
    for person in range(PEOPLE[name]):
        if adaptive and person % BATCH == 0 and learns_anew(person, learned, BATCH):
            law, learned = learn_law(counts, design and design.channel), person
        for number in law.draw(SHOWN, rng):
            level = min(4, int(np.searchsorted(told[number - 1], rng.random(), side="right")))
            counts[number - 1, level] += 1
    return _compared(counts, true @ STARS, design)


def _compared(counts: np.ndarray, scores: np.ndarray, design: KAry | None) -> Fieldwork:
    worths = STARS if design is None else STARS @ design.channel.inverse
    if design is None:
        posterior = posterior_under(linear_empirical_bayes(counts, STARS), counts, STARS)
    else:
        posterior = linear_bayes(design, counts, STARS)
    ends = posterior.intervals()
    rated = counts.sum(axis=1) > 0
    means = (counts @ worths)[rated] / counts.sum(axis=1)[rated]
    return Fieldwork(
        means=float((means - scores[rated]).mean()),
        scores=float((posterior.scores - scores).mean()),
        overall=float((counts @ worths).sum() / counts.sum() - scores.mean()),
        held=float(((ends[:, 0] <= scores) & (scores <= ends[:, 1])).mean()),
    )


@pytest.mark.audit
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_of_adaptively_shown_items_hold_the_truth_where_plain_means_are_biased(name):
    """400 surveys of each display; every bound is 5 standard errors wide."""
    rng = np.random.default_rng()
    found = {}
    for adaptive in (False, True):
        runs = [fieldwork(rng, name, adaptive=adaptive) for _ in range(400)]
        table = np.array([list(vars(run).values()) for run in runs])
        found[adaptive] = table.mean(axis=0)
        error = table.std(axis=0, ddof=1) / math.sqrt(len(runs))
        display = "adaptive" if adaptive else "even"
        figures = zip(vars(runs[0]), found[adaptive], error, strict=True)
        print(f"\n{name}, {display}:", *(f"{what} {x:+.3f} ({e:.3f})" for what, x, e in figures))
    means, _, overall, held = found[True]
    assert means < -5 * error[0]
    assert overall > 5 * error[2]
    assert held >= LEAST - 5 * error[3]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("make", "warned"), [(make_adaptive_survey, True), (make_rating_survey, False)]
)
def test_the_page_says_what_adaptive_display_did_to_the_numbers(owner, client, make, warned):
    survey = make(owner)
    for _ in range(3):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    client.force_login(owner)
    address = reverse("ranking:table", args=[survey.pk, 2])
    page = client.get(address, {"prior": "fixed", "ghosts": "1"}).content.decode()
    assert ("Promising items were shown more often" in page) is warned
