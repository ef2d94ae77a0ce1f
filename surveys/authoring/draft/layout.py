"""From a draft's sections, screens and end link to a Layout; reasons against launching it."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from surveys.models import Question
from surveys.questionnaire.layout import Layout, Section

MOST_ON_A_SCREEN = 10  # so that a screen of them stays one that a telephone can scroll


def layout_of(questions: Sequence[Question], end_link: str = "") -> Layout:
    """How these questions, in their order, are grouped; with the link on the last page."""
    numbered = list(enumerate(questions, start=1))
    return Layout(
        tuple(
            Section(number, question.section.strip(), question.section_text.strip())
            for number, question in numbered
            if question.section.strip()
        ),
        tuple(number for number, question in numbered if question.same_screen),
        end_link.strip(),
    )


def link_reasons(end_link: str) -> Iterator[str]:
    """A link that is the same for all and carries nothing that could tell people apart."""
    if not end_link.strip():
        return
    try:
        parts = urlsplit(end_link.strip())
        host, _ = parts.hostname, parts.port  # the port is read, so that a wrong one is refused
    except ValueError:
        yield "The link on the last page is no address."
        return
    if parts.scheme not in ("http", "https") or not host or any(map(str.isspace, end_link.strip())):
        yield "The link on the last page must be an address that begins with https:// or http://."
    if parts.query or parts.fragment or parts.username or set("?#") & set(end_link):
        yield "The link on the last page must carry nothing: no “?”, no “#” and no name."


def layout_reasons(questions: Sequence[Question]) -> Iterator[str]:
    """What respondents could not make sense of."""
    layout = layout_of(questions)
    if layout.sections and layout.sections[0].first > 1:
        yield "Let a section begin at the first question too, or have none."
    titles = [section.title.casefold() for section in layout.sections]
    if len(set(titles)) < len(titles):
        yield "Two sections have the same title."
    for number, question in enumerate(questions, start=1):
        yield from (f"Question {number} ({question.text}): {why}" for why in _of_one(question))
    if 1 in layout.together:
        yield "The first question has none before it whose screen it could be on."
    if any(len(screen) > MOST_ON_A_SCREEN for screen in layout.screens(len(questions))):
        yield f"Show at most {MOST_ON_A_SCREEN} questions on one screen."


def _of_one(question: Question) -> Iterator[str]:
    if question.section_text.strip() and not question.section.strip():
        yield "Its section has a text and no title: give it one."
    if question.section.strip() and question.same_screen:
        yield "A section begins here, so it needs a screen of its own."
