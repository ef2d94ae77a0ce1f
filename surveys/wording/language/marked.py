"""Authors' texts with marks of emphasis and lists, as pages show them: our elements, their words.

Every word is escaped; the elements are ``em``, ``strong``, ``p``, ``br``, ``ul``, ``ol`` and ``li``
without any attribute but an item's number.
"""

from collections.abc import Callable

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from surveys.questionnaire.logic.marks import BULLETS, LINES, Block, Line, blocks_of, pieces_of

Show = Callable[[str], str]  # words as a page shows them, safe or still to be escaped

ELEMENTS = {
    "": "{}",
    "em": "<em>{}</em>",
    "strong": "<strong>{}</strong>",
}
ENDED = mark_safe("<br>\n")  # a reader of the words alone needs the blank between two lines


def marked_line(line: str, show: Show = conditional_escape) -> SafeString:
    """One line with its emphasis, for places where no list or paragraph may stand."""
    pieces = ((format_html(ELEMENTS[name], show(words)),) for words, name in pieces_of(line))
    return format_html_join("", "{}", pieces)


def marked_text(text: str) -> SafeString:
    """Paragraphs and lists, each line with its emphasis."""
    return format_html_join("\n", "{}", ((_shown(block),) for block in blocks_of(text)))


def _shown(block: Block) -> SafeString:
    if block.kind == LINES:
        lines = ((marked_line(line.words),) for line in block.lines)
        return format_html("<p>{}</p>", format_html_join(ENDED, "{}", lines))
    element = "<ul>{}</ul>" if block.kind == BULLETS else "<ol>{}</ol>"
    return format_html(
        element, format_html_join("", "{}", ((_item(line),) for line in block.lines))
    )


def _item(line: Line) -> SafeString:
    """An item has the number that its author gave it."""
    if line.kind == BULLETS:
        return format_html("<li>{}</li>", marked_line(line.words))
    return format_html('<li value="{}">{}</li>', line.number, marked_line(line.words))
