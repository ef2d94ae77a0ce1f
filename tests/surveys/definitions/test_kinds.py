"""Definitions know the kinds, the designs and the fields of the editor, by the same names."""

from surveys.authoring.draft.kinds import OF_DESIGN, draft_kinds
from surveys.definitions.definition import (
    LONGEST_ANSWER,
    LONGEST_HELP,
    LONGEST_NOTE,
    LONGEST_OPTION,
    LONGEST_QUESTION,
    LONGEST_TITLE,
    Promises,
)
from surveys.definitions.kinds import DESIGNS, FIELDS, KINDS, PARAMETERS
from surveys.kinds.text.draft import LONGEST_TEXT
from surveys.models import Option, Question, Survey

# What the editor keeps in one field of lines.
OF_LINES = {"option_lines": "options", "alone": "options", "table_rows": "rows"}


def test_kinds_and_designs_are_those_of_the_editor():
    assert set(KINDS) == set(Question.Kind.values)
    assert set(DESIGNS) == set(Question.Design.values)


def test_each_kind_and_each_design_has_the_fields_of_the_editor():
    fields = {
        kind.value: {OF_LINES.get(name, name) for name in drafted.fields}
        for kind, drafted in draft_kinds().items()
    }
    assert fields == FIELDS
    assert {design.value: its for design, its in OF_DESIGN.items()} == PARAMETERS


def test_texts_may_be_as_long_as_in_the_database():
    lengths = {
        field: model._meta.get_field(field).max_length
        for model, field in [(Question, "text"), (Question, "help"), (Survey, "title")]
    }
    option = Option._meta.get_field("text").max_length
    assert lengths == {"text": LONGEST_QUESTION, "help": LONGEST_NOTE, "title": LONGEST_TITLE}
    assert Question.LONGEST_HELP == LONGEST_HELP
    assert (option, LONGEST_TEXT) == (LONGEST_OPTION, LONGEST_ANSWER)


def test_every_promise_of_a_draft_has_its_place():
    texts = {"title", "introduction", "organisation", "contact", "language", "also_in", "arms"}
    texts |= {"explanations"}
    assert set(Promises.__dataclass_fields__) == set(Survey.PROMISED) - texts
