"""translated: messages of rooms without Django, in the language of the page."""

import re
from collections.abc import Iterable
from decimal import Decimal
from math import isfinite
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from surveys.questionnaire.messages import Listed, Message, for_author
from surveys.randomized_response.errors import StatisticsError
from surveys.wording.language.numbers import parted

PLACE = re.compile(r"\\{(\w+)\\}")
NUMBER = re.compile(r"[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?")


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


def form_of(pattern: Message) -> re.Pattern[str]:
    """What a sentence of this pattern looks like; its values are groups of their names."""
    return re.compile(shape_of(pattern.pattern), re.DOTALL)


def shape_of(text: str, end: str = "") -> str:
    """A regular expression of a sentence with places in braces, and of what ends it.

    Each value but the last goes to the first place where the words after it stand, and never
    further: if the rest does not follow there, it does not follow later either. So the time is
    linear, also where people wrote the values.
    """
    first, *rest = PLACE.split(re.escape(text))
    values = [f"(?P<{name}>.+?){words}" for name, words in zip(rest[::2], rest[1::2], strict=True)]
    *others, last = values or [""]
    return first + "".join(f"(?>{value})" for value in others) + last + end


def recognised(text: str, known: Iterable[Message]) -> str:
    """An English text of a room that knows no messages, as the message whose pattern it fits."""
    for pattern in known:
        if found := form_of(pattern).fullmatch(text):
            values = {name: _value_of(value) for name, value in found.groupdict().items()}
            return pattern.format(**values) if values else pattern
    return text


def refused(problem: StatisticsError, remedies: Iterable[Message] = ()) -> Message:
    """What the statistics refuse, and what to do; ``remedies`` are the patterns of known ones."""
    return for_author(
        "{argument} = {value} cannot be used: {remedy}",
        argument=problem.argument,
        value=_refused_value(problem),
        remedy=recognised(problem.remedy, remedies),
    )


def _refused_value(problem: StatisticsError) -> str | Decimal:
    """A message or a number to be said in a language; anything else as the error writes it."""
    value = problem.value
    if isinstance(value, Message):
        return value
    if isinstance(value, float) and isfinite(value):
        return Decimal(repr(float(value)))
    start, end = f"{problem.argument} = ", f" cannot be used: {problem.remedy}"
    return str(problem).removeprefix(start).removesuffix(end)


def said_by(problem: Exception) -> str:
    """What an error says to people, in the language that is active."""
    if isinstance(problem, StatisticsError):
        return translated(refused(problem))
    said = problem.args[0] if problem.args else ""
    return translated(said) if isinstance(said, Message) else str(problem)


def _value_of(written: str) -> str | Decimal:
    is_number = NUMBER.fullmatch(written)
    return Decimal(written.replace(",", "")) if is_number else written


def _said(value: Any) -> Any:
    """A value within a message: a message, numbers with their point or comma, anything else."""
    if isinstance(value, Listed):
        return parted(number_format(number) for number in value)
    if isinstance(value, Decimal):
        return number_format(value, force_grouping=True)
    return translated(value) if isinstance(value, str) else value
