"""The sheet ``read_me``: for people, what is in the workbook and what other programs leave out."""

from collections.abc import Iterator, Sequence

from surveys.definitions.definition import Definition, DraftQuestion
from surveys.definitions.xlsforms.columns import FORMAT, cell_of

OPENING = (
    "This workbook is a draft of a survey, made by Deniable. ODK, KoboToolbox and SurveyCTO read "
    "it as an XLSForm: the sheets “survey”, “choices” and “settings”.",
    "IMPORTANT: other programs ask every question directly. They read none of the columns that "
    "protect answers, and store what people truly answered.",
    "Deniable reads all of it: choose “Import a form” and this file. The draft that it makes is "
    "the same, and downloads as the same JSON.",
    "You may change texts, options, bounds and conditions, and add questions. What Deniable reads "
    "otherwise than it stands in a cell, it names before it makes the draft.",
    f"To have Deniable read it like a form of another program, empty the cell below “{FORMAT}” in "
    "the sheet “settings”.",
)
COLUMNS = (
    ("kind", "What the row is to Deniable; other programs go by “type”."),
    (
        "rule",
        "Who is asked, in Deniable's words. “relevant” says it to other programs. Where “rule” is "
        "empty, Deniable reads “relevant”.",
    ),
    ("design", "How answers are randomized. Empty: asked directly."),
    ("epsilon", "How much a report may reveal, for designs that are made from it."),
    ("forced", "Chances of the answers that the design sends without regard to the truth."),
    ("p_sensitive", "Chances that the sensitive question is answered, not the harmless one."),
    ("second::…", "The harmless question beside the sensitive one."),
    ("second_yes", "The known share of Yes to the harmless question."),
    ("channel", "Chances of each report, a row for each true answer, “;” between rows."),
    ("sent", "How many options, rows or items of a question are drawn, and sent."),
    ("most", "How many options may be ticked."),
    (
        "family",
        "How a question behind a protected answer is reported. Empty: as one report with it. "
        "“own”: with a level of its own for “does not apply”. “counts”: not asked counts as No.",
    ),
    ("arm", "The groups, drawn by chance, that are asked; the sheet “arms” has their weights."),
    ("special", "The list of answers beside a number, such as “Do not know”."),
    ("row", "The value of a row of a table."),
    ("options", "The list of the columns of a table."),
    ("quoted::…", "The words of quoted answers, where a page cannot fill them in."),
    ("same_screen", "Asked on the screen of the question above."),
    ("random_questions, random_section", "What of a section comes in random order."),
    ("catalogue, adaptive", "The list of items that are rated, and whether good ones come more."),
    ("decimal_places, known_share, counted_table, unfinished", "As in the draft's JSON."),
    ("exclusive", "In the sheet “choices”: ticking this option clears all others."),
    (
        "title_in::…, organisation::…, contact::…, and from “languages” on",
        "In the sheet “settings”: what else respondents are promised, as in the draft's JSON.",
    ),
    ("more, more_002, …", "What no other column can say, in JSON. Leave it as it is."),
)
LEFT_OUT = "What other programs leave out of this survey"
NOTHING = "Nothing of a question, as far as XLSForm can tell."


def notes_on(definition: Definition) -> Iterator[Sequence[str]]:
    """The rows of the sheet."""
    yield from ([line] for line in OPENING)
    yield []
    yield ["Column", "What it says"]
    yield from COLUMNS
    yield []
    yield [LEFT_OUT]
    lost = [
        [question.name, words] for question in definition.questions for words in _lost_of(question)
    ]
    if definition.arms:
        lost.append(["arms", "Chance draws no group: all people are asked all questions."])
    yield from lost or [[NOTHING]]


def _lost_of(question: DraftQuestion) -> Iterator[str]:
    """What of a question other programs do not know, in the order of their weight."""
    design = question.design.name
    if design != "direct":
        yield f"Its protection by the design “{design}”: it is asked directly."
    if question.behind:
        yield "How it is reported behind a protected answer."
    if question.arms:
        yield f"That it is asked of groups alone: {cell_of(', '.join(question.arms))}."
    if question.shown:
        yield f"That {question.shown} of its parts are drawn by chance: all are asked."
    if question.kind == "rating":
        yield "Its items: they stand in a catalogue. It is asked once."
    if question.unfinished:
        yield "That it is not finished: its author has to look at it."
