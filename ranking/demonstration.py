"""The demonstration's two rating surveys of made-up course units: true shares, bodies, agreement.

The items' true ratings are drawn from a fixed law, much as book ratings are spread, so that both
rankings can be compared with the truth. Every respondent and every coin is drawn anew.
"""

import contextlib
import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID, uuid5

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from scipy.stats import kendalltau

from ranking.posterior.checks import FloatArray
from ranking.queries import RatedQuestion, chosen_method, ranked, rated_questions, version_of
from surveys.authoring.services import launch
from surveys.collecting.queries import waiting_count
from surveys.collecting.refusals import OtherAnswers
from surveys.collecting.services import receive
from surveys.models import Catalogue, CatalogueItem, Option, Question, Survey
from surveys.randomized_response.drawing import draw_reports
from surveys.results.queries import response_count

NAMESPACE = UUID("0c9a6a0a-98a6-4d55-8b57-5d5c2b6c4a8e")
CATALOGUE_ID = uuid5(NAMESPACE, "catalogue")
ITEMS, SHOWN, PEOPLE = 24, 4, 900
STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
# Average shares of the stars, and how alike the items are: book ratings are about as uneven.
SHARES, ALIKE = np.array([0.1, 0.12, 0.2, 0.33, 0.25]), 3.0
EPSILON = Decimal(5)  # of all that one respondent rates together
_TRUTH = 1974


@dataclass(frozen=True)
class Sort:
    """One of the two surveys."""

    name: str
    title: str
    question: str
    epsilon: Decimal | None = None

    @property
    def key(self) -> UUID:
        return uuid5(NAMESPACE, self.name)


SORTS = (
    Sort("open", "Course units, rated openly (demonstration)", "How good is this unit?"),
    Sort(
        "randomized",
        "Course units, rated with chance (demonstration)",
        "How good is this unit, if no one can hold it against you?",
        EPSILON,
    ),
)


def true_shares() -> FloatArray:
    """What share of all people gives each item each number of stars: (items, levels)."""
    rng = np.random.default_rng(_TRUTH)
    return rng.dirichlet(ALIKE * SHARES * len(SHARES), ITEMS)


def true_scores() -> FloatArray:
    """The items' true mean stars."""
    return np.asarray(true_shares() @ np.arange(1.0, len(STARS) + 1))


@transaction.atomic
def open_survey(sort: Sort, owner: User) -> Survey:
    """One of the surveys; opened once, found again afterwards."""
    survey, is_new = Survey.objects.get_or_create(
        pk=sort.key,
        defaults=dict(
            owner=owner,
            title=sort.title,
            introduction="Which units are good? Rate the few that chance shows you.",
            organisation="Deniable's demonstration",
            contact="the person who runs this demonstration",
            opening=Survey.Opening.LIVE,
            minutes=2,
        ),
    )
    if is_new:
        _ask(survey, sort, _catalogue(owner))
        launch(survey=survey, by=owner)
    return survey


def fill(survey: Survey, *, rng: np.random.Generator, people: int = PEOPLE) -> None:
    """Send simulated ratings through the service that all answers go through.

    Keys are derived from this installation's secret, so that a load that was interrupted counts
    no answer twice.
    """
    (question,) = rated_questions(survey)
    arrived = response_count(question.revision)
    if arrived + waiting_count(question.revision.pk) >= people:
        return
    for body in _bodies(question, rng, people):
        with contextlib.suppress(OtherAnswers):  # counted before, with other coins
            receive(survey_id=survey.pk, body=body)


def agreement(survey: Survey) -> float:
    """Kendall's tau between the ranking's scores and the truth: 1 is the same order."""
    (question,) = rated_questions(survey)
    method = chosen_method(question)
    table = ranked(question, version_of(question), method)
    return float(kendalltau(table.posterior.scores, true_scores()).statistic)


def _bodies(question: RatedQuestion, rng: np.random.Generator, people: int) -> Iterator[bytes]:
    item, shares = question.item, true_shares()
    for person in range(people):
        shown = rng.choice(ITEMS, SHOWN, replace=False)
        true = np.array([rng.choice(len(STARS), p=shares[book]) for book in shown])
        levels = draw_reports(item.integer_channel, true, rng) if item.is_randomized else true
        slots = [
            item.slot_code.of_number(int(book) + 1) + item.levels[int(level)].code
            for book, level in zip(shown, levels, strict=True)
        ]
        yield _body(question, person, slots)


def _body(question: RatedQuestion, person: int, slots: list[str]) -> bytes:
    words = f"ratings {question.revision.pk} {person}".encode()
    key = hmac.new(settings.SECRET_KEY.encode(), words, hashlib.sha256).hexdigest()[:32]
    fields = [("revision", str(question.revision.pk)), ("key", key), ("path", "browser")]
    fields += zip(question.item.fields(question.number - 1), slots, strict=True)
    return "&".join(f"{name}={value}" for name, value in fields).encode()


def _catalogue(owner: User) -> Catalogue:
    catalogue, is_new = Catalogue.objects.get_or_create(
        pk=CATALOGUE_ID, defaults={"owner": owner, "name": "Course units (demonstration)"}
    )
    if is_new:
        CatalogueItem.objects.bulk_create(
            CatalogueItem(catalogue=catalogue, number=number, name=f"Unit {number:02}")
            for number in range(1, ITEMS + 1)
        )
    return catalogue


def _ask(survey: Survey, sort: Sort, catalogue: Catalogue) -> None:
    question = Question.objects.create(
        survey=survey,
        text=sort.question,
        kind=Question.Kind.RATING,
        design=Question.Design.K_ARY if sort.epsilon else Question.Design.DIRECT,
        epsilon=sort.epsilon,
        required=True,
        catalogue=catalogue,
        shown=SHOWN,
    )
    Option.objects.bulk_create(
        Option(question=question, position=number, text=text) for number, text in enumerate(STARS)
    )
