"""Write down a plan: how many responses a survey aims at, how they are read, how sure they are."""

from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction

from surveys.counts.looks import reading_from_now
from surveys.models import Survey
from surveys.staff.audit.services import record
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User
from surveys.staff.locks import locked


@transaction.atomic
def set_plan(
    *,
    survey: Survey,
    responses: int,
    by: "User",
    reading: str = Survey.Reading.ONCE,
    error: Decimal | None = None,
    failure: Decimal = Decimal("0.05"),
) -> str:
    """Record what the plan asks for; ``error`` in percentage points. Returns its reading.

    Once answers can be read, a plan for one look becomes one for all looks. Raises NotAllowed.
    """
    survey = locked(survey, by, Ability.EDIT)
    reading = reading_from_now(survey, reading)
    plan = {"planned_responses": responses, "planned_reading": str(reading)}
    plan |= {"planned_error": error, "planned_failure": failure}
    before = {name: getattr(survey, name) for name in plan}
    changed = {name: value for name, value in plan.items() if value != before[name]}
    record(
        "planned",
        by=by,
        survey=survey,
        before={name: _written(before[name]) for name in changed},
        after={name: _written(value) for name, value in changed.items()},
    )
    Survey.objects.filter(pk=survey.pk).update(**plan)
    return str(reading)


def _written(value: object) -> object:
    """As the audit log keeps it: decimals as text."""
    return str(value) if isinstance(value, Decimal) else value
