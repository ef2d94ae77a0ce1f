"""``manage.py demo_release``: publish the demonstration's tables, and print where they are."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from analytics import demonstration
from surveys.models import Survey
from surveys.models.refusals import NotPossible


class Command(BaseCommand):
    help = "Publish the demonstration's release of tables; `demo` runs this."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--survey", required=True, help="Key of the demonstration's survey.")
        parser.add_argument("--site", default="", help="What the link starts with.")

    def handle(self, *args: Any, survey: str, site: str, **options: Any) -> None:
        """Publish it once. Raises CommandError for a survey that is none."""
        prepared = Survey.objects.filter(pk=survey).first()
        if prepared is None:
            raise CommandError(f"--survey: there is no survey {survey!r}.")
        try:
            report = demonstration.publish_once(prepared)
        except NotPossible as reason:
            self.stdout.write(f"  {'Released tables':<20} none: {reason}")
            return
        link = reverse("releases:page", args=[report.pk])
        self.stdout.write(f"  {'Released tables':<20} {site}{link}")
