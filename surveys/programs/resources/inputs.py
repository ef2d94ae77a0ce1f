"""inputs_of_results: all that the figures of a survey are made from, as one digest."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import Model

from surveys.counts.queries import shown_rows
from surveys.models import JointCount, Openings, PlannedLook, Survey
from surveys.models.queries import questionnaire_of
from surveys.programs.routing.routes import Call

if TYPE_CHECKING:
    from surveys.models import Revision

# Secrets, and counts that the other columns of their row decide.
LEFT_OUT = {"recovery", "voucher_recovery", "content"}


def inputs_of_results(call: Call, survey_id: UUID) -> str:
    """Changes with every row that estimates and break-downs are made from; empty where more is.

    A launched document never changes, and responses are counted in the transaction that stores
    them. Counts of answers that wait for an opening are no part of it: how fast an answer comes
    must not tell that there are some. Raises Problem, as the answer would.
    """
    survey, revision = call.launched(survey_id)
    questionnaire = questionnaire_of(revision)
    if questionnaire.seals or questionnaire.tally:
        return ""
    digest = hashlib.sha256()
    for rows in _inputs(survey, revision):
        digest.update(repr(list(rows)).encode())
    return digest.hexdigest()


def _inputs(survey: Survey, revision: "Revision") -> Iterator[Any]:
    yield shown_rows(revision.pk)
    yield Survey.objects.filter(pk=survey.pk).values_list()
    for table in (Openings, PlannedLook, JointCount):
        rows = table._default_manager.filter(revision=revision).order_by("pk")
        yield rows.values_list(*_columns(table))


def _columns(table: type[Model]) -> list[str]:
    names = [each.attname for each in table._meta.concrete_fields]
    return [name for name in names if name not in LEFT_OUT]
