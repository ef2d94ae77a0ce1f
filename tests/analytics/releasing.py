"""Surveys whose direct answers come to light as released tables alone, and people who answer."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import partial

import numpy as np
from django.contrib.auth.models import User

from analytics.services import schedules
from surveys.collecting.services import receive
from surveys.models import Question, Survey, releasing
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import keep_dates
from tests.bodies import body_of
from tests.factories import add_budget, add_question, add_text, launched, make_survey
from tests.fake_noise import FakeNoise

DAY = timedelta(days=1)
TOWNS = ("North", "South", "East")
TOWN, CHEAT, AGE = 1, 2, 3


def fixed_noise() -> FakeNoise:
    """The same noise for every draw, so that only what it is added to can differ."""
    return FakeNoise(lambda shape: np.arange(np.prod(shape)).reshape(shape))


def fix_noise(noise) -> None:
    """Until ``vetted_noise``: openings draw with this noise."""
    before = releasing.registered()
    releasing.register(replace(before, prepared=partial(schedules.prepared, noise)))


def draft(owner: User, *, last_day: int = 30, text: bool = False, **fields: object) -> Survey:
    """Town and age asked directly, a coin between them; opened at the close, in batches of 5."""
    usual = {
        "opening": Survey.Opening.CLOSE,
        "batch_size": 5,
        "close_on": datetime.now(UTC).date() + last_day * DAY,
        "planned_responses": 100_000,
        "released_together": Survey.Together.ALONE,
    }
    survey = make_survey(owner, **{**usual, **fields})
    kinds, designs = Question.Kind, Question.Design
    add_question(
        survey,
        *TOWNS,
        text="Where do you live?",
        kind=kinds.CHOICE,
        design=designs.DIRECT,
        required=True,
    )
    add_question(survey, text="Have you cheated?", required=True)
    add_question(
        survey,
        text="How old are you?",
        kind=kinds.NUMBER,
        design=designs.DIRECT,
        minimum=Decimal(18),
        maximum=Decimal(99),
    )
    if text:
        add_text(survey)
    return survey


def promise(survey: Survey, **budget: object) -> None:
    """A budget as such a survey needs it."""
    usual = {"source": "all", "adjacency": "replace_one", "delta": Decimal("0.000001")}
    add_budget(survey, **{**usual, **budget})


def make_released_survey(owner: User, **fields: object) -> Survey:
    """The draft above, launched."""
    survey = draft(owner, **fields)
    promise(survey)
    return launched(survey)


def answer(survey: Survey, rows: list[tuple[int, int, int | None]], word: str = "") -> None:
    """One person a row: their town, what was sent of the coin, their age (None: declined)."""
    items = questionnaire_of(survey.revision).items
    for place, (town, cheated, age) in enumerate(rows):
        codes = [f"{town:02}", f"{cheated:02}", "--" if age is None else f"{age:02}"]
        if len(items) > len(codes):
            codes.append(items[-1].encode(f"{word} {place}"))
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def at(survey: Survey, days: int) -> datetime:
    """Noon, so many days from the launch."""
    day = survey.revision.launched_at.date() + days * DAY
    return datetime.combine(day, time(12), UTC)


def let_pass(survey: Survey, days: int) -> None:
    """So many days after the launch, dates are kept."""
    assert keep_dates(now=at(survey, days)).problems == []
