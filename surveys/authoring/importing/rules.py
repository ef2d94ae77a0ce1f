"""Rules over names as a draft keeps them: as lines where lines say the same, else by a shape.

Lines say the same if they have the same conditions, joined in the same way, in any order:
what an author wrote is not multiplied out to fit into rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from surveys.authoring.draft.trees import WITHIN, Branch, Tree, conditions_of, folded, shape_of
from surveys.authoring.importing.conditions import (
    NEVER,
    OF_MISSING,
    OPPOSITES,
    Atom,
    Joined,
    RuleReader,
    RuleRows,
    Unsaid,
    rows_of,
)
from surveys.definitions.definition import DraftQuestion
from surveys.definitions.rules.tree import RuleTree
from surveys.models import Condition, Question
from surveys.questionnaire.logic.rules import DEEPEST, MOST_NODES
from surveys.randomized_response.messages import sentence

IS, JOINS = Condition.Comparison, Question.Joins
LONGEST_VALUE = Condition._meta.get_field("value").max_length or 0
SEPARATOR = " | "  # between answers that a condition names
LARGE = sentence(
    "The rule has too many parts, or its conditions are nested too deeply. Split the question "
    "into several questions."
)


AtomTree = Atom | Branch[Atom]


@dataclass(frozen=True)
class Readable:
    """What rules of a draft may read, by name.

    ``drafted`` are all questions in their order, ``rows`` those that stand before the rule, and
    ``answers`` the words of their answers by values.
    """

    drafted: Mapping[str, DraftQuestion]
    rows: Mapping[str, Question]
    answers: Mapping[str, Mapping[str, str]]


def give_rule(row: Question, rule: RuleTree, readable: Readable) -> list[Condition]:
    """Let a question's row have a rule, and return its conditions; nothing is stored.

    Raises Unsaid, with the row as it was.
    """
    tree = tree_of(rule, readable.drafted)
    lines = rows_of(rule, readable.drafted)
    if tree is None or (lines and _is_same(lines, tree, readable.drafted)):
        kept = lines or RuleRows(JOINS.ALL, ())
        conditions = [_condition(row, atom, readable, bracket) for atom, bracket in kept.numbered()]
        row.rule_joins, row.rule_shape = kept.joins, None
        return conditions
    row.rule_shape, conditions = _shaped(row, tree, readable)
    return conditions


def give_section_rule(row: Question, rule: RuleTree, readable: Readable) -> list[Condition]:
    """The same for the rule of the section that begins with this question."""
    tree = tree_of(rule, readable.drafted)
    if tree is None:
        row.section_shape = None
        return []
    row.section_shape, conditions = _shaped(row, tree, readable)
    for condition in conditions:
        condition.of_section = True
    return conditions


def tree_of(rule: RuleTree, questions: Mapping[str, DraftQuestion]) -> AtomTree | None:
    """The rule over comparisons that a draft has; None for one that asks all. Raises Unsaid."""
    tree = _read(rule, RuleReader(questions))
    if tree is False:
        raise Unsaid(NEVER)
    return None if isinstance(tree, bool) else tree


def _read(rule: RuleTree, reader: RuleReader) -> AtomTree | bool:
    if rule.parts:
        return _joined(rule.name, [_read(part, reader) for part in rule.parts])
    part = reader.atom(rule)
    return _of_part(part) if isinstance(part, Joined) else part


def _of_part(part: Joined) -> AtomTree | bool:
    parts = [_of_part(each) if isinstance(each, Joined) else each for each in part.parts]
    return _joined(part.joins.value, parts)


def _joined(word: str, parts: list[AtomTree | bool]) -> AtomTree | bool:
    """Joined once each, without what is known, and without a "not" where another word says it."""
    if word == "not":
        return _negated(parts[0])
    decisive = word == "any"  # one true part decides "any", one false part "all"
    if any(part is decisive for part in parts):
        return decisive
    flat: dict[AtomTree, None] = {}
    for part in parts:
        if isinstance(part, Branch) and part.word == word:
            flat.update(dict.fromkeys(part.parts))
        elif not isinstance(part, bool):
            flat[part] = None
    left = tuple(flat)
    return (Branch(word, left) if len(left) > 1 else left[0]) if left else not decisive


def _negated(part: AtomTree | bool) -> AtomTree | bool:
    if isinstance(part, bool):
        return not part
    if isinstance(part, Branch) and part.word == "not":
        return part.parts[0]
    if isinstance(part, Atom) and (other := _opposite(part)):
        return other
    return Branch("not", (part,))


def _opposite(atom: Atom) -> Atom | None:
    """The comparison that is true where this one is not; None where a missing answer is neither."""
    other = OPPOSITES[atom.comparison]
    has_missing = atom.comparison in OF_MISSING or other in OF_MISSING
    return replace(atom, comparison=other) if has_missing else None


# ---- Lines that say the same ---------------------------------------------------------------------

Sorted = tuple[str, frozenset["Sorted | Atom"]] | Atom  # joined, in no order


def _is_same(lines: RuleRows, tree: AtomTree, questions: Mapping[str, DraftQuestion]) -> bool:
    inner = WITHIN[lines.joins].value
    brackets = [_all_in_one(inner, list(bracket)) for bracket in lines.brackets]
    lines_tree = _all_in_one(lines.joins.value, brackets)
    reader = RuleReader(questions)
    return _sorted(lines_tree, reader) == _sorted(tree, reader)


def _all_in_one(word: str, parts: list[AtomTree]) -> AtomTree:
    return cast(AtomTree, _joined(word, [*parts]))


def _sorted(tree: AtomTree, reader: RuleReader, *, is_turned: bool = False) -> Sorted:
    """In no order, with "not" at single comparisons alone, and each value in one of its own."""
    if isinstance(tree, Branch):
        if tree.word == "not":
            return _sorted(tree.parts[0], reader, is_turned=not is_turned)
        word = WITHIN[JOINS(tree.word)].value if is_turned else tree.word
        return _in_no_order(word, [_sorted(p, reader, is_turned=is_turned) for p in tree.parts])
    plain = reader.plain(tree) if is_turned else tree
    other = _opposite(plain) if is_turned else plain
    if other is None:
        return "not", frozenset([plain])
    if other.comparison not in (IS.IS, IS.IS_NOT):
        return other
    word = "any" if other.comparison == IS.IS else "all"
    return _in_no_order(word, [replace(other, values=(value,)) for value in other.values])


def _in_no_order(word: str, parts: list[Sorted]) -> Sorted:
    flat: set[Sorted] = set()
    for part in parts:
        flat |= part[1] if isinstance(part, tuple) and part[0] == word else {part}
    return next(iter(flat)) if len(flat) == 1 else (word, frozenset(flat))


# ---- Rows ----------------------------------------------------------------------------------------


def _shaped(row: Question, tree: AtomTree, readable: Readable) -> tuple[str, list[Condition]]:
    """The shape of a rule, and its conditions. Raises Unsaid."""
    levels, nodes = folded(tree, lambda atom: (1, 1), _size)
    if levels > DEEPEST or nodes > MOST_NODES:
        raise Unsaid(LARGE)

    def leaf(atom: Atom) -> Tree:
        return _condition(row, atom, readable)

    kept = folded(tree, leaf, _branch)
    return shape_of(kept), conditions_of(kept)


def _branch(word: str, parts: list[Tree]) -> Tree:
    return Branch(word, tuple(parts))


def _size(word: str, parts: list[tuple[int, int]]) -> tuple[int, int]:
    """Levels and parts of a branch."""
    levels, nodes = zip(*parts, strict=True)
    return 1 + max(levels), 1 + sum(nodes)


def _condition(
    row: Question, atom: Atom, readable: Readable, bracket: int | None = None
) -> Condition:
    """Raises Unsaid where a row has no room for its answers, or its source comes later."""
    source = readable.rows.get(atom.question)
    if source is None or source is row:
        words = sentence("The rule depends on “{name}”, which does not come before this question.")
        raise Unsaid(words.format(name=atom.question))
    # A number of ticks may look like the value of an option.
    is_count = atom.comparison in (IS.MARKED, IS.FEWER)
    answers = {} if is_count else readable.answers[atom.question]
    words_of = [answers.get(value, value) for value in atom.values]
    value = SEPARATOR.join(words_of)
    if len(value) > LONGEST_VALUE or any("|" in text for text in words_of):
        words = sentence("The rule uses answers to “{name}” that do not fit in one condition.")
        raise Unsaid(words.format(name=atom.question))
    return Condition(
        question=row, source=source, comparison=atom.comparison, value=value, bracket=bracket
    )
