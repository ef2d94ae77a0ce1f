"""isolated: authors' words within a sentence that is read from right to left."""

from django.utils.translation import get_language_bidi

# Unicode's first strong isolate and its end (UAX 9): what is between has a direction of its own.
BEGIN, END = "\u2068", "\u2069"


def isolated(text: str) -> str:
    """The text, kept from changing the direction of what stands around it, where that matters."""
    return f"{BEGIN}{text}{END}" if get_language_bidi() else text
