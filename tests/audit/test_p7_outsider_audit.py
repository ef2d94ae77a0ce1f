"""P7 against an outsider at full size: a running server, days that pass, and HTTP alone.

The attacks are those of ``tests/promises/test_p7_outsider.py``, in ``tests/outsider.py``.
"""

import math
from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

import pytest
from django.db import connection

from tests import load, outsider
from tests.audit.test_acceptance_audit import K, Site, days_from, site  # noqa: F401 - fixtures
from tests.outsider import Outsider

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
NO_COIN = {"text": "Drunk?", "kind": "yes_no", "design": "warner", "required": "on"}
TEXT = {"text": "What else?", "kind": "text", "design": "direct"}


class Running:
    """A running server, reached over connections; staff as somebody with a session."""

    def __init__(self, site: Site) -> None:  # noqa: F811 - the fixture has its name
        self.site = site

    def read(self, path: str) -> str:
        reply = self.site.staff.ask(path)
        assert reply.status in (200, 410), (path, reply.status)
        return reply.text

    def press(self, path: str, fields: Mapping[str, str]) -> str:
        reply = self.site.staff.ask(path, dict(fields))
        while reply.status == 302:
            reply = self.site.staff.ask(reply.location)
        assert reply.status == 200, (path, fields, reply.status)
        return reply.text

    def post(self, path: str, fields: Mapping[str, str]) -> str:
        status, text = load.answer(path, self.site.server.port, urlencode(fields).encode())
        assert status == 200, (status, fields)
        return text


@pytest.fixture
def attackers(site) -> Iterator[Outsider]:  # noqa: F811
    """New surveys that open at the close, without an end, each with its attacker."""

    def made() -> Iterator[Outsider]:
        while True:
            yield attacker_of(site, opening="close", close_on=days_from(site.place, 7))

    return made()


def attacker_of(site: Site, *more: dict[str, str], **fields: str) -> Outsider:  # noqa: F811
    coin = {**NO_COIN, "p_sensitive": "0.7310586"}
    key = site.launch("Outside", coin, *more, **fields)
    return Outsider(Running(site), key, {"q002": "01"})


def days(count: int):
    """Let so many days pass for the survey's server, whose hourly command then runs."""

    def passed(attacker: Outsider) -> None:
        own = attacker.site.site
        own.pass_days(count)
        own.keep_dates()

    return passed


close = days(9)


def say(capsys, words: str) -> None:
    with capsys.disabled():
        print(f"\n{connection.vendor}, outside: {words}")


def test_of_10_targets_with_a_coin_19_false_coins_each_find_none(attackers, capsys):
    found = [
        outsider.coin_among_fillers(next(attackers), close, honest=100, fillers=K - 1)
        for _ in range(10)
    ]
    say(capsys, f"with a coin among {found}, at least {1 + K}")
    assert min(found) >= 1 + K


def test_false_answers_by_browser_leave_a_tenth_of_the_honest_beside_a_coin(attackers, capsys):
    honest, flood, surveys = 100, 300, 5
    found = [
        outsider.coin_among_fillers(
            next(attackers), close, honest=honest, fillers=K - 1, flood=flood
        )
        for _ in range(surveys)
    ]
    share = 1 / 10  # of all browsers' rows, drawn without looking whose they are
    least = 1 + honest * share - 5 * math.sqrt(honest * share * (1 - share) / surveys)
    say(capsys, f"with a coin and {flood} false answers among {found}, mean at least {least:.1f}")
    assert sum(found) / surveys >= least


def test_a_survey_that_goes_quiet_keeps_company_for_a_coin_until_its_close(site, capsys):  # noqa: F811
    found = []
    for _ in range(4):
        fields = {"opening": "every", "opening_days": "1", "close_on": days_from(site.place, 6)}
        attack = attacker_of(site, **fields)
        found.append(
            outsider.coin_before_a_flood(attack, days(1), close, honest=200, periods=4, flood=500)
        )
    # Openings let 100, 50 and 25 out, but for a tenth, of which the target may be one.
    least = 1 + 10 + 5 + 2 - 1
    say(capsys, f"with a coin, early, before 500 false answers: among {found}, at least {least}")
    assert min(found) >= least


def test_neither_marks_nor_order_nor_receipts_tell_who_sent_a_row(site, capsys):  # noqa: F811
    fields = {"opening": "close", "close_on": days_from(site.place, 7)}
    assert outsider.marks_of_a_coin(attacker_of(site, TEXT, **fields), close, honest=40) == set()
    fields["close_on"] = days_from(site.place, 7)
    assert outsider.told_by_receipts(attacker_of(site, TEXT, **fields), close, people=20) == set()
    fields["close_on"] = days_from(site.place, 7)
    kept = outsider.kept_places(attacker_of(site, TEXT, **fields), close, people=400)
    say(capsys, f"places kept by rows, texts, both: {kept}, at most 6")
    assert max(kept) <= 1 + 5


@pytest.mark.parametrize("opening", ["close", "every"])
def test_no_page_of_a_running_server_moves_with_43_answers(site, opening):  # noqa: F811
    attacker = attacker_of(site, opening=opening, close_on=days_from(site.place, 20))
    site.keep_dates()
    assert outsider.moved_by_answers(attacker, people=43) == set()
