"""CodebookColumn: a column's design, pairs and levels read out of a codebook (--codebook)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..designs.channel import Channel
from ..designs.two_group import UnrelatedQuestionTwoGroups
from .named_designs import NamedDesign
from .tables import TableError, spellings

# What files say of people who were not asked, and what those from before said.
NOT_ASKED = ("(not asked)", "(not asked on this path)")


@dataclass(frozen=True)
class CodebookColumn:
    """``levels``: the words of the reports in the order of the channel; ``codes``: what was sent.

    ``names``: the true levels. ``not_asked``: the cells of those who were not asked.
    """

    design: NamedDesign | Channel
    levels: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    not_asked: tuple[str, ...]


def codebook_column(codebook: Any, name: str) -> CodebookColumn:
    """What is said about a column. Raises TableError for other JSON and for columns without it.

    ``name`` is the question's (``q001``) or that of its column of reports (``q001_rep``).

    >>> from randomized_response.files import codebook_column
    >>> levels = [{"label": "No", "code": "no"}, {"label": "Yes", "code": "yes"}]
    >>> smoked = {"name": "smoked", "levels": levels, "denominator": 4, "not_asked": ""}
    >>> codebook = {"columns": [{**smoked, "weights": [[3, 1], [1, 3]]}]}
    >>> codebook_column(codebook, "smoked").codes
    ('no', 'yes')
    """
    columns = codebook.get("columns") if isinstance(codebook, Mapping) else None
    if not isinstance(columns, list):
        raise TableError("--codebook: this is no codebook: download it beside the responses")
    entries = [column for column in columns if isinstance(column, Mapping)]
    by_name = {entry.get("name"): entry for entry in entries}
    column = next((by_name[known] for known in spellings(name) if known in by_name), None)
    if column is None:
        known = ", ".join(str(entry.get("name")) for entry in entries)
        raise TableError(f"--codebook: it has no column {name!r}: choose one of {known}")
    if "levels" not in column or not ("weights" in column or "pairs" in column):
        raise TableError(f"--codebook: column {name!r} has no levels to estimate shares of")
    try:
        return _read(column)
    except (KeyError, TypeError, IndexError, ZeroDivisionError) as problem:
        words = f"column {name!r} is damaged ({problem!r}): download the codebook again"
        raise TableError(f"--codebook: {words}") from None


def _read(column: Mapping[str, Any]) -> CodebookColumn:
    reported = column.get("reports") or column["levels"]
    denominator = int(column["denominator"])
    names = tuple(level["label"] for level in column["levels"])
    if "weights" in column:
        weights = [[int(weight) for weight in row] for row in column["weights"]]
        design: NamedDesign | Channel = Channel.from_weights(weights, denominator)
    else:
        pairs = column["pairs"]
        first, second = (Fraction(2 * int(pairs[1][y]), denominator) for y in (0, 2))
        design, names = UnrelatedQuestionTwoGroups(first, second), ()
    return CodebookColumn(
        design=design,
        levels=tuple(level["label"] for level in reported),
        codes=tuple(level["code"] for level in reported),
        names=names,
        not_asked=(*NOT_ASKED, str(column["not_asked"])),
    )
