"""Drafts that exchange codes: what they need, what their page has to be, and who is left out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.authoring.checklist.checks import checks_of
from surveys.authoring.drafts import NotReady, draft_questionnaires
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from tests.factories import add_question, add_rating, make_survey
from tests.surveys.authoring.asking import confirm

pytestmark = pytest.mark.django_db


def drafted(owner, **fields: object) -> Survey:
    last_day = timezone.now().date() + timedelta(days=30)
    usual = {"opening": "close", "close_on": last_day, "batch_size": 5}
    draft = make_survey(owner, **{**usual, **fields})
    add_question(draft)
    return draft


def reasons(draft: Survey) -> list[str]:
    with pytest.raises(NotReady) as problem:
        draft_questionnaires(draft)
    return problem.value.reasons


def test_codes_are_exchanged_where_there_are_any(owner):
    (reason,) = reasons(drafted(owner, voucher_wait=60))
    assert "Tick “only with an invitation”" in reason
    assert reason.field == "voucher_wait"


def test_the_form_by_hand_is_refused_for_the_sake_of_exchanged_codes_alone(owner):
    (reason,) = reasons(drafted(owner, invitation_only=True, script_only=True))
    assert "Choose that codes are exchanged unseen, or remove the tick" in reason
    assert reason.field == "script_only"


def test_a_page_that_the_server_draws_for_each_person_exchanges_nothing(owner):
    """It could give each person a key of their own, and nobody could compare it."""
    draft = drafted(owner, invitation_only=True, voucher_wait=0)
    for number in range(5):
        add_rating(draft, text=f"How good is number {number}?")
    (reason,) = reasons(draft)
    assert reason.startswith("Codes cannot be exchanged unseen if the server draws the items")


@pytest.mark.parametrize(
    ("script_only", "said"),
    [
        (True, "or opens this site without https, cannot take part."),
        (
            False,
            "send their code together with their answers. The page informs these people before",
        ),
    ],
)
def test_the_checklist_says_who_is_left_out(owner, script_only, said):
    draft = drafted(owner, invitation_only=True, voucher_wait=0, script_only=script_only)
    (door,) = (check for check in checks_of(draft) if check.key == "door")
    assert said in " ".join(door.lines)
    assert "codes that were not exchanged yet are worthless" in " ".join(door.lines)


@pytest.mark.usefixtures("_static_files")
def test_its_page_launches_it_with_a_key_that_was_made_after_all_was_shown(client, owner):
    draft = drafted(owner, invitation_only=True, voucher_wait=60)
    client.force_login(owner)
    reply = confirm(client, draft, "launch")
    assert "something changed after you opened this page" not in reply.content.decode()
    draft.refresh_from_db()
    assert draft.state == Survey.State.OPEN
    assert len(questionnaire_of(draft.revision).vouchers.n) == 512
