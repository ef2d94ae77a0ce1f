"""``manage.py documentation``: build the documentation, which the site then serves at /docs/."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.operations.documentation import Unbuildable, build_documentation


class Command(BaseCommand):
    help = "Build the documentation as a site with a search, which Deniable serves at /docs/."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--into",
            type=Path,
            default=settings.DOCUMENTATION,
            help="The folder to write into. Default: the folder that is served at /docs/.",
        )

    def handle(self, *args: Any, into: Path, **options: Any) -> None:
        try:
            pages = build_documentation(into)
        except Unbuildable as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"{pages} pages of documentation are in {into}")
