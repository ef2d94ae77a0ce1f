"""Who may open which researchers' page."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Response
from tests import factories, kept
from tests.bodies import body_of

owner, survey = kept.owner, kept.survey
RESULTS = ("dashboard", "chart", "responses", "texts", "codebook")
ASKED = {
    "break-down": "?question=1&by=6",
    "break-down-csv": "?question=1&by=6",
    "break-down-json": "?question=1&by=6",
    "weighted": "?by=7",
    "weighted-csv": "?by=7",
    "weighted-json": "?by=7",
    "regression": "?outcome=1-1&predictors=6",
}
OTHERS = ("members", "audit", "audit-csv")


def addresses_of(survey) -> dict[str, str]:
    """What can be opened below one survey, by its name."""
    found = {name: reverse(f"surveys:{name}", args=[survey.pk]) for name in OTHERS}
    for name in RESULTS:
        values = [survey.pk, 1] if name == "chart" else [survey.pk]
        found[name] = reverse(f"surveys:{name}", args=values)
    for name, query in ASKED.items():
        found[name] = reverse(f"surveys:{name}", args=[survey.pk]) + query
    return found


def all_addresses(survey) -> list[str]:
    plain = [reverse(f"surveys:{name}") for name in ("list", "planner", "planner-curve")]
    return [*plain, *addresses_of(survey).values()]


@pytest.fixture
def answered(survey):
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def test_every_page_asks_for_a_login(client, answered):
    for address in all_addresses(answered):
        response = client.get(address)
        assert response.status_code == 302, address
        assert response.url.startswith(reverse("login")), address
    response = client.post(reverse("surveys:save-plan"))
    assert response.status_code == 403
    assert f'href="{reverse("login")}?' in response.content.decode()


def test_a_stranger_cannot_see_the_dashboard_its_pictures_or_its_downloads(client, answered):
    client.force_login(factories.make_user("eve"))
    for address in addresses_of(answered).values():
        assert client.get(address).status_code == 404, address


def test_the_owner_and_a_superuser_see_every_page(client, answered):
    for user in (answered.owner, factories.make_user("root", superuser=True)):
        client.force_login(user)
        for address in all_addresses(answered):
            assert client.get(address).status_code == 200, address


def test_a_stranger_does_not_learn_whether_a_survey_exists(client, answered):
    client.force_login(factories.make_user("eve"))
    theirs = client.get(reverse("surveys:dashboard", args=[answered.pk]))
    nobodys = client.get(reverse("surveys:dashboard", args=[uuid4()]))
    assert theirs.content == nobodys.content
    assert answered.title not in client.get(reverse("surveys:list")).content.decode()


def test_a_stranger_cannot_change_the_plan(client, answered):
    client.force_login(factories.make_user("eve"))
    given = {"survey": str(answered.pk), "responses": "5", "reading": "once", "failure": "0.05"}
    response = client.post(reverse("surveys:save-plan"), given, follow=True)
    assert "Choose one of your surveys and a number" in response.content.decode()
    answered.refresh_from_db()
    assert answered.planned_responses is None


def test_the_plan_is_saved_by_post_only(client, answered):
    client.force_login(answered.owner)
    given = {"survey": str(answered.pk), "responses": "5", "reading": "once", "failure": "0.05"}
    assert client.get(reverse("surveys:save-plan"), given).url == reverse("surveys:planner")
    answered.refresh_from_db()
    assert answered.planned_responses is None


def test_a_draft_has_a_dashboard_but_no_pictures_or_downloads(client, owner: User):
    draft = factories.make_survey(owner)
    client.force_login(owner)
    for name, address in addresses_of(draft).items():
        there = name == "dashboard" or name in OTHERS
        assert client.get(address).status_code == (200 if there else 404), name
    assert Response.objects.count() == 0


def test_a_question_that_does_not_exist_has_no_picture(client, answered):
    client.force_login(answered.owner)
    for number in (0, 8, 10**9):
        address = reverse("surveys:chart", args=[answered.pk, number])
        assert client.get(address).status_code == 404


def test_logging_out_takes_a_post(client, owner):
    client.force_login(owner)
    assert client.get(reverse("logout")).url == reverse("surveys:list")
    assert client.get(reverse("surveys:list")).status_code == 200
    client.post(reverse("logout"))
    assert client.get(reverse("surveys:list")).status_code == 302


def test_logging_in_leads_to_the_page_that_was_asked_for(client, owner):
    asked = reverse("surveys:planner")
    response = client.get(asked, follow=True)
    assert 'name="next" value="/surveys/plan/"' in response.content.decode()
    given = {"login": "ada", "password": "correct horse", "next": asked}
    assert client.post(reverse("login"), given).url == asked


def test_a_wrong_password_is_said_and_does_not_say_which_part_was_wrong(client, owner):
    response = client.post(reverse("login"), {"login": "ada", "password": "wrong"})
    assert "No account has this name and password" in response.content.decode()
