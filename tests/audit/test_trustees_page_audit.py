"""docs/trustees.md: its commands, as they stand there, lead from a survey's keys to its counts."""

import io
import json
import re
from itertools import takewhile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction

from surveys.authoring.services import finish
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.models import Tally, TallyTrustee
from surveys.models.queries import revision_of
from surveys.results.exports import locked_table
from surveys.results.locked.services import take_file
from surveys.trust.keyfiles import read_trustee
from surveys.trust.tally.trustees import check_tested
from tests.bodies import body_of
from tests.conftest import ROOT
from tests.factories import launched
from tests.surveys.authoring.trustees import counted_draft

pytestmark = [
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    pytest.mark.noise(fails=0, law="only that the command prints what was opened"),
]
PAGE = (ROOT / "docs" / "trustees.md").read_text()
COMMANDS = [line.split() for line in re.findall(r"^ +deniable (.+)$", PAGE, re.M)]
CHALLENGE = "ab" * 32


def run(arguments: list[str]) -> str:
    out = io.StringIO()
    words = [CHALLENGE if word == "CHALLENGE" else word for word in arguments]
    secret = ["--passphrase-file", "phrase"] if words[0] == "trustee" else []
    call_command(*words, *secret, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def survey_with(owner, *files: Path):
    """Launched with these trustees' public keys, answered by six people, and closed."""
    draft = counted_draft(owner)
    draft.trustees.all().delete()
    for position, file in enumerate(files, start=1):
        one = read_trustee(file.read_bytes())
        row = {"name": one.name, "key": one.key.hex(), "proof": one.proof.hex()}
        TallyTrustee.objects.create(survey=draft, position=position, **row)
    survey = launched(draft)
    for cell in (0, 0, 2, 5, 6, 6):
        receive(survey_id=survey.pk, body=body_of(survey.revision, cells=[cell]))
    with transaction.atomic():
        finish(survey, by=None)
    survey.refresh_from_db()
    openings.run(survey)
    return survey


def upload(survey, path: Path) -> bool:
    taken = take_file(survey=survey, number=1, content=path.read_bytes(), by=survey.owner)
    return taken.is_opened


def test_the_steps_lead_from_keys_to_counts(owner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("phrase").write_text("correct horse")
    steps = iter(COMMANDS)
    for command in takewhile(lambda one: one[1] != "test", steps):
        run(command)
    (tested,) = (one for one in COMMANDS if one[1] == "test")
    ada = read_trustee(Path("ada.key.public.json").read_bytes())
    check_tested(ada, bytes.fromhex(CHALLENGE), bytes.fromhex(run(tested).strip()))
    survey = survey_with(owner, Path("ada.key.public.json"), Path("grace.key.public.json"))
    Path("table-1.ballots").write_bytes(b"".join(locked_table(revision_of(survey), 1)))
    for command in steps:
        said = run(command)
        if command[0] == "trustee":
            upload(survey, Path(command[-1]))
    assert command[:2] == ["tally", "verify"]
    assert json.loads(said) == {"counts": Tally.objects.get().counts}
