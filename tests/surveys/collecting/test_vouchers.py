"""An invitation is exchanged once for a signature, answers come with that, and nothing is both."""

import json
import secrets
from datetime import UTC, datetime, time, timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.collecting import spool
from surveys.collecting.keys import signing_keys
from surveys.collecting.pages import FORM
from surveys.collecting.refusals import (
    NotVouched,
    OtherAnswers,
    Unavailable,
    UnknownInvitation,
    UsedInvitation,
)
from surveys.collecting.services import exchange, receive
from surveys.kinds.text.promise import based
from surveys.models import Invitation, SubmissionKey, Survey, Waiting
from surveys.models.refusals import NotOpen
from surveys.questionnaire import tokens
from surveys.questionnaire.refusals import BadInvitation, Malformed, NothingAsked
from surveys.trust.vouchers import SIZE
from surveys.web import floods
from surveys.web.counts import SharedCounts
from tests import kept
from tests.bodies import body_of
from tests.factories import (
    invite,
    make_invited_survey,
    make_open_survey,
    make_survey,
    make_user,
)
from tests.posting import SAME_ORIGIN
from tests.rivals import at_once
from tests.vouching import Request, make_vouched_survey, modulus_of, vouched_body

survey, owner = kept.survey, kept.owner
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_vouched_survey(make_user()))


def is_used(token: str) -> bool:
    return Invitation.objects.get(pk=tokens.digest(token)).redeemed


def waiting(survey: Survey) -> int:
    return Waiting.objects.filter(revision__survey=survey).count()


def post_exchange(survey: Survey, fields: str, **headers: str) -> HttpResponse:
    address = reverse("posted:exchange", args=[survey.pk])
    accepted = {**SAME_ORIGIN, "Accept": "application/json", **headers}
    return Client().post(address, fields, content_type=FORM, headers=accepted)


def test_a_code_is_exchanged_and_answers_come_without_it(survey):
    (token,) = invite(survey, 1)
    body = vouched_body(survey, token)
    assert token.encode() not in body
    assert is_used(token)
    receive(survey_id=survey.pk, body=body)
    receive(survey_id=survey.pk, body=body)
    assert waiting(survey) == SubmissionKey.objects.count() == 1


def test_the_same_request_is_signed_again_and_another_one_never(survey):
    (token,) = invite(survey, 1)
    request = Request.drawn(survey)
    assert request.exchanged(token) == request.exchanged(token)
    with pytest.raises(UsedInvitation):
        Request.drawn(survey).exchanged(token)


def test_a_code_that_no_invitation_has_or_of_another_survey_gets_nothing(survey):
    (foreign,) = invite(make_vouched_survey(survey.owner), 1)
    (token,) = invite(survey, 1)
    mistyped = token[:-1] + ("0" if token[-1] != "0" else "1")
    with pytest.raises(UnknownInvitation):
        Request.drawn(survey).exchanged(foreign)
    for code in (mistyped, token[:-1], "", "é"):
        with pytest.raises(BadInvitation):
            Request.drawn(survey).exchanged(code)
    assert not is_used(foreign)


@pytest.mark.parametrize("number", ["0", "n", "n + 1"])
def test_no_number_below_the_modulus_is_refused_and_uses_nothing_up(survey, number):
    (token,) = invite(survey, 1)
    n = modulus_of(survey)
    blinded = {"0": 0, "n": n, "n + 1": n + 1}[number].to_bytes(SIZE, "big")
    with pytest.raises(Malformed):
        exchange(survey_id=survey.pk, typed=token, blinded=blinded)
    assert not is_used(token)


def test_what_burns_no_code_does_not_tell_whether_it_was_used(owner):
    """Else whoever knows a code could ask again and again, and learn the moment of its use."""
    survey = make_vouched_survey(owner)
    used, fresh = invite(survey, 2)
    Request.drawn(survey).exchanged(used)
    for token in (used, fresh):
        with pytest.raises(Malformed):
            exchange(survey_id=survey.pk, typed=token, blinded=b"\xff" * SIZE)
    signing_keys.path_of(spool.keys_directory(), survey.pk).unlink()
    for token in (used, fresh):
        with pytest.raises(Unavailable):
            exchange(survey_id=survey.pk, typed=token, blinded=Request.drawn(survey).blinded)


def test_a_network_works_for_signatures_that_it_asks_for_again(survey, settings, monkeypatch):
    settings.SUBMISSIONS_PER_HOUR = 3
    monkeypatch.setattr(floods, "counts", SharedCounts())
    (token,) = invite(survey, 1)
    asked = f"path=browser&invitation={token}&blinded={based(Request.drawn(survey).blinded)}"
    replies = [post_exchange(survey, asked) for _ in range(6)]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 200, 429, 429]
    assert json.loads(replies[-1].content)["reply"] == "work"
    (other,) = invite(survey, 1)
    blinded = based(Request.drawn(survey).blinded)
    fresh = post_exchange(survey, f"path=browser&invitation={other}&blinded={blinded}")
    assert fresh.status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        "x",
        "path=browser&invitation={token}",
        "path=owncoin&invitation={token}&blinded={blinded}",
        "invitation={token}&path=browser&blinded={blinded}",
        "path=browser&invitation={token}&blinded={blinded}A",
        "path=browser&invitation={token}&blinded={short}",
        "path=browser&invitation={token}&blinded={loose}",
        "path=browser&invitation={token}&blinded={blinded}&blinded={blinded}",
        "path=browser&invitation={token}&blinded={blinded}&q001=00",
        "path=browser&invitation=%FF&blinded={blinded}",
    ],
)
def test_what_is_no_request_for_a_signature_is_refused(survey, fields):
    (token,) = invite(survey, 1)
    blinded = based(Request.drawn(survey).blinded)
    # The last character has two bits: another one with the same two would be a second spelling.
    loose = blinded[:-1] + {"A": "B", "Q": "R", "g": "h", "w": "x"}[blinded[-1]]
    reply = post_exchange(
        survey, fields.format(token=token, blinded=blinded, short=blinded[1:], loose=loose)
    )
    assert reply.status_code in (400, 403)
    assert json.loads(reply.content)["reply"] == "refused"
    assert not is_used(token)


def test_all_replies_of_the_exchange_are_equally_long(survey):
    used, fresh = invite(survey, 2)
    Request.drawn(survey).exchanged(used)
    replies = [
        post_exchange(survey, f"path=browser&invitation={code}&blinded={blinded}")
        for blinded in (based(Request.drawn(survey).blinded),)
        for code in (fresh, used, "0" * 16, "")
    ]
    assert [reply.status_code for reply in replies] == [200, 403, 403, 403]
    assert json.loads(replies[0].content)["reply"] == "signed"
    assert len({len(reply.content) for reply in replies}) == 1


def test_the_exchange_answers_the_pages_script_alone(survey):
    (token,) = invite(survey, 1)
    fields = f"path=browser&invitation={token}&blinded={based(Request.drawn(survey).blinded)}"
    assert post_exchange(survey, fields, Accept="text/html").status_code == 400
    assert post_exchange(survey, fields, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert not is_used(token)


@pytest.mark.parametrize("name", ["exchange", "send"])
def test_pages_of_all_languages_post_to_one_address(survey, name):
    address = reverse(f"posted:{name}", args=[survey.pk])
    assert address == f"/s/{survey.pk}/{name}/"
    assert Client().get(address).status_code == 405


def test_a_survey_without_vouchers_exchanges_nothing(survey):
    for other in (make_invited_survey(survey.owner), make_open_survey(survey.owner)):
        with pytest.raises(Malformed):
            exchange(survey_id=other.pk, typed="0" * 16, blinded=bytes(SIZE))


def test_a_draft_and_an_unknown_survey_exchange_nothing(owner):
    fields = f"path=browser&invitation={'0' * 16}&blinded={based(bytes(SIZE))}"
    draft = make_survey(owner, invitation_only=True, voucher_wait=0)
    assert post_exchange(draft, fields).status_code == 410
    assert post_exchange(Survey(id=uuid4()), fields).status_code == 404


def test_a_voucher_is_for_one_survey_and_one_key(survey):
    other = make_vouched_survey(survey.owner)
    (foreign,) = invite(other, 1)
    (token,) = invite(survey, 1)
    request, elsewhere = Request.drawn(survey), Request.drawn(other)
    voucher, foreign_voucher = request.exchanged(token), elsewhere.exchanged(foreign)
    forged = based(secrets.token_bytes(SIZE))
    another_key = Request.drawn(survey)
    for body in (
        request.body(foreign_voucher),
        request.body(forged),
        request.body(based(bytes(SIZE))),
        another_key.body(voucher),
    ):
        with pytest.raises(NotVouched):
            receive(survey_id=survey.pk, body=body)
    assert not waiting(survey)
    receive(survey_id=survey.pk, body=request.body(voucher))
    assert waiting(survey) == 1


def test_a_second_body_with_other_answers_is_refused(survey):
    (token,) = invite(survey, 1)
    request = Request.drawn(survey)
    voucher = request.exchanged(token)
    receive(survey_id=survey.pk, body=request.body(voucher, ["00", based(bytes(400))]))
    with pytest.raises(OtherAnswers):
        receive(survey_id=survey.pk, body=request.body(voucher, ["01", based(bytes(400))]))
    assert waiting(survey) == 1


def test_the_pages_path_takes_no_code_and_the_path_without_script_no_voucher(survey):
    used, token = invite(survey, 2)
    voucher = Request.drawn(survey).exchanged(used)
    for body in (
        body_of(survey.revision, invitation=token),
        body_of(survey.revision),
        body_of(survey.revision, own_coin=True, voucher=voucher),
    ):
        with pytest.raises(Malformed):
            receive(survey_id=survey.pk, body=body)
    receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True, invitation=token))
    with pytest.raises(UsedInvitation):
        Request.drawn(survey).exchanged(token)
    with pytest.raises(UsedInvitation):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True, invitation=used))


def test_an_owner_may_refuse_answers_without_the_script(owner):
    survey = make_vouched_survey(owner, voucher_wait=60, script_only=True)
    (token,) = invite(survey, 1)
    with pytest.raises(NothingAsked):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True, invitation=token))
    receive(survey_id=survey.pk, body=vouched_body(survey, token))


def test_a_lost_key_signs_nothing_and_uses_nothing_up(owner):
    survey = make_vouched_survey(owner)
    (token,) = invite(survey, 1)
    directory = spool.keys_directory()
    path = signing_keys.path_of(directory, survey.pk)
    content = path.read_bytes()
    for damaged in (None, b"", content[:-1], content[::-1], bytes(len(content))):
        path.unlink(missing_ok=True)
        if damaged is not None:
            path.write_bytes(damaged)
        with pytest.raises(Unavailable):
            Request.drawn(survey).exchanged(token)
        assert not is_used(token)
    path.write_bytes(content)
    Request.drawn(survey).exchanged(token)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_32_requests_at_once_for_one_code_one_is_signed():
    survey = make_vouched_survey(make_user())
    (token,) = invite(survey, 1)

    def ask() -> bool:
        try:
            Request.drawn(survey).exchanged(token)
        except UsedInvitation:
            return False
        return True

    assert sum(at_once(*[ask] * 32)) == 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_32_bodies_at_once_with_one_voucher_one_counts():
    survey = make_vouched_survey(make_user())
    (token,) = invite(survey, 1)
    request = Request.drawn(survey)
    voucher = request.exchanged(token)
    bodies = [request.body(voucher, ["00", based(bytes(400))])] * 16
    bodies += [request.body(voucher, ["01", based(bytes(400))])] * 16

    def send(body: bytes) -> bool:
        try:
            receive(survey_id=survey.pk, body=body)
        except OtherAnswers:
            return False
        return True

    assert sum(at_once(*[partial(send, body) for body in bodies])) == 16
    assert waiting(survey) == 1


@pytest.fixture
def clock(monkeypatch):
    """Sets the time of day after the survey's last day."""

    def after_midnight(survey: Survey, minutes: float) -> None:
        midnight = datetime.combine(survey.close_on + timedelta(days=1), time(0), UTC)
        monkeypatch.setattr(timezone, "now", lambda: midnight + timedelta(minutes=minutes))

    return after_midnight


def test_a_wait_across_the_last_midnight_loses_nothing(owner, clock):
    survey = make_vouched_survey(owner, voucher_wait=60)
    first, second, third = invite(survey, 3)
    request = Request.drawn(survey)
    voucher, late = request.exchanged(first), vouched_body(survey, second)
    clock(survey, 9.9)
    with pytest.raises(NotOpen):
        Request.drawn(survey).exchanged(third)
    receive(survey_id=survey.pk, body=request.body(voucher))
    receive(survey_id=survey.pk, body=request.body(voucher))
    assert waiting(survey) == 1
    with pytest.raises(NotOpen):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True, invitation=third))
    clock(survey, 10.1)
    with pytest.raises(NotOpen):
        receive(survey_id=survey.pk, body=late)


def test_nothing_is_taken_on_the_day_of_deletion(owner, clock):
    day = timezone.now().date() + timedelta(days=30)
    survey = make_vouched_survey(owner, close_on=day, delete_on=day + timedelta(days=9))
    Survey.objects.filter(pk=survey.pk).update(delete_on=day + timedelta(days=1))
    (token,) = invite(survey, 1)
    body = vouched_body(survey, token)
    clock(survey, 5)
    with pytest.raises(NotOpen):
        receive(survey_id=survey.pk, body=body)
