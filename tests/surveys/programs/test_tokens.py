"""Tokens: made after the second factor, shown once, kept as a digest, revoked at any time."""

import hashlib
import json
from datetime import timedelta
from html import unescape

import pytest
from django.core import serializers
from django.urls import reverse

from surveys.models import AccessToken, AuditEntry, Membership
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.programs.tokens import services
from surveys.programs.tokens.queries import may_act, token_shown
from surveys.programs.tokens.scopes import Scope
from surveys.programs.tokens.texts import TOKEN, new_token
from surveys.wording.language.numbers import day_words
from tests import factories, kept
from tests.accounts import set_up_app
from tests.days import today
from tests.surveys.programs.holding import show_factor, token_of, without

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture
def grace(survey):
    grace = factories.make_user("grace")
    Membership.objects.create(survey=survey, user=grace, role="analyst")
    set_up_app(grace)
    return grace


@pytest.fixture
def page(client, grace):
    """Sends one of the forms as grace, who gave the second factor just now."""
    client.force_login(grace)
    show_factor(client, grace)

    def send(form: str, *keys: object, **fields: object) -> str:
        reply = client.post(reverse(f"surveys:{form}", args=keys), fields, follow=True)
        return unescape(reply.content.decode())

    return send


def asked(survey, /, **fields: object) -> dict[str, object]:
    return {"name": "nightly", "survey": survey.pk, "scopes": ["read"], "days": 30, **fields}


def entries() -> list[tuple[str, object, object]]:
    rows = AuditEntry.objects.filter(action__startswith="token")
    return list(rows.values_list("action", "before", "after"))


def test_a_token_has_a_mark_eight_letters_and_256_bits():
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(TOKEN.fullmatch(token) for token in tokens)
    assert {len(token) for token in tokens} == {len("deniable_") + 8 + 43}


def test_a_token_is_shown_once_and_stored_as_its_digest(page, survey, client):
    words = page("make-token", **asked(survey))
    (text,) = {match[0] for match in TOKEN.finditer(words)}
    stored = AccessToken.objects.get()
    assert stored.digest == hashlib.sha256(text.encode()).hexdigest()
    assert stored.last_day == today() + timedelta(days=29)
    assert without(text, [client.get(reverse("surveys:tokens")).content.decode()])
    rows = [*AccessToken.objects.all(), *AuditEntry.objects.all()]
    assert without(text, [serializers.serialize("json", rows)])
    assert entries()[0] == (
        "token made",
        None,
        {
            "token": stored.letters,
            "account": stored.person_id,
            "scopes": "read",
            "last_day": stored.last_day.isoformat(),
        },
    )


def test_the_page_says_that_there_is_no_token(client, grace):
    client.force_login(grace)
    assert "no program acts for you" in client.get(reverse("surveys:tokens")).content.decode()


def test_the_page_leads_to_every_address_where_the_documentation_is_built(
    client, grace, settings, tmp_path
):
    client.force_login(grace)
    link = 'href="/docs/api.html"'
    settings.DOCUMENTATION = tmp_path / "nothing"
    assert link not in client.get(reverse("surveys:tokens")).content.decode()
    settings.DOCUMENTATION = tmp_path
    assert link in client.get(reverse("surveys:tokens")).content.decode()


def test_the_second_factor_is_asked_for_before_a_token_is_made(client, grace, survey):
    client.force_login(grace)
    for ago in (None, 600):
        if ago:
            show_factor(client, grace, ago=ago)
        reply = client.post(reverse("surveys:make-token"), asked(survey))
        assert reply.status_code == 302
        assert reply.url.startswith(reverse("mfa_reauthenticate"))
    assert not AccessToken.objects.exists()


def test_who_has_no_second_factor_makes_no_token(client, survey):
    client.force_login(survey.owner)
    assert (
        "You need a second factor to make a token"
        in client.get(reverse("surveys:tokens")).content.decode()
    )
    reply = client.post(reverse("surveys:make-token"), asked(survey))
    assert "Set up a second factor first" in reply.content.decode()
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"days": 366}, "365"),
        ({"days": 0}, "1"),
        ({"scopes": []}, "required"),
        ({"scopes": ["rule"]}, "rule"),
        ({"survey": "", "scopes": ["rows"]}, "Drafts have no answers"),
        ({"scopes": ["edit"]}, "does not allow this"),
        ({"name": ""}, "required"),
    ],
)
def test_a_token_that_promises_too_much_is_refused_in_words(page, survey, fields, words):
    assert words in page("make-token", **asked(survey, **fields))
    assert not AccessToken.objects.exists()


def test_a_token_of_another_persons_survey_cannot_be_made(page, survey, grace):
    Membership.objects.all().delete()
    page("make-token", **asked(survey))
    with pytest.raises(NotAllowed):
        services.make_token(survey=survey, name="x", scopes=[Scope.READ], days=1, by=grace)
    assert not AccessToken.objects.exists()


def test_one_person_has_a_limited_number_of_tokens(survey, grace, monkeypatch):
    monkeypatch.setattr(services, "MOST_TOKENS", 2)
    for _ in range(2):
        token_of(grace, survey, "read")
    with pytest.raises(NotPossible, match="2 tokens"):
        token_of(grace, survey, "read")


def test_a_token_that_has_ended_counts_no_more_and_the_lists_say_that_it_has(
    client, survey, grace, monkeypatch
):
    monkeypatch.setattr(services, "MOST_TOKENS", 1)
    token_of(grace, survey, "read")
    yesterday = today() - timedelta(days=1)
    AccessToken.objects.update(last_day=yesterday)
    second = token_shown(token_of(grace, survey, "read"))
    assert AccessToken.objects.filter(last_day__gte=today()).get() == second
    with pytest.raises(NotPossible, match="1 tokens"):
        token_of(grace, survey, "read")
    for person, address in (
        (grace, reverse("surveys:tokens")),
        (survey.owner, reverse("surveys:survey-tokens", args=[survey.pk])),
    ):
        client.force_login(person)
        words = client.get(address).content.decode()
        assert words.count("(ended)") == 1
        assert f"{day_words(yesterday)} (ended)" in words


def test_one_token_and_all_are_revoked_each_with_an_entry(page, survey, grace):
    texts = [token_of(grace, survey, "read") for _ in range(3)]
    first = token_shown(texts[0])
    assert "is revoked" in page("revoke-token", first.pk)
    assert [token_shown(text) is None for text in texts] == [True, False, False]
    assert "2 tokens are revoked" in page("revoke-all-tokens")
    assert not AccessToken.objects.exists()
    assert [action for action, *_ in entries()][:3] == ["token revoked"] * 3


def test_a_person_revokes_no_token_of_another(page, survey, owner):
    theirs = token_shown(token_of(owner, survey, "read"))
    assert "Nothing was changed, because this token" in page("revoke-token", theirs.pk)
    assert AccessToken.objects.filter(pk=theirs.pk).exists()


def test_the_owner_sees_and_revokes_all_tokens_of_the_survey_and_nobody_else_does(
    client, survey, grace
):
    text = token_of(grace, survey, "read", "rows")
    drafts = token_of(grace, None, "edit")
    client.force_login(grace)
    for name in ("survey-tokens", "revoke-all-survey-tokens"):
        address = reverse(f"surveys:{name}", args=[survey.pk])
        assert client.get(address).status_code == 403
        assert client.post(address).status_code in (403, 405)
    client.force_login(survey.owner)
    words = client.get(reverse("surveys:survey-tokens", args=[survey.pk])).content.decode()
    assert f"deniable_{token_shown(text).letters}" in words
    assert "grace" in words
    client.post(reverse("surveys:revoke-all-survey-tokens", args=[survey.pk]))
    assert token_shown(text) is None
    assert token_shown(drafts) is not None


def test_the_owner_revokes_one_token_of_the_survey(client, survey, grace):
    kept_text, gone = token_of(grace, survey, "read"), token_shown(token_of(grace, survey, "read"))
    client.force_login(survey.owner)
    client.post(reverse("surveys:revoke-survey-token", args=[survey.pk, gone.pk]))
    assert list(AccessToken.objects.all()) == [token_shown(kept_text)]


def test_another_end_of_the_same_letters_is_no_token(survey, grace):
    text = token_of(grace, survey, "read")
    wrong = text[:-1] + ("A" if text[-1] != "A" else "B")
    assert token_shown(text)
    for other in (wrong, text[:-1], text + "A", text.upper(), "", text[: len("deniable_") + 8]):
        assert token_shown(other) is None


def test_a_token_in_an_address_is_revoked_and_its_letters_alone_revoke_nothing(survey, grace):
    text = token_of(grace, survey, "read")
    letters = text[: len("deniable_") + 8]
    assert services.revoke_leaked(f"/api/v1/me?token={letters}{'A' * 43}") == 0
    assert services.revoke_leaked(f"/api/v1/me?token={text.replace('_', '%5F', 1)}") == 1
    assert entries()[0][0] == "token revoked"
    assert entries()[0][2] == {"reason": "in an address"}
    assert without(text, map(json.dumps, entries()))


def test_nothing_acts_with_a_token_of_a_person_who_lost_what_it_takes(survey, grace):
    token = token_shown(token_of(grace, survey, "read"))
    assert may_act(token, today())
    assert may_act(token, token.last_day)
    assert not may_act(token, token.last_day + timedelta(days=1))
    Membership.objects.all().delete()
    assert not may_act(token, today())


def test_nothing_acts_with_a_token_of_a_person_without_account_or_factor(survey, grace):
    text = token_of(grace, survey, "read")
    grace.is_active = False
    grace.save()
    assert not may_act(token_shown(text), today())
    grace.is_active = True
    grace.save()
    assert may_act(token_shown(text), today())
    grace.authenticator_set.all().delete()
    assert not may_act(token_shown(text), today())


def test_the_first_use_of_a_day_of_each_resource_is_written_down_and_no_other(survey, grace):
    text = token_of(grace, survey, "read")
    for resource in ("estimates", "codebook", "estimates", "codebook"):
        services.record_use(token_shown(text), resource, survey=survey, today=today())
    used = [after for action, _, after in entries() if action == "token used"]
    letters = token_shown(text).letters
    assert used == [
        {"token": letters, "resource": resource} for resource in ("codebook", "estimates")
    ]
    next_day = today() + timedelta(days=1)
    services.record_use(token_shown(text), "estimates", survey=survey, today=next_day)
    token = token_shown(text)
    assert (token.used_on, token.used_for) == (next_day, "estimates")
    assert sum(action == "token used" for action, *_ in entries()) == 3


def test_tokens_go_with_their_survey_and_with_their_person(survey, grace):
    token_of(grace, survey, "read")
    token_of(grace, None, "edit")
    assert set(AccessToken.objects.values_list("survey", flat=True)) == {survey.pk, None}
    grace.delete()
    assert not AccessToken.objects.exists()
