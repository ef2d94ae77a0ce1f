"""A definition with every part of the format, and strategies that make any."""

from fractions import Fraction

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
from surveys.definitions.kinds import FIELDS, PAGES
from surveys.definitions.rules.text import read

OPTIONS = (
    DraftOption(value="1", text={"en": "Never", "de": "Nie"}),
    DraftOption(value="AO_1", text={"en": "Often", "de": "Oft"}, exclusive=True),
)
QUESTIONS = (
    DraftQuestion(name="read_me", kind="info", text={"en": "A page to read. " * 60}),
    DraftQuestion(
        name="drug",
        kind="yes_no",
        text={"en": "Did you?", "ar": "هل فعلت؟"},
        help={"en": "Ever."},
        required=True,
        design=DraftDesign(
            name="unrelated_shown",
            p_sensitive=(Fraction(2, 3),),
            harmless={"en": "Born in May?"},
            harmless_yes=(Fraction(1, 12),),
        ),
        known_share=Fraction(0),
        arms=("A",),
    ),
    DraftQuestion(
        name="often",
        kind="ticks",
        text={"en": "How often?"},
        options=OPTIONS,
        design=DraftDesign(name="k_ary", epsilon="1.0986"),
        rule=read("drug is yes"),
        behind="own",
        most=1,
        shown=1,
        random_options=True,
        same_screen=True,
    ),
    DraftQuestion(
        name="grid",
        kind="matrix",
        text={"en": "Each:"},
        options=OPTIONS,
        rows=(DraftRow(value="a", text={"en": "A"}), DraftRow(value="b", text={"en": "B"})),
        unfinished=True,
    ),
    DraftQuestion(
        name="days",
        kind="number",
        text={"en": "Days?"},
        minimum="0",
        maximum="30.5",
        decimal_places=1,
        special=(SpecialAnswer(code="-9", text={"en": "Do not know"}),),
        rule=read("(chosen(often, AO_1) and count(often) >= 2) or grid is missing"),
    ),
    DraftQuestion(
        name="born", kind="date", text={"en": "?"}, first_day="1900-01-01", last_day="2010-12-31"
    ),
    DraftQuestion(name="words", kind="text", text={"en": "Say"}, longest=100),
)
EVERYTHING = Definition(
    languages=("en", "de", "ar"),
    title={"en": "Habits", "de": "Gewohnheiten"},
    introduction={"en": "Why we ask."},
    organisation={"en": "Us"},
    contact={"en": "us@example.org"},
    arms=(DraftArm(text={"en": "A"}, weight=1), DraftArm(text={"en": "B"}, weight=2)),
    explanations=(
        DraftExplanation(name="thanks", text={"en": "Thank *you*.", "de": "Danke."}),
        DraftExplanation(name="tick", text={"en": "Tick:\n- all\n- or none"}),
    ),
    promises=Promises(minutes=10, opening="every", opening_days=7, asked=3, below_k="destroy"),
    sections=(
        DraftSection(title={"en": "One"}, questions=QUESTIONS[:3], random_questions=True),
        DraftSection(
            title={"en": "Two"},
            text={"en": "Now."},
            rule=read("drug is not missing"),
            questions=QUESTIONS[3:],
        ),
    ),
)

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
TEXTS = st.builds(
    lambda en, others: {"en": en, **others}, WORDS, st.dictionaries(st.just("de"), WORDS)
)
NUMBERS = st.one_of(st.integers(-99, 999).map(str), st.sampled_from(["2.5", "-0.25"]))
OPTION_LISTS = st.lists(
    st.builds(
        DraftOption,
        value=st.sampled_from(["1", "2", "a", "B_1"]),
        text=TEXTS,
        exclusive=st.booleans(),
    ),
    max_size=4,
    unique_by=lambda option: option.value.casefold(),
).map(tuple)
RULES = st.sampled_from([None, *map(read, ["a is 1", "chosen(b, 2) or not a is missing"])])
CHOSEN = {
    "options": OPTION_LISTS,
    "minimum": NUMBERS,
    "maximum": NUMBERS,
    "longest": st.integers(1, 2000),
    "most": st.one_of(st.none(), st.integers(1, 32)),
    "random_options": st.booleans(),
}


@st.composite
def questions(draw: st.DrawFn, name: str) -> DraftQuestion:
    """A question of any kind with this name; its rule reads the questions a and b."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    own = {field: draw(CHOSEN[field]) for field in sorted(FIELDS[kind] & CHOSEN.keys())}
    text = draw(TEXTS) if kind not in PAGES else {"en": draw(WORDS) * 50}
    return DraftQuestion(
        name=name,
        kind=kind,
        text=text,
        required=draw(st.booleans()),
        unfinished=draw(st.booleans()),
        rule=draw(RULES),
        design=draw(
            st.builds(
                DraftDesign,
                name=st.just("warner"),
                p_sensitive=st.fractions(0, 1, max_denominator=99).map(lambda p: (p,)),
            )
        ),
        **own,
    )


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Any draft of two questions and some more, in two sections."""
    names = ["a", "b", *draw(st.lists(st.sampled_from(["c", "d", "E", "f_1"]), unique=True))]
    made = tuple(draw(questions(name)) for name in names)
    at = draw(st.integers(0, len(made)))
    return Definition(
        languages=("en", "de"),
        title=draw(TEXTS),
        sections=(
            DraftSection(title=draw(TEXTS), questions=made[:at], rule=draw(RULES)),
            DraftSection(questions=made[at:]),
        ),
    )
