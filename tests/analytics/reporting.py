"""Surveys with texts and a promised budget, and a worker that does not wait."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from django.contrib.auth.models import User
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from analytics import services, tasks
from analytics.kinds.settings import Settings
from analytics.models import Report
from analytics.services import making
from surveys.kinds.text.promise import TextQuestion
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from tests.factories import add_budget, add_question, add_text, launched, make_survey
from tests.fake_noise import FakeNoise
from tests.stored import store_texts

# Three themes of twelve words, the fewest that make a topic; a comment has six words of one theme.
THEMES = tuple(
    line.split()
    for line in (
        "garden flower water earth spade weed seed rain hedge lawn mulch rake",
        "train ticket platform delay carriage conductor timetable track signal seat station bridge",
        "bread butter oven flour yeast crust dough salt loaf baker kitchen recipe",
    )
)
SENTINEL = "Zwiebelfisch"
QUARTER = Fraction(1, 4)


def make_text_survey(owner: User, comments: int = 600, **budget: object) -> Survey:
    """A launched survey with two texts; to the first of them people have written."""
    survey = make_survey(owner)
    add_question(survey)
    add_text(survey, text="What would help?")
    add_text(survey, text="What else?")
    if budget.get("epsilon", True) is not None:
        add_budget(survey, **{"epsilon": Decimal(20), "delta": Decimal("0.000001"), **budget})
    survey = launched(survey)
    write(survey, [a_comment(place) for place in range(comments)])
    return survey


def a_comment(place: int) -> str:
    words = THEMES[place % 3]
    return " ".join(words[(place // 3 + step) % 12] for step in range(6))


def write(survey: Survey, texts: list[str], question: int = 2) -> None:
    """Store what people wrote, as a flushed batch does."""
    store_texts(survey.revision, question, texts)


def text_items(survey: Survey) -> list[TextQuestion]:
    return [item for _, item in questionnaire_of(survey.revision).numbered.texts]


def ask(survey: Survey, by: User | None = None, **choices: object) -> Report:
    """Ask for a report: by default private topics for a quarter of the budget."""
    kind = choices.pop("kind", "private_topics")
    share = choices.pop("share", None if str(kind).startswith("exact") else QUARTER)
    question = choices.pop("question", None) or text_items(survey)[0].id
    form = choices.pop("form", None)
    return services.request_report(
        survey=survey,
        question=question,
        kind=kind,
        settings=Settings(**{"topics": 3, **choices}),
        share=share,
        by=by or survey.owner,
        later=tasks.make_later,
        key=form,
    )


def make(report: Report, seed: int = 1) -> Report:
    """Let its task do the work, with the same noise in every run; the report as it is then."""
    making.make(report.pk, report.run, noise=FakeNoise(seed=seed))
    return Report.objects.get(pk=report.pk)


def ask_and_make(survey: Survey, seed: int = 1, **choices: object) -> Report:
    return make(ask(survey, **choices), seed)


def queued() -> list[tuple[str, list[object]]]:
    """(name, arguments) of the tasks that wait, in their order."""
    rows = DBTaskResult.objects.filter(status="READY").order_by("enqueued_at")
    return [(row.task_path.rpartition(".")[2], row.args_kwargs["args"]) for row in rows]


def abandon(report: Report) -> None:
    """As if its worker had taken it and died six minutes ago."""
    long_ago = timezone.now() - timedelta(minutes=6)
    Report.objects.filter(pk=report.pk).update(state="running", beat=long_ago)


def cancel(report: Report, by: User | None = None) -> None:
    services.cancel_report(report=report, by=by or report.revision.survey.owner)


def forget_tasks() -> None:
    """As if a worker had taken every task and died at once."""
    DBTaskResult.objects.update(status="RUNNING")
