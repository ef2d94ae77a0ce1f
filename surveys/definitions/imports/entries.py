"""Entry: a question or a page as a form has it, before names, rules and sections are settled.

Each reader makes entries of its rows; ``assembly`` makes a definition of them. Texts stand by
language. A name or value is the form's own: other rows refer to it so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.randomized_response.messages import Message


@dataclass(frozen=True)
class Written:
    """A formula as it stands in the form."""

    text: str
    spot: Spot


@dataclass
class FormChoice:
    """An option, or a row of a table."""

    value: str
    texts: dict[str, str]
    spot: Spot
    is_exclusive: bool = False


@dataclass(eq=False)
class FormGroup:
    """What stands around some entries: its title, and the rule that asks them."""

    spot: Spot
    name: str
    titles: dict[str, str] = field(default_factory=dict)
    rule: Written | None = None
    is_one_screen: bool = False


@dataclass(eq=False)
class Matrix:
    """A table that a form lays out of several questions on one scale.

    ``head`` is what stands above its rows, if that is a row of the form by itself.
    """

    spot: Spot
    name: str
    texts: dict[str, str]
    head: "Entry | None" = None


@dataclass(eq=False)
class Entry:
    """``kind`` is one of ``definitions.kinds``. ``rows`` counts as many as the form has for it."""

    spot: Spot
    name: str
    kind: str
    texts: dict[str, str]
    helps: dict[str, str] = field(default_factory=dict)
    rule: Written | None = None
    groups: tuple[FormGroup, ...] = ()
    required: bool = False
    options: list[FormChoice] = field(default_factory=list)
    rows: list[FormChoice] = field(default_factory=list)
    counts: int = 1
    # A yes or no: the form's values of both answers, which conditions compare with.
    yes_and_no: tuple[str, str] | None = None
    minimum: str = ""
    maximum: str = ""
    decimal_places: int = 0
    special: list[str] = field(default_factory=list)
    first_day: str = ""
    last_day: str = ""
    longest: int = 500
    most: int | None = None
    random_options: bool = False
    # Neighbours with one of these are rows of one table, if that is possible.
    matrix: Matrix | None = None
    # Set by what is lost of it.
    is_whole: bool = True

    def loses(
        self, remarks: Remarks, spot: Spot, text: str, outcome: Message, remedy: Message
    ) -> None:
        """Note that something of it is left out."""
        remarks.left_out(spot, text, outcome, remedy)
        self.is_whole = False


@dataclass(frozen=True)
class Calculation:
    """A value that the form works out: conditions may read it, people never see it."""

    formula: Written
    rule: Written | None = None


@dataclass
class ReadForm:
    """What a reader made of a form.

    ``lost`` says of each field that is left out why; ``asked`` counts the questions and notes of
    the form. ``parts`` are names of one option of a multiple choice: its name and the option.
    """

    form: str
    languages: list[str]
    titles: dict[str, str]
    name: str  # of the file, where it has no title
    title_spot: Spot = field(default_factory=Spot)
    entries: list[Entry] = field(default_factory=list)
    lost: dict[str, Message] = field(default_factory=dict)
    calculations: dict[str, Calculation] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    introductions: dict[str, str] = field(default_factory=dict)
    # By what stands in it and its language, as the form names it.
    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)
    asked: int = 0
    quote_marks: tuple[str, str] = ("${", "}")
    has_bare_fields: bool = False
    has_markdown: bool = False
