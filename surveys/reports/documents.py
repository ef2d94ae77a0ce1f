"""Document: a result as blocks, from which its page, its pictures and its files follow.

A block says by its template how it stands on a page. A table's cells are values until a column says
them in the language of the page; a file takes the values.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from surveys.web.drawing.figures import Figure

Row = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class ResultColumn:
    """One column: its ``name`` in rows and files, its ``title`` on pages; at least one of them.

    A column without a title stands in files alone, one without a name on pages alone. ``say``
    writes a row's cell in the language of the page; without it the cell is text. ``is_amount``: a
    decimal with every digit, which may be broken anywhere. ``is_quoted``: text of a person, which
    may run in another direction than the page.
    """

    name: str = ""
    title: str = ""
    say: Callable[[Row], str] | None = None
    is_number: bool = False
    is_strong: bool = False
    is_amount: bool = False
    is_quoted: bool = False
    is_remark: bool = False

    @property
    def style(self) -> str:
        """The class of its cells in the style sheet."""
        if self.is_remark:
            return "raw"
        return "number" if self.is_number else "amount" if self.is_amount else ""

    def words(self, row: Row) -> str:
        """The cell of a row, as a page says it."""
        return self.say(row) if self.say else str(row[self.name])


def number_column(
    name: str, title: str, say: Callable[[Any], str], *, is_strong: bool = False
) -> ResultColumn:
    """A column of numbers, each of which ``say`` writes for a page."""
    return ResultColumn(name, title, lambda row: say(row[name]), True, is_strong)


@dataclass(frozen=True)
class ResultCell:
    """What a page says in one cell; ``column`` says how it stands there."""

    column: ResultColumn
    words: str
    names_row: bool


@dataclass(frozen=True)
class ResultLine:
    """One row of a page; ``mark`` is its class in the style sheet."""

    cells: tuple[ResultCell, ...]
    mark: str


@dataclass(frozen=True)
class Lead:
    """The sentence that answers."""

    text: str
    template: ClassVar[str] = "surveys/reports/lead.html"


@dataclass(frozen=True)
class Text:
    """A paragraph; a warning stands out, help steps back, a note is small."""

    text: str
    is_warning: bool = False
    is_help: bool = False
    is_note: bool = False
    template: ClassVar[str] = "surveys/reports/text.html"


@dataclass(frozen=True)
class Heading:
    """A heading within a card."""

    text: str
    name: str = ""
    template: ClassVar[str] = "surveys/reports/heading.html"


@dataclass(frozen=True)
class Items:
    """A list of sentences, or of texts that people wrote; notes are small."""

    texts: tuple[str, ...]
    is_quoted: bool = False
    are_notes: bool = False
    template: ClassVar[str] = "surveys/reports/items.html"


@dataclass(frozen=True)
class Groups:
    """Groups in their order: what each is called, and texts that belong to it."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    template: ClassVar[str] = "surveys/reports/groups.html"


@dataclass(frozen=True)
class Facts:
    """Names with what is said of each, as a table without a head."""

    rows: tuple[tuple[str, str], ...]
    template: ClassVar[str] = "surveys/reports/facts.html"


@dataclass(frozen=True)
class ResultTable:
    """Rows under columns; the first ``names`` columns with a title name each row.

    ``label`` names the table for people who do not see it, where the heading above does not. Pages
    show the rows by ``order``, files take them as they are. ``mark`` is the class of a row.
    """

    caption: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    label: str = ""
    order: Callable[[Row], Any] | None = None
    names: int = 1
    mark: Callable[[Row], str] | None = None
    template: ClassVar[str] = "surveys/reports/table.html"

    @property
    def shown(self) -> tuple[ResultColumn, ...]:
        """The columns of a page."""
        return tuple(column for column in self.columns if column.title)

    @property
    def lines(self) -> Iterator[ResultLine]:
        """The cells of a page, row by row."""
        columns = [(column, number < self.names) for number, column in enumerate(self.shown)]
        for row in sorted(self.rows, key=self.order) if self.order else self.rows:
            cells = tuple(
                ResultCell(column, column.words(row), names_row) for column, names_row in columns
            )
            yield ResultLine(cells, self.mark(row) if self.mark else "")

    def file_rows(self) -> Iterator[dict[str, Any]]:
        """The values of a file, by the names of the columns."""
        names = [column.name for column in self.columns if column.name]
        return ({name: row[name] for name in names} for row in self.rows)


@dataclass(frozen=True)
class Picture:
    """A chart; the page's ``drawn`` includes it.

    ``number`` is its own where a document has several.
    """

    figure: Figure
    number: int | None = None
    template: ClassVar[str] = "surveys/reports/picture.html"


@dataclass(frozen=True)
class Pair:
    """A picture beside the table of its numbers, where there is room."""

    blocks: "tuple[Block, ...]"
    template: ClassVar[str] = "surveys/reports/pair.html"


@dataclass(frozen=True)
class Part:
    """What an app above shows in a way of its own, with ``words`` for its template."""

    template: str
    words: str = ""


@dataclass(frozen=True)
class Card:
    """Blocks under a heading; a fold shows only its heading until it is opened.

    ``number`` stands before a title that does not say it.
    """

    name: str
    title: str
    blocks: "tuple[Block, ...]"
    is_fold: bool = False
    number: int = 0
    template: ClassVar[str] = "surveys/reports/section.html"


@dataclass(frozen=True)
class Fold:
    """Blocks within a section that are seen once they are opened."""

    title: str
    blocks: "tuple[Block, ...]"
    template: ClassVar[str] = "surveys/reports/fold.html"


@dataclass(frozen=True)
class SubCard:
    """Blocks within a card, under a heading of their own."""

    name: str
    title: str
    blocks: "tuple[Block, ...]"
    template: ClassVar[str] = "surveys/reports/subsection.html"


@dataclass(frozen=True)
class SideBySide:
    """Blocks side by side where there is room, each column from top to bottom."""

    columns: "tuple[tuple[Block, ...], ...]"
    template: ClassVar[str] = "surveys/reports/columns.html"

    @property
    def blocks(self) -> "tuple[Block, ...]":
        """All of them, column by column."""
        return tuple(block for column in self.columns for block in column)


Nested = Card | Fold | Pair | SubCard | SideBySide
Block = Lead | Text | Heading | Items | Groups | Facts | ResultTable | Picture | Part | Nested


def chart_card(figure: Figure) -> Card:
    """A chart in a card of its own, under its title."""
    return Card(f"picture-{figure.name}", figure.title, (Picture(figure),))


@dataclass(frozen=True)
class Document:
    """What a result says, from the top of its page to the bottom.

    ``file`` is the table of files where a page's own has another shape.
    """

    blocks: tuple[Block, ...]
    file: ResultTable | None = None

    def all_of(self, kind: type[T]) -> list[T]:
        """The blocks of one kind, at any depth."""
        return [block for block in _walk(self.blocks) if isinstance(block, kind)]

    @property
    def table(self) -> ResultTable:
        """The table that files hold: the page's first one, unless they have their own."""
        return self.file or self.all_of(ResultTable)[0]

    @property
    def lead(self) -> str:
        """The sentence that answers."""
        return self.all_of(Lead)[0].text

    @property
    def figures(self) -> list[Figure]:
        """Its charts."""
        return [block.figure for block in self.all_of(Picture)]

    def figure(self, name: str) -> Figure | None:
        """The chart of this name, if there is one."""
        return next((figure for figure in self.figures if figure.name == name), None)


def _walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Nested):
            yield from _walk(block.blocks)
