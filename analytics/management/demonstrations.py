"""PublishedCommand: what one survey of the demonstration publishes, and where it is."""

from abc import abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.models import Survey


class PublishedCommand(BaseCommand):
    """A command that ``demo`` runs for a survey that it has prepared."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--survey", required=True, help="The key of the demonstration's survey."
        )
        parser.add_argument(
            "--site", default="", help="The address with which the printed link starts."
        )

    def handle(self, *args: Any, survey: str, site: str, **options: Any) -> None:
        """Publish it once. Raises CommandError for a survey that is none."""
        prepared = Survey.objects.filter(pk=survey).first()
        if prepared is None:
            raise CommandError(f"--survey: there is no survey with the key {survey!r}.")
        for name, words in self.published(prepared, site):
            self.stdout.write(f"  {name:<20} {words}")

    @abstractmethod
    def published(self, survey: Survey, site: str) -> Iterator[tuple[str, str]]:
        """Lines to print: a name, and where it is or why there is none."""
