"""translated: messages of rooms without Django, in the language of the page."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from surveys.questionnaire.messages import Message, for_author
from surveys.randomized_response.errors import StatisticsError


def looked_up(pattern: str, /, **values: str) -> str:
    """A text that another module marks with ``gettext_noop``, with these values in it."""
    found = gettext(pattern)
    return found.format(**values) if values else found


def translated(text: str) -> str:
    """A message in the language that is active; authors' words as they are."""
    if not isinstance(text, Message):
        return text
    found = (
        gettext(text.pattern)
        if text.number is None
        else ngettext(text.pattern, text.plural, text.number)
    )
    values = {name: _said(value) for name, value in text.values.items()}
    return found.format(**values) if values else found


def refused(problem: StatisticsError, remedies: Iterable[Message] = ()) -> Message:
    """What the statistics refuse, and what to do; ``remedies`` are known ones as messages."""
    remedy, start = problem.remedy, f"{problem.argument} = "
    value = str(problem).removeprefix(start).removesuffix(f" cannot be used: {remedy}")
    return for_author(
        "{argument} = {value} cannot be used: {remedy}",
        argument=problem.argument,
        value=value,
        remedy=next((known for known in remedies if known == remedy), remedy),
    )


def said_by(problem: Exception) -> str:
    """What an error says to people, in the language that is active."""
    if isinstance(problem, StatisticsError):
        return translated(refused(problem))
    said = problem.args[0] if problem.args else ""
    return translated(said) if isinstance(said, Message) else str(problem)


def _said(value: Any) -> Any:
    """A value within a message: a message, a number with its point or comma, anything else."""
    if isinstance(value, Decimal):
        return number_format(value, force_grouping=True)
    return translated(value) if isinstance(value, str) else value
