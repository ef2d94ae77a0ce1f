"""Every address that ends like a file, and what to ask it in the survey of ``conftest``."""

import re
from collections.abc import Iterator
from datetime import timedelta

from django.urls import get_resolver, reverse
from django.utils import timezone

from analytics.kinds.tables.settings import TableQuestion, TableSettings
from tests.analytics import examples, tabulating

FILE = re.compile(r"(?:.*[/.])?.+\.(csv|json|svg|png|parquet|R|do|sps|md)")
# What a page has to be asked, by the name of its address.
FIRST = timezone.now().date() + timedelta(2)
REMINDERS = f"?first={FIRST}&last={FIRST + timedelta(7)}"
QUERIES = {
    "surveys:planner-curve": "?error=0.03",
    "surveys:planner-price": "?error=0.03",
    **{f"surveys:break-down-{form}": "?question=1&by=2" for form in ("picture", "csv", "json")},
    **{
        f"surveys:weighted-{form}": "?by=2&margins=North:+50%0ASouth:+50"
        for form in ("csv", "json")
    },
    **{
        f"surveys:reminders-{form}": f"{REMINDERS}&sends=1&rival_sends=1" for form in ("csv", "svg")
    },
    **{
        f"surveys:regression-{form}": "?outcome=2-1&predictors=3"
        for form in ("picture", "csv", "json")
    },
}
# The program's own file has no name and is of no survey; those of sealed texts, permits and locked
# tables are there where a survey seals or locks, and most have formats of their own; a draft's has
# the same bytes under any version.
OTHERS = {None, "sealed-texts", "permit-file", "trustee-noise", "trustee-share"}
OTHERS |= {"locked-csv", "locked-json", "surveys_survey_definition"}
RATED = 5  # the number of the question whose items are rated


def addresses(resolver=None, route: str = "", space: str = "") -> Iterator[tuple[str, str, str]]:
    """(name, arguments, ending) of every address that ends like a file.

    Not of what a survey promised: its bytes are those of the launch, under any version.
    """
    for one in (resolver or get_resolver()).url_patterns:
        whole = route + str(one.pattern)
        if hasattr(one, "url_patterns"):
            yield from addresses(one, whole, f"{one.namespace}:" if one.namespace else space)
        elif (
            one.name not in OTHERS
            and space not in ("respondent:", "posted:")
            and (found := FILE.fullmatch(whole))
        ):
            yield space + one.name, whole, found[1]


ADDRESSES = list(addresses())


class Places:
    """Where the files of a survey are: ``at`` is the whole address of a name in ``ADDRESSES``."""

    def __init__(self, survey) -> None:
        self._survey = survey
        self.report = examples.store(survey, examples.a_report())
        settings = TableSettings(
            (TableQuestion(2), TableQuestion(3)), ((2,), (2, 3)), is_public=True
        )
        self._released = tabulating.release(survey, settings)

    def at(self, name: str, route: str) -> str:
        known = {"survey_id": self._survey.pk, "report_id": self.report.pk}
        known |= {"name": "topic-1", "place": 1}
        known["number"] = RATED if name.startswith("ranking:") else 1
        if name.startswith(("releases:", "analytics:release")):
            known["report_id"] = self._released.pk
        arguments = {key: known[key] for key in re.findall(r"<\w+:(\w+)>", route)}
        return reverse(name, kwargs=arguments) + QUERIES.get(name, "")
