"""The demonstration's survey that opens every week: simulated answers of three simulated weeks.

Its days are simulated, its openings are real: the same services seal the answers and open half of
what waits on each simulated day.
"""

import secrets
from datetime import UTC, date, datetime, timedelta
from uuid import uuid5

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.authoring.services import launch
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.demonstration.affairs import NAMESPACE
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Openings, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.drawing import draw_reports

WEEKLY_ID = uuid5(NAMESPACE, "weekly")
WEEK = timedelta(days=7)
WEEKS, PEOPLE_A_WEEK, OPEN_FOR = 3, 100, 4 * WEEK
TRUE_SHARE = 0.3
PATH = "browser"


@transaction.atomic
def open_weekly_survey(owner: User) -> Survey:
    """The survey; opened once, found again afterwards. Raises what ``launch`` raises."""
    today = timezone.now().date()
    survey, is_new = Survey.objects.get_or_create(
        pk=WEEKLY_ID,
        defaults=dict(
            owner=owner,
            title="Days off (demonstration, opens every week)",
            introduction="How common is it to call in sick without being ill?",
            organisation="Deniable's demonstration",
            contact="the person who runs this demonstration",
            minutes=1,
            opening=Survey.Opening.EVERY,
            opening_hour=0,
            planned_responses=1000,
            # So that today is a day on which answers are opened.
            close_on=today + OPEN_FOR - timedelta(days=1),
        ),
    )
    if is_new:
        Question.objects.create(survey=survey, text="Did you ever call in sick without being ill?")
        launch(survey=survey, by=owner)
        simulate_weeks(survey, today)
    return survey


def simulate_weeks(survey: Survey, today: date) -> None:
    """Let people answer in each of three weeks, as if they were over, and open what is due."""
    revision = survey.revision
    Openings.objects.filter(pk=revision.pk).update(since=today - WEEKS * WEEK)
    rng = np.random.default_rng(secrets.randbits(128))
    for week in range(WEEKS):
        for body in _bodies(survey, rng):
            receive(survey_id=survey.pk, body=body)
        day = today - (WEEKS - 1 - week) * WEEK
        openings.begin(survey.pk, datetime.combine(day, datetime.min.time(), UTC))
        openings.run(survey)
    openings.count_anew(survey, today)


def _bodies(survey: Survey, rng: np.random.Generator) -> list[bytes]:
    revision = survey.revision
    _, question = next(of_kind(LevelQuestion, questionnaire_of(revision).items))
    truth = (rng.random(PEOPLE_A_WEEK) < TRUE_SHARE).astype(int)
    levels = draw_reports(question.integer_channel, truth, rng)
    return [
        f"revision={revision.pk}&key={secrets.token_hex(16)}&path={PATH}"
        f"&q001={question.levels[level].code}".encode()
        for level in levels
    ]
