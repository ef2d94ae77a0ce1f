"""``manage.py demo_release``: publish the demonstration's tables, and print where they are."""

from collections.abc import Iterator

from django.urls import reverse

from analytics import demonstration
from analytics.management.demonstrations import PublishedCommand
from surveys.models import Survey
from surveys.models.refusals import NotPossible


class Command(PublishedCommand):
    help = "Publish the demonstration's release of tables; `demo` runs this."

    def published(self, survey: Survey, site: str) -> Iterator[tuple[str, str]]:
        try:
            report = demonstration.publish_once(survey)
        except NotPossible as reason:
            yield "Released tables", f"none: {reason}"
            return
        yield "Released tables", site + reverse("releases:page", args=[report.pk])
