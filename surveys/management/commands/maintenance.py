"""``manage.py maintenance``: close all pages for an upgrade, and open them again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.web.upkeep import maintenance

ON = (
    "Maintenance is on: every page answers 503 and asks visitors to come again. A survey's page "
    "that is open already keeps what it drew. End the maintenance with manage.py maintenance off."
)
OFF = (
    "Maintenance is off. Processes that were started before the database's tables changed answer "
    "503 until these processes are replaced."
)


class Command(BaseCommand):
    help = "Close all pages of this server for an upgrade (503), or open them again."
    # The database may be half migrated, or away.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "state",
            nargs="?",
            choices=["on", "off"],
            help="Without this word: print whether maintenance is on or off.",
        )

    def handle(self, *, state: str | None, **options: Any) -> None:
        """Raises CommandError if the data directory cannot be written."""
        try:
            if state == "on":
                maintenance.begin()
            elif state == "off":
                maintenance.end()
        except OSError as problem:
            raise CommandError(
                f"Nothing was changed: {maintenance.path()} cannot be changed "
                f"({problem.strerror or problem}). Run this command as the account of the service."
            ) from problem
        self.stdout.write(ON if maintenance.is_ordered() else OFF)
