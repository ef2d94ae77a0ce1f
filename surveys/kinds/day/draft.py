"""A drafted date: asked directly, or as periods of which the browser sends one by chance."""

from collections.abc import Iterator
from datetime import date

from django.utils.translation import gettext

from surveys.authoring.draft.building import common_fields, device_reasons, levels_of, with_device
from surveys.authoring.draft.kinds import OF_PARTS, DraftKind
from surveys.authoring.simulation.draws import Answering, DrawnPeople, Shares, answer_directly
from surveys.kinds.day.promise import DayQuestion, DayRange
from surveys.models import Question
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.randomized_response.messages import sentence

MOST_PERIODS = 32
MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


def drafted_day(question: Question) -> PromisedQuestion:
    """A date as it is given, or the period that it is in. Raises ValueError without both days."""
    if question.design == Question.Design.DIRECT:
        first, last = _bounds(question)
        days = DayRange(first.isoformat(), last.isoformat())
        return DayQuestion(**common_fields(question), days=days)
    levels = levels_of(question, periods(question))
    return with_device(question, levels, tuple(range(len(levels))))


def periods(question: Question) -> list[str]:
    """The periods from the first to the last day: months if these are few, else longer ones.

    Years where even these are too many.
    """
    first, last = _bounds(question)
    for months in MONTHS_OF.values():
        names = list(_periods(first, last, months))
        if len(names) <= MOST_PERIODS:
            break
    return names


def day_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a date from being launched."""
    reasons = list(_range_reasons(question))
    yield from reasons or device_reasons(question, drafted_day)


def _range_reasons(question: Question) -> Iterator[str]:
    if question.design not in OF_PARTS:
        yield sentence(
            "A date can only be asked directly, with two coins or with the k-ary design. Choose "
            "one of these designs."
        )
    if question.first_day is None or question.last_day is None:
        yield sentence("Enter the first and the last day.")
    elif question.first_day >= question.last_day:
        yield sentence("The first day must be before the last day.")
    elif question.design != Question.Design.DIRECT:
        yield from _period_reasons(len(periods(question)))


def _period_reasons(count: int) -> Iterator[str]:
    if count > MOST_PERIODS:
        yield sentence(
            "The first and the last day span {count} years. This is too long: a protected "
            "question can have at most {most_periods} periods (months, quarters or years). "
            "Choose days that are closer together.",
            count=count,
            most_periods=MOST_PERIODS,
        )
    if count < 2:
        yield sentence(
            "All days are in one month, so a protected question would offer only one option. "
            "Ask the question directly."
        )


def _periods(first: date, last: date, months: int) -> Iterator[str]:
    """The period of each length that holds a day of the range, in words."""
    start, end = _index(first) // months, _index(last) // months
    for period in range(start, end + 1):
        year, month = divmod(period * months, 12)
        yield _name(year, month, months)


def _name(year: int, month: int, months: int) -> str:
    if months == MONTHS_OF["year"]:
        return f"{year}"
    if months == MONTHS_OF["quarter"]:
        return gettext("{first} to {last}").format(
            first=f"{year}-{month + 1:02d}", last=f"{year}-{month + 3:02d}"
        )
    return f"{year}-{month + 1:02d}"


def _index(day: date) -> int:
    """Months since the year 0."""
    return 12 * day.year + day.month - 1


def _bounds(question: Question) -> tuple[date, date]:
    if question.first_day is None or question.last_day is None:
        raise ValueError(sentence("Enter the first and the last day."))
    return question.first_day, question.last_day


def _draw_day(item: DayQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    return answer_directly(item, [item.days.first] * people.count)


DRAFTS = {
    Question.Kind.DATE: DraftKind(
        build=drafted_day,
        reasons=day_reasons,
        fields=frozenset({"first_day", "last_day"}),
        designs=OF_PARTS,
    )
}
DRAWS = {DayQuestion: _draw_day}
