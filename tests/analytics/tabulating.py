"""A launched survey whose direct answers can be tabulated, and releases of it."""

from fractions import Fraction
from uuid import UUID, uuid4

from django.contrib.auth.models import User

from analytics import services, tasks
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.models import Report
from analytics.workloads.asks import Ask
from surveys.models import Survey
from tests.analytics.answering import AGE, MOOD, TOWN, finished, make_compared_survey

TENTH = Fraction(1, 10)
ASKED = TableSettings(
    (TableQuestion(TOWN), TableQuestion(MOOD, Ask.CDF), TableQuestion(AGE, cuts=("30", "45"))),
    ((TOWN,), (MOOD,), (TOWN, AGE)),
)


def make_tabulated_survey(owner: User, people: int = 120, **budget: object) -> Survey:
    """Town (required), mood and age (may be declined); texts and tables may cost epsilon 4."""
    return make_compared_survey(owner, people, budget=budget)


def ask(
    survey: Survey,
    settings: TableSettings = ASKED,
    share: Fraction = TENTH,
    by: User | None = None,
    key: UUID | None = None,
) -> Report:
    """Ask for a release of the tables."""
    return services.request_report(
        survey=survey,
        kind="tables",
        settings=settings,
        share=share,
        by=by or survey.owner,
        later=tasks.make_later,
        key=key or uuid4(),
    )


def release(survey: Survey, settings: TableSettings = ASKED, **choices: object) -> Report:
    """A finished release."""
    return finished(ask(survey, settings, **choices))
