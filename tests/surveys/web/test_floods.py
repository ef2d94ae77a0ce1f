"""Floods are limited by network and hour, and no address is kept for it."""

import gc
import hashlib
import itertools

import pytest
from django.test import RequestFactory
from django.urls import reverse

from surveys.collecting.pages import FORM
from surveys.models import SubmissionKey
from surveys.web.requests import HourlyCounter, has_worked, is_flood, network_of
from tests.factories import body_of

ADDRESS = "198.51.100.77"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def request_from(address: str, **headers: str):
    return RequestFactory().post("/", REMOTE_ADDR=address, headers=headers)


def work_for(body: bytes, bits: int) -> str:
    """The first nonce that is good enough, found as the page's script finds it."""
    start = hashlib.sha256(body).digest()
    for nonce in itertools.count():
        digest = hashlib.sha256(start + str(nonce).encode()).digest()
        if int.from_bytes(digest, "big") >> (256 - bits) == 0:
            return str(nonce)
    raise AssertionError


def test_each_network_may_send_so_much_an_hour_and_again_in_the_next(settings):
    settings.SUBMISSIONS_PER_HOUR = 3
    clock = Clock()
    counter = HourlyCounter(clock)
    for _ in range(3):
        assert not is_flood(request_from(ADDRESS), b"", counter)
    assert is_flood(request_from(ADDRESS), b"", counter)
    assert not is_flood(request_from("198.51.100.78"), b"", counter)
    clock.now += 3600
    assert not is_flood(request_from(ADDRESS), b"", counter)


def test_no_limit_is_no_limit(settings):
    settings.SUBMISSIONS_PER_HOUR = 0
    counter = HourlyCounter()
    for _ in range(100):
        assert not is_flood(request_from(ADDRESS), b"", counter)


def test_the_counter_keeps_no_address_and_forgets_its_key_every_hour():
    clock = Clock()
    counter = HourlyCounter(clock)
    counter.count(ADDRESS)
    before = dict(vars(counter))
    assert ADDRESS not in repr(before)
    assert not any(
        ADDRESS in one
        for one in gc.get_referents(counter, before["_counts"])
        if isinstance(one, str)
    )
    clock.now += 3600
    counter.count(ADDRESS)
    assert counter._key != before["_key"]
    assert set(counter._counts).isdisjoint(before["_counts"])


def test_the_counter_never_grows_without_bound(monkeypatch):
    monkeypatch.setattr("surveys.web.requests.MOST_NETWORKS", 10)
    counter = HourlyCounter()
    for number in range(1000):
        counter.count(str(number))
    assert len(counter._counts) <= 10


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
def test_garbage_is_no_work(settings, nonce):
    settings.PROOF_OF_WORK_BITS = 1
    assert not has_worked(nonce, b"x")


def test_work_is_worth_the_whole_limit_and_none_a_tenth(settings):
    settings.SUBMISSIONS_PER_HOUR, settings.PROOF_OF_WORK_BITS = 20, 6
    counter, body = HourlyCounter(), b"some body"
    paid = {"Deniable-Work": work_for(body, 6)}
    for _ in range(2):
        assert not is_flood(request_from(ADDRESS), body, counter)
    assert is_flood(request_from(ADDRESS), body, counter)
    for _ in range(20):
        assert not is_flood(request_from(ADDRESS, **paid), body, counter)
    assert is_flood(request_from(ADDRESS, **paid), body, counter)


def test_work_for_one_body_is_not_good_for_another(settings):
    settings.PROOF_OF_WORK_BITS = 16
    nonce = work_for(b"one", 16)
    assert has_worked(nonce, b"one")
    assert not has_worked(nonce, b"another")


def test_who_is_refused_can_send_the_same_again_later(client, survey, settings, monkeypatch):
    settings.SUBMISSIONS_PER_HOUR = 1
    monkeypatch.setattr("surveys.web.requests.submissions", HourlyCounter())
    replies = [
        client.post(
            reverse("respondent:send", args=[survey.pk]),
            body_of(survey.revision),
            content_type=FORM,
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        for _ in range(2)
    ]
    assert [reply.status_code for reply in replies] == [200, 429]
    page = replies[1].content.decode()
    assert "Send again" in page
    assert 'name="key"' in page
    assert SubmissionKey.objects.count() == 1
