"""A flood of requests for a public release renders each page and file once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from analytics.pages.releases import outsiders, published
from analytics.pages.releases.kept import KeptAnswers
from tests.analytics import tabulating
from tests.analytics.tabulating import ASKED


class Counting:
    """Makes an answer of some bytes, and counts how often."""

    def __init__(self, size: int = 10, status: int = 200) -> None:
        self.times, self.size, self.status = 0, size, status

    def __call__(self) -> HttpResponse:
        self.times += 1
        return HttpResponse(b"x" * self.size, status=self.status)


def test_a_crowd_that_asks_at_once_gets_one_rendering():
    kept, made, here = KeptAnswers(), Counting(), threading.Barrier(8)

    def ask(_: int) -> bytes:
        here.wait()
        return kept.answer("one", made).content

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(8))) == {b"x" * 10}
    assert made.times == 1


def test_no_more_bytes_are_kept_than_there_is_room_for():
    kept, makers = KeptAnswers(most=25), {name: Counting() for name in "abc"}
    for name in "abcab":
        kept.answer(name, makers[name])
    assert [made.times for made in makers.values()] == [2, 2, 1]
    large = Counting(26)
    for _ in range(2):
        assert len(kept.answer("large", large).content) == 26
    assert large.times == 2


def test_what_was_asked_for_last_stays():
    kept, makers = KeptAnswers(most=25), {name: Counting() for name in "abc"}
    for name in "abaca":
        kept.answer(name, makers[name])
    assert makers["a"].times == 1


def test_a_refusal_is_not_kept_and_a_stream_is_kept_whole():
    kept, missing = KeptAnswers(), Counting(status=404)
    for _ in range(2):
        assert kept.answer("missing", missing).status_code == 404
    assert missing.times == 2
    headers = {"Content-Disposition": 'attachment; filename="a.csv"'}
    stream = StreamingHttpResponse(
        iter(["a,b\n", "1,2\n"]), content_type="text/csv", headers=headers
    )
    for _ in range(2):
        found = kept.answer("stream", lambda: stream)
        assert found.content == b"a,b\n1,2\n"
        assert found.headers["Content-Disposition"] == headers["Content-Disposition"]
        assert found.headers["Content-Type"] == "text/csv"


@pytest.mark.django_db(transaction=True)
def test_outsiders_get_the_same_bytes_and_staff_their_own_page(owner, monkeypatch):
    survey = tabulating.make_tabulated_survey(owner, 60)
    report = tabulating.release(survey, replace(ASKED, is_public=True))
    monkeypatch.setattr(outsiders, "KEPT", KeptAnswers())
    rendered: list[object] = []
    page = published.page
    monkeypatch.setattr(published, "page", lambda *given: rendered.append(given) or page(*given))
    address, client, staff = reverse("releases:page", args=[report.pk]), Client(), Client()
    first, second = (client.get(address) for _ in range(2))
    assert first.content == second.content
    assert len(rendered) == 1
    staff.force_login(owner)
    assert staff.get(address).content != first.content
    assert len(rendered) == 2
    assert client.get(address).content == first.content
    made_up = Client()
    made_up.cookies["sessionid"] = "made-up"
    made_up.cookies["messages"] = "made-up"
    assert made_up.get(address).content == first.content
    assert len(rendered) == 2
    for name in ("csv", "covariance", "json"):
        files = [client.get(reverse(f"releases:{name}", args=[report.pk])) for _ in range(2)]
        assert files[0].content == files[1].content
        assert not files[0].cookies
