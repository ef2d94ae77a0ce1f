"""``manage.py demo``: prepare everything that ``make demo`` shows, and print its links."""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from surveys.collecting.queries import waiting_count
from surveys.demonstration import locked
from surveys.demonstration.affairs import (
    hidden_themes,
    known_truth,
    load_answers,
    open_affairs_survey,
    open_trial_survey,
    submit_answers,
)
from surveys.demonstration.passwords import kept_password
from surveys.demonstration.weekly import open_weekly_survey
from surveys.fieldwork.letters import Invite
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.randomized_response.designs import TwoCoins
from surveys.randomized_response.planning import Meaning, plan_sample_size
from surveys.results.queries import response_count

STAFF_NAME = "admin"
# Of apps that know us and not the other way round.
RATINGS, RELEASE, TOTALS = "demo_ratings", "demo_release", "demo_totals"


class Command(BaseCommand):
    help = "Migrate the database, load the demonstration and print its links."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        _require_own_database()
        _require_free(port)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("documentation", stdout=StringIO())
        owner, password = _staff()
        affairs = open_affairs_survey(owner, planned_responses=_planned())
        trial = open_trial_survey(owner)
        weekly = open_weekly_survey(owner)
        locked_trial, locked_over = locked.open_trial_survey(owner), locked.open_survey(owner)
        _load(affairs)
        site = f"http://127.0.0.1:{port}"
        if RATINGS in get_commands():
            call_command(RATINGS, owner=STAFF_NAME, site=site, stdout=self.stdout)
        if RELEASE in get_commands():
            call_command(RELEASE, survey=str(affairs.pk), site=site, stdout=self.stdout)
        if TOTALS in get_commands():
            call_command(TOTALS, survey=str(locked_over.pk), site=site, stdout=self.stdout)
        self._print_links(site, (affairs, trial, weekly, locked_trial), password)

    def _print_links(self, site: str, surveys: tuple[Survey, ...], password: str) -> None:
        affairs, trial, weekly, invited = surveys
        lines = {
            "Answer a survey": reverse("respondent:start", args=[trial.pk]),
            "Answer with a code": _invitation(invited),
            "Read the estimates": reverse("surveys:dashboard", args=[affairs.pk]),
            "See weekly openings": reverse("surveys:dashboard", args=[weekly.pk]),
            "Plan a sample": reverse("surveys:planner"),
            "Administer": reverse("admin:index"),
            "Read the documentation": reverse("documentation"),
        }
        self.stdout.write("\nDeniable's demonstration is ready:\n")
        for label, link in lines.items():
            self.stdout.write(f"  {label:<22} {site}{link}")
        self.stdout.write(f"\n  {known_truth()}")
        self.stdout.write(f"  {hidden_themes()}")
        self.stdout.write(f"  Log in as {STAFF_NAME} with the password {password}")
        self.stdout.write("  Press Ctrl+C to stop.\n")


def _require_own_database() -> None:
    """The demonstration creates a superuser; it must never do so in a database in service."""
    if "DENIABLE_DATABASE_URL" in os.environ:
        raise CommandError(
            "Nothing was started: the demonstration fills a SQLite database of its own. Unset "
            "DENIABLE_DATABASE_URL."
        )


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as problem:
            raise CommandError(
                f"Port {port} on 127.0.0.1 cannot be used ({problem}). Stop the program that uses "
                "this port, or choose another port: make demo PORT=8001, or deniable demo --port "
                "8001"
            ) from problem


def _staff() -> tuple[User, str]:
    """The administrator, with a password that is generated once and kept in a private file."""
    password = kept_password("staff_password")
    user, _ = User.objects.get_or_create(
        username=STAFF_NAME, defaults={"is_staff": True, "is_superuser": True}
    )
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    return user, password


def _planned() -> int:
    """Responses for an error of 2.5 points in 95 % of samples, by the normal approximation."""
    return plan_sample_size(
        TwoCoins(2),
        error=0.025,
        failure_probability=0.05,
        method="normal",
        meaning=Meaning.POPULATION,
    ).n


def _invitation(survey: Survey) -> str:
    """The link of a fresh invitation, or of the survey alone once it is over."""
    start = reverse("respondent:start", args=[survey.pk])
    with contextlib.suppress(NotPossible):
        return Invite(start, locked.new_code(survey)).link
    return start


def _load(survey: Survey) -> None:
    answers = load_answers()
    revision = survey.revision
    arrived = response_count(revision) + waiting_count(revision.pk)
    if arrived < len(answers):
        rng = np.random.default_rng(secrets.randbits(128))
        submit_answers(survey.revision, answers, rng=rng, progress=_bar)


def _bar(bodies: Iterator[bytes], total: int) -> Iterator[bytes]:
    from tqdm import tqdm

    return iter(tqdm(bodies, total=total, desc="Sending 6,366 answers", unit=" answers"))
