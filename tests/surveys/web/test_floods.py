"""Floods are limited by network, survey and hour; what is refused has a limit of its own."""

import hashlib
import itertools
import uuid

import pytest
from django.test import RequestFactory

from surveys.models import Invitation, SubmissionKey
from surveys.web import floods
from surveys.web.counts import SharedCounts
from surveys.web.floods import (
    NETWORKS_UNREADABLE,
    UNREADABLE,
    has_guessed_too_often,
    has_worked,
    is_refused_too_often,
    network_of,
    work_asked,
)
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey
from tests.posting import post

ADDRESS = "198.51.100.77"
BODY = b"some body"
OTHER = str(uuid.UUID(int=1))  # a revision that this survey does not have


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


def is_refused(place: str = "a survey", *, is_form: bool) -> bool:
    return is_refused_too_often(request_from(ADDRESS), place, is_form=is_form)


def work_for(body: bytes, bits: int) -> str:
    """The first nonce that is good enough, found as the page's script finds it."""
    start = hashlib.sha256(body).digest()
    for nonce in itertools.count():
        digest = hashlib.sha256(start + str(nonce).encode()).digest()
        if int.from_bytes(digest, "big") >> (256 - bits) == 0:
            return str(nonce)
    raise AssertionError


def test_each_network_may_send_so_much_to_each_survey_without_work(settings):
    settings.SUBMISSIONS_PER_HOUR = 3
    assert [asked() for _ in range(4)] == [None, None, None, floods.LEAST_BITS]
    assert asked(address="198.51.100.78") is None
    assert asked("another survey") is None


def test_without_a_limit_no_one_works(settings):
    settings.SUBMISSIONS_PER_HOUR = 0
    assert {asked() for _ in range(100)} == {None}
    assert not any(is_refused(is_form=is_form) for is_form in (True, False) for _ in range(100))


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
    assert [is_refused(is_form=False) for _ in range(62)] == [False] * 60 + [True] * 2
    assert [is_refused(is_form=True) for _ in range(602)] == [False] * 600 + [True] * 2
    assert is_refused("another survey", is_form=True) is False
    assert asked() is None


def test_garbage_from_a_network_keeps_no_one_there_from_answering(client, survey, settings):
    settings.SUBMISSIONS_PER_HOUR = 5
    statuses = [post(survey, b"x", client).status_code for _ in range(80)]
    assert set(statuses[:60]) == {400}
    assert set(statuses[60:]) == {429}
    for _ in range(5):
        assert post(survey, body_of(survey.revision), client).status_code == 200


def test_garbage_from_a_network_hides_no_one_s_mistake(client, owner, settings):
    """People without the script send whole forms, and read what is wrong with theirs."""
    settings.SUBMISSIONS_PER_HOUR = 600
    survey = make_invited_survey(owner)
    for _ in range(80):
        last = post(survey, b"x", client)
    assert last.status_code == 429
    wrong = body_of(survey.revision, own_coin=True, invitation="mistyped")
    reply = post(survey, wrong, client)
    assert reply.status_code == 403
    assert "Compare the code with your invitation" in reply.content.decode()


def test_garbage_from_a_network_hides_no_one_s_page_of_another_version(client, survey, settings):
    """Sent without the script it has all that a form has, and says why it is refused."""
    settings.SUBMISSIONS_PER_HOUR = 600
    garbage = f"revision={uuid.uuid4()}&key=x".encode()
    assert {post(survey, garbage, client).status_code for _ in range(60)} == {409}
    assert post(survey, garbage, client).status_code == 429
    whole = body_of(survey.revision, own_coin=True)
    reply = post(survey, whole.replace(str(survey.revision.pk).encode(), OTHER.encode()), client)
    assert reply.status_code == 409
    assert "they belong to another version of the survey" in reply.content.decode()


def test_an_unused_invitation_has_no_limit_and_a_used_one_has(client, owner, settings):
    """As many people as were invited may sit behind one address."""
    settings.SUBMISSIONS_PER_HOUR = 2
    survey = make_invited_survey(owner)
    codes = invite(survey, 8)
    for code in codes:
        reply = post(survey, body_of(survey.revision, invitation=code), client)
        assert reply.status_code == 200
    assert Invitation.objects.filter(redeemed=True).count() == 8
    again = [
        post(survey, body_of(survey.revision, invitation=codes[0]), client).status_code
        for _ in range(3)
    ]
    assert again == [403, 403, 429]


@pytest.mark.audit
@pytest.mark.django_db
def test_2000_invited_people_behind_one_address_are_all_taken(client, owner, settings):
    settings.SUBMISSIONS_PER_HOUR = 600
    survey = make_invited_survey(owner)
    for code in invite(survey, 2_000):
        reply = post(survey, body_of(survey.revision, invitation=code), client)
        assert reply.status_code == 200


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (ADDRESS, ADDRESS),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.77", ADDRESS),
        ("", UNREADABLE),
        ("unix:", UNREADABLE),
        ("é\0", UNREADABLE),
    ],
)
def test_a_subscriber_of_ipv6_is_one_network(settings, address, network):
    settings.BEHIND_PROXY = False
    assert network_of(request_from(address, **{"X-Forwarded-For": "203.0.113.9"})) == network


def test_behind_a_proxy_its_last_word_counts_and_not_what_a_sender_wrote_before(settings):
    settings.BEHIND_PROXY = True
    forwarded = {"X-Forwarded-For": f"203.0.113.9, {ADDRESS}"}
    assert network_of(request_from("127.0.0.1", **forwarded)) == ADDRESS


@pytest.mark.parametrize(
    ("stated", "network"),
    [
        (f"{ADDRESS}:4711", ADDRESS),
        ("[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]", "2001:db8:1:2::/64"),
        ("[::ffff:198.51.100.77]:443", ADDRESS),
        ("fe80::1%eth0", "fe80::/64"),
        ("203.0.113.9, 198.51.100.77:80", ADDRESS),
        ("unknown", UNREADABLE),
        ("", UNREADABLE),
        (f"{ADDRESS}:", UNREADABLE),
        (f"{ADDRESS}:٣", UNREADABLE),
        ("1:2:3", UNREADABLE),
        ("[]:1", UNREADABLE),
        ("[198.51.100.77", UNREADABLE),
        ("[" * 10_000, UNREADABLE),
    ],
)
def test_ports_and_brackets_are_read_and_everything_else_is_one_network(settings, stated, network):
    settings.BEHIND_PROXY = True
    assert network_of(request_from("127.0.0.1", **{"X-Forwarded-For": stated})) == network


def test_a_proxy_that_states_nothing_makes_all_visitors_one_network(settings):
    settings.BEHIND_PROXY = True
    assert network_of(request_from("127.0.0.1")) == UNREADABLE


def test_all_whose_address_cannot_be_read_have_50_times_the_limit_and_then_work(settings):
    settings.SUBMISSIONS_PER_HOUR, settings.BEHIND_PROXY = 3, True
    found = [asked(**{"X-Forwarded-For": f"visitor-{number}"}) for number in range(152)]
    assert found == [None] * 150 + [floods.LEAST_BITS] * 2
    assert NETWORKS_UNREADABLE == 50
    assert asked(**{"X-Forwarded-For": ADDRESS}) is None


def test_all_whose_address_cannot_be_read_have_a_limit_of_garbage_and_of_guesses(settings):
    settings.SUBMISSIONS_PER_HOUR, settings.BEHIND_PROXY = 600, True
    request = request_from("127.0.0.1", **{"X-Forwarded-For": "unknown"})
    found = [is_refused_too_often(request, "a survey", is_form=False) for _ in range(3_001)]
    assert found == [False] * 3_000 + [True]
    for _ in range(200 * 50):
        assert not has_guessed_too_often(request)
        floods.count_guess(request)
    assert has_guessed_too_often(request)


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
    assert post(survey, first, client).status_code == 200
    refused = post(survey, second, client)
    assert (refused.status_code, refused.headers["Deniable-Work"]) == (429, "5")
    page = refused.content.decode()
    assert "Send again" in page
    assert 'name="key"' in page
    assert SubmissionKey.objects.count() == 1
    worked = post(survey, second, client, **{"Deniable-Work": work_for(second, 5)})
    assert worked.status_code == 200
