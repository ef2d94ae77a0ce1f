"""Floods are limited by network, survey and hour; what is refused has a limit of its own."""

import hashlib
import itertools

import pytest
from django.test import RequestFactory
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.models import Invitation, SubmissionKey
from surveys.web import floods
from surveys.web.counts import SharedCounts
from surveys.web.floods import has_worked, is_refused_too_often, network_of, work_asked
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey

ADDRESS = "198.51.100.77"
BODY = b"some body"


@pytest.fixture(autouse=True)
def _fresh_counts(monkeypatch):
    monkeypatch.setattr(floods, "counts", SharedCounts())


@pytest.fixture
def easy(monkeypatch):
    """So little work that a test does it at once."""
    monkeypatch.setattr(floods, "LEAST_BITS", 4)
    monkeypatch.setattr(floods, "MOST_BITS", 6)


def request_from(address: str, **headers: str):
    return RequestFactory().post("/", REMOTE_ADDR=address, headers=headers)


def asked(place: str = "a survey", *, address: str = ADDRESS, body: bytes = BODY, **headers: str):
    return work_asked(request_from(address, **headers), place, body, has_script=True)


def work_for(body: bytes, bits: int) -> str:
    """The first nonce that is good enough, found as the page's script finds it."""
    start = hashlib.sha256(body).digest()
    for nonce in itertools.count():
        digest = hashlib.sha256(start + str(nonce).encode()).digest()
        if int.from_bytes(digest, "big") >> (256 - bits) == 0:
            return str(nonce)
    raise AssertionError


def send(client, survey, body: bytes, **headers: str):
    own = {"Sec-Fetch-Site": "same-origin", **headers}
    address = reverse("respondent:send", args=[survey.pk])
    return client.post(address, body, content_type=FORM, headers=own)


def test_each_network_may_send_so_much_to_each_survey_without_work(settings):
    settings.SUBMISSIONS_PER_HOUR = 3
    assert [asked() for _ in range(4)] == [None, None, None, floods.LEAST_BITS]
    assert asked(address="198.51.100.78") is None
    assert asked("another survey") is None


def test_without_a_limit_no_one_works(settings):
    settings.SUBMISSIONS_PER_HOUR = 0
    assert {asked() for _ in range(100)} == {None}
    assert not any(is_refused_too_often(request_from(ADDRESS)) for _ in range(100))


def test_above_the_limit_work_is_taken_and_costs_more_the_more_comes(settings, easy):
    settings.SUBMISSIONS_PER_HOUR = 2
    assert [asked() for _ in range(9)] == [None, None, 4, 5, 5, 5, 5, 6, 6]
    assert asked(**{"Deniable-Work": work_for(BODY, 6)}) is None
    assert asked(body=b"another", **{"Deniable-Work": work_for(BODY, 6)}) == 6


def test_without_the_script_there_is_a_limit_of_its_own_and_no_work(settings):
    settings.SUBMISSIONS_PER_HOUR = 2
    found = [
        work_asked(request_from(ADDRESS), "a survey", BODY, has_script=False) for _ in range(3)
    ]
    assert found == [None, None, 0]
    assert asked() is None


def test_refused_bodies_are_counted_apart(settings):
    settings.SUBMISSIONS_PER_HOUR = 600
    found = [is_refused_too_often(request_from(ADDRESS)) for _ in range(62)]
    assert found == [False] * 60 + [True] * 2
    assert asked() is None


def test_garbage_from_a_network_keeps_no_one_there_from_answering(client, survey, settings):
    settings.SUBMISSIONS_PER_HOUR = 5
    statuses = [send(client, survey, b"x").status_code for _ in range(80)]
    assert set(statuses[:60]) == {400}
    assert set(statuses[60:]) == {429}
    for _ in range(5):
        assert send(client, survey, body_of(survey.revision)).status_code == 200


def test_an_unused_invitation_has_no_limit_and_a_used_one_has(client, owner, settings):
    """As many people as were invited may sit behind one address."""
    settings.SUBMISSIONS_PER_HOUR = 2
    survey = make_invited_survey(owner)
    codes = invite(survey, 8)
    for code in codes:
        reply = send(client, survey, body_of(survey.revision, invitation=code))
        assert reply.status_code == 200
    assert Invitation.objects.filter(redeemed=True).count() == 8
    again = [
        send(client, survey, body_of(survey.revision, invitation=codes[0])).status_code
        for _ in range(3)
    ]
    assert again == [403, 403, 429]


@pytest.mark.audit
@pytest.mark.django_db
def test_2000_invited_people_behind_one_address_are_all_taken(client, owner, settings):
    settings.SUBMISSIONS_PER_HOUR = 600
    survey = make_invited_survey(owner)
    for code in invite(survey, 2_000):
        reply = send(client, survey, body_of(survey.revision, invitation=code))
        assert reply.status_code == 200


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (ADDRESS, ADDRESS),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.77", ADDRESS),
        ("", ""),
        ("unix:", ""),
        ("é\0", ""),
    ],
)
def test_a_subscriber_of_ipv6_is_one_network(settings, address, network):
    settings.BEHIND_PROXY = False
    assert network_of(request_from(address, **{"X-Forwarded-For": "203.0.113.9"})) == network


def test_behind_a_proxy_its_last_word_counts_and_not_what_a_sender_wrote_before(settings):
    settings.BEHIND_PROXY = True
    forwarded = {"X-Forwarded-For": f"203.0.113.9, {ADDRESS}"}
    assert network_of(request_from("127.0.0.1", **forwarded)) == ADDRESS


@pytest.mark.parametrize("nonce", ["", "-1", "1e3", "٣", "9" * 21, "\0", "abc"])
def test_garbage_is_no_work(nonce):
    assert not has_worked(nonce, b"x", 1)


def test_work_for_one_body_is_not_good_for_another():
    nonce = work_for(b"one", 16)
    assert has_worked(nonce, b"one", 16)
    assert not has_worked(nonce, b"another", 16)


def test_who_is_refused_is_told_the_work_and_can_send_the_same_again(
    client, survey, settings, easy
):
    settings.SUBMISSIONS_PER_HOUR = 1
    first, second = (body_of(survey.revision) for _ in range(2))
    assert send(client, survey, first).status_code == 200
    refused = send(client, survey, second)
    assert (refused.status_code, refused.headers["Deniable-Work"]) == (429, "5")
    page = refused.content.decode()
    assert "Send again" in page
    assert 'name="key"' in page
    assert SubmissionKey.objects.count() == 1
    worked = send(client, survey, second, **{"Deniable-Work": work_for(second, 5)})
    assert worked.status_code == 200
