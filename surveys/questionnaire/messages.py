"""Messages that respondents read. Needs no Django.

What is written here knows no language but English. A page looks a message up in its catalogue with
``surveys.wording.language.messages.translated``; ``tests.locale`` finds what has to be in the
catalogues by the names ``message`` and ``counted``, which respondents read, and ``sentence`` and
``counted_sentence``, which staff read.
"""

from typing import Any

from surveys.randomized_response.messages import Message


def message(pattern: str, /, **values: Any) -> Message:
    """A text with these values in it."""
    return Message.of(pattern, "", None, values)


def counted(one: str, other: str, count: int, /, **values: Any) -> Message:
    """A text about so many things; ``{count}`` stands for the number."""
    return Message.of(one, other, count, {"count": count, **values})
