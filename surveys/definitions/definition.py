"""Definition: all that an author chose for a draft, with names in place of keys.

The launched document (``surveys.questionnaire.document``) holds what respondents are promised, such
as weights of a channel; this holds what the author chose, such as the design and its parameters.
Probabilities are fractions, conditions are trees over names, texts stand by language. A field that
was not chosen has its usual value here and no place in JSON.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from surveys.definitions.kinds import DESIGNS, KINDS
from surveys.definitions.languages import LANGUAGES
from surveys.definitions.rules.tree import RuleTree
from surveys.definitions.shapes import (
    DAY,
    FLAG,
    NAME,
    NUMBER,
    RULE,
    SHARE,
    VALUE,
    ByLanguage,
    ListOf,
    ObjectShape,
    Texts,
    line_of,
    number_from,
    word_of,
)
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.questionnaire.arms import MOST_ARMS, MOST_WEIGHT
from surveys.questionnaire.explanations import LONGEST
from surveys.questionnaire.plans import openings, schedules, vouchers
from surveys.questionnaire.plans.tallies import MOST_TABLES

VERSION = 1
MOST_QUESTIONS = 300
MOST_OPTIONS = 300  # of a list that is asked directly
MOST_ROWS = 200
MOST_SPECIALS = 3
LONGEST_TITLE = 200
LONGEST_QUESTION = 500
LONGEST_HELP = 500
LONGEST_NOTE = 4000  # of information and consents, which are that long
LONGEST_OPTION = 200
LONGEST_ARM = 60
MOST_EXPLANATIONS = 100
LONGEST_ANSWER = 2000  # of a free text


@dataclass(frozen=True, kw_only=True)
class DraftOption:
    """An answer of a choice, a scale or a multiple choice, or a column of a table.

    Ticking an option that is ``exclusive`` clears all others.
    """

    value: Annotated[str, VALUE]
    text: Annotated[Texts, ByLanguage(LONGEST_OPTION)]
    exclusive: Annotated[bool, FLAG] = False


@dataclass(frozen=True, kw_only=True)
class DraftRow:
    """A row of a table."""

    value: Annotated[str, VALUE]
    text: Annotated[Texts, ByLanguage(LONGEST_OPTION)]


@dataclass(frozen=True, kw_only=True)
class SpecialAnswer:
    """Words beside the field of a number, and the code that stands for them outside its bounds."""

    code: Annotated[str, NUMBER]
    text: Annotated[Texts, ByLanguage(LONGEST_OPTION)]


@dataclass(frozen=True, kw_only=True)
class DraftDesign:
    """How answers are randomized: a design and its parameters, as ``surveys.models`` has them."""

    name: Annotated[str, word_of(DESIGNS)] = "direct"
    epsilon: Annotated[str, NUMBER] = ""
    forced: Annotated[tuple[Fraction, ...], ListOf(SHARE, 100)] = ()
    p_sensitive: Annotated[tuple[Fraction, ...], ListOf(SHARE, 2)] = ()
    harmless: Annotated[Texts, ByLanguage(LONGEST_QUESTION)] = field(default_factory=dict)
    harmless_yes: Annotated[tuple[Fraction, ...], ListOf(SHARE, 2)] = ()
    channel: Annotated[tuple[tuple[Fraction, ...], ...], ListOf(ListOf(SHARE, 100), 100)] = ()


DIRECT = DraftDesign()


@dataclass(frozen=True, kw_only=True)
class DraftQuestion:
    """A question, or a page to read. Which fields a kind uses stands in ``kinds.FIELDS``.

    ``unfinished``: something that it was asked by is lost, so that it may not be launched before
    its author looked at it.
    """

    name: Annotated[str, NAME]
    kind: Annotated[str, word_of(KINDS)]
    text: Annotated[Texts, ByLanguage(LONGEST_NOTE)]
    help: Annotated[Texts, ByLanguage(LONGEST_NOTE)] = field(default_factory=dict)
    required: Annotated[bool, FLAG] = False
    design: Annotated[DraftDesign, ObjectShape(DraftDesign)] = DIRECT
    rule: Annotated[RuleTree | None, RULE] = None
    unfinished: Annotated[bool, FLAG] = False
    arms: Annotated[tuple[str, ...], ListOf(line_of(LONGEST_ARM), MOST_ARMS)] = ()
    behind: Annotated[str, word_of(("own", "counts"))] = ""
    same_screen: Annotated[bool, FLAG] = False
    options: Annotated[tuple[DraftOption, ...], ListOf(ObjectShape(DraftOption), MOST_OPTIONS)] = ()
    rows: Annotated[tuple[DraftRow, ...], ListOf(ObjectShape(DraftRow), MOST_ROWS)] = ()
    random_options: Annotated[bool, FLAG] = False
    most: Annotated[int | None, number_from(1, MOST_TICKS_OPTIONS)] = None
    shown: Annotated[int, number_from(0, MOST_ROWS)] = 0
    minimum: Annotated[str, NUMBER] = ""
    maximum: Annotated[str, NUMBER] = ""
    decimal_places: Annotated[int, number_from(0, 4)] = 0
    special: Annotated[
        tuple[SpecialAnswer, ...], ListOf(ObjectShape(SpecialAnswer), MOST_SPECIALS)
    ] = ()
    first_day: Annotated[str, DAY] = ""
    last_day: Annotated[str, DAY] = ""
    longest: Annotated[int, number_from(1, LONGEST_ANSWER)] = 500
    catalogue: Annotated[str, line_of(200)] = ""
    adaptive: Annotated[bool, FLAG] = False
    known_share: Annotated[Fraction | None, SHARE] = None
    counted_table: Annotated[int | None, number_from(1, MOST_TABLES)] = None


@dataclass(frozen=True, kw_only=True)
class DraftSection:
    """Questions that follow one another. Its ``rule`` joins the rules of its questions.

    A draft without sections has one here, without a title.
    """

    questions: Annotated[
        tuple[DraftQuestion, ...], ListOf(ObjectShape(DraftQuestion), MOST_QUESTIONS, least=0)
    ]
    title: Annotated[Texts, ByLanguage(LONGEST_TITLE)] = field(default_factory=dict)
    text: Annotated[Texts, ByLanguage(LONGEST_QUESTION)] = field(default_factory=dict)
    rule: Annotated[RuleTree | None, RULE] = None
    random_questions: Annotated[bool, FLAG] = False
    random_section: Annotated[bool, FLAG] = False


@dataclass(frozen=True, kw_only=True)
class DraftArm:
    """A group into which chance puts people. Questions name it in the author's own language."""

    text: Annotated[Texts, ByLanguage(LONGEST_ARM)]
    weight: Annotated[int, number_from(1, MOST_WEIGHT)]


@dataclass(frozen=True, kw_only=True)
class DraftExplanation:
    """An author's words in the place of an explanation, which the program names."""

    name: Annotated[str, line_of(LONGEST_ARM)]
    text: Annotated[Texts, ByLanguage(LONGEST)]


@dataclass(frozen=True, kw_only=True)
class Promises:
    """What else respondents are promised, as ``surveys.models.Survey`` has it; None: as usual."""

    minutes: Annotated[int | None, number_from(1, 240)] = None
    end_link: Annotated[str, line_of(300)] = ""
    invitation_only: Annotated[bool, FLAG] = False
    voucher_wait: Annotated[int | None, number_from(0, vouchers.MEAN_WAIT)] = None
    script_only: Annotated[bool, FLAG] = False
    asked: Annotated[int | None, number_from(1, MOST_QUESTIONS)] = None
    batch_size: Annotated[int | None, number_from(5, 1000)] = None
    opening: Annotated[str, word_of((openings.CLOSE, openings.EVERY, openings.LIVE))] = ""
    opening_days: Annotated[int | None, number_from(openings.LEAST_DAYS, openings.MOST_DAYS)] = None
    opening_hour: Annotated[int | None, number_from(0, 23)] = None
    below_k: Annotated[str, word_of((openings.OPEN, openings.DESTROY))] = ""
    released_together: Annotated[int | None, number_from(schedules.ALONE, schedules.PAIRS)] = None
    release_share: Annotated[int | None, number_from(1, 100)] = None
    publish_rows: Annotated[bool, FLAG] = False
    marked_up: Annotated[bool, FLAG] = False
    informal: Annotated[bool, FLAG] = False


USUAL = Promises()


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A draft. The first of its ``languages`` is its author's own."""

    languages: Annotated[tuple[str, ...], ListOf(word_of(LANGUAGES), len(LANGUAGES))]
    title: Annotated[Texts, ByLanguage(LONGEST_TITLE)]
    sections: Annotated[tuple[DraftSection, ...], ListOf(ObjectShape(DraftSection), MOST_QUESTIONS)]
    introduction: Annotated[Texts, ByLanguage(4000)] = field(default_factory=dict)
    organisation: Annotated[Texts, ByLanguage(200)] = field(default_factory=dict)
    contact: Annotated[Texts, ByLanguage(200)] = field(default_factory=dict)
    arms: Annotated[tuple[DraftArm, ...], ListOf(ObjectShape(DraftArm), MOST_ARMS)] = ()
    promises: Annotated[Promises, ObjectShape(Promises)] = USUAL
    explanations: Annotated[
        tuple[DraftExplanation, ...], ListOf(ObjectShape(DraftExplanation), MOST_EXPLANATIONS)
    ] = ()

    @property
    def questions(self) -> Iterator[DraftQuestion]:
        """All questions in their order."""
        for section in self.sections:
            yield from section.questions
