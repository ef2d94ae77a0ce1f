"""``status.json``: what may change after the launch, the last day, and the program's versions."""

from datetime import date

from surveys.models import ProgramVersion, Survey
from surveys.trust.digests import canonical


def status_file(survey: Survey, today: date) -> bytes:
    """The file of a launched survey; days are days of UTC.

    ``versions`` are in the order in which each first answered here.
    """
    versions = ProgramVersion.objects.order_by("pk").values_list("version", "since")
    return canonical(
        {
            "survey": str(survey.pk),
            "last_day": survey.close_on.isoformat() if survey.close_on else None,
            "state": "open" if survey.takes_answers(today) else "closed",
            "versions": [
                {"version": version, "since": since.isoformat()} for version, since in versions
            ],
        }
    )
