"""From a draft's sections, screens and end link to a Layout; reasons against launching it."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit
from uuid import UUID

from surveys.authoring.draft.building import is_picked
from surveys.authoring.draft.kinds import LONG_LISTS, draft_kind
from surveys.authoring.draft.reasons import Reason, of_question
from surveys.models import Question
from surveys.questionnaire.layout import Layout, RandomOrder, Section
from surveys.randomized_response.messages import sentence

MOST_ON_A_SCREEN = 10  # so that a screen of them stays one that a telephone can scroll
PARTED = sentence(
    "The rule of this question depends on question {source}, but the random order may show "
    "question {source} later. Put both questions on one screen, or take one of them out of the "
    "random order."
)


def layout_of(questions: Sequence[Question], end_link: str = "") -> Layout:
    """How these questions, in their order, are grouped; with the link on the last page."""
    numbered = list(enumerate(questions, start=1))
    return Layout(
        tuple(
            Section(number, question.section.strip(), question.section_text.strip())
            for number, question in numbered
            if question.section.strip()
        ),
        tuple(number for number, question in numbered if _is_below(question)),
        end_link.strip(),
        RandomOrder(
            tuple(number for number, question in numbered if _mixes_options(question)),
            tuple(number for number, question in numbered if question.random_screens),
            tuple(number for number, question in numbered if question.random_section),
        ),
    )


def _is_below(question: Question) -> bool:
    """Whether it is on the screen of the one before; a text for its last answer always is."""
    return question.same_screen or draft_kind(question).stands_below


def _mixes_options(question: Question) -> bool:
    """A mark that its kind does not use is kept, and says nothing."""
    return question.random_options and "random_options" in draft_kind(question).fields


def section_members(questions: Sequence[Question]) -> dict[UUID, list[UUID]]:
    """The other questions of each section, by the question that begins it."""
    layout = layout_of(questions)
    members: dict[UUID, list[UUID]] = {questions[each.first - 1].pk: [] for each in layout.sections}
    for number, question in enumerate(questions, start=1):
        section = layout.section_of(number)
        if section is not None and section.first != number:
            members[questions[section.first - 1].pk].append(question.pk)
    return members


def link_reasons(end_link: str) -> Iterator[str]:
    """A link that is the same for all and carries nothing that could tell people apart."""
    if not end_link.strip():
        return
    try:
        parts = urlsplit(end_link.strip())
        host, _ = parts.hostname, parts.port  # the port is read, so that a wrong one is refused
    except ValueError:
        yield Reason(
            sentence("The link on the last page is not a valid address. Correct the link."),
            "end_link",
        )
        return
    if parts.scheme not in ("http", "https") or not host or any(map(str.isspace, end_link.strip())):
        yield Reason(
            sentence(
                "The link on the last page must be an address that begins with https:// or http://."
            ),
            "end_link",
        )
    if parts.query or parts.fragment or parts.username or set("?#") & set(end_link):
        yield Reason(
            sentence(
                "The link on the last page must not carry any data. Remove “?”, “#” and any name "
                "before “@”."
            ),
            "end_link",
        )


def layout_reasons(questions: Sequence[Question]) -> Iterator[str]:
    """What respondents could not make sense of."""
    layout = layout_of(questions)
    if layout.sections and layout.sections[0].first > 1:
        yield sentence(
            "Question 1 belongs to no section. Start a section at question 1, or remove the other "
            "sections."
        )
    titles = [section.title.casefold() for section in layout.sections]
    if len(set(titles)) < len(titles):
        yield sentence("Two sections have the same title. Change one of the titles.")
    for number, question in enumerate(questions, start=1):
        yield from (of_question(number, question.text, why) for why in _of_one(question))
    if 1 in layout.together:
        yield sentence(
            "Question 1 cannot share a screen with the question before, because no question comes "
            "before question 1. Give question 1 a screen of its own."
        )
    if any(len(screen) > MOST_ON_A_SCREEN for screen in layout.screens(len(questions))):
        yield sentence(
            "Show at most {most_on_a_screen} questions on one screen.",
            most_on_a_screen=MOST_ON_A_SCREEN,
        )
    yield from _order_reasons(layout, len(questions))
    for number, source in _read(questions):
        if source < number and not layout.comes_before(source, number):
            yield of_question(number, questions[number - 1].text, PARTED.format(source=source))


def _order_reasons(layout: Layout, count: int) -> Iterator[str]:
    """Orders of which there is only one."""
    if len(layout.order.sections) == 1:
        yield sentence(
            "One section alone cannot be in random order. Tick “section in random order” for "
            "another section too, or remove the tick."
        )
    screens = [layout.section_of(screen[0]) for screen in layout.screens(count)]
    for section in layout.sections:
        if section.first in layout.order.screens and screens.count(section) < 2:
            yield sentence(
                "The section “{title}” has only one screen, so its screens cannot be in random "
                "order. Add a screen, or remove the tick for random order.",
                title=section.title,
            )


def _read(questions: Sequence[Question]) -> Iterator[tuple[int, int]]:
    """Each question with the numbers of those that its conditions and its section's read."""
    numbers = {question.pk: number for number, question in enumerate(questions, start=1)}
    of_section: set[UUID] = set()
    for number, question in enumerate(questions, start=1):
        rows = question.conditions.all()
        if question.section.strip():
            of_section = {row.source_id for row in rows if row.of_section}
        sources = of_section.union(row.source_id for row in rows if not row.of_section)
        yield from ((number, numbers[key]) for key in numbers if key in sources)


def _of_one(question: Question) -> Iterator[str]:
    if question.section_text.strip() and not question.section.strip():
        yield sentence(
            "This question has a text for a section, but no title for the section. Write the "
            "title, or empty the text."
        )
    if question.section_shape and not question.section.strip():
        yield sentence(
            "This question has a rule for a section, but no title for the section. Write the "
            "title, or empty the rule."
        )
    if question.section.strip() and _is_below(question):
        yield sentence(
            "A section begins at this question, so the question needs its own screen. Remove "
            "its tick “on the same screen”."
        )
    if (question.random_screens or question.random_section) and not question.section.strip():
        yield sentence(
            "The ticks for random order work only at the first question of a section, but no "
            "section begins at this question. Begin a section at this question, or remove the "
            "ticks."
        )
    if _mixes_options(question) and (question.design in LONG_LISTS or is_picked(question)):
        yield sentence(
            "People find an option in a long list by its position, so a long list cannot be in "
            "random order. Remove the tick “answers in random order”."
        )
