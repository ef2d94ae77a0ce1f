"""The readings of a plan in words: what each is for, errors in points, ranges without a share."""

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.questionnaire.plans.readings import Plan
from surveys.randomized_response.intervals import Interval, PlannedLooks
from surveys.randomized_response.intervals.intervals import OUTSIDE
from surveys.randomized_response.planning import Reading
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words

READING_WORDS: dict[Reading, Promise] = {
    Reading.ONCE: gettext_lazy(
        "You look at the results once, with the exact interval: at the first opening with the "
        "planned number of responses, or at the close if this number is not reached. Earlier and "
        "later looks use the confidence sequence."
    ),
    Reading.AT_OPENINGS: gettext_lazy(
        "You look at the results after each opening that is planned at the launch. The exact "
        "intervals are wider for this reason: with the planned probability, the intervals of all "
        "openings together contain the true values. Live surveys have no openings, so their "
        "results are read all the time."
    ),
    Reading.ALWAYS: gettext_lazy(
        "You look at the results whenever you like, and stop when you like. With the planned "
        "probability, the confidence sequence contains the true value at all looks together."
    ),
}
READ_ALL_THE_TIME = gettext_lazy(
    "Answers can be read already, so under this plan the results are now read all the time. If "
    "you choose the number of responses after a look at answers, this number is not fixed "
    "beforehand. An interval for a single look would then miss the true value more often."
)


def error_words(half_width: float, unit: str = "") -> str:
    """Half the width of an interval: "6.29 points"; one above 100 excludes nothing."""
    unit = unit or gettext("points")
    if half_width >= 1:
        return gettext("more than 100 {unit}").format(unit=unit)
    return f"{number_words(100 * half_width, 2)} {unit}"


def level_words(failure: float) -> str:
    """The level of intervals that miss so often: "95 %"."""
    return f"{number_words(100 * (1 - failure), 6)} %"


def at_last_opening_words(looks: PlannedLooks | None) -> str:
    """What an expected error of a plan at openings takes for granted; empty for other plans."""
    if looks is None:
        return ""
    count = len(looks.times)
    return ngettext(
        "This precision is expected at the close, which is the only opening of the survey.",
        "This precision is expected at the last of {count} openings, if answers come evenly until "
        "the last opening.",
        count,
    ).format(count=count_words(count))


def wanted_words(plan: Plan, expected: float, needed: int | None) -> str:
    """Whether what is expected of a plan is what it asks for; empty where it asks for no error.

    ``needed`` is how many responses are enough in its reading, None where no number is.
    """
    if plan.error is None:
        return ""
    wanted = error_words(plan.error)
    if plan.is_enough(expected):
        return gettext("This precision is enough: the plan asks for ± {wanted}.").format(
            wanted=wanted
        )
    if needed is None:
        return gettext(
            "This precision is not enough: the plan asks for ± {wanted}, which cannot be "
            "reached with any number of people."
        ).format(wanted=wanted)
    return gettext(
        "This precision is not enough: the plan asks for ± {wanted}, which needs {count} responses."
    ).format(wanted=wanted, count=count_words(needed))


def beyond_words(interval: Interval) -> str:
    """That none of an interval's values is a share; empty where some are."""
    return translated(OUTSIDE) if interval.misses_range else ""
