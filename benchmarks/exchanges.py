"""Invited people who exchange their codes, wait, reload and send while everything is killed.

Each person keeps what its page keeps: key, salt and factor, until the receipt. A code is burned by
an exchange alone, an answer is counted once, and no body that differs is taken under one key.
"""

import http.client
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from benchmarks.crowds import (
    HEADERS,
    PATIENCE,
    PAUSE,
    PEOPLE,
    UNDECIDED,
    Outcome,
    at_once,
)
from benchmarks.findings import Field, Finding, compared, disconnect, kill_something

if TYPE_CHECKING:
    from surveys.models import Survey
    from tests.vouching import Request

BATCH, WIDTH, DIGITS = 20, 6, 342
RIVALS, RACES = 32, 10
TRIES = 600
# Of a hundred people: who reload, ask for a second signature, or try to send other answers; who
# open the page and go away; who have no script. Of a hundred requests: whose reply is lost.
TRY_AGAIN, LEAVE, BY_HAND, LOST = 0.1, 0.05, 0.05, 0.05
SCRIPT = {**HEADERS, "Accept": "application/json"}
PLACEHOLDER = "V" * DIGITS
Reply = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class Visit:
    """A person's page: what it asks for, and bodies that it draws, with room for a voucher."""

    serial: int
    token: str
    request: "Request"
    blinded: str
    modulus: int
    drawn: str
    otherwise: str
    by_hand: str

    @property
    def asking(self) -> str:
        return f"path=browser&invitation={self.token}&blinded={self.blinded}"

    def voucher(self, signed: str) -> str:
        """What this signature becomes; without a query, since the database may be away."""
        from surveys.kinds.text.promise import based, unbased
        from tests.oracles.vouchers import unblinded

        number = int.from_bytes(unbased(signed), "big")
        return based(unblinded(number, self.request.factor, self.modulus).to_bytes(256, "big"))


@dataclass
class Door:
    """A survey's addresses at one server, what was answered there, and what was wrong with it."""

    port: int
    survey: "Survey"
    chance: random.Random
    outcome: Outcome
    addresses: dict[str, str]
    done: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, place: Field, survey: "Survey") -> Self:
        from django.urls import reverse

        names = {"door": "respondent", "exchange": "posted", "send": "posted"}
        addresses = {
            name: reverse(f"{room}:{name}", args=[survey.pk]) for name, room in names.items()
        }
        return cls(place.server.port, survey, place.chance, Outcome(), addresses)

    def post(self, name: str, body: str, expected: int, *, loses: bool = True) -> dict[str, Any]:
        """The reply to a body that is sent until it is answered, and once more if that was lost."""
        address = self.addresses[name]
        if loses and self.chance.random() < LOST:
            _post(self.port, address, body)
        for _ in range(TRIES):
            status, reply = _post(self.port, address, body)
            if status not in UNDECIDED:
                break
            with self.lock:
                self.outcome.resent[f"{name} {status or 'no reply'}"] += 1
            time.sleep(PAUSE)
        with self.lock:
            self.done[f"{name} {status}"] += 1
            if status != expected:
                self.broken.append(f"{name}: {status} {reply} instead of {expected}")
        return reply

    def acknowledge(self, visit: Visit) -> None:
        with self.lock:
            self.outcome.acknowledged.append(visit.serial)


def _post(port: int, address: str, body: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("POST", address, body, SCRIPT)
        reply = connection.getresponse()
        content = reply.read()
    except (OSError, http.client.HTTPException):
        return 0, {}
    finally:
        connection.close()
    # Who has no script gets a page.
    return reply.status, json.loads(content) if content.startswith(b"{") else {}


def exchanged_under_load(place: Field, people: int) -> Finding:
    """Codes are exchanged and vouchers sent, with all that pages do in between."""
    survey = _survey()
    tokens = _invite(survey, people)
    visits = [_visit(survey, token, place.next_serial()) for token in tokens]
    door = Door.of(place, survey)
    coming = visits[::-1]
    persons = [
        threading.Thread(target=_come, args=(door, coming, visits[0])) for _ in range(PEOPLE)
    ]
    for person in persons:
        person.start()
    kills: Counter[str] = Counter()
    while any(person.is_alive() for person in persons):
        known = len(door.outcome.acknowledged)
        kills[kill_something(place)] += 1
        time.sleep(place.chance.uniform(0.5, 1))
        _wait(persons, door, known + BATCH)  # what is still dead cannot be killed
    if len(door.outcome.acknowledged) + door.done["left before Send"] != people:
        door.broken.append("a person gave up")
    words = ", ".join(f"{kind} {count}" for kind, count in sorted(kills.items()))
    return _audited("Exchanged under load", door, [f"kills: {words}"])


def _wait(persons: list[threading.Thread], door: Door, acknowledged: int) -> None:
    while any(one.is_alive() for one in persons) and len(door.outcome.acknowledged) < acknowledged:
        time.sleep(0.01)


def _come(door: Door, coming: list[Visit], other: Visit) -> None:
    while True:
        with door.lock:
            if not coming:
                return
            visit = coming.pop()
            door.outcome.sent += 1
        _answer(door, visit, other)


def _answer(door: Door, visit: Visit, other: Visit) -> None:
    door.post("door", f"path=browser&invitation={visit.token}", 200)
    roll = door.chance.random()
    if roll < LEAVE:
        with door.lock:
            door.done["left before Send"] += 1
    elif roll < LEAVE + BY_HAND:
        door.post("send", visit.by_hand, 200)
        door.acknowledge(visit)
        with door.lock:
            door.done["by hand"] += 1
    else:
        _send_by_voucher(door, visit, other)


def _send_by_voucher(door: Door, visit: Visit, other: Visit) -> None:
    signed = door.post("exchange", visit.asking, 200)["signed"]
    if door.chance.random() < TRY_AGAIN:  # a reload: the page asks for the same again
        again = door.post("exchange", visit.asking, 200)["signed"]
        if again != signed:
            door.broken.append("another signature came for the same request")
    if other is not visit and door.chance.random() < TRY_AGAIN:
        door.post("exchange", visit.asking.replace(visit.blinded, other.blinded), 403)
    voucher = visit.voucher(signed)
    receipt = door.post("send", visit.drawn.replace(PLACEHOLDER, voucher), 200)
    door.acknowledge(visit)
    if door.chance.random() < TRY_AGAIN:
        door.post("send", visit.otherwise.replace(PLACEHOLDER, voucher), 409)
    if door.chance.random() < TRY_AGAIN:
        again = door.post("send", visit.drawn.replace(PLACEHOLDER, voucher), 200)
        if again != receipt:
            door.broken.append("another receipt came for the same body")


def raced(place: Field) -> Finding:
    """One code with 32 requests at the same instant, and one voucher with 32 bodies."""
    survey = _survey()
    door = Door.of(place, survey)
    for token in _invite(survey, RACES):
        rivals = [_visit(survey, token, place.next_serial()) for _ in range(RIVALS)]
        winner, signed = _race_to_exchange(door, rivals)
        _race_to_send(door, winner, signed, place)
    return _audited("One code and one voucher, 32 at once", door, [])


def _race_to_exchange(door: Door, rivals: list[Visit]) -> tuple[Visit, str]:
    signed: list[tuple[Visit, str]] = []

    def ask(visit: Visit) -> None:
        status, reply = _post(door.port, door.addresses["exchange"], visit.asking)
        with door.lock:
            door.done[f"exchange {status}"] += 1
            if status == 200:
                signed.append((visit, reply["signed"]))

    at_once(partial(ask, visit) for visit in rivals)
    if len(signed) != 1:
        door.broken.append(f"{len(signed)} of {RIVALS} got a signature for one code")
    return signed[0]


def _race_to_send(door: Door, winner: Visit, signed: str, place: Field) -> None:
    """Bodies with one key and one voucher, each with a number of its own."""
    voucher = winner.voucher(signed)
    serials = [winner.serial, *(place.next_serial() for _ in range(RIVALS - 1))]
    ending = f"={winner.serial:0{WIDTH}d}"
    accepted: list[int] = []

    def send(serial: int) -> None:
        body = winner.drawn.replace(PLACEHOLDER, voucher).replace(ending, f"={serial:0{WIDTH}d}")
        status, _ = _post(door.port, door.addresses["send"], body)
        with door.lock:
            door.outcome.sent += 1
            door.done[f"send {status}"] += 1
            if status == 200:
                accepted.append(serial)

    at_once(partial(send, serial) for serial in serials)
    door.outcome.acknowledged += accepted
    if len(accepted) != 1:
        door.broken.append(f"{len(accepted)} of {RIVALS} bodies with one voucher were accepted")


def _survey() -> "Survey":
    """For invited people, whose only answer is their own number."""
    from django.contrib.auth.models import User

    from tests.factories import add_serial_number, launched, make_survey
    from tests.vouching import usual_fields

    disconnect()
    fields = {**usual_fields(), "batch_size": BATCH}
    draft = make_survey(User.objects.get(), invitation_only=True, **fields)
    add_serial_number(draft, width=WIDTH)
    return launched(draft)


def _invite(survey: "Survey", count: int) -> list[str]:
    from tests.factories import invite

    return invite(survey, count)


def _visit(survey: "Survey", token: str, serial: int) -> Visit:
    from surveys.kinds.text.promise import based
    from tests.bodies import body_of
    from tests.vouching import Request, modulus_of

    request = Request.drawn(survey)
    number, other = ([f"{one:0{WIDTH}d}"] for one in (serial, 10**WIDTH - 1 - serial))
    by_hand = body_of(survey.revision, number, own_coin=True, invitation=token)
    return Visit(
        serial,
        token,
        request,
        based(request.blinded),
        modulus_of(survey),
        request.body(PLACEHOLDER, number).decode(),
        request.body(PLACEHOLDER, other).decode(),
        by_hand.decode(),
    )


def _audited(title: str, door: Door, notes: list[str]) -> Finding:
    """Burned codes are those of the exchanged and by hand; after the close the audit adds up."""
    from surveys.collecting.published.audit import audit_file
    from surveys.models import Invitation
    from surveys.operations.retention import keep_dates
    from tests.factories import after_the_close

    disconnect()
    survey = door.survey
    by_hand = door.done["by hand"]
    burned = Invitation.objects.filter(survey=survey, redeemed=True).count()
    answered = len(door.outcome.acknowledged)
    if burned != answered:
        door.broken.append(f"{burned} codes are burned, and {answered} people have a receipt")
    if any(reason in door.outcome.resent for reason in ("exchange 500", "send 500")):
        door.broken.append("a person was answered with an error instead of 503 and advice")
    keep_dates(now=after_the_close(survey))
    survey.refresh_from_db()
    finding = compared(title, door.outcome, survey, broken=door.broken, notes=notes)
    finding.notes.append(", ".join(f"{what} {n}" for what, n in sorted(door.done.items())))
    content = audit_file(survey)
    audit = json.loads(content or b"{}")
    audit["digests"] = len(audit["digests"])
    finding.notes.append(f"audit.json: {audit}")
    expected = {
        "exchanged": answered - by_hand,
        "by_voucher": answered - by_hand,
        "by_code": by_hand,
        "responses": answered,
        "destroyed": 0,
        "digests": answered,
    }
    finding.broken += [] if expected.items() <= audit.items() else [f"audit.json is not {expected}"]
    return finding
