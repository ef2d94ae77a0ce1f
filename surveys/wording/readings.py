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
        "One look, at the first opening with the planned number of responses, else at the close, "
        "by the exact interval. Earlier and later looks are read by the confidence sequence."
    ),
    Reading.AT_OPENINGS: gettext_lazy(
        "A look after each opening that is planned at the launch: the exact interval, at a level "
        "at which those of all openings hold together. Live surveys have no openings, and are read "
        "all the time."
    ),
    Reading.ALWAYS: gettext_lazy(
        "Look whenever you like, stop when you like: the confidence sequence holds at all looks "
        "together."
    ),
}
READ_ALL_THE_TIME = gettext_lazy(
    "Answers can be read already, so the plan is read all the time: a number of responses that is "
    "chosen after a look at answers is not fixed beforehand, and one look would miss more often."
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
        "That is at the close, its only opening.",
        "That is at the last of {count} openings, if answers come evenly until then.",
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
        return gettext("That is enough: the plan asks for ± {wanted}.").format(wanted=wanted)
    if needed is None:
        return gettext(
            "That is not enough: the plan asks for ± {wanted}, which no number of people reaches."
        ).format(wanted=wanted)
    return gettext(
        "That is not enough: the plan asks for ± {wanted}, which needs {count} responses."
    ).format(wanted=wanted, count=count_words(needed))


def beyond_words(interval: Interval) -> str:
    """That none of an interval's values is a share; empty where some are."""
    return translated(OUTSIDE) if interval.misses_range else ""
