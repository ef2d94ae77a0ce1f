"""200 simulated people answer sixty questions: estimates are near what is true of them.

Their browsers' draws are made here; all that they send goes through the parser and the rows.
"""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from surveys.collecting.services import receive
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.families import in_ways
from surveys.questionnaire.kinds.question import NOT_ASKED
from surveys.questionnaire.logic.rules import asked_of
from surveys.randomized_response.drawing import draw_reports
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.families import FamilyReport, answers_through
from surveys.results.shares import ShareReport, ShareRow
from tests.bodies import body_of
from tests.sixty import ARM_CODES, make_sixty, random_codes

PEOPLE = 200
OF_ARMS = (0.25, 0.5, 0.25)
pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True), pytest.mark.one_database]
Truths = list[int | None]  # the true level of each question; None where there is none to know


def true_levels(
    asked: Questionnaire, codes: list[str], arm: str, rng: np.random.Generator
) -> tuple[Truths, Sequence[bool]]:
    """(what is true of one person, which questions the page shows) with these open answers."""
    truths: Truths = []
    for item, code in zip(asked.items, codes, strict=True):
        known = isinstance(item, LevelQuestion) and code != item.not_asked
        if known and item.is_randomized:
            truths.append(int(rng.choice(item.answerable, p=_law(len(item.answerable)))))
        else:
            truths.append(int(code) if known else None)
    given = [
        item.in_rules.given(code)
        if truth is None
        else item.in_rules.true_given(item.levels[truth].code)
        for item, code, truth in zip(asked.items, codes, truths, strict=True)
    ]
    shown = asked_of([item.rule for item in in_ways(asked.items)], given, arm)
    for place, item in enumerate(asked.items):
        if truths[place] is not None and not shown[place]:
            truths[place] = item.hidden.level
    return truths, shown


def _law(levels: int) -> list[float]:
    """Every answer is given by some, the first ones by more."""
    weights = np.arange(levels + 2, 2, -1)
    return list(weights / weights.sum())


def answered(survey: Survey) -> list[tuple[Truths, Sequence[bool]]]:
    """What is true of each person, and what each was asked; their reports are stored."""
    asked = questionnaire_of(survey.revision)
    rng, chance = np.random.default_rng(17), random.Random(17)
    people = []
    for _ in range(PEOPLE):
        arm = str(rng.choice(ARM_CODES, p=OF_ARMS))
        codes = random_codes(asked, arm, chance)
        truths, shown = true_levels(asked, codes, arm, rng)
        for place, (item, truth) in enumerate(zip(asked.items, truths, strict=True)):
            if truth is not None and item.is_randomized:
                (report,) = draw_reports(item.integer_channel, [truth], rng)
                codes[place] = item.reported_levels[report].code
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes, arm=arm))
        people.append((truths, shown))
    return people


def require_near(row: ShareRow, true: float, number: int) -> None:
    assert abs(row.share - true) <= 4 * row.standard_error + 1e-9, (number, row, true)


def among_asked(report: ShareReport, labels: dict[str, int], of: list[int]) -> int:
    """Compare each share among those asked, ``of`` whom these are true; how many there are."""
    for row in report.among_asked:
        label = row.label.removesuffix(", among the people asked")
        require_near(row, of.count(labels[label]) / len(of), report.number)
    return len(report.among_asked)


def follow_up(report: ShareReport, family: FamilyQuestion, ways: list[int]) -> int:
    """The same of a follow-up, by the ways of all people who were asked its family."""
    place = family.members.index(report.number)
    given = [family.ways[way][place] for way in ways]
    labels = {level.text: int(level.code) for level in report.item.levels}
    return among_asked(report, labels, [int(code) for code in given if code != NOT_ASKED])


def test_estimates_lie_within_four_standard_errors_of_the_truth(owner):
    survey = make_sixty(owner)
    items = questionnaire_of(survey.revision).items
    people = answered(survey)
    rows = among = 0
    for place, counts in enumerate(item_counts(survey.revision)):
        item, report = items[place], question_report(place + 1, counts, Reading())
        if isinstance(item, FollowUpQuestion):
            first = item.family - 1
            ways = [truths[first] for truths, _ in people if truths[first] is not None]
            among += follow_up(report, items[first], ways)
        elif isinstance(item, LevelQuestion):
            known = [truths[place] for truths, _ in people if truths[place] is not None]
            labels = {level.text: level_place for level_place, level in enumerate(item.levels)}
            shown = report.rows
            if isinstance(report, FamilyReport):
                shown = report.ways
                answers = answers_through(item, place + 1, item.answers)
                for row, (_, ways) in zip(report.rows, answers, strict=True):
                    true = sum(truth in ways for truth in known) / len(known)
                    require_near(row, true, place + 1)
            for row in shown:
                require_near(row, known.count(labels[row.label]) / len(known), place + 1)
            rows += len(shown)
            if item.hidden:
                asked = [truths[place] for truths, shown in people if shown[place]]
                among += among_asked(report, labels, asked)
    assert (rows, among) == (98, 17)
