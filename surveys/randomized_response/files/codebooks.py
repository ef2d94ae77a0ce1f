"""What a codebook says of the columns of a survey's files (``--codebook``): designs, words, codes.

One question has a column, several (one for each part), or columns that were made of its reports.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..designs.categorical import Direct
from ..designs.channel import Channel
from ..designs.local.protocol import FrequencyProtocol
from ..designs.local.subset import SubsetSelection
from ..designs.local.unary import OUE
from ..designs.two_group import UnrelatedQuestionTwoGroups
from ..messages import shortened
from .named_designs import NamedDesign
from .tables import TableError, spellings

# What files say of people who were not asked, and what those from before said.
NOT_ASKED = ("(not asked)", "(not asked on this path)")
NOT_SENT = "(not sent)"  # in words, of a part of a question that chance did not draw
DECLINED = "Prefer not to say"
BINARY = ("yes_no", "ticks")  # kinds whose second level is Yes
NO_AND_YES = ("No", "Yes")
AGAIN = "download the codebook again"
# Bounded: a codebook may come from anywhere.
NUMERAL = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40}|/[0-9]{1,40})?")
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class CodebookColumn:
    """``levels``: the words of the reports in the order of the channel; ``codes``: what was sent.

    ``names``: the true levels. ``not_asked``: the cells of those who were not asked. ``heading``:
    what the file calls it; ``label``: of which part of a question it is, empty for all of it.
    ``usual``: the level whose share says the most, as yes does; None where none stands out.
    ``declines``: the places of the levels that are no answers.
    """

    design: NamedDesign | Channel
    levels: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    not_asked: tuple[str, ...]
    heading: str = ""
    label: str = ""
    usual: int | None = None
    declines: tuple[int, ...] = ()


@dataclass(frozen=True)
class NumberColumn:
    """Numbers as they were given, between two bounds; ``missing`` are the cells without one."""

    heading: str
    minimum: float
    maximum: float
    missing: tuple[str, ...]


@dataclass(frozen=True)
class ScoreColumn:
    """Reports each of which has an unbiased number: those of a number that chance rounded."""

    heading: str
    design: Channel
    levels: tuple[str, ...]
    codes: tuple[str, ...]
    scores: tuple[float, ...]
    not_asked: tuple[str, ...]


@dataclass(frozen=True)
class MarkColumn:
    """Reports that mark options of a long list, in hexadecimal digits."""

    heading: str
    protocol: FrequencyProtocol
    names: tuple[str, ...]
    not_asked: tuple[str, ...]


@dataclass(frozen=True)
class MadeColumn:
    """A debiased column: numbers that were made of reports, and nothing where none was sent.

    ``design``: that of its question; None where no channel says it.
    """

    heading: str
    design: NamedDesign | Channel | None


FileColumn = CodebookColumn | NumberColumn | ScoreColumn | MarkColumn | MadeColumn


def codebook_column(codebook: Any, name: str) -> CodebookColumn:
    """What is said about a column of levels. Raises TableError for other JSON and other columns.

    ``name`` is the question's (``q001``) or that of its column of reports (``q001_rep``).

    >>> from randomized_response.files import codebook_column
    >>> levels = [{"label": "No", "code": "no"}, {"label": "Yes", "code": "yes"}]
    >>> smoked = {"name": "smoked", "levels": levels, "denominator": 4, "not_asked": ""}
    >>> codebook = {"columns": [{**smoked, "weights": [[3, 1], [1, 3]]}]}
    >>> codebook_column(codebook, "smoked").codes
    ('no', 'yes')
    """
    columns = codebook_columns(codebook, name)
    if len(columns) > 1:
        names = shortened(", ".join(column.heading for column in columns), 200)
        raise TableError(f"--codebook: {name!r} has several columns: choose one of {names}")
    (column,) = columns
    if not isinstance(column, CodebookColumn):
        raise TableError(f"--codebook: column {name!r} has no levels to estimate shares of")
    return column


def codebook_columns(codebook: Any, name: str) -> tuple[FileColumn, ...]:
    """The columns that a name says: a question's, those of all its parts, or a single one.

    ``name`` is the question's, that of a column of reports, or that of a debiased column. Raises
    TableError for other JSON, unknown names and columns of which nothing is estimated.

    >>> from randomized_response.files import codebook_columns
    >>> age = {"name": "age", "column": "age", "minimum": "18", "maximum": "99"}
    >>> marks = {"decimal_places": 0, "declined": "...", "not_asked": "---"}
    >>> [column.minimum for column in codebook_columns({"columns": [{**age, **marks}]}, "age")]
    [18.0]
    """
    columns = known_columns(codebook, name)
    if columns is None:
        entries = codebook_entries(codebook)
        names = shortened(", ".join(str(entry.get("name")) for entry in entries), 400)
        raise TableError(f"--codebook: it has no column {name!r}: choose one of {names}")
    return columns


def known_columns(codebook: Any, name: str) -> tuple[FileColumn, ...] | None:
    """The same; None for a name that the codebook does not have. Raises TableError."""
    try:
        entries = codebook_entries(codebook)
        known = {**dict(_named(entries)), **dict(_arms(codebook))}
        columns = next((known[each] for each in spellings(name) if each in known), None)
        return None if columns is None else tuple(columns)
    except TableError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as problem:
        raise _damaged(name, problem) from None


def codebook_entries(codebook: Any) -> list[Entry]:
    """What a codebook says of each question. Raises TableError for other JSON."""
    columns = codebook.get("columns") if isinstance(codebook, Mapping) else None
    if not isinstance(columns, list):
        raise TableError("--codebook: this is no codebook: download it beside the responses")
    return [column for column in columns if isinstance(column, Mapping)]


def _damaged(name: str, problem: Exception) -> TableError:
    return TableError(f"--codebook: column {name!r} is damaged ({problem!r}): {AGAIN}")


def _named(entries: Sequence[Entry]) -> Iterator[tuple[str, Iterator[FileColumn]]]:
    """Each name and what it says; where two are alike, what stands last: the question."""
    for entry in entries:
        for made in entry.get("debiased", ()):
            yield made["column"], _made(entry, made["column"])
    for entry in entries:
        for part in entry.get("columns", ()):
            yield part["name"], _parts(entry, [part])
            yield part["column"], _parts(entry, [part])
    for entry in entries:
        if "column" in entry:
            yield entry["column"], _columns(entry)
        yield str(entry.get("name")), _columns(entry)


def _arms(codebook: Entry) -> Iterator[tuple[str, list[FileColumn]]]:
    """The column of the arm in which each person was, as one of direct answers."""
    if "arms" in codebook:
        names, codes = (
            tuple(_text(arm[each]) for arm in codebook["arms"]) for each in ("label", "code")
        )
        heading, design = _text(codebook["arm_column"]), Direct(len(names))
        yield heading, [CodebookColumn(design, names, codes, names, (*NOT_ASKED, ""), heading)]


def _columns(entry: Entry) -> Iterator[FileColumn]:
    if "columns" in entry:
        if not entry["columns"]:
            raise KeyError("columns")
        yield from _parts(entry, entry["columns"])
    elif "how_to_read_marks" in entry:
        yield _marks(entry)
    elif "scores" in entry:
        yield _scores(entry)
    elif "minimum" in entry:
        yield _numbers(entry)
    else:
        yield _levels(entry, entry.get("column", entry["name"]))


def _made(entry: Entry, heading: str) -> Iterator[FileColumn]:
    design = _design(entry) if "weights" in entry or "pairs" in entry else None
    yield MadeColumn(_text(heading), design)


def _parts(entry: Entry, parts: Sequence[Entry]) -> Iterator[FileColumn]:
    """Those that chance did not draw have empty cells in codes."""
    if "items" in entry:  # of a rating
        words = "ratings of items are estimated by the command rank"
        raise TableError(f"--codebook: column {entry['name']!r}: {words}, from the same files")
    for part in parts:
        yield _levels(entry, part["column"], part["text"], ("", NOT_SENT))


def _levels(
    entry: Entry, heading: str, label: str = "", not_sent: tuple[str, ...] = ()
) -> CodebookColumn:
    is_known = "weights" in entry or "pairs" in entry or entry.get("design") == "direct"
    if "levels" not in entry or not is_known:
        words = "has no levels to estimate shares of"
        raise TableError(f"--codebook: column {entry['name']!r} {words}")
    reported, design = entry.get("reports") or entry["levels"], _design(entry)
    is_two_group = isinstance(design, UnrelatedQuestionTwoGroups)
    names = tuple(_text(level["label"]) for level in entry["levels"])
    # Of a rounded number the points are the levels, and its values are others.
    _require_size(design, len(entry.get("true_values", names)), len(reported))
    is_binary = entry.get("kind") in BINARY or names[:2] == NO_AND_YES
    return CodebookColumn(
        design=design,
        levels=tuple(_text(level["label"]) for level in reported),
        codes=tuple(_text(level["code"]) for level in reported),
        names=() if is_two_group else names,
        not_asked=(*NOT_ASKED, *not_sent, _text(entry["not_asked"])),
        heading=_text(heading),
        label=_text(label),
        usual=1 if is_binary else None,
        declines=tuple(n for n, level in enumerate(entry["levels"]) if level.get("declines")),
    )


def _text(value: Any) -> str:
    """Raises TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _require_size(design: NamedDesign | Channel, levels: int, reports: int) -> None:
    """Raises ValueError for a channel of other levels."""
    if isinstance(design, Channel):
        if (design.true_levels, design.reported_levels) != (levels, reports):
            raise ValueError("weights of another size than its levels")
    elif isinstance(design, UnrelatedQuestionTwoGroups) and reports != 4:
        raise ValueError("two groups have four reports")


def _design(entry: Entry) -> NamedDesign | Channel:
    if entry.get("design") == "direct":  # of long lists codebooks leave the identity out
        return Direct(len(entry["levels"]))
    if "weights" in entry:
        weights = [[int(weight) for weight in row] for row in entry["weights"]]
        return Channel.from_weights(weights, int(entry["denominator"]))
    pairs, denominator = entry["pairs"], int(entry["denominator"])
    first, second = (Fraction(2 * int(pairs[1][y]), denominator) for y in (0, 2))
    return UnrelatedQuestionTwoGroups(first, second)


def _numbers(entry: Entry) -> NumberColumn:
    low, high = (_number(entry[end]) for end in ("minimum", "maximum"))
    missing = ("", DECLINED, *NOT_ASKED, _text(entry["declined"]), _text(entry["not_asked"]))
    # Answers beside the field, such as “Do not know”: in files of codes, and of words.
    special = (_text(each[name]) for each in entry.get("special", ()) for name in ("code", "text"))
    return NumberColumn(_text(entry["column"]), low, high, (*missing, *special))


def _scores(entry: Entry) -> ScoreColumn:
    if "answered_scores" in entry:
        name = entry["name"]
        words = f"divide the mean of {name}_score by that of {name}_answered, its debiased columns"
        raise TableError(f"--codebook: column {name!r}: some people gave no number: {words}")
    levels, scores = _levels(entry, entry["column"]), tuple(map(_number, entry["scores"]))
    if not isinstance(levels.design, Channel) or len(scores) != len(levels.codes):
        raise TypeError("scores")
    return ScoreColumn(
        levels.heading, levels.design, levels.levels, levels.codes, scores, levels.not_asked
    )


def _number(text: Any) -> float:
    """Raises ValueError for what is no number or fraction of a size that files have."""
    if not NUMERAL.fullmatch(_text(text)):
        raise ValueError(text)
    return float(Fraction(text))


def _marks(entry: Entry) -> MarkColumn:
    names = tuple(_text(level["label"]) for level in entry["levels"])
    if_true, if_not = (_share(entry[name]) for name in ("marked_if_true", "marked_if_not"))
    size = entry["marks_in_every_report"]
    protocol: FrequencyProtocol = (
        SubsetSelection(len(names), int(size), if_true) if size else OUE(len(names), if_not)
    )
    not_asked = (*NOT_ASKED, _text(entry["not_asked"]))
    return MarkColumn(_text(entry["column"]), protocol, names, not_asked)


def _share(text: Any) -> Fraction:
    if not NUMERAL.fullmatch(_text(text)):
        raise ValueError(text)
    return Fraction(text)
