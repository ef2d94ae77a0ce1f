"""The tour of the README, "Who answers differently?", on the demonstration's real answers."""

import re
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from analytics.comparison.groups import KnownGroup, Scale, group_distance
from analytics.comparison.hidden import HiddenGroups, compare_hidden
from analytics.models import Report
from analytics.reports.comparison_form import GroupsForm
from surveys.demonstration.affairs import (
    RELIGIOUS,
    had_affair,
    load_answers,
    open_affairs_survey,
    submit_answers,
)
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import TwoCoins
from surveys.randomized_response.drawing import draw_reports
from tests.analytics import answering
from tests.analytics.pages.visits import address, words

README = Path(__file__).parents[3] / "README.md"
STEPS = Scale(np.arange(5.0))


@pytest.fixture(scope="module")
def answers():
    return load_answers()


def step() -> str:
    """What the README says to do, on one line."""
    steps = re.split(r"\n[0-9]\. ", README.read_text())
    return next(" ".join(one.split()) for one in steps if "Who answers differently?**" in one)


def choice(form: GroupsForm, name: str, text: str) -> str:
    return next(value for value, label in form.fields[name].choices if text in label)


@pytest.mark.database
def test_the_step_names_what_the_pages_offer_and_say(client, owner, answers):
    survey = open_affairs_survey(owner, planned_responses=100)
    submit_answers(
        survey.revision,
        answers.head(1200),  # so many that groups keep the rule for small ones
        rng=np.random.default_rng(1),
        progress=lambda bodies, _: bodies,
    )
    client.force_login(owner)
    dashboard = words(client.get(f"/surveys/{survey.pk}/"))
    assert "Who answers differently?" in step()
    assert "Compare groups" in step()
    assert "Compare groups" in dashboard
    form = GroupsForm(None, questionnaire_of(survey.revision).numbered.readable, [])
    assert form["by"].value() != form.fields["question"].choices[0][0]
    question, by, hidden = re.findall("“([^”]+)”", step())[:3]
    sent = {"question": choice(form, "question", question), "by": choice(form, "by", by)}
    sent |= {"level": "0.95", "seed": "0", "key": str(uuid4())}
    assert "randomized" in dict(form.fields["by"].choices)[choice(form, "by", hidden)]
    assert client.post(address("ask-groups", survey), sent).status_code == 302
    report = answering.finished(Report.objects.get())
    page = words(client.get(address("report", survey, report.pk)))
    assert "steps of the scale" in page
    assert "Chance alone" in page


def ratings(answers, chosen) -> np.ndarray:
    """How many of these people rate their marriage at each step."""
    return np.bincount(answers["rate_marriage"][chosen].astype(int) - 1, minlength=5)


def test_people_who_are_strongly_religious_rate_their_marriages_a_third_of_a_step_higher(answers):
    groups = [
        KnownGroup(name, ratings(answers, answers["religious"] == place))
        for place, name in enumerate(RELIGIOUS, start=1)
    ]
    assert group_distance(groups[1], groups[3], STEPS) == pytest.approx(0.328, abs=5e-4)


def test_the_distance_by_an_affair_that_only_coins_told_holds_the_true_one(answers):
    """The server is not told who had one; the data say that it is 0.68 steps."""
    truth, coins = had_affair(answers), TwoCoins(2)
    rng = np.random.default_rng(5)
    known = [KnownGroup(name, ratings(answers, truth == x)) for x, name in enumerate(("No", "Yes"))]
    true = group_distance(*known, STEPS)
    reports = draw_reports(coins.channel.integer_weights(), truth, rng)
    table = np.stack([ratings(answers, reports == x) for x in (0, 1)])
    (pair,) = compare_hidden(HiddenGroups(("No", "Yes"), table, coins), STEPS, rng).pairs
    assert true == pytest.approx(0.68, abs=0.005)
    assert pair.low < true < pair.high
    assert pair.high - pair.low < 0.4
    assert pair.p_value < 0.001
