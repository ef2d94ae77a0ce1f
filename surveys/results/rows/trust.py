"""Trust: whether respondents believed the protection, beside the estimates that rest on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext, gettext_lazy

from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.questions import Report
from surveys.results.reading import Reading
from surveys.results.rows.numbers import NumberReport
from surveys.results.shares import ShareReport
from surveys.wording.language.numbers import number_words, percent

BELIEVING = (2, 3)  # the levels "mostly" and "completely"
LEVELS = 4
KINDS = ("trust", "honest")
NOTE = gettext_lazy(
    "People who believe the protection may differ from people who do not believe it. A "
    "connection between trust and answers does not prove that one causes the other."
)


@dataclass(frozen=True)
class Trust:
    """What a survey's respondents say of its protection, in words; a part may not be asked."""

    believed: str = ""
    honest: str = ""
    note: str = field(default_factory=lambda: str(NOTE))


def trust_of(reports: Sequence[Report], reading: Reading) -> Trust | None:
    """The answers to the trust block; None where it is not asked or not answered."""
    believed = "".join(
        _believed(report, reading)
        for report in reports
        if isinstance(report, ShareReport) and report.item.kind == "trust"
    )
    honest = "".join(
        _honest(report)
        for report in reports
        if isinstance(report, NumberReport) and report.item.kind == "honest"
    )
    return Trust(believed, honest) if believed or honest else None


def _believed(report: ShareReport, reading: Reading) -> str:
    """Among those who answered; who would rather not say is known and left out."""
    counts = [row.reported or 0 for row in report.rows[:LEVELS]]
    if not sum(counts):
        return ""
    yes = sum(counts[level] for level in BELIEVING)
    estimate = DistributionEstimate(Direct(2).channel, (sum(counts) - yes, yes))
    interval = estimate.interval(1, reading.level, reading.way).clipped()
    return gettext(
        "{share} of people who answered ({low} to {high}) mostly or completely believe that no "
        "one can learn their true answers."
    ).format(
        share=percent(float(estimate.shares[1])),
        low=percent(interval.low),
        high=percent(interval.high),
    )


def _honest(report: NumberReport) -> str:
    if report.mean is None:
        return ""
    mean = number_words(report.mean, 1)
    if report.mean_interval is None:
        return gettext(
            "On average, respondents think that {mean} of 100 people like them answer honestly."
        ).format(mean=mean)
    low, high = (number_words(end, 1) for end in report.mean_interval)
    return gettext(
        "On average, respondents think that {mean} of 100 people like them ({low} to {high}) "
        "answer honestly."
    ).format(mean=mean, low=low, high=high)
