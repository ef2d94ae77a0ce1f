"""Kill everything while thousands send, and count: lost and duplicated must be 0.

Run with ``make bench-faults``. Every submission carries a number of its own; what was acknowledged
is compared with what is stored after the survey has been closed.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.crowds import Crowd, Outcome, Sending, at_once, new_key, post
from benchmarks.exchanges import exchanged_under_load, raced
from benchmarks.findings import Field, Finding, close_survey, compared, disconnect, kill_something
from benchmarks.machines import Gunicorn
from benchmarks.sites import DATABASES, Site, make_owner, site

if TYPE_CHECKING:
    from surveys.models import Survey

BATCH = 20
CUTS = 25
AGAIN = 50  # times that each body of ``repeated_under_load`` is sent
BETWEEN_KILLS = 1500  # replies to repeats
WIDTH = 6
HEADER = 32  # bytes, of SQLite's journal


def main() -> int:
    """Run every fault and print what was found; 1 if anything was lost or counted twice."""
    arguments = _arguments()
    start = time.monotonic()
    with site(arguments.database, DENIABLE_SUBMISSIONS_PER_HOUR="0") as here:
        findings = [*_all_faults(here, arguments)]
    total = Outcome()
    for finding in findings:
        total += finding.outcome
    print(
        f"\n{arguments.database}, seed {arguments.seed}, {time.monotonic() - start:.0f} seconds: "
        f"sent {total.sent:,}, acknowledged {len(total.acknowledged):,}, "
        f"counted {sum(len(finding.counted) for finding in findings):,}, "
        f"refused {total.refused.total():,}, sent again {total.resent.total():,}, "
        f"lost with a key that was destroyed on purpose {sum(one.excused for one in findings)}, "
        f"lost {sum(one.lost for one in findings)}, "
        f"duplicated {sum(one.duplicated for one in findings)}"
    )
    return int(not all(finding.holds for finding in findings))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _all_faults(here: Site, arguments: argparse.Namespace) -> Iterator[Finding]:
    make_owner()
    server = Gunicorn(here.directory / "server.log")
    place = Field(here.directory, here.database, server, random.Random(arguments.seed))
    try:
        for fault in _faults(arguments, here.database.name):
            finding = fault(place)
            print("\n".join(finding.lines()), flush=True)
            yield finding
    finally:
        place.server.stop()
        disconnect()


def _faults(asked: argparse.Namespace, database: str) -> list[Callable[[Field], Finding]]:
    common = [
        lambda place: killed_under_load(place, asked.submissions),
        lambda place: repeated_under_load(place, asked.repeats),
        flushed_by_several,
        redeemed_at_once,
        lambda place: exchanged_under_load(place, asked.submissions),
        raced,
        closed_under_load,
        lost_key,
    ]
    return [*common, *([full_disk, power_cut] if database == "sqlite" else [])]


def killed_under_load(place: Field, submissions: int) -> Finding:
    """Half by invitation, half by open link, some of them wrong; something dies all the time."""
    invited, public = _survey(invitation_only=True), _survey()
    sendings = [
        *_by_invitation(place, invited, submissions // 2),
        *_by_link(place, public, submissions - submissions // 2),
        *_wrong(place, invited, max(submissions // 200, 1)),
    ]
    place.chance.shuffle(sendings)
    kills: Counter[str] = Counter()
    crowd = Crowd(place.server.port, sendings, deaf=place.chance).start()
    while crowd.is_sending:
        kills[kill_something(place)] += 1
        answered = len(crowd.outcome.acknowledged)
        time.sleep(place.chance.uniform(0.5, 1))
        crowd.wait_for(answered + BATCH)  # what is still dead cannot be killed
    outcome = crowd.join()
    words = ", ".join(f"{kind} {count}" for kind, count in sorted(kills.items()))
    return compared("Killed under load", outcome, invited, public, notes=[f"kills: {words}"])


def repeated_under_load(place: Field, repeats: int) -> Finding:
    """The same bodies again and again, several at once: before their batch is stored and after it.

    Something dies from time to time, so that processes begin while there is no database.
    """
    survey = _survey()
    bodies = _by_link(place, survey, max(repeats // AGAIN, 1))
    groups = [bodies[first : first + 2 * BATCH] for first in range(0, len(bodies), 2 * BATCH)]
    in_turn = [one for group in groups for one in [*group, *group] for _ in range(AGAIN // 2)]
    kills: Counter[str] = Counter()
    crowd = Crowd(place.server.port, in_turn).start()
    while crowd.is_sending:
        crowd.wait_for(len(crowd.outcome.acknowledged) + BETWEEN_KILLS)
        if crowd.is_sending:  # else nobody waits until the database is back, and it is read next
            kills[kill_something(place)] += 1
    outcome = crowd.join()
    words = ", ".join(f"{kind} {count}" for kind, count in sorted(kills.items()))
    notes = [f"{len(bodies):,} bodies, {AGAIN} times each; kills: {words}"]
    outcome.acknowledged = [*set(outcome.acknowledged)]  # each counts once
    return compared("Repeated at once", outcome, survey, notes=notes)


def flushed_by_several(place: Field) -> Finding:
    """Two more processes store batches as fast as they can while the workers do."""
    survey = _survey()
    command = [sys.executable, "-m", "benchmarks.flusher", str(survey.pk)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    others = [subprocess.Popen(command, text=True, **pipes) for _ in range(2)]
    for other in others:
        other.stdout.readline()
    crowd = Crowd(place.server.port, _by_link(place, survey, 1000)).start()
    rounds = 0
    while crowd.is_sending:
        rounds += 1
        with contextlib.suppress(BrokenPipeError):  # then it says below what ended it
            for other in others:
                print("again", file=other.stdin, flush=True)
        time.sleep(0.005)
    said = [other.communicate()[1] for other in others]
    more = {"notes": [f"two at once, {rounds} times"], "broken": [*filter(None, said)]}
    return compared("Stored by several at once", crowd.join(), survey, **more)


def redeemed_at_once(place: Field) -> Finding:
    """The same invitation from eight people at the same instant, with eight bodies."""
    survey = _survey(invitation_only=True)
    outcome, broken = Outcome(), []
    for token in _invite(survey, 25):
        answers: list[tuple[int, int]] = []
        rivals = [_sending(survey, place.next_serial(), token) for _ in range(8)]
        at_once(_answering(place.server.port, rival, outcome, answers) for rival in rivals)
        accepted = [serial for status, serial in answers if status == 200]
        outcome.acknowledged += accepted
        broken += [] if len(accepted) == 1 else [f"{len(accepted)} of eight were accepted"]
    return compared("One invitation, eight at once", outcome, survey, broken=broken)


def _answering(
    port: int, sending: Sending, outcome: Outcome, answers: list[tuple[int, int]]
) -> Callable[[], None]:
    def send() -> None:
        status, told = post(port, sending)
        answers.append((status, sending.serial))
        outcome.sent += 1
        outcome.refused.update([] if status == 200 else [f"{status} {told}"])

    return send


def closed_under_load(place: Field) -> Finding:
    """Whoever was acknowledged before the close is counted; everybody after it reads why not."""
    survey = _survey(invitation_only=True)
    crowd = Crowd(place.server.port, _by_invitation(place, survey, 800)).start()
    crowd.wait_for(300)
    close_survey(survey)
    outcome = crowd.join()
    finding = compared("Closed while people send", outcome, survey)
    if any(not reason.startswith("410") for reason in outcome.refused):
        finding.broken.append("somebody was not told that the survey is closed")
    return finding


def lost_key(place: Field) -> Finding:
    """The waiting batch's key is destroyed: those answers are gone, and everybody says so."""
    survey = _survey()
    outcome = Crowd(place.server.port, _by_link(place, survey, 7)).start().join()
    for key in (place.directory / "batch-keys").glob("*.keys"):
        key.unlink()
    late = Crowd(place.server.port, _by_link(place, survey, 1), tries=3).start().join()
    said = _manage("doctor").stdout
    gave_up = _manage("spool", "--write-off", str(survey.pk), "--yes").stdout
    outcome += late
    outcome += Crowd(place.server.port, _by_link(place, survey, 30)).start().join()
    finding = compared("The key of a batch is lost", outcome, survey, excused=7)
    finding.notes += [f"doctor: {line}" for line in said.splitlines() if "cannot be read" in line]
    finding.notes.append(f"spool --write-off: {gave_up.strip()}")
    if late.acknowledged or "7 " not in gave_up or len(finding.notes) < 2:
        finding.broken.append("it was not said, or a submission was acknowledged all the same")
    return finding


def full_disk(place: Field) -> Finding:
    """SQLite may not grow any more: 503 with advice; with room again everything goes on."""
    survey = _survey()
    place.server.stop()
    disconnect()
    pages = place.database.path.stat().st_size // 4096 + 12
    cramped = {"DJANGO_SETTINGS_MODULE": "benchmarks.full_disk", "FAULTS_PAGES": str(pages)}
    place.server = Gunicorn(place.directory / "server.log", **cramped)
    crowd = Crowd(place.server.port, _by_link(place, survey, 3000)).start()
    while crowd.outcome.resent.total() < BATCH and crowd.is_sending:
        time.sleep(0.05)
    before = len(crowd.outcome.acknowledged)
    port = place.server.port
    place.server.stop()
    place.server = Gunicorn(place.directory / "server.log", port=port)
    finding = compared("The disk is full", crowd.join(), survey)
    finding.notes.append(f"full after {before:,} were acknowledged; then there was room again")
    if not any(reason.startswith("503") for reason in finding.outcome.resent):
        finding.broken.append("nobody was told that nothing can be stored")
    return finding


def power_cut(place: Field) -> Finding:
    """What would be on the disk if the power failed now, many times under load.

    Once as the processes had written it, and once with the journal cut at any byte after what was
    surely on the disk. Whoever was acknowledged before must be in both.
    """
    survey = _survey()
    sendings = _by_link(place, survey, 1500)
    crowd = Crowd(place.server.port, sendings).start()
    cuts: Counter[str] = Counter()
    broken: list[str] = []
    crowd.wait_for(BATCH)
    crowd.settle()
    while crowd.is_sending and cuts["as written"] < CUTS:
        sure, safe = _image(place, "sure"), set(crowd.outcome.acknowledged)
        crowd.gate.set()
        time.sleep(place.chance.uniform(0.01, 0.1))
        place.server.freeze()
        frozen, known = _image(place, "frozen"), set(crowd.outcome.acknowledged)
        place.server.thaw()
        crowd.settle()
        if _cut_journal(sure, frozen, place.chance):
            cuts["with a cut journal"] += 1
            broken += _missing_sealed(sure, [one for one in sendings if one.serial in safe])
        cuts["as written"] += 1
        broken += _missing(frozen, known)
    crowd.gate.set()
    words = ", ".join(f"{kind} {count}" for kind, count in cuts.items())
    more = {"notes": [f"cuts: {words}"], "broken": broken}
    return compared("The power fails", crowd.join(), survey, **more)


def _image(place: Field, name: str) -> Path:
    """A copy of what a machine would find after a restart: file, journal and keys."""
    copy = place.directory / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(place.directory / "batch-keys", copy / "batch-keys")
    for suffix in ("", "-wal"):
        path = place.database.path
        shutil.copy(path.with_name(path.name + suffix), copy / (path.name + suffix))
    return copy


def _cut_journal(sure: Path, frozen: Path, chance: random.Random) -> bool:
    """Give the older copy the newer journal up to some byte; False if it began anew meanwhile."""
    old, new = ((copy / "faults.sqlite3-wal").read_bytes() for copy in (sure, frozen))
    start, end = _written(old), _written(new)
    if old[:HEADER] != new[:HEADER] or start >= end:
        return False
    cut = chance.randint(start, end)
    (sure / "faults.sqlite3-wal").write_bytes(new[:cut] + old[cut:])
    return True


def _written(journal: bytes) -> int:
    """Where the frames of this round of the journal end (sqlite.org/fileformat, section 4.1)."""
    salt, frame = journal[16:24], 24 + int.from_bytes(journal[8:12], "big")
    place = HEADER
    while journal[place + 8 : place + 16] == salt:
        place += frame
    return place


def _missing(copy: Path, acknowledged: set[int]) -> list[str]:
    """Open the copy as a restarted machine would, close its surveys and compare."""
    found = _census(copy)
    missing = acknowledged - set(found)
    twice = len(found) - len(set(found))
    return [f"{len(missing)} missing, {twice} twice"] if missing or twice else []


def _missing_sealed(copy: Path, acknowledged: list[Sending]) -> list[str]:
    """Every key of a submission that was acknowledged is there, and a row for every key."""
    found = _census(copy, "--sealed")
    missing = {one.digest for one in acknowledged} - set(found["digests"])
    apart = len(found["digests"]) - found["rows"]
    return [f"{len(missing)} missing, {apart} keys without a row"] if missing or apart else []


def _census(copy: Path, *options: str) -> Any:
    environment = {
        **os.environ,
        "DENIABLE_DATA_DIR": str(copy),
        "DENIABLE_DATABASE_URL": f"sqlite:///{copy / 'faults.sqlite3'}",
    }
    command = [sys.executable, "-m", "benchmarks.census", *options]
    said = subprocess.run(command, env=environment, capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"After a power cut: {said.stderr}")
    return json.loads(said.stdout)


def _survey(*, invitation_only: bool = False) -> "Survey":
    """One question, which every submission answers with its own number."""
    from django.contrib.auth.models import User

    from tests.factories import add_serial_number, launched, make_survey

    disconnect()
    draft = make_survey(User.objects.get(), batch_size=BATCH, invitation_only=invitation_only)
    add_serial_number(draft, width=WIDTH)
    return launched(draft)


def _invite(survey: "Survey", count: int) -> list[str]:
    from tests.factories import invite

    return invite(survey, count)


def _sending(survey: "Survey", serial: int, token: str | None = None) -> Sending:
    from django.urls import reverse

    start = f"revision={survey.revision.pk}&key={new_key()}&path=browser"
    invitation = "" if token is None else f"&invitation={token}"
    body = f"{start}{invitation}&q001={serial:0{WIDTH}d}"
    return Sending(reverse("respondent:send", args=[survey.pk]), body, serial)


def _by_link(place: Field, survey: "Survey", count: int) -> list[Sending]:
    return [_sending(survey, place.next_serial()) for _ in range(count)]


def _by_invitation(place: Field, survey: "Survey", count: int) -> list[Sending]:
    return [_sending(survey, place.next_serial(), token) for token in _invite(survey, count)]


def _wrong(place: Field, survey: "Survey", count: int) -> Iterator[Sending]:
    """Invitations that are used twice, cut, guessed or another survey's, and garbage."""
    from surveys.questionnaire import tokens

    other = _survey(invitation_only=True)
    for token in _invite(survey, count):
        for used in (token, token, token[:-3], tokens.new_token(), *_invite(other, 1)):
            yield _sending(survey, place.next_serial(), used)
        sending = _sending(survey, place.next_serial(), token)
        yield Sending(sending.address, "%00&" + sending.body[40:], sending.serial)


def _manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


if __name__ == "__main__":
    raise SystemExit(main())
