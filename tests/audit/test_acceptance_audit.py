"""Openings as an attacker meets them: real processes over HTTP, on days that libfaketime lets pass.

A survey is made and launched through its forms, people and the attacker post their answers, the
hourly command of the operator runs, and all that is read comes from pages and downloads.
"""

import csv
import io
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from operator import eq
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection

from tests import load, patience
from tests.conftest import ROOT
from tests.installations import Timed
from tests.people import Person, errors_in
from tests.promises.test_p7_openings import BEFORE, FALSE, NONCES, bound
from tests.surveys.authoring.asking import proof_in

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
HONEST, FALSE_ANSWERS, K = 20, 100, 20
SURVEYS, WEEKS = 10, 8


class Site:
    """What can be done to an installation from outside."""

    def __init__(self, place: Timed, server: load.Gunicorn) -> None:
        self.place, self.server = place, server
        self.staff = Person(server.port)

    def launch(self, title: str, *more: dict[str, str], **fields: str) -> str:
        """A survey with a number and more questions, through the forms of staff; its key."""
        made = self.staff.submit(
            "/admin/surveys/survey/add/",
            title=title,
            introduction="We ask which one you are.",
            organisation="Institute",
            contact="a@example.org",
            _continue="1",
        )
        assert made.status == 302, errors_in(made.text)
        key = re.search(r"[0-9a-f-]{36}", made.location)[0]
        usual = {"batch_size": str(K), "planned_responses": "100000"}
        saved = self.staff.submit(
            f"/admin/surveys/survey/{key}/change/", **{**usual, **fields}, _continue="1"
        )
        assert saved.status == 302, errors_in(saved.text)
        number = {"text": "Which one are you?", "kind": "number", "design": "direct"}
        number |= {"required": "on", "minimum": "0", "maximum": "99999"}
        for one in (number, *more):
            added = self.staff.submit(
                f"/admin/surveys/question/add/?survey={key}", **one, _save="1"
            )
            assert added.status == 302, errors_in(added.text)
        address = f"/admin/surveys/survey/{key}/launch/"
        asked = self.staff.ask(address).text
        assert "What you can no longer change" in asked, errors_in(asked)
        points = re.findall(r'name="accepted" value="([^"]+)"', asked)
        done = self.staff.submit(address, shown=proof_in(asked), accepted=points)
        assert done.status == 302, errors_in(done.text)
        return key

    def codes(self, key: str, count: int) -> list[str]:
        """Invitations, as the page that makes them hands them out."""
        sheets = f"/surveys/{key}/invitations/sheets/"
        page = f"/surveys/{key}/invitations/"
        made = self.staff.submit(page, to=sheets, number=str(count), csv="1")
        header, *lines = made.text.splitlines()
        assert (header, len(lines)) == ("code,link", count), made.text[:500]
        return [re.sub("[^0-9a-z]", "", line.partition(",")[0].lower()) for line in lines]

    def bodies(self, key: str, numbers: list[int], codes: list[str] | None = None) -> list[bytes]:
        """What browsers would send."""
        start = self.staff.ask(f"/en/s/{key}/").text
        revision = re.search(r'data-revision="([0-9a-f-]{36})"', start)[1]
        found = []
        for place, number in enumerate(numbers):
            code = f"&invitation={codes[place]}" if codes else ""
            found.append(
                f"revision={revision}&key={secrets.token_hex(16)}&path=browser{code}"
                f"&q001={number:05d}".encode()
            )
        return found

    def post(self, key: str, bodies: list[bytes]) -> None:
        """In this order, one after the other: the attacker knows it."""
        for body in bodies:
            assert load.post(f"/en/s/{key}/send/", self.server.port, body) == 200

    def shown(self, key: str) -> list[int]:
        """The numbers in the download, in its order."""
        text = self.staff.ask(f"/surveys/{key}/responses.csv").text
        return [int(row["q001"]) for row in csv.DictReader(io.StringIO(text))]

    def pages(self, key: str) -> dict[str, str]:
        """What staff and people are shown of a survey, without what is drawn for each page anew."""
        addresses = [
            *(f"/surveys/{key}/{name}" for name in ("", "responses.csv", "codebook.json")),
            *(f"/admin/surveys/survey/{key}/change/", "/surveys/", f"/en/s/{key}/"),
        ]
        return {one: NONCES.sub("", self.staff.ask(one).text) for one in addresses}

    def keep_dates(self) -> str:
        """The command that systemd's timer runs every hour."""
        return self.place.do("retention")

    def pass_days(self, days: int) -> None:
        """Until noon so many days later; staff have to log in again."""
        self.place.pass_days(days)
        self.staff.log_in()


@contextmanager
def served(place: Timed, log: Path, **variables: str) -> Iterator[Site]:
    with place.served(log, **variables) as server:
        made = Site(place, server)
        made.staff.log_in()
        yield made


@pytest.fixture
def site(place, tmp_path) -> Iterator[Site]:
    with served(place, tmp_path / "server.txt") as made:
        yield made


class Attack:
    """An attacker who floods one survey week after week, and reads its download.

    Of the false answers, a batch comes right before the target's and a batch right after it.
    """

    def __init__(self, site: Site, key: str) -> None:
        self.site, self.key = site, key
        self.known: set[int] = set()
        self.new: list[int] = []
        self.found = self.sent = self.week = 0

    def flood(self) -> None:
        *others, self.target = range(self.week * HONEST, (self.week + 1) * HONEST)
        order = [*others, *[FALSE] * (FALSE_ANSWERS - 2 * K)]
        secrets.SystemRandom().shuffle(order)
        self._post([*order, *[FALSE] * K])
        self.known |= set(self._look())
        self._post([self.target, *[FALSE] * K])
        self.new = self._look()
        self.week += 1

    def _post(self, numbers: list[int]) -> None:
        self.site.post(self.key, self.site.bodies(self.key, numbers))
        self.sent += len(numbers)

    def _look(self) -> list[int]:
        """The rows that are new and not false, in the order of the file."""
        shown = self.site.shown(self.key)
        return [number for number in shown if number not in self.known and number != FALSE]

    def read(self) -> None:
        """After the opening: guess that the target is the row that showed first, or the last."""
        new = self.new or self._look()
        self.known |= set(self._look())
        self.found += bool(new) and new[-1] == self.target


def test_week_after_week_a_flood_over_http_finds_no_more_than_chance(site, capsys):
    last_day = site.place.now.date() + timedelta(days=7 * (WEEKS + 1) - 1)
    fields = {"opening": "every", "opening_days": "7", "close_on": str(last_day)}
    attacks = [Attack(site, site.launch(f"Weekly {n}", **fields)) for n in range(SURVEYS)]
    for week in range(WEEKS):
        for attack in attacks:
            attack.flood()
        site.pass_days(6)
        site.keep_dates()
        before = [len(site.shown(attack.key)) for attack in attacks]
        assert set(before) == ({0} if week == 0 else {before[0]}), "opened before its day"
        site.pass_days(1)
        site.keep_dates()
        for attack in attacks:
            attack.read()
            waited = attack.sent - before[0]
            assert len(site.shown(attack.key)) == before[0] + waited // 2
    site.pass_days(7)
    site.keep_dates()
    for attack in attacks:
        everyone = sorted(number for number in site.shown(attack.key) if number != FALSE)
        assert everyone == list(range(WEEKS * HONEST))
        assert len(site.shown(attack.key)) == attack.sent
    windows, found = SURVEYS * WEEKS, sum(attack.found for attack in attacks)
    with capsys.disabled():
        print(
            f"\n{connection.vendor}: {found} of {windows} targets found over HTTP, "
            f"at most {bound(1 / HONEST, windows):.1%}"
        )
    assert found / windows <= bound(1 / HONEST, windows)


def days_from(place: Timed, days: int) -> str:
    return str(place.now.date() + timedelta(days=days))


def test_with_80_spare_codes_nothing_shows_before_the_close_and_one_in_20_is_found_after_it(
    site, capsys
):
    surveys, found = 5, 0
    for number in range(surveys):
        fields = {"opening": "close", "invitation_only": "on", "close_on": days_from(site.place, 7)}
        key = site.launch(f"Invited {number}", **fields)
        order = [*range(HONEST), *[FALSE] * 80]
        secrets.SystemRandom().shuffle(order)
        codes = site.codes(key, len(order))
        site.keep_dates()
        before = site.pages(key)
        site.post(key, site.bodies(key, order, codes))
        site.keep_dates()
        assert site.pages(key) == before
        assert site.shown(key) == []
        site.pass_days(9)
        site.keep_dates()
        stored = [one for one in site.shown(key) if one != FALSE]
        arrived = [one for one in order if one != FALSE]
        assert sorted(stored) == list(range(HONEST))
        found += sum(map(eq, arrived, stored))
    with capsys.disabled():
        print(f"\n{connection.vendor}: {found} of {HONEST * surveys} found at the close, over HTTP")
    assert found / (HONEST * surveys) <= bound(1 / HONEST, HONEST * surveys)


def test_live_19_answers_around_somebody_show_theirs_over_http(site):
    key, targets = site.launch("Live", opening="live"), 5
    for target in range(targets):
        before = set(site.shown(key))
        site.post(key, site.bodies(key, [*[FALSE] * 10, target, *[FALSE] * 9]))
        deadline = time.monotonic() + patience.SECONDS
        while set(site.shown(key)) <= before | {FALSE} and time.monotonic() < deadline:
            time.sleep(0.1)  # whole batches are flushed together, a second later
        assert set(site.shown(key)) - before - {FALSE} == {target}
    assert "Live" in site.staff.ask(f"/surveys/{key}/").text


# 8. Keys and disks that are lost.


def problem_of(place: Timed) -> str:
    done = place.run("retention")
    assert done.returncode != 0
    return done.stderr


def test_a_deleted_opening_key_is_recovered_and_so_is_a_disk_that_is_lost_after_the_close(
    place, tmp_path
):
    recovery, backup = tmp_path / "recovery.key", tmp_path / "backup.zip"
    made = place.do("opening", "--new-recovery-key", str(recovery))
    public = re.search(r"DENIABLE_RECOVERY_KEY=([0-9a-f]{64})", made)[1]
    with served(place, tmp_path / "server.txt", DENIABLE_RECOVERY_KEY=public) as site:
        key = site.launch("Kept", opening="close", close_on=days_from(place, 7))
        everyone = list(range(2 * K))
        site.post(key, site.bodies(key, everyone))
        place.do("backup", str(backup))
        (place.data / "opening-keys" / f"{key}.opening").unlink()
        site.pass_days(8)
        assert "its opening key is not in" in problem_of(place)
        assert site.shown(key) == []
        place.do("opening", "--recover", key, "--key", str(recovery))
        site.keep_dates()
        assert sorted(site.shown(key)) == everyone
    site.place.pass_days(1)
    lost = Timed(tmp_path, "another_disk")
    lost.set(place.now)
    lost.do("restore", str(backup))
    assert "its opening key is not in" in problem_of(lost)
    lost.do("opening", "--recover", key, "--key", str(recovery))
    lost.do("retention")
    lost.do("collectstatic", "--no-input", "--verbosity", "0")
    with served(lost, tmp_path / "another.txt") as again:
        assert sorted(again.shown(key)) == everyone
    lost.remove()


# 9. Surveys from before there were openings.


def test_a_restored_database_of_before_says_what_it_said(tmp_path, place):
    before = Timed(tmp_path, "before")
    before.do("restore", str(ROOT / "tests" / "versions" / "0.1.0" / f"{connection.vendor}.zip"))
    before.do("migrate", "--verbosity", "0")
    before.do("collectstatic", "--no-input", "--verbosity", "0")
    key = before.ask("SELECT id FROM surveys_survey WHERE state = 'open' AND NOT invitation_only")
    with before.served(tmp_path / "before.txt") as server:
        page = " ".join(Person(server.port).ask(f"/en/s/{UUID(str(key))}/").text.split())
    said = re.sub("at least [0-9]+ people", "at least 5 people", page)
    assert BEFORE in said
    for word in ("sealed", "Live", "answer honestly", "nearly all other answers"):
        assert word not in page
    before.remove()
