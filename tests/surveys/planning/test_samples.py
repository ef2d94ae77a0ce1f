"""How people are sampled, on the planner's page and in its command: invitations, refusals."""

import io
import json
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.planning.forms import PlanForm
from surveys.questionnaire import arms
from surveys.randomized_response.planning import PlanRequest, invitations_needed, plan_survey
from surveys.randomized_response.planning.request_fields import MOST_ARMS, MOST_WEIGHT
from tests import factories

pytestmark = pytest.mark.one_database
CLASSES = {"cluster_size": "25", "intraclass_correlation": "0.05", "response_rate": "0.4"}


@pytest.fixture
def ask(client, owner):
    client.force_login(owner)

    def page(**query: str) -> str:
        response = client.get(reverse("surveys:planner"), query)
        assert response.status_code == 200
        return unescape(response.content.decode())

    return page


def plan(**options: str) -> str:
    out = io.StringIO()
    call_command("plan", stdout=out, **options)
    return out.getvalue()


def answers_of(page: str) -> str:
    """What the page says below its link, without its foot, which has the address."""
    return page.partition("Link to this plan")[2].partition("<footer")[0]


def test_the_page_says_how_many_to_invite_and_saves_how_many_answer(ask, owner):
    factories.make_survey(owner)
    page = ask(response_rate="0.4")
    invited = invitations_needed(1574, response_rate=0.4)
    assert f"Invite <strong>{invited:,}</strong> people" in page
    assert (
        "To get 1,574 answers, which are worth 1,574 independent answers (design effect 1)" in page
    )
    assert "bring at least 1,574 answers with a probability of 90 %" in page
    assert "No number of invitations makes up for this difference" in page
    assert "Save 1,574 as plan" in page
    assert "The checklist, the dashboard and the report show the same numbers" in page


def test_the_page_says_what_clusters_and_weights_cost(ask):
    page = ask(**CLASSES, weight_variation="0.5")
    sample = plan_survey(
        PlanRequest(
            cluster_size=25, intraclass_correlation=0.05, response_rate=0.4, weight_variation=0.5
        )
    ).sample
    assert f"The invited people are in about {sample.clusters:,} clusters." in page
    assert "Unequal weights multiply the variance by 1.25." in page
    assert "only the part of the variance that comes from sampling, by 1.48." in page
    assert "because the noise is drawn separately for each person" in page
    assert "The people asked are a sample with design effects" in page
    assert "simple random sample" not in page
    assert "So they show narrower intervals than this plan" in page
    assert "With these design effects, the exact method needs" in page


def test_few_clusters_are_warned_of(ask):
    words = "With few clusters, the data say little about how clusters differ"
    assert words in ask(cluster_size="300", intraclass_correlation="0")
    assert words not in ask(cluster_size="30", intraclass_correlation="0")


def test_each_arm_has_its_line(ask):
    page = ask(arms="2, 1")
    assert "1,574 answers are needed in each arm" in page
    assert "1 (2/3 of people)" in page
    assert ">3,148</td>" in page
    page = ask(arms="2, 1", share="0.3", null_share="0.2", samples="two", responses="3000")
    assert " people in the first arm and " in page
    assert (
        "With 2,000 responses in the first arm and 1,000 responses in the second arm, the power is"
        in page
    )
    assert "For the test, invite" in page


def test_two_groups_are_invited_one_by_one(ask):
    page = ask(response_rate="0.4", share="0.3", null_share="0.2", samples="two")
    assert " people from each group." in page


def test_fields_are_folded_until_one_of_them_is_used(ask):
    assert not PlanForm.from_query({}).samples_people
    for name, text in {**CLASSES, "arms": "1, 1", "assurance": "x"}.items():
        assert PlanForm.from_query({name: text}).samples_people, name


def test_old_addresses_say_what_they_said(ask):
    """Values that change nothing, too, are answered without a word of samples."""
    plain = ask(design="warner", p="0.8", drawn="2/10")
    assert "Ask <strong>" in plain
    assert "Invite" not in plain
    answers = answers_of(plain)
    said = ask(design="warner", p="0.8", drawn="2/10", response_rate="1", assurance="0.9", arms="")
    assert answers_of(said) == answers
    assert "sample" not in json.loads(plan(format="json"))


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"weight_variation": "-0.5"}, "weight_variation", "plain digits"),
        ({"weight_variation": "11"}, "weight_variation", "from 0 to 10"),
        ({"weight_variation": ""}, "weight_variation", "required"),
        ({**CLASSES, "cluster_size": "0.5"}, "cluster_size", "from 1 to 1,000,000"),
        ({**CLASSES, "cluster_size": "1e400"}, "cluster_size", "plain digits"),
        ({**CLASSES, "intraclass_correlation": "1"}, "intraclass_correlation", "below 1"),
        ({**CLASSES, "intraclass_correlation": "NaN"}, "intraclass_correlation", "plain digits"),
        ({"cluster_size": "25"}, "intraclass_correlation", "how similar the people"),
        (
            {"intraclass_correlation": "0.05"},
            "cluster_size",
            "how many people are invited in each cluster",
        ),
        (
            {"cluster_variation": "0.5"},
            "cluster_size",
            "how many people are invited in each cluster",
        ),
        (
            {**CLASSES, "cluster_size": "1", "cluster_variation": "0.5"},
            "cluster_variation",
            "all have the same size",
        ),
        ({"response_rate": "0"}, "response_rate", "For all people, write 1"),
        ({"response_rate": "40"}, "response_rate", "For all people, write 1"),
        ({"response_rate": "٤"}, "response_rate", "plain digits"),
        ({"response_rate": "1/1000000000"}, "response_rate", "more than 10^9 invitations"),
        ({"population": "2000", "response_rate": "0.5"}, "response_rate", "too few people answer"),
        ({"assurance": "1"}, "assurance", "above 0 and below 1"),
        ({"arms": "1"}, "arms", "weights, one for each arm"),
        ({"arms": "1, 0"}, "arms", "from 1 to 99"),
        ({"arms": "1, 1, 1, 1, 1, 1, 1"}, "arms", "Write 2 to 6 weights"),
        ({**CLASSES, "method": "hoeffding"}, "method", "independently of each other"),
    ],
)
def test_a_sample_that_there_is_not_is_refused_at_its_field(query, field, words):
    form = PlanForm.from_query(query)
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert words in " ".join(form.errors[field])


def test_the_command_says_what_the_page_says(ask):
    question = {**CLASSES, "weight_variation": "0.5", "arms": "2, 1"}
    page, text = ask(**question), plan(**question)
    answer = json.loads(plan(**question, format="json"))
    sample = answer["sample"]
    assert text.splitlines()[0] == f"Invite {sample['invitations']:,} people."
    assert f"Invite <strong>{sample['invitations']:,}</strong> people" in page
    assert sample["weights_effect"] == 1.25
    assert sample["effective_n"] == pytest.approx(answer["n"] / sample["design_effect"])
    assert [arm["share"] for arm in sample["arms"]] == pytest.approx([2 / 3, 1 / 3])
    for line in text.splitlines()[1:4]:
        assert line in page


def test_the_command_refuses_at_the_option():
    with pytest.raises(CommandError, match="--intraclass_correlation: Write how similar"):
        plan(cluster_size="25")
    with pytest.raises(CommandError, match="--response_rate: Write a number above 0 and below 1"):
        plan(response_rate="0")


def test_the_planner_knows_as_many_arms_as_a_survey():
    assert (MOST_ARMS, MOST_WEIGHT) == (arms.MOST_ARMS, arms.MOST_WEIGHT)
