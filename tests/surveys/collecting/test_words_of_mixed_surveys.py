"""What respondents read of all their answers holds for each kind of question that is asked."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from surveys.collecting.rows import start_context
from surveys.collecting.scripts import scripts_of
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from tests import factories
from tests.promises.test_p1_end_link import LINK, receipt
from tests.promises.test_p1_end_link import draft as linked_draft
from tests.surveys.wording.test_protection import item, survey, yes_no

ANYBODY = "could come from anybody"


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", "", html)))


def rendered(name: str, questionnaire: Questionnaire) -> str:
    context = start_context(questionnaire)
    return words(render_to_string(f"surveys/collecting/{name}.html", context))


def test_before_send_only_what_the_browser_draws_is_said_to_stay_in_it():
    """Answers to protected questions that hide behind a second one are sent as they were given."""
    mixed = rendered("_send", survey(yes_no(), item(None, "No", "Yes")))
    assert "answers to questions that your browser protects stay in this browser" in mixed
    assert "answers to protected questions" not in mixed
    direct = rendered("_send", survey(item(None, "No", "Yes")))
    assert "stay in this browser" not in direct


@pytest.mark.django_db
@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize(
    ("designs", "said"),
    [
        (("direct",), ""),
        (("direct", "two_coins"), "A single answer that arrives for a protected question"),
        (("two_coins",), "A single answer that arrives"),
    ],
)
def test_how_it_works_says_of_protected_answers_alone_that_they_could_be_anybodys(
    client, owner, designs, said
):
    draft = factories.make_survey(owner)
    for number, design in enumerate(designs):
        factories.add_question(draft, text=f"Question {number}?", design=design, required=True)
    launched = factories.launched(draft)
    reply = client.get(reverse("respondent:how-it-works", args=[launched.pk]))
    page = words(reply.content.decode())
    assert (ANYBODY in page) == bool(said)
    assert said in page


@pytest.mark.parametrize("protected", [True, False])
def test_no_script_is_said_to_draw_every_answer(protected):
    asked = survey(yes_no() if protected else item(None, "No", "Yes"))
    channel, send, *_ = [str(script.sentence) for script in scripts_of(asked)]
    assert channel.startswith("It makes the random draws that decide what is sent")
    assert "or as you gave it where nothing is drawn" in send


@pytest.mark.django_db
@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("name", ["start", "own-coin"])
def test_consent_says_what_is_held_back_where_an_invitation_code_was_sent_before(
    client, owner, name
):
    draft = factories.make_survey(owner)
    factories.add_question(draft)
    factories.add_pages(draft)
    launched = factories.launched(draft)
    questionnaire = replace(questionnaire_of(launched.revision), invitation_only=True)
    template = f"kinds/consent/{'page' if name == 'start' else 'hand'}.html"
    page = words(
        render_to_string(
            template,
            {
                "questionnaire": questionnaire,
                "item": questionnaire.items[-1],
                "name": "q003",
                "number": 3,
                "heading": "h1",
            },
        )
    )
    assert "o answer is sent" in page
    assert "nothing was stored" in page or "nothing is stored" in page
    assert not re.search("[Nn]othing (else )?(is|was|has been) sent", page)


@pytest.mark.parametrize("invited", [True, False])
def test_until_send_no_answer_leaves_the_page_and_without_an_invitation_nothing(invited):
    """An invitation code is sent to the door when a person presses Start."""
    page = rendered("_welcome", replace(survey(yes_no()), invitation_only=invited))
    assert ("your answers stay on this page until you press Send" in page) == invited
    assert ("nothing leaves this page" in page) == (not invited)


@pytest.mark.django_db
@pytest.mark.usefixtures("_static_files")
def test_who_clears_the_last_page_is_told_to_write_its_link_down(client, owner):
    page = words(receipt(client, factories.launched(linked_draft(owner, LINK)), "00"))
    assert "write the link down and clear this page first" in page
