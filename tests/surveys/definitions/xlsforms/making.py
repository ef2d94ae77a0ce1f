"""Drafts that are hard to say in a workbook, workbooks as sheets of text, and both ways between."""

import io
from collections.abc import Mapping, Sequence
from fractions import Fraction

import openpyxl
from hypothesis import strategies as st

from surveys.definitions.definition import (
    Definition,
    DraftArm,
    DraftDesign,
    DraftExplanation,
    DraftOption,
    DraftQuestion,
    DraftRow,
    DraftSection,
    Promises,
    SpecialAnswer,
)
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.readers.tables import FormRow
from surveys.definitions.imports.readers.workbooks import Sheet
from surveys.definitions.imports.remarks import Remarks
from surveys.definitions.kinds import FIELDS, PARAMETERS
from surveys.definitions.rules.text import read
from surveys.definitions.xlsforms.columns import Cells, in_order
from surveys.definitions.xlsforms.forms import FormSheets, sheets_of_definition
from surveys.definitions.xlsforms.reading import plan_of_ours

# What programs take for something else than a text, and what XML or a cell does not keep.
HARD = [
    "=1+1",
    "+1",
    "-1",
    "@here",
    "#N/A",
    "\"quoted\" and 'quoted'",
    "two\nlines",
    "\ttab",
    " blanks at both ends ",
    "\u2003",
    "one{two} three ${drug} $ {four} ${",
    "{your answer to a} and {what you said on b}",
    "{a | b to a} ${a}, ${your answer to a}",
    "هل فعلت ذلك؟ ‏(نعم)",
    "👩‍👩‍👧 𝔘",
    "\ufffe\uffff",
    "<b>&amp;</b> **bold** _x000D_",
    "yes",
]
WORDS = st.one_of(
    st.sampled_from(HARD), st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
).map(lambda text: text[:60])
TEXTS = st.dictionaries(st.sampled_from(["de", "ar"]), WORDS, max_size=2).flatmap(
    lambda others: WORDS.map(lambda own: {"en": own, **others})
)
SHARES = st.fractions(0, 1, max_denominator=99)
VALUES = ["1", "2", "10", "a", "B_1", "other"]
OPTIONS = st.lists(
    st.builds(DraftOption, value=st.sampled_from(VALUES), text=TEXTS, exclusive=st.booleans()),
    max_size=4,
    unique_by=lambda option: option.value.casefold(),
).map(tuple)
ROWS = st.lists(
    st.builds(DraftRow, value=st.sampled_from(VALUES), text=TEXTS),
    max_size=3,
    unique_by=lambda row: row.value.casefold(),
).map(tuple)
NUMBERS = st.sampled_from(["", "-9", "0", "2.5", "-0.25", "999"])
DAYS = st.sampled_from(["", "1900-01-01", "2026-02-28"])
RULES = st.sampled_from(
    [
        None,
        *map(
            read,
            [
                "a is 1",
                "chosen(b, 2) or not a is missing",
                "not (a > 2.5 and (b is not missing or not count(b) >= 2))",
                "a <= 2026-01-31",
                "(a is 1 and b is a) and not not a is other",
            ],
        ),
    ]
)
FLAGS = st.booleans()
PARTS = {
    "options": OPTIONS,
    "rows": ROWS,
    "random_options": FLAGS,
    "most": st.sampled_from([None, 1, 32]),
    "shown": st.sampled_from([0, 1, 200]),
    "minimum": NUMBERS,
    "maximum": NUMBERS,
    "decimal_places": st.integers(0, 4),
    "special": st.lists(
        st.builds(SpecialAnswer, code=st.sampled_from(["-9", "-1.5"]), text=TEXTS), max_size=2
    ).map(tuple),
    "first_day": DAYS,
    "last_day": DAYS,
    "longest": st.sampled_from([1, 500, 2000]),
    "catalogue": st.one_of(st.just(""), WORDS),
    "adaptive": FLAGS,
    "known_share": st.one_of(st.none(), SHARES),
    "counted_table": st.sampled_from([None, 1]),
}
OF_DESIGNS = {
    "epsilon": st.sampled_from(["1", "1.0986"]),
    "forced": st.lists(SHARES, max_size=3).map(tuple),
    "p_sensitive": st.lists(SHARES, max_size=2).map(tuple),
    "harmless": TEXTS,
    "harmless_yes": st.lists(SHARES, max_size=2).map(tuple),
    "channel": st.just(((Fraction(3, 4), Fraction(1, 4)), (Fraction(0), Fraction(1)))),
}
NAMES = ["a", "b", "meta", "yes_no", "section_1", "a_1", "A_2", "label", "introduction"]


@st.composite
def designs(draw: st.DrawFn) -> DraftDesign:
    """Any design, with its own parameters."""
    name = draw(st.sampled_from(sorted(PARAMETERS)))
    own = {each: draw(OF_DESIGNS[each]) for each in sorted(PARAMETERS[name])}
    return DraftDesign(name=name, **own)


@st.composite
def hard_questions(draw: st.DrawFn, name: str) -> DraftQuestion:
    """A question of any kind, with any of the fields that its kind has."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    return DraftQuestion(
        name=name,
        kind=kind,
        text=draw(TEXTS),
        help=draw(st.one_of(st.just({}), TEXTS)),
        required=draw(FLAGS),
        design=draw(designs()),
        rule=draw(RULES),
        unfinished=draw(FLAGS),
        arms=draw(st.sampled_from([(), ("A",), ("A", "B | C")])),
        behind=draw(st.sampled_from(["", "own", "counts"])),
        same_screen=draw(FLAGS),
        **{field: draw(PARTS[field]) for field in sorted(FIELDS[kind])},
    )


@st.composite
def hard_drafts(draw: st.DrawFn) -> Definition:
    """A draft in one to three sections, whose names and texts are hard on workbooks."""
    others = draw(st.lists(st.sampled_from(NAMES[2:]), unique=True, max_size=4))
    made = [draw(hard_questions(name)) for name in [*NAMES[:2], *others]]
    cuts = sorted(draw(st.lists(st.integers(0, len(made)), max_size=2)))
    bounds = zip([0, *cuts], [*cuts, len(made)], strict=True)
    return Definition(
        languages=("en", *draw(st.sampled_from([(), ("de",), ("de", "ar")]))),
        title=draw(TEXTS),
        introduction=draw(st.one_of(st.just({}), TEXTS)),
        organisation=draw(st.one_of(st.just({}), TEXTS)),
        arms=draw(st.sampled_from([(), (DraftArm(text={"en": "A"}, weight=3),)])),
        explanations=draw(
            st.sampled_from([(), (DraftExplanation(name="tick", text={"en": "=*a*\n- b"}),)])
        ),
        promises=draw(
            st.sampled_from(
                [
                    Promises(),
                    Promises(minutes=5, script_only=True, opening="every", end_link="=x"),
                ]
            )
        ),
        sections=tuple(_section(draw, made[start:end]) for start, end in bounds),
    )


def _section(draw: st.DrawFn, questions: Sequence[DraftQuestion]) -> DraftSection:
    return DraftSection(
        questions=tuple(questions),
        title=draw(st.one_of(st.just({}), TEXTS)),
        text=draw(st.one_of(st.just({}), TEXTS)),
        rule=draw(RULES),
        random_questions=draw(FLAGS),
        random_section=draw(FLAGS),
    )


def draft(*questions: DraftQuestion, **fields: object) -> Definition:
    """A draft of these questions, in English."""
    return Definition(
        languages=("en",), title={"en": "Habits"}, sections=(DraftSection(questions=questions),)
    )


def rows_of(definition: Definition) -> dict[str, Cells]:
    """The rows of the sheet "survey" by their names; of two with one the first."""
    rows = sheets_of_definition(definition).survey
    return {row["name"]: row for row in reversed(rows)}


def plan_of_sheets(sheets: FormSheets) -> ImportPlan:
    """What is read of sheets, without the zip and the XML between: these take ten times as long."""
    named = {
        "survey": sheets.survey,
        "choices": sheets.choices,
        "settings": [sheets.settings],
        "arms": sheets.arms,
    }
    return plan_of_ours({name: _sheet(name, rows) for name, rows in named.items()}, Remarks())


def _sheet(name: str, rows: Sequence[Mapping[str, str]]) -> Sheet:
    header = in_order([column for row in rows for column in row])
    cells = [{column: row.get(column, "").strip() for column in header} for row in rows]
    return Sheet(name, header, [FormRow(at, each) for at, each in enumerate(cells, start=2)])


def opened(content: bytes) -> openpyxl.Workbook:
    """A workbook as a spreadsheet program opens it."""
    return openpyxl.load_workbook(io.BytesIO(content))
