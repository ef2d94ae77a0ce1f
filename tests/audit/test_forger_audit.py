"""A forger over HTTP, who knows the design, the public files, and a trustee's own key.

Ballots and vouchers are sent as pages send them, trustees' files as the owner uploads them: of ten
thousand nothing gets in, each is refused in words, and none makes the server err. What is forged,
and that nothing is refused for another reason, is in ``tests/surveys/trust/tally``.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.kinds.text.promise import based, unbased
from surveys.models import SubmissionKey, Survey, TallyFile
from surveys.models.queries import published_document, table_to_lock
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import TallyPlan
from surveys.trust.vouchers import SIZE, new_signing_key, sign_blinded
from tests import load, tallied
from tests.bodies import body_of
from tests.counting import NAMES, secret_of
from tests.days import DAY, today
from tests.factories import add_question, invite, launched, make_survey
from tests.people import Forms
from tests.surveys.authoring.trustees import add_tally
from tests.surveys.trust.tally import forged_ballots, forged_openings
from tests.surveys.trust.tally.forging import Forger
from tests.tour import enter
from tests.vouching import Request, make_vouched_survey, modulus_of

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True), pytest.mark.one_database]
SEED = 41
BALLOTS, VOUCHERS, FILES = 7_000, 2_500, 250  # of noises and of shares, each
PEOPLE = 6


def counted_survey(owner, **fields: object) -> Survey:
    """A yes or no that is counted locked, in a table of three cells, as the forger's tools want."""
    draft = make_survey(owner, **{**tallied_fields(), **fields})
    add_question(draft, text="Do you own a car?", design="direct", required=True)
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    return launched(draft)


def tallied_fields() -> dict[str, object]:
    return {"opening": "close", "close_on": today() + 30 * DAY, "batch_size": 5}


class Door:
    """A running server, where something is handed in; what came of it is counted."""

    def __init__(self, port: int, address: str) -> None:
        self.port, self.address = port, address
        self.said: dict[str, int] = {}

    def send(self, body: bytes) -> bool:
        """Whether it was taken, of what a respondent's page sends."""
        status, text = load.answer(self.address, self.port, body, load.FROM_THE_SCRIPT)
        reply = json.loads(text)
        self._note(f"{status} {reply['reply']} {reply.get('code', '')}".strip())
        return reply["reply"] == "receipt"

    def upload(self, headers: Mapping[str, str], token: str, file: Mapping[str, Any]) -> bool:
        """Whether it was taken, of what an owner uploads."""
        one = _File(json.dumps(file).encode())
        body = encode_multipart(BOUNDARY, {"csrfmiddlewaretoken": token, "file": one})
        sent = {**headers, "Content-Type": MULTIPART_CONTENT}
        status, text = load.answer(self.address, self.port, body, sent)
        assert status in (200, 302), (status, text[:500])
        self._note(str(status))
        return status == 302

    def _note(self, said: str) -> None:
        self.said[said] = self.said.get(said, 0) + 1


class _File:
    name, content_type = "forged.json", "application/json"

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self) -> bytes:
        return self._content


def of_each(kinds: Sequence[Callable], many: int) -> list[str]:
    """Which forgeries were taken: none, if all is well."""
    taken = []
    for number, kind in zip(range(many), cycle(kinds), strict=False):
        submission = kind(Forger((SEED, kind.__name__, number)))
        with suppress(TrustRefusal):  # one that is no file alone, and is checked as verifiers do
            if submission() is not False:
                taken.append(f"{kind.__name__} {number}")
    return taken


def test_of_thousands_of_ballots_none_is_taken(owner, tmp_path, monkeypatch, capsys):
    survey = counted_survey(owner)
    table = table_to_lock(survey.revision.pk, 1)
    known = [make_ballot(table, cell) for cell in (0, 1, 1, 2, 2, 2)]
    plan = TallyPlan.read(published_document(survey.pk), 1)
    head, _, _ = body_of(survey.revision).partition(b"&key=")
    with load.gunicorn(tmp_path / "log.txt", DENIABLE_SUBMISSIONS_PER_HOUR="0") as server:
        door = Door(server.port, reverse("posted:send", args=[survey.pk]))

        def hand_in(content: bytes) -> bool:
            key = f"&key={secrets.token_hex(16)}&path=browser&q001=00&t01={based(content)}"
            return door.send(head + key.encode())

        assert hand_in(make_ballot(table, 0))
        for name, value in {"plan": plan, "ballots": known, "secrets_of": both_secrets()}.items():
            monkeypatch.setattr(forged_ballots, name, partial(_given, value))
        monkeypatch.setattr(forged_ballots, "ballot", lambda content: partial(hand_in, content))
        assert of_each(forged_ballots.BALLOTS, BALLOTS) == []
    say(capsys, "ballots", door)
    assert SubmissionKey.objects.count() == 1


def test_of_thousands_of_vouchers_none_is_taken(owner, tmp_path, capsys):
    survey, other = (make_vouched_survey(owner) for _ in range(2))
    honest = [Request.drawn(survey) for _ in range(2)]
    vouchers = [one.exchanged(token) for one, token in zip(honest, invite(survey, 2), strict=True)]
    theirs = Request.drawn(other)
    elsewhere = theirs.exchanged(invite(other, 1)[0])
    kinds = voucher_kinds(modulus_of(survey), [*vouchers, elsewhere])
    with load.gunicorn(tmp_path / "log.txt", DENIABLE_SUBMISSIONS_PER_HOUR="0") as server:
        door = Door(server.port, reverse("posted:send", args=[survey.pk]))
        assert door.send(honest[0].body(vouchers[0]))
        taken = [
            number
            for number, kind in zip(range(VOUCHERS), cycle(kinds), strict=False)
            if door.send(Request.drawn(survey).body(kind(Forger((SEED, number)))))
        ]
        assert taken == []
    say(capsys, "vouchers", door)
    assert SubmissionKey.objects.count() == 1


def voucher_kinds(n: int, known: Sequence[str]) -> list[Callable[[Forger], str]]:
    """Of numbers, lengths, other keys and other surveys, and of signatures multiplied together."""
    numbers = [int.from_bytes(unbased(one)) for one in known]
    own = new_signing_key()

    def number(value: int) -> str:
        return based((value % 2 ** (8 * SIZE)).to_bytes(SIZE))

    return [
        lambda forger: number(forger.rng.randrange(n)),
        lambda forger: number(forger.rng.choice([0, 1, n - 1, n, n + 1, 2 ** (8 * SIZE) - 1])),
        lambda forger: based(forger.rng.randbytes(forger.rng.choice([0, 1, 255, 257, 512]))),
        lambda forger: forger.rng.choice(known),
        lambda forger: number(numbers[0] * numbers[1] % n),
        lambda forger: number(pow(forger.rng.choice(numbers), forger.rng.choice([-1, 2, 3]), n)),
        lambda forger: number(n - forger.rng.choice(numbers)),
        lambda forger: number(forger.rng.choice(numbers) ^ 1 << forger.rng.randrange(2047)),
        lambda forger: based(sign_blinded(own, bytes(1) + forger.rng.randbytes(SIZE - 1))),
        lambda forger: forger.rng.choice(known)[:-1] + "!",
    ]


def test_of_hundreds_of_trustees_files_none_is_taken(owner, tmp_path, monkeypatch, capsys):
    survey = counted_survey(owner)
    for place in range(PEOPLE):
        receive(survey_id=survey.pk, body=body_of(survey.revision, cells=[place % 3]))
    tallied.close(survey)
    listed = tallied.listed(survey)
    noises = (listed.noise_file(1, [1, -2, 0]), listed.noise_file(2, [0, 3, -1]))
    totals = tallied.totals(survey, *noises)
    shares = tuple(totals.share_file(n, secret_of(name)) for n, name in enumerate(NAMES, start=1))
    known = {"plan": listed.plan, "listed": listed, "noises": noises, "totals": totals}
    known |= {"shares": shares, "secrets_of": both_secrets()}
    for name, value in known.items():
        monkeypatch.setattr(forged_openings, name, partial(_given, value))
    monkeypatch.setattr(forged_openings, "BITS", listed.plan.bits)
    with load.gunicorn(tmp_path / "log.txt") as server:
        door = Door(server.port, reverse("surveys:take-trustee-file", args=[survey.pk, 1]))
        upload = partial(door.upload, *session(server.port, survey))
        for name, honest in {"noise": noises, "share": shares}.items():
            monkeypatch.setattr(forged_openings, name, partial(as_second, upload, honest))
        assert upload(noises[0])
        assert of_each(forged_openings.NOISES, FILES) == []
        assert TallyFile.objects.exclude(kind=TallyFile.Kind.TOTAL).count() == 1
        assert upload(noises[1])
        assert upload(shares[0])
        assert of_each(forged_openings.SHARES, FILES) == []
        assert TallyFile.objects.exclude(kind=TallyFile.Kind.TOTAL).count() == 3
        assert upload(shares[1])
    say(capsys, "trustees' files", door)


def as_second(
    upload: Callable[[Mapping[str, Any]], bool],
    honest: Sequence[Mapping[str, Any]],
    cells: Sequence[bytes],
    /,
    **head: object,
) -> Callable[[], bool]:
    """The second trustee's file with these cells."""
    file = {**honest[1], "cells": [one.hex() for one in cells], **head}
    return partial(upload, file)


def session(port: int, survey: Survey) -> tuple[dict[str, str], str]:
    """Headers of the owner's browser, and what its form proves itself with."""
    client = Client()
    enter(client, survey.owner.username)
    page = client.get(reverse("surveys:locked", args=[survey.pk])).content.decode()
    token = Forms(page).with_names({"file"})["csrfmiddlewaretoken"]
    names = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME)
    cookies = "; ".join(f"{name}={client.cookies[name].value}" for name in names)
    return {"Cookie": cookies, "Origin": f"http://127.0.0.1:{port}"}, token


def both_secrets() -> tuple[int, ...]:
    return tuple(map(secret_of, NAMES))


def _given(value: object, *of: object) -> object:
    """What the tools of the forger ask for: that of the survey."""
    return value


def say(capsys, what: str, door: Door) -> None:
    with capsys.disabled():
        print(f"\nforged {what} over HTTP: {door.said}")
