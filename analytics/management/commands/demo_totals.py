"""``manage.py demo_totals``: open the demonstration's locked totals, and print where they are."""

from collections.abc import Iterator

from django.urls import reverse

from analytics import demonstration
from analytics.management.demonstrations import PublishedCommand
from surveys.demonstration.locked import PAID, paid_for_papers
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.trust.refusals import TrustRefusal


class Command(PublishedCommand):
    help = "Open the demonstration's totals of locked answers; `demo` runs this."

    def published(self, survey: Survey, site: str) -> Iterator[tuple[str, str]]:
        try:
            opened = demonstration.open_totals(survey)
        except (NotPossible, TrustRefusal, OSError) as reason:
            yield "Counted while locked", f"none: {reason}"
            return
        counted = opened.margin(PAID)[1].counted
        yield "Counted while locked", site + reverse("surveys:locked", args=[survey.pk])
        yield (
            "",
            f"opened: {counted.count} of {counted.people} people paid for a paper, give or take "
            f"{counted.half_width}; the truth is {paid_for_papers()}",
        )
