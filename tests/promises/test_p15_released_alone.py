"""P15: where direct answers come to light as released tables alone, nothing else tells of them.

Two databases that differ in direct answers alone go through the same openings, with chance, time
and released values fixed. Then every byte is equal that any role can fetch from any address, and
that any command or log prints; and so is everything stored that is not sealed for the opening key.
Addresses and commands are those that are registered: a new one is looked at, or makes this fail.
"""

import io
import logging
import os
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from datetime import timedelta

import numpy as np
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError
from django.db import transaction
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLResolver
from django.utils import timezone

from analytics.pages.releases import published
from analytics.queries import schedule_of
from surveys.collecting import records
from surveys.collecting.keys import opening_keys
from surveys.collecting.published import ready
from surveys.collecting.published.page_files import check_page
from surveys.models import Membership, Sealed, Survey, Waiting, releasing
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.staff.roles import Role
from surveys.trust import sealing
from tests.analytics.releasing import answer, at, fix_noise, fixed_noise, make_released_survey
from tests.factories import make_user
from tests.fake_noise import FakeNoise

pytestmark = pytest.mark.django_db
PEOPLE = [(place % 3, place % 2, 20 + place) for place in range(20)]
OTHERS = [(1, place % 2, None if place % 4 else 99) for place in range(20)]
# The answers to its analyses: what the pages with forms are asked besides their plain addresses.
QUERY = (
    "question=2&by=1&also_by=3&outcome=2-1&predictors=1&predictors=3&method=wald&level=95"
    "&hold=together&link=logit&values=codes&margins=North: 1%0ASouth: 1%0AEast: 1&q=a"
)
# Commands of the project, each with what it is asked; None: why there is nothing to compare.
COMMANDS = {
    "account": [["--export", "analyst"]],
    "backup": None,  # a copy of the database, which is compared below table by table
    "columns": None,  # a file of its user's
    "demo": None,  # surveys of its own
    "demo_ratings": None,
    "demo_release": None,
    "demo_totals": None,
    "doctor": [[]],
    "documentation": None,  # pages without any survey
    "estimate": None,  # a file of its user's
    "fingerprint": None,  # a file of its user's
    "import": None,  # a file of its user's
    "invite": None,  # invitations and addresses
    "keys": None,  # files of its user's
    "ledger": [[], ["--json"]],
    "maintenance": [[]],
    "opening": [[]],
    "plan": None,
    "plan_reminders": None,
    "rank": None,
    "recount": [["{survey}"]],
    "regress": None,
    "release": None,
    "restore": None,  # puts a backup in place
    "retention": [["--dry-run"]],
    "spool": [[]],
    "tally": None,
    "texts": None,
    "topics": None,
    "trustee": None,
    "vouchers": None,  # a key in a file
}
DAYS = (7, 14, 28)  # two openings, and the close
PROJECT = {"surveys", "ranking", "analytics"}
# What tells of the machine and not of the survey.
SEALED = (Sealed, "content")
CLOCKED = {"Expires"}
UNSTABLE = re.compile(rb"^\w+ +(?:disk|clock) .*\n", re.M)  # doctor's lines on room and time


class Constant(FakeNoise):
    """Released values that are the same for any answers: what is left to differ must not."""

    def added_to(self, values, lattice_sd):
        return np.arange(values.size, dtype=np.int64).reshape(values.shape)


class Undone(Exception):
    """Raised to take a whole life of the survey back."""


@pytest.fixture
def survey(owner) -> Iterator[Survey]:
    """Four openings; 20 people answered, all of them sealed."""
    before = releasing.registered()
    fix_noise(Constant())
    made = make_released_survey(owner, text=True, opening="every", opening_days=7, last_day=27)
    answer(made, PEOPLE, word="I wrote this")
    assert not Waiting.objects.exists()
    make_user("root", superuser=True)
    make_user("stranger")
    for role in (Role.ANALYST, Role.EDITOR):
        user = make_user(role.name.lower())
        Membership.objects.create(survey=made, user=user, role=role)
    assert addresses(made)  # imports all pages: some draw when they are imported
    yield made
    releasing.register(before)


def answer_directly(survey: Survey, people: list[tuple[int, int, int | None]]) -> None:
    """Change nothing but the direct answers of what is sealed; every record is written anew."""
    questionnaire = questionnaire_of(survey.revision)
    public = questionnaire.opening.public_key
    private = opening_keys.read(survey.pk, public)
    for (town, _, age), record in zip(people, rows(), strict=True):
        row = records.open_row(survey.revision.pk, private, record)
        age_code = "--" if age is None else f"{age:02}"
        answers = f"{town:02}{row.answers[2:4]}{age_code}"
        assert len(answers) == len(row.answers)
        plain = b"01"[row.own_coin :][:1] + answers.encode()
        about = records.about(survey.revision.pk, records.ROW)
        Sealed.objects.filter(pk=record.pk).update(content=sealing.seal(public, about, plain))


def rows() -> list[Sealed]:
    return list(Sealed.objects.filter(kind=records.ROW).order_by("pk"))


class Chance:
    """Everything that is drawn, the same in every life of the survey."""

    def __init__(self) -> None:
        self.restart(0)

    def restart(self, seed: int) -> None:
        self._drawn = random.Random(seed)

    def __call__(self, size: int) -> bytes:
        return self._drawn.randbytes(size)


def life(
    survey: Survey, monkeypatch, caplog, settings, tmp_path, *, look, people=PEOPLE, days=DAYS
) -> list:
    """All that was seen in one life of the survey, from the first opening to after its close.

    ``look`` is called on those ``days``.
    """
    keys = [settings.BATCH_KEYS_DIR, opening_keys.directory()]
    for place, directory in enumerate(keys):
        shutil.copytree(directory, tmp_path / f"keys{place}", dirs_exist_ok=True)
    seen: list = []
    try:
        with monkeypatch.context() as fixed, transaction.atomic():
            answer_directly(survey, people)
            chance = fix_chance_and_time(fixed, survey)
            for day in DAYS:
                chance.restart(day)
                caplog.clear()
                with caplog.at_level(logging.DEBUG):
                    kept = keep_dates(now=at(survey, day))
                seen.append((day, kept.problems, [str(one) for one in kept.done]))
                seen += look(survey) if day in days else []
                seen += stored()
                seen += [("log", record.getMessage()) for record in caplog.records]
            raise Undone
    except Undone:
        pass
    for place, directory in enumerate(keys):
        shutil.rmtree(directory)
        shutil.copytree(tmp_path / f"keys{place}", directory)
    return seen


def fix_chance_and_time(fixed, survey: Survey) -> Chance:
    chance = Chance()
    fixed.setattr(os, "urandom", chance)
    fixed.setattr(random, "_urandom", chance)
    now = at(survey, 1) + timedelta(hours=1)
    fixed.setattr(timezone, "now", lambda: now)
    # Kept pages draw nothing in a second life: what is drawn after them would be another.
    published._release.cache_clear()
    for kept in (check_page, ready._start, ready._how_it_works, ready._without_form, ready._form):
        kept.cache_clear()
    cache.clear()
    return chance


def stored() -> list:
    """Every row of every table, without what is sealed, and without logins, which are signed.

    And without serial numbers: PostgreSQL goes on counting when a life is taken back.
    """
    models = [one for one in apps.get_models(include_auto_created=True) if one is not Session]
    return [
        (model._meta.label, row)
        for model in models
        for row in sorted((_compared(model, one) for one in model.objects.values()), key=str)
    ]


def _compared(model, row: dict) -> dict:
    own = model._meta.pk.attname
    serial = own if isinstance(row[own], int) else None
    return {name: row[name] for name in row if name != serial and (model, name) != SEALED}


def addresses(survey: Survey) -> list[str]:
    """Every registered address, filled in for this survey."""
    report = schedule_of(survey)
    values = {
        "survey_id": [survey.pk],
        "report_id": [report.pk],
        "path": ["index.html"],  # of the documentation
        "language": ["de"],
        "number": [1, 2, 3, 4],
        "place": [0, 1],
        "name": ["topics"],
        "pk": [1],
        "member_id": [Membership.objects.order_by("pk").first().pk],
        "mailing_id": [survey.pk],
        "action": ["send"],
        "object_id": [survey.pk, survey.questions.first().pk, User.objects.first().pk],
        "content_type_id": [1],
        "id": [User.objects.first().pk],
        "day": ["2030-01-01"],
        "question_id": [question.pk for question in survey.questions.all()],
        "to": ["up"],
        "catalogue_id": [survey.pk],
        "trustee": [1],
        "key": [survey.pk],  # of a file of answers, which nobody asked for here
        "token_id": [survey.pk],  # of a program, which no one has here
        "elsewhere": ["nowhere"],
        "app_label": ["surveys"],
        "url": [],
    }
    found: list[str] = []
    for pattern in patterns(get_resolver()):
        plain = re.sub(r"\^|\$$|/\?", "", re.sub(r"\(\?P<(\w+)>.*\)", r"<\1>", pattern))
        found += filled(f"/{plain}", values)
    return sorted(set(found))


def patterns(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for one in resolver.url_patterns:
        path = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from patterns(one, path)
        else:
            yield path


def filled(path: str, values: dict[str, list]) -> list[str]:
    """With every value of its arguments. A new argument has to be added above (KeyError)."""
    if not (argument := re.search(r"<(?:\w+:)?(\w+)>", path)):
        return [path]
    return [
        whole
        for value in values[argument[1]]
        for whole in filled(path.replace(argument[0], str(value), 1), values)
    ]


def visits(name: str | None, *, only: str = "", queries: tuple[str, ...] = ("", f"?{QUERY}")):
    """What a role sees at every address: status, headers and bytes. Nobody is logged out by it."""

    def look(survey: Survey) -> list:
        client = Client(raise_request_exception=True)
        if name:
            client.force_login(User.objects.get(username=name))
        found = []
        for address in addresses(survey):
            if "logout" in address or only not in address:
                continue
            for query in queries:
                reply = client.get(address + query)
                body = b"".join(reply.streaming_content) if reply.streaming else reply.content
                assert reply.status_code < 500, address
                headers = sorted(item for item in reply.headers.items() if item[0] not in CLOCKED)
                found.append((name, address + query, reply.status_code, headers, body))
        return found

    return look


def printed(survey: Survey) -> list:
    """What every command of the project prints."""
    ours = {name for name, app in get_commands().items() if app in PROJECT}
    assert ours == set(COMMANDS), "say what a new command is asked"
    return [
        (name, *asked, output(name, [one.format(survey=survey.pk) for one in asked]))
        for name, ways in COMMANDS.items()
        for asked in ways or ()
    ]


def output(name: str, arguments: list[str]) -> bytes:
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            call_command(name, *arguments, stdout=out, stderr=out)
        except (CommandError, SystemExit) as problem:
            out.write(str(problem))
    return UNSTABLE.sub(b"", out.getvalue().encode())


def test_the_readable_database_and_all_commands_and_logs_are_equal(
    survey, monkeypatch, caplog, settings, tmp_path
):
    lived = (survey, monkeypatch, caplog, settings, tmp_path)
    first = life(*lived, look=printed)
    second = life(*lived, look=printed, people=OTHERS)
    assert len(first) > 100
    assert_equal(first, second)


@pytest.mark.audit  # what pages are made from is compared above
def test_after_the_close_every_address_of_the_survey_shows_its_owner_the_same(
    survey, monkeypatch, caplog, settings, tmp_path
):
    lived = (survey, monkeypatch, caplog, settings, tmp_path)
    look = visits("ada", only=f"surveys/{survey.pk}", queries=(f"?{QUERY}",))
    first = life(*lived, look=look, days=DAYS[-1:])
    second = life(*lived, look=look, days=DAYS[-1:], people=OTHERS)
    assert sum(one[2] == 200 for one in first if one[0] == "ada") > 30
    assert_equal(first, second)


@pytest.mark.audit
@pytest.mark.parametrize("name", [None, "stranger", "analyst", "editor", "ada", "root"])
def test_every_address_shows_every_role_the_same(
    survey, monkeypatch, caplog, settings, tmp_path, name
):
    lived = (survey, monkeypatch, caplog, settings, tmp_path)
    first = life(*lived, look=visits(name))
    assert_equal(first, life(*lived, look=visits(name), people=OTHERS))


def test_with_real_noise_the_released_values_do_differ(
    survey, monkeypatch, caplog, settings, tmp_path
):
    fix_noise(fixed_noise())
    lived = (survey, monkeypatch, caplog, settings, tmp_path)
    first, second = (
        life(*lived, look=printed, people=people, days=()) for people in (PEOPLE, OTHERS)
    )
    differ = {one[0] for one, other in zip(first, second, strict=True) if one != other}
    assert differ == {"analytics.OpeningRelease"}


def assert_equal(first: list, second: list) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one == other
