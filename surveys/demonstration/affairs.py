"""The demonstration's survey of marriage and affairs: columns of real answers, sent as submissions.

Ray Fair's 6,366 answers to a magazine's questionnaire of 1974 (Fair 1978, "A Theory of
Extramarital Affairs"), as distributed with statsmodels. Whether a person had an affair is asked
through two coins; the other columns are asked directly. What people write to the last question is
made up (``demonstration_themes``), and its page says so.
"""

import contextlib
import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from surveys.authoring.services import launch
from surveys.collecting.refusals import OtherAnswers
from surveys.collecting.services import receive
from surveys.demonstration.themes import WORDS, comments
from surveys.kinds.levels.promise import LevelQuestion, level_code
from surveys.kinds.number.promise import NumberRange
from surveys.models import Option, PrivacyBudget, Question, Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import field_name
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.drawing import draw_reports

NAMESPACE = UUID("5b0c1b7e-52b0-4b5e-9d0f-0c3c9f0d6a11")
AFFAIRS_ID = uuid5(NAMESPACE, "affairs")
TRIAL_ID = uuid5(NAMESPACE, "trial")
SATISFACTION = ("Very poor", "Poor", "Fair", "Good", "Very good")
RELIGIOUS = ("Not at all", "A little", "Fairly", "Strongly")
OCCUPATIONS = (
    "Student",
    "Farming, semi-skilled or unskilled work",
    "White-collar work",
    "Teaching, nursing, arts, technical or skilled work",
    "Managing, administration or business",
    "Professional with an advanced degree",
)
SCHOOLING = {
    9: "Grade school",
    12: "High school",
    14: "Some college",
    16: "College graduate",
    17: "Some graduate school",
    20: "Advanced degree",
}
AGES = {17.5: "Under 20", 22: "20-24", 27: "25-29", 32: "30-34", 37: "35-39", 42: "40 or over"}


DECIMAL_PLACES = 1  # of years and of children


@dataclass(frozen=True)
class AffairsColumn:
    """A question and the column of the data that answers it."""

    name: str
    text: str
    options: Sequence[str] = ()
    values: Sequence[float] = ()
    maximum: int = 0
    scale: bool = False

    def codes(self, answers: Sequence[float]) -> list[str]:
        """What each person would send, if asked directly."""
        if self.maximum:
            number = NumberRange("0.0", f"{self.maximum:.1f}", DECIMAL_PLACES)
            return [number.encode(Decimal(str(answer))) for answer in answers]
        code = {value: level_code(level) for level, value in enumerate(self.values)}
        return [code[float(answer)] for answer in answers]


def _ordered(options: Sequence[str]) -> tuple[float, ...]:
    return tuple(float(number) for number in range(1, len(options) + 1))


COLUMNS = (
    AffairsColumn(
        "rate_marriage",
        "How do you rate your marriage?",
        SATISFACTION,
        _ordered(SATISFACTION),
        scale=True,
    ),
    AffairsColumn(
        "age", "How old are you?", tuple(AGES.values()), tuple(map(float, AGES)), scale=True
    ),
    AffairsColumn("yrs_married", "How many years have you been married?", maximum=60),
    AffairsColumn(
        "children", "How many children do you have? (5.5 stands for more than five)", maximum=20
    ),
    AffairsColumn(
        "religious", "How religious are you?", RELIGIOUS, _ordered(RELIGIOUS), scale=True
    ),
    AffairsColumn(
        "educ",
        "What schooling have you had?",
        tuple(SCHOOLING.values()),
        tuple(map(float, SCHOOLING)),
        scale=True,
    ),
    AffairsColumn("occupation", "What is your occupation?", OCCUPATIONS, _ordered(OCCUPATIONS)),
    AffairsColumn(
        "occupation_husb", "What is your husband's occupation?", OCCUPATIONS, _ordered(OCCUPATIONS)
    ),
)


def load_answers() -> Any:
    """The data as a table with the columns above and ``affairs``."""
    from statsmodels.datasets import fair

    return fair.load_pandas().data


def had_affair(answers: Any) -> np.ndarray:
    """1 for everyone who spent any time on affairs, else 0; shape (n,)."""
    return (answers["affairs"].to_numpy() > 0).astype(int)


def known_truth() -> str:
    """What the estimate of the first question can be compared with."""
    truth = had_affair(load_answers())
    people = f"{truth.sum():,} of {len(truth):,} people ({truth.mean():.1%})"
    return f"The truth to compare with: {people} had an affair."


def hidden_themes() -> str:
    """What a report on the made-up comments can be compared with."""
    return f"What people wrote was made up from {len(WORDS)} themes: {', '.join(WORDS)}."


@transaction.atomic
def open_affairs_survey(owner: User, *, planned_responses: int) -> Survey:
    """The survey that the real answers fill; opened once, found again afterwards."""
    survey, is_new = Survey.objects.get_or_create(
        pk=AFFAIRS_ID,
        defaults=dict(
            owner=owner,
            title="Marriage and affairs (demonstration)",
            introduction="How common are affairs? Your browser protects the answer with two coins.",
            organisation="Deniable's demonstration",
            contact="the person who runs this demonstration",
            opening=Survey.Opening.LIVE,
            planned_responses=planned_responses,
        ),
    )
    if is_new:
        ask(survey, "Have you had an affair during your marriage?", required=True)
        for column in COLUMNS:
            _ask_directly(survey, column)
        _ask_for_comments(survey)
        PrivacyBudget.objects.create(survey=survey)
        launch(survey=survey, by=owner)
    return survey


@transaction.atomic
def open_trial_survey(owner: User) -> Survey:
    """A second, empty survey for trying by hand."""
    survey, is_new = Survey.objects.get_or_create(
        pk=TRIAL_ID,
        defaults=dict(
            owner=owner,
            title="Small sins (try it yourself)",
            introduction="A few questions that people lie about, for trying out both paths.",
            organisation="Deniable's demonstration",
            contact="the person who runs this demonstration",
            opening=Survey.Opening.LIVE,
            minutes=2,
            batch_size=5,
        ),
    )
    if is_new:
        ask(survey, "Have you ever taken something from a shop without paying?")
        ask(
            survey,
            "Did you ever drive after drinking too much?",
            required=True,
            design=Question.Design.FORCED_RESPONSE,
            forced="1/6, 1/6",
        )
        ask(
            survey,
            "How often do you work while on holiday?",
            "Never",
            "Sometimes",
            "Often",
            kind=Question.Kind.SCALE,
            design=Question.Design.K_ARY,
            epsilon=Decimal("1.5"),
        )
        ask(
            survey,
            "How many hours a day do you look at a screen?",
            kind=Question.Kind.NUMBER,
            design=Question.Design.DIRECT,
            minimum=Decimal(0),
            maximum=Decimal(24),
        )
        ask(
            survey,
            "What would make it easier to be honest about such things?",
            kind=Question.Kind.TEXT,
            design=Question.Design.DIRECT,
            longest=300,
        )
        launch(survey=survey, by=owner)
    return survey


def submit_answers(
    revision: Revision,
    answers: Any,
    *,
    rng: np.random.Generator,
    progress: Callable[[Iterator[bytes], int], Iterator[bytes]],
) -> None:
    """Send all answers through the submission service.

    Keys are derived from this installation's secret, so that a load that was interrupted goes on
    where it stopped: who was counted already is not counted again.
    """
    codes = _reported_codes(revision, answers, rng)
    bodies = (_body(revision, person, row) for person, row in enumerate(codes))
    for body in progress(bodies, len(codes)):
        with contextlib.suppress(OtherAnswers):  # counted before, with other coins
            receive(survey_id=revision.survey_id, body=body)


def _reported_codes(
    revision: Revision, answers: Any, rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """What each person sends. A survey that an earlier version opened asks for no comments."""
    questionnaire = questionnaire_of(revision)
    _, first = next(of_kind(LevelQuestion, questionnaire.items))
    reported = draw_reports(first.integer_channel, had_affair(answers), rng)
    columns = [[first.levels[level].code for level in reported]]
    columns += [column.codes(answers[column.name].tolist()) for column in COLUMNS]
    for _, text in questionnaire.numbered.texts:
        columns.append([text.encode(comment) for comment in comments(len(answers), rng)])
    return list(zip(*columns, strict=True))


def _body(revision: Revision, person: int, codes: Sequence[str]) -> bytes:
    secret = settings.SECRET_KEY.encode()
    key = hmac.new(secret, f"demonstration {person}".encode(), hashlib.sha256).hexdigest()[:32]
    fields = [("revision", str(revision.pk)), ("key", key), ("path", "browser")]
    fields += [(field_name(index), code) for index, code in enumerate(codes)]
    return "&".join(f"{name}={value}" for name, value in fields).encode()


def _ask_directly(survey: Survey, column: AffairsColumn) -> None:
    kinds = Question.Kind
    if column.maximum:
        ask(
            survey,
            column.text,
            kind=kinds.NUMBER,
            design=Question.Design.DIRECT,
            required=True,
            minimum=Decimal(0),
            maximum=Decimal(column.maximum),
            decimal_places=DECIMAL_PLACES,
        )
    else:
        ask(
            survey,
            column.text,
            *column.options,
            required=True,
            design=Question.Design.DIRECT,
            kind=kinds.SCALE if column.scale else kinds.CHOICE,
        )


def _ask_for_comments(survey: Survey) -> None:
    ask(
        survey,
        "What would help marriages most?",
        help="In this demonstration the answers to this question are made up; all others are real.",
        kind=Question.Kind.TEXT,
        design=Question.Design.DIRECT,
        longest=300,
    )


def ask(survey: Survey, text: str, *options: str, **fields: Any) -> None:
    """Add a question to a draft, after those that it has."""
    question = Question.objects.create(
        survey=survey, text=text, position=survey.questions.count(), **fields
    )
    Option.objects.bulk_create(
        Option(question=question, position=position, text=option)
        for position, option in enumerate(options)
    )
