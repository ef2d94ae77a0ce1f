"""Plan: how sure its responses make the shares of a questionnaire, in the reading that it names.

Checklist, dashboard and report say these numbers, which are those of the planner: nothing of them
depends on what was answered.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Protocol

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.plans.openings import expected_sizes
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Purpose
from surveys.randomized_response.errors import PlanError
from surveys.randomized_response.intervals import ConfidenceSequence, PlannedLooks
from surveys.randomized_response.planning import Reading, half_width, people_needed, sums_of


class PlannedSurvey(Protocol):
    """A survey with the fields of its plan; ``planned_error`` is in percentage points."""

    planned_responses: int | None
    planned_reading: str
    planned_error: Decimal | None
    planned_failure: Decimal
    state: str


@dataclass(frozen=True)
class Plan:
    """What a survey's plan asks for: ``error`` is a share, None where only a number is planned.

    Once it ``is_launched`` its sequences stay those of the number that was planned then, and its
    openings those of the days: of a draft they are ``openings``, if its days are known.
    """

    responses: int
    reading: Reading
    error: float | None = None
    failure: float = 0.05
    is_launched: bool = False
    openings: int | None = None

    @classmethod
    def of(cls, survey: PlannedSurvey) -> "Plan | None":
        """The plan of a survey; None where it has none."""
        if not survey.planned_responses:
            return None
        error = survey.planned_error
        return cls(
            survey.planned_responses,
            Reading(survey.planned_reading),
            None if error is None else float(error / 100),
            float(survey.planned_failure),
            survey.state != "draft",
        )

    def is_enough(self, half_width: float) -> bool:
        """Whether intervals that go so far are as sure as was asked; true where nothing was."""
        # A decimal of points and a fraction of a planner may differ in the last bit.
        return self.error is None or half_width <= self.error * (1 + 1e-9)


def least_sure(questionnaire: Questionnaire, plan: Plan) -> tuple[int, float] | None:
    """The number of the question with the widest interval of a share, and half its width at most.

    At the planned number of responses and in the plan's reading. None where no share is estimated.
    Questions that answers to others lead to are left out: how many will be asked them is not known
    yet. Raises PlanError.
    """
    widths = [
        (
            half_width(
                scores,
                n=answers_among(plan.responses, share),
                reading=plan.reading,
                failure_probability=plan.failure,
                sequence=_sequence(questionnaire, plan, share),
                looks=looks_planned(questionnaire, plan),
            ),
            -number,
        )
        for number, share, scores in _planned(questionnaire)
    ]
    if not widths:
        return None
    half, number = max(widths)
    return -number, half


def enough(questionnaire: Questionnaire, plan: Plan) -> int | None:
    """How many responses make every such interval as narrow as the plan asks for.

    None where it asks for no error, where no share is estimated, and where more than 10^9 people
    would be needed.
    """
    if plan.error is None:
        return None
    try:
        numbers = [
            ceil(_needed(questionnaire, plan, plan.error, share, scores) / share)
            for _, share, scores in _planned(questionnaire)
        ]
    except PlanError:
        return None
    return max(numbers, default=None)


def _needed(
    questionnaire: Questionnaire,
    plan: Plan,
    error: float,
    share: Fraction,
    scores: tuple[FloatArray, ...],
) -> int:
    return people_needed(
        scores,
        error=error,
        reading=plan.reading,
        failure_probability=plan.failure,
        sequence=_sequence(questionnaire, plan, share),
        looks=looks_planned(questionnaire, plan),
    )


def looks_planned(questionnaire: Questionnaire, plan: Plan) -> PlannedLooks | None:
    """All openings of a plan that is read at them; None if it is not, or if none are planned."""
    if plan.reading is not Reading.AT_OPENINGS:
        return None
    opening = questionnaire.opening
    count = opening.looks if plan.is_launched and opening else plan.openings
    return expected_looks(count) if count else None


def expected_looks(openings: int) -> PlannedLooks:
    """So many openings at even distances, if answers come evenly."""
    times = tuple(opening / openings for opening in range(1, openings + 1))
    return PlannedLooks(times, expected_sizes(openings))


def _sequence(
    questionnaire: Questionnaire, plan: Plan, share: Fraction
) -> ConfidenceSequence | None:
    """That of the launch; None is the one that a draft will have: narrowest at its plan."""
    if not plan.is_launched:
        return None
    planned = questionnaire.planned
    return ConfidenceSequence(planned and answers_among(planned, share))


def planned_answers(
    questionnaire: Questionnaire, item: Question, part: Fraction = Fraction(1)
) -> int | None:
    """How many answers to a question were planned at launch; None if nothing was.

    ``part``: the share of them that is meant. Where answers to others lead to the question, as if
    they lead all people there.
    """
    if not questionnaire.planned:
        return None
    return answers_among(questionnaire.planned, part * _share_asked(questionnaire, item))


def answers_among(responses: int, share: Fraction) -> int:
    """How many of so many responses answer a question that this share is asked; at least 1."""
    return max(1, floor(responses * share))


def _planned(
    questionnaire: Questionnaire,
) -> Iterator[tuple[int, Fraction, tuple[FloatArray, ...]]]:
    """Of each question: its number, the share of people who answer it, and scores of its shares."""
    for number, item in of_kind(LevelQuestion, questionnaire.items):
        if _is_asked_of_all(questionnaire, item):
            yield number, _share_asked(questionnaire, item), _scores(item)
    for number, parts in of_kind(PartsQuestion, questionnaire.items):
        if _is_asked_of_all(questionnaire, parts):
            share = parts.share_sent * _share_asked(questionnaire, parts)
            yield number, share, tuple(parts.channel.scores)


def _is_asked_of_all(questionnaire: Questionnaire, item: LevelQuestion | PartsQuestion) -> bool:
    """Whether no answer leads to it, and its answers are read at all."""
    return not (item.rule and item.rule.questions) and item not in questionnaire.row.hidden


def _share_asked(questionnaire: Questionnaire, item: Question) -> Fraction:
    return questionnaire.draw.share_of(item) * questionnaire.routes.share_of(item)


def _scores(item: LevelQuestion) -> tuple[FloatArray, ...]:
    """Those of what the question's picture shows."""
    is_summed = isinstance(item, ScaleQuestion) and item.purpose is Purpose.CDF
    scores = item.channel.scores
    return tuple(sums_of(scores[list(item.display)]) if is_summed else scores)
