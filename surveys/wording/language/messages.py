"""translated: messages of rooms without Django, in the language of the page."""

from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import get_language_bidi, gettext, ngettext

from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import Listed, Message, Messages
from surveys.wording.language.numbers import parted


def looked_up(pattern: str, /, **values: str) -> str:
    """A text that another module marks with ``gettext_noop``, with these values in it."""
    translation = gettext(pattern)
    return translation.format(**values) if values else translation


def translated(text: str) -> str:
    """A message in the language that is active; authors' words as they are."""
    if isinstance(text, Messages):
        return text.between.join(map(translated, text.parts))
    if not isinstance(text, Message):
        return text
    translation = (
        gettext(text.pattern)
        if text.number is None
        else ngettext(text.pattern, text.plural, text.number)
    )
    values = {name: _said(value) for name, value in text.values.items()}
    return translation.format(**values) if values else translation


def said_by(problem: Exception) -> str:
    """What an error says to people, in the language that is active."""
    return translated(message_of(problem))


def message_of(problem: Exception) -> str:
    """What an error says to people, as a message where it is one."""
    if isinstance(problem, StatisticsError):
        return problem.message
    message = problem.args[0] if problem.args else ""
    return message if isinstance(message, Message) else str(problem)


def _said(value: Any) -> Any:
    """A value within a message: a message, numbers with their point or comma, anything else."""
    if isinstance(value, Listed):
        return parted(number_format(number) for number in value)
    if isinstance(value, Decimal):
        return number_format(value, force_grouping=True)
    return translated(value) if isinstance(value, str) else value


# Unicode's first strong isolate and its end (UAX 9): what is between has a direction of its own.
BEGIN, END = "\u2068", "\u2069"


def isolated(text: str) -> str:
    """The text, kept from changing the direction of what stands around it, where that matters."""
    return f"{BEGIN}{text}{END}" if get_language_bidi() else text
