"""Closed surveys with locked answers, and what their trustees write: noise that a test chooses."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.authoring.services import finish
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import revision_of
from surveys.results.exports import locked_table
from surveys.results.locked.services import TakenFile, take_file
from surveys.trust.digests import canonical
from surveys.trust.tally.files import BallotList, NoisyTotals, read_list
from tests.bodies import body_of
from tests.counting import NAMES, secret_of
from tests.days import DAY
from tests.factories import launched
from tests.surveys.authoring.trustees import counted_draft

# A yes or no together with a scale of three answers, and "not asked".
CELLS = 7
NOISE = {1: [1, 0, -2, 3, 0, 0, 0], 2: [0, 0, 0, -1, 2, 0, -4]}


def closed_survey(owner: User, *cells: int, **fields: object) -> Survey:
    """Of people who answered so; questions 2 and 3 were counted together while locked."""
    last = timezone.now().date() + 30 * DAY
    survey = launched(counted_draft(owner, **{"close_on": last, **fields}))
    for cell in cells:
        receive(survey_id=survey.pk, body=body_of(survey.revision, cells=[cell]))
    close(survey)
    return survey


def close(survey: Survey) -> None:
    """This one alone: others of the same database stay open."""
    with transaction.atomic():
        finish(survey, by=None)
    survey.refresh_from_db()
    openings.run(survey)


@cache
def listed(survey: Survey) -> BallotList:
    """What trustees read of the file that they get."""
    revision = revision_of(survey)
    parts = locked_table(revision, 1) if revision else None
    return read_list(BytesIO(b"".join(parts or ())))


@cache
def noise_of(survey: Survey, trustee: int) -> dict[str, Any]:
    """A trustee's noise file, from 1."""
    return listed(survey).noise_file(trustee, NOISE[trustee])


@cache
def share_of(survey: Survey, trustee: int) -> dict[str, Any]:
    """A trustee's share of the totals with all noise."""
    return totals(survey).share_file(trustee, secret_of(NAMES[trustee - 1]))


def totals(survey: Survey, *noises: dict[str, Any]) -> NoisyTotals:
    """The locked totals with all noise files, or with these."""
    return NoisyTotals(listed(survey), noises or (noise_of(survey, 1), noise_of(survey, 2)))


def hand_in(survey: Survey, *files: dict[str, Any] | bytes, by: User | None = None) -> TakenFile:
    """The owner, or another person, uploads these files; what is said of the last."""
    taken = None
    for file in files:
        content = file if isinstance(file, bytes) else canonical(file)
        taken = take_file(survey=survey, number=1, content=content, by=by or survey.owner)
    assert taken is not None
    return taken


def files_of(survey: Survey) -> Sequence[dict[str, Any]]:
    """All files, in an order in which they are taken."""
    return (*(noise_of(survey, n) for n in (1, 2)), *(share_of(survey, n) for n in (1, 2)))
