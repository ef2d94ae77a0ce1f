"""translated: messages of rooms without Django, in the language of the page."""

from django.utils.translation import gettext, ngettext

from surveys.questionnaire.messages import Message


def translated(text: str) -> str:
    """A message in the language that is active; authors' words as they are."""
    if not isinstance(text, Message):
        return text
    found = (
        gettext(text.pattern)
        if text.number is None
        else ngettext(text.pattern, text.plural, text.number)
    )
    values = {
        name: translated(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return found.format(**values) if values else found
