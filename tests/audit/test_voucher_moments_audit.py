"""Vouchers against an operator who notes every moment, and at the last midnight, over real HTTP.

The operator runs another logger, which writes down each request as it comes, and no address of a
network; people wait as pages do. The attacks go by the order of what was noted, so that people act
in the order of moments that were drawn, and nothing waits. At midnight libfaketime's clock passes.
"""

import json
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from surveys.kinds.text.promise import based, unbased
from surveys.trust.vouchers import SALT_BYTES, SIZE, voucher_message
from tests import load
from tests.audit.test_acceptance_audit import Site, served
from tests.oracles.vouchers import blinded, unblinded
from tests.surveys.questionnaire.plans.test_voucher_waits import (
    LATENCY,
    STATED,
    WITHIN,
    attacks,
    right_guesses,
    waits,
)

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True), pytest.mark.one_database]
# The share of right guesses among so many has a standard error of .01 at most: five of them are
# what may lie between it and the table.
PEOPLE = 2500
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Page:
    """What a survey's first page says that its script exchanges codes with."""

    key: str
    revision: str
    digest: bytes
    modulus: int

    @classmethod
    def of(cls, site: Site, key: str) -> Self:
        text = site.staff.ask(f"/en/s/{key}/").text
        revision, modulus, digest = (
            re.search(rf'data-{name}="([0-9a-f-]+)"', text)[1]
            for name in ("revision", "n", "digest")
        )
        return cls(key, revision, bytes.fromhex(digest), int(modulus, 16))


class Visitor:
    """A person's page, from the code to the receipt."""

    def __init__(self, page: Page, code: str, number: int) -> None:
        self.page, self.code, self.number = page, code, number
        self.key = secrets.token_bytes(16)
        self.factor = secrets.randbelow(page.modulus - 2) + 2
        self.voucher = ""

    def exchange(self, port: int) -> None:
        message = voucher_message(self.page.digest, self.key)
        salt = secrets.token_bytes(SALT_BYTES)
        hidden = blinded(message, salt, self.factor, self.page.modulus).to_bytes(SIZE, "big")
        body = f"path=browser&invitation={self.code}&blinded={based(hidden)}"
        reply = replied(f"/s/{self.page.key}/exchange/", port, body)
        assert reply["reply"] == "signed", reply
        number = int.from_bytes(unbased(reply["signed"]), "big")
        signed = unblinded(number, self.factor, self.page.modulus)
        self.voucher = based(signed.to_bytes(SIZE, "big"))

    def send(self, port: int) -> str:
        """The kind of reply."""
        body = (
            f"revision={self.page.revision}&key={self.key.hex()}&path=browser"
            f"&voucher={self.voucher}&q001={self.number:05d}"
        )
        return replied(f"/s/{self.page.key}/send/", port, body)["reply"]


def replied(address: str, port: int, body: str) -> dict[str, str]:
    return json.loads(load.answer(address, port, body.encode(), load.FROM_THE_SCRIPT)[1])


def launched(site: Site, title: str) -> str:
    """A survey for invited people whose pages wait; it ends in five days."""
    last = (site.place.now + timedelta(days=5)).date()
    terms = {"invitation_only": "on", "voucher_wait": "60", "opening": "close", "opening_hour": "0"}
    return site.launch(title, close_on=str(last), **terms)


@pytest.mark.parametrize("arrivals", [1, 5])
def test_who_notes_every_moment_links_as_many_as_is_stated(place, tmp_path, arrivals):
    rng = np.random.default_rng(3811)
    notes = tmp_path / "notes.txt"
    noting = ("--logger-class", "gunicorn.glogging.Logger", "--access-logfile", str(notes))
    # One thread: a line is written after its reply is sent, and another one could be written first.
    noting += ("--access-logformat", "%(U)s", "--workers", "1", "--threads", "1")
    with place.served(tmp_path / "log.txt", *noting, LD_PRELOAD="") as server:
        site = Site(place, server)
        site.staff.log_in()
        key = launched(site, "Noted")
        page = Page.of(site, key)
        visitors = [Visitor(page, code, at) for at, code in enumerate(site.codes(key, PEOPLE))]
        came = np.cumsum(rng.exponential(60 / arrivals, PEOPLE))
        sent = came + waits(rng, PEOPLE) + LATENCY
        acts = [(at, visitor.exchange) for at, visitor in zip(came, visitors, strict=True)]
        acts += [(at, visitor.send) for at, visitor in zip(sent, visitors, strict=True)]
        acts.sort(key=lambda act: act[0])
        for _, act in acts:
            act(server.port)
    exchanges, sends = noted(notes, [int(person) for person in np.argsort(sent)])
    right = {name: right_guesses(exchanges, sends, choose) for name, choose in attacks(rng).items()}
    print(f"\n{arrivals} arrivals a minute: right {right}; stated {STATED[arrivals][1]}")
    assert max(right.values()) == pytest.approx(STATED[arrivals][1], abs=WITHIN)


def noted(notes: Path, senders: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The places of each person's exchange and Send in the log; ``senders`` is the truth.

    The n-th exchange is the n-th person's, which a changed program knows.
    """
    exchanges, sends = [], np.zeros(len(senders))
    order = iter(senders)
    for place, address in enumerate(notes.read_text().splitlines()):
        if address.endswith("/exchange/"):
            exchanges.append(place)
        elif address.endswith("/send/"):
            sends[next(order)] = place
    return np.array(exchanges), sends


def test_a_wait_across_the_last_midnight_loses_nothing(place, tmp_path):
    with served(place, tmp_path / "log.txt") as site:
        key = launched(site, "Midnight")
        page, port = Page.of(site, key), site.server.port
        visitors = [Visitor(page, code, at) for at, code in enumerate(site.codes(key, 22))]
        midnight = datetime.combine(place.now.date() + timedelta(days=6), time(), UTC)
        place.set(midnight - 30 * SECOND)
        for visitor in visitors[:21]:
            visitor.exchange(port)
        place.set(midnight + 280 * SECOND)
        assert {visitor.send(port) for visitor in visitors[:20]} == {"receipt"}
        asked = f"path=browser&invitation={visitors[21].code}&blinded={based(bytes(256))}"
        assert replied(f"/s/{key}/exchange/", port, asked)["reply"] == "refused"
        site.keep_dates()
        assert {visitor.send(port) for visitor in visitors[:20]} == {"receipt"}
        place.set(midnight + timedelta(minutes=11))
        assert visitors[20].send(port) == "refused"
        site.keep_dates()
        site.staff.log_in()
        assert sorted(site.shown(key)) == list(range(20))
        audit = json.loads(site.staff.ask(f"/en/s/{key}/audit.json").text)
    assert (audit["exchanged"], audit["by_voucher"], audit["responses"]) == (21, 20, 20)
