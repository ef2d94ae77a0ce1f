"""The rule of a drafted question as a tree over its conditions, and that of its section.

A rule that "all of any" or "any of all" says is kept as lines: rows in brackets, and the word that
joins them. Any other has a shape, which is JSON over the numbers that its conditions have as leaves
of it::

    {"any": [{"all": [0, 1]}, {"not": 2}]}

A leaf without a row, which a copy left behind with the question that it reads, is no part of what
it joins: as a line that is not copied.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar
from uuid import UUID

from surveys.models import Condition, Question

# What joins the rows of one bracket, by what joins brackets: so each rule can be said.
WITHIN = {Question.Joins.ALL: Question.Joins.ANY, Question.Joins.ANY: Question.Joins.ALL}
Leaf = TypeVar("Leaf")
Folded = TypeVar("Folded")


@dataclass(frozen=True)
class Branch(Generic[Leaf]):
    """What is joined; ``word`` is "all", "any", or "not", which has one part."""

    word: str
    parts: tuple["Leaf | Branch[Leaf]", ...]


Tree = Condition | Branch[Condition]


def own_tree(question: Question) -> Tree | None:
    """The rule of a question without that of its section; None asks all people."""
    rows = [row for row in question.conditions.all() if not row.of_section]
    if question.rule_shape:
        return _shaped(json.loads(question.rule_shape), _by_leaf(rows))
    return lines_tree(Question.Joins(question.rule_joins), rows)


def lines_tree(joins: Question.Joins, rows: Iterable[Condition]) -> Tree | None:
    """What lines say together, in their order."""
    parts = [_joined(WITHIN[joins], bracket) for bracket in brackets_of(rows)]
    return _joined(joins, parts) if parts else None


def section_tree(question: Question) -> Tree | None:
    """The rule of the section that begins with this question; None asks all people."""
    if not question.section_shape:
        return None
    rows = [row for row in question.conditions.all() if row.of_section]
    return _shaped(json.loads(question.section_shape), _by_leaf(rows))


def brackets_of(rows: Iterable[Condition]) -> list[list[Condition]]:
    """The rows with one letter together, and each row without one by itself, as they come first."""
    brackets: dict[UUID | int, list[Condition]] = {}
    for row in rows:
        brackets.setdefault(row.bracket or row.pk, []).append(row)
    return list(brackets.values())


def folded(
    tree: Leaf | Branch[Leaf],
    leaf: Callable[[Leaf], Folded],
    join: Callable[[str, list[Folded]], Folded],
) -> Folded:
    """What a tree comes to: its leaves through ``leaf``, and branches by word and parts."""
    if isinstance(tree, Branch):
        return join(tree.word, [folded(part, leaf, join) for part in tree.parts])
    return leaf(tree)


def conditions_of(tree: Tree) -> list[Condition]:
    """The conditions of a tree, from left to right."""
    return folded(tree, lambda row: [row], lambda word, parts: list(chain(*parts)))


def shape_of(tree: Tree) -> str:
    """The shape that a tree is kept by; its conditions are numbered for it."""
    for number, row in enumerate(conditions_of(tree)):
        row.leaf = number
    return json.dumps(folded(tree, lambda row: row.leaf, _written), separators=(",", ":"))


def _written(word: str, parts: list[Any]) -> Any:
    return {word: parts[0] if word == "not" else parts}


def _by_leaf(rows: Iterable[Condition]) -> dict[int, Condition]:
    return {row.leaf: row for row in rows if row.leaf is not None}


def _shaped(shape: Any, rows: Mapping[int, Condition]) -> Tree | None:
    if isinstance(shape, int):
        return rows.get(shape)
    ((word, inner),) = shape.items()
    parts = [_shaped(part, rows) for part in (inner if isinstance(inner, list) else [inner])]
    left = [part for part in parts if part is not None]
    if not left:
        return None
    return Branch("not", tuple(left)) if word == "not" else _joined(word, left)


def _joined(word: str, parts: Sequence[Tree]) -> Tree:
    return parts[0] if len(parts) == 1 else Branch(word, tuple(parts))
