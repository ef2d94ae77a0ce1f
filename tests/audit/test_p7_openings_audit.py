"""P7 at full size: the flood, spare codes, the path that was taken, what a thief finds.

Each attack is the one of the short tests (``tests/promises/test_p7_openings.py``).
"""

import io
import itertools
import math
import secrets
import zipfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from surveys.collecting import records
from surveys.collecting.keys import batch_keys, opening_keys
from surveys.collecting.keys.key_directory import MARK
from surveys.models import Sealed, Spool, Survey, Waiting
from surveys.models.queries import questionnaire_of
from surveys.trust import sealing
from tests.days import today
from tests.factories import launched, sealed_survey
from tests.postgresql import path_with_programs
from tests.promises import test_p7_openings as short
from tests.promises.test_p7_openings import ALL_ALIKE_AND_ARMS, bound, draft, send_with_text

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
K, SURVEYS, WINDOWS = 20, 20, 400


def say(capsys, words: str) -> None:
    with capsys.disabled():
        print(f"\n{connection.vendor}: {words}")


# 1. Answers around a target.


@ALL_ALIKE_AND_ARMS
def test_of_400_weeks_a_flood_of_100_finds_the_target_among_20_at_most_as_often_as_chance(
    owner, capsys, fields
):
    last_day = today() + timedelta(days=7 * (WINDOWS + 1) - 1)
    periodic = {"batch_size": K, "close_on": last_day, "planned_responses": 10**6}
    survey = launched(draft(owner, opening="every", **periodic, **fields))
    rate = short.found_by_flooding(survey, WINDOWS, honest=20, false=100)
    say(capsys, f"{rate:.1%} of {WINDOWS} targets found, at most {bound(1 / 20, WINDOWS):.1%}")
    assert rate <= bound(1 / 20, WINDOWS)


@ALL_ALIKE_AND_ARMS
def test_in_20_surveys_with_80_spare_codes_each_the_owner_finds_one_in_20(owner, capsys, fields):
    rate = sum(short.found_with_spare_codes(owner, **fields) for _ in range(SURVEYS)) / (
        20 * SURVEYS
    )
    say(capsys, f"{rate:.1%} of {20 * SURVEYS} found at the close")
    assert rate <= bound(1 / 20, 20 * SURVEYS)


@ALL_ALIKE_AND_ARMS
def test_live_19_answers_around_each_of_50_find_every_one(owner, capsys, fields):
    found = short.found_live(owner, targets=50, batch_size=K, **fields)
    say(capsys, f"{found} of 50 found live")
    assert found == 50


# 4. The path that a person took.


@ALL_ALIKE_AND_ARMS
def test_in_400_surveys_two_of_100_who_used_their_own_coin_hide_among_20(owner, capsys, fields):
    found = short.found_by_their_path(owner, surveys=400, people=100, batch_size=K, **fields)
    say(capsys, f"{found / 400:.1%} found by their path, at most {bound(1 / 20, 400):.1%}")
    assert found / 400 <= bound(1 / 20, 400)


# 7. What a thief finds: the database, its backups, and the keys of batches, of any moment.


class Thief:
    """Looks in now and then, and keeps the listing, the keys, the database and a backup."""

    def __init__(self, survey: Survey, room: Path) -> None:
        self.survey, self.room = survey, room
        self.listings: list[list[tuple[str, int, int, int]]] = []
        self.keys: set[bytes] = set()
        self.sealed: dict[str, bytes] = {}
        self.backups: list[bytes] = []
        self.most_waiting = 0

    def look(self) -> None:
        directory = settings.BATCH_KEYS_DIR
        found = [(path.name, path.stat()) for path in sorted(directory.iterdir())]
        self.listings.append(
            [(name, stat.st_size, stat.st_ino, int(stat.st_mtime)) for name, stat in found]
        )
        self.keys |= {path.read_bytes() for path in directory.iterdir() if path.name != MARK}
        self.sealed |= {str(one.pk): bytes(one.content) for one in Sealed.objects.all()}
        self.most_waiting = max(self.most_waiting, self._readable_waiting())

    def back_up(self) -> None:
        name = self.room / f"backup-{len(self.backups)}.zip"
        call_command("backup", str(name), stdout=io.StringIO())
        with zipfile.ZipFile(name) as archive:
            self.backups += [archive.read(inside) for inside in archive.namelist()]

    def _readable_waiting(self) -> int:
        """What still waits can be read with the key of its batch: fewer than a batch."""
        batch = Spool.objects.get(survey=self.survey).batch
        key = batch_keys.read(settings.BATCH_KEYS_DIR, batch)
        waiting = [bytes(one.ciphertext) for one in Waiting.objects.all()]
        return len([batch_keys.unseal(key, batch, one) for one in waiting])

    def opened(self) -> int:
        """How many sealed records any key of any moment opens, as HPKE or as a batch's key."""
        halves = {
            content[start : start + 32]
            for content in self.keys
            for start in (0, batch_keys.ID_BYTES, batch_keys.SLOT_BYTES + batch_keys.ID_BYTES)
        }
        some = secrets.SystemRandom().sample(sorted(self.sealed.values()), 40)
        return sum(self._opens(half, one) for half, one in itertools.product(halves, some))

    def _opens(self, half: bytes, content: bytes) -> bool:
        for kind in Sealed.Kind:
            about = records.about(self.survey.revision.pk, kind)
            try:
                sealing.unseal(half, about, content)
            except sealing.NotSealedFor:
                continue
            return True
        return False


@pytest.fixture
def room(settings, tmp_path, monkeypatch) -> Path:
    """Keys of this test's own, and the programs that back PostgreSQL up."""
    settings.BATCH_KEYS_DIR = tmp_path / "batch-keys"
    settings.OPENING_KEYS_DIR = tmp_path / "opening-keys"
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        monkeypatch.setenv("PATH", path_with_programs(connection.pg_version // 10_000))
    return tmp_path


def test_of_200_batches_a_thief_reads_no_record_and_no_listing_tells(owner, room, capsys):
    survey, batches = sealed_survey(owner, batch_size=K), 200
    thief = Thief(survey, room)
    for place in range(K * batches):
        send_with_text(survey, place)
        if place % K == K // 2:
            thief.look()
        if place % 1_000 == 505:
            thief.back_up()
    assert len(thief.listings) == batches
    assert all(listing == thief.listings[0] for listing in thief.listings)
    assert len(thief.keys) == batches
    assert len(thief.sealed) > 2 * K * (batches - 2)
    assert 0 < thief.most_waiting < K
    assert thief.opened() == 0
    assert thief.backups
    for held in (*thief.backups, *(content for _, content in short.files())):
        assert short.WORDS.encode() not in held
    say(capsys, f"{len(thief.sealed)} records, {len(thief.keys)} files of keys, 0 records read")


@ALL_ALIKE_AND_ARMS
def test_of_4000_people_the_opening_key_and_the_database_link_one_in_20(owner, capsys, fields):
    people = 4_000
    survey = launched(draft(owner, opening="close", batch_size=K, **fields))
    for place in range(people):
        short.send(survey, place)
    found = short.opened_by_a_thief(survey)
    assert sorted(found) == list(range(people))
    rate = float(np.mean([place == person for place, person in enumerate(found)]))
    most = 1 / K + 5 / math.sqrt(people * K)
    say(capsys, f"{rate:.1%} linked with the opening key, at most {most:.1%}")
    assert rate <= most
    assert opening_keys.is_whole(survey.pk, questionnaire_of(survey.revision).opening.public_key)
