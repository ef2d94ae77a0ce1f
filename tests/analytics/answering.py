"""A launched survey with stored answers to compare, and a report on them."""

from decimal import Decimal

import numpy as np
from django.contrib.auth.models import User

from analytics import services, tasks
from analytics.kinds.clouds import CloudSettings
from analytics.kinds.comparisons import ComparisonSettings
from analytics.kinds.tree_reports import TreeSettings
from analytics.models import Report
from analytics.services import making
from surveys.models import Catalogue, Question, Survey
from tests.factories import add_budget, add_question, add_text, launched, make_survey
from tests.fake_noise import FakeNoise
from tests.stored import store_rows

TOWN, MOOD, CHEAT, AGE, TEXT = 1, 2, 3, 4, 5
TOWNS = ("North", "South", "East")
MOODS = ("Bad", "Fair", "Good", "Great")


def make_compared_survey(
    owner: User, people: int = 300, seed: int = 1, budget: dict[str, object] | None = None, **fields
) -> Survey:
    """Town (direct), mood (scale, direct), cheated (two coins), age; South is in a better mood.

    With a ``budget``, by default one for texts and tables.
    """
    kinds, designs = Question.Kind, Question.Design
    survey = make_survey(owner, **fields)
    add_question(
        survey,
        *TOWNS,
        text="Where do you live?",
        kind=kinds.CHOICE,
        design=designs.DIRECT,
        required=True,
    )
    add_question(survey, *MOODS, text="How do you feel?", kind=kinds.SCALE, design=designs.DIRECT)
    add_question(survey, text="Have you cheated?", required=True)
    add_question(
        survey,
        text="How old are you?",
        kind=kinds.NUMBER,
        design=designs.DIRECT,
        minimum=Decimal(18),
        maximum=Decimal(99),
    )
    add_text(survey, text="What else?")
    if budget is not None:
        add_budget(survey, **{"source": "all", **budget})
    survey = launched(survey)
    store(survey, people, seed)
    return survey


def make_numbered_survey(owner: User) -> Survey:
    """Town (direct) and two numbers; the South is older and has more children."""
    kinds, designs = Question.Kind, Question.Design
    survey = make_survey(owner)
    add_question(
        survey,
        *TOWNS[:2],
        text="Where?",
        kind=kinds.CHOICE,
        design=designs.DIRECT,
        required=True,
    )
    for text in ("Age?", "Children?"):
        add_question(
            survey, text=text, kind=kinds.NUMBER, design=designs.DIRECT, minimum=0, maximum=99
        )
    survey = launched(survey)
    codes = [f"00{30 + n:02}{n % 3:02}" for n in range(12)]
    codes += [f"01{50 + n:02}{3 + n % 3:02}" for n in range(12)] + ["01--05"] * 10
    store_rows(survey.revision, codes)
    return survey


RATED, SHOWN = 2, 3


def make_rating_survey(owner: User, catalogue: Catalogue, **fields) -> Survey:
    """Town (direct) and three items of a catalogue rated, openly, on a scale of three."""
    kinds, designs = Question.Kind, Question.Design
    survey = make_survey(owner, **fields)
    add_question(
        survey, *TOWNS[:2], text="Where?", kind=kinds.CHOICE, design=designs.DIRECT, required=True
    )
    add_question(
        survey,
        "Bad",
        "Middling",
        "Good",
        text="How good is this unit?",
        kind=kinds.RATING,
        design=designs.DIRECT,
        catalogue=catalogue,
        required=True,
        shown=SHOWN,
    )
    return launched(survey)


def rate(survey: Survey, town: int, *levels: int, times: int = 1) -> None:
    """People of a town who rate the first items at these levels."""
    answers = f"{town:02}" + "".join(f"{n}{level:02}" for n, level in enumerate(levels, start=1))
    store_rows(survey.revision, [answers] * times)


def store(survey: Survey, people: int, seed: int) -> None:
    """Answers as a flushed batch stores them: codes of a fixed width."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(people):
        town = rng.integers(0, 3)
        mood = min(3, rng.integers(0, 3) + (town == 1))
        cheated = rng.random() < (0.7 if town == 1 else 0.3)
        report = int(cheated) if rng.random() < 0.75 else 1 - int(cheated)
        age = rng.integers(20, 40) + 10 * int(town == 2)
        answers = f"{town:02}{mood:02}{report:02}{age:02}"
        rows.append(answers)
    store_rows(survey.revision, rows)


def clouded(survey: Survey, questions: tuple[int, ...], by: int = TOWN) -> Report:
    """A finished comparison of several questions at once."""
    settings = CloudSettings(questions, by)
    return finished(
        services.request_report(
            survey=survey,
            kind="clouds",
            settings=settings,
            by=survey.owner,
            later=tasks.make_later,
        )
    )


def request(survey: Survey, settings, by: User | None = None, **more) -> Report:
    kind = "tree" if isinstance(settings, TreeSettings) else "comparison"
    return services.request_report(
        survey=survey,
        kind=kind,
        settings=settings,
        by=by or survey.owner,
        later=tasks.make_later,
        **more,
    )


def compared(survey: Survey, question: int = MOOD, **changes) -> Report:
    """A finished comparison, by town unless changed."""
    chosen = {"by": TOWN, "draws": 200, **changes}
    return finished(request(survey, ComparisonSettings(question, **chosen)))


def grown(survey: Survey, question: int = CHEAT, by: tuple[int, ...] = (TOWN, MOOD)) -> Report:
    return finished(request(survey, TreeSettings(question, by)))


def finished(report: Report) -> Report:
    """Let its task do the work, with the same noise in every run; the report as it is then."""
    making.make(report.pk, report.run, noise=FakeNoise())
    return Report.objects.get(pk=report.pk)
