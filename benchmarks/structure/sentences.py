"""Lines that compare a report's kind; sentences that are written twice to be translated."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.structure.files import ROOT, Count, Line, modules, nodes, parsed, place, places

REPORTS = ("analytics", "ranking", "surveys/reports")
NO_REPORTS = {"dtype", "item", "question"}  # their kinds are others
COMPARISONS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
CHOOSES = {"filter", "exclude", "get"}
MARKS = {"gettext_noop", "sentence", "message"}
VALUE = re.compile(r"\{\w*[^{}]*\}")
ANY = "\0"  # stands for a value
FEWEST_LETTERS = 8  # that two sentences with values share


def sentence_counts() -> Iterator[Count]:
    """What is compared, and what is written twice."""
    compared = [*compared_kinds()]
    name = "lines that compare a report's kind outside the registry"
    yield name, str(len(compared)), "0", places(iter(compared))
    chosen = [*chosen_kinds()]
    yield "    beside: queries that choose by it", str(len(chosen)), "", places(iter(chosen))
    known = [*patterns()]
    yield "patterns to find a sentence again", str(len(known)), "", []
    twice = [*written_twice(known)]
    yield "sentences written twice to be translated", str(len(twice)), "0", twice


def _of_reports() -> Iterator[Path]:
    folders = [ROOT / folder for folder in REPORTS]
    for path in modules():
        if path.name != "registry.py" and any(path.is_relative_to(folder) for folder in folders):
            yield path


def compared_kinds() -> Iterator[Line]:
    """Lines that compare the kind of a report."""
    for path in _of_reports():
        text = path.read_text().splitlines()
        numbers = {node.lineno for node in nodes(path) if _compares(node)}
        yield from ((path, number, text[number - 1]) for number in sorted(numbers))


def _compares(node: ast.AST) -> bool:
    if isinstance(node, ast.Match):
        return is_kind(node.subject)
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], COMPARISONS)
        and any(map(is_kind, (node.left, *node.comparators)))
    )


def is_kind(node: ast.expr) -> bool:
    """Is it the kind of a report? Those of dtypes and of questions are others."""
    if isinstance(node, ast.Attribute) and node.attr == "kind":
        owner = node.value
        name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        return name not in NO_REPORTS
    return isinstance(node, ast.Name) and node.id == "kind"


def chosen_kinds() -> Iterator[Line]:
    """Lines of queries that choose reports by their kind."""
    for path in _of_reports():
        text = path.read_text().splitlines()
        for node in nodes(path):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CHOOSES:
                for keyword in node.keywords:
                    if (keyword.arg or "").split("__")[0] == "kind":
                        yield path, keyword.value.lineno, text[keyword.value.lineno - 1]


def patterns() -> Iterator[tuple[Path, ast.Constant]]:
    """Sentences in lists of sentences at the top of a module."""
    for path in modules():
        for statement in parsed(path).body:
            yield from ((path, text) for text in listed_sentences(statement))


def listed_sentences(statement: ast.stmt) -> list[ast.Constant]:
    """The sentences of a list which holds nothing else."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Dict):
        parts: list[ast.expr] = value.values
    elif isinstance(value, (ast.Tuple, ast.List)):
        parts = value.elts
    else:
        return []
    marked = [_marked(part) for part in parts]
    return [] if None in marked else [text for text in marked if text is not None]


def _marked(node: ast.expr) -> ast.Constant | None:
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first
    return None


def written_twice(known: list[tuple[Path, ast.Constant]]) -> Iterator[str]:
    """Patterns that also stand in another place, with that place."""
    others = shapes_outside({id(text) for _, text in known})
    with_values = [shape for shape in others if ANY in shape and _letters(shape) >= FEWEST_LETTERS]
    for _, text in known:
        shape = VALUE.sub(ANY, text.value)
        same = (
            [shape] if shape in others else [other for other in with_values if fits(other, shape)]
        )
        if not same and ANY in shape and _letters(shape) >= FEWEST_LETTERS:
            same = [other for other in others if fits(shape, other)]
        if same:
            path, number = others[same[0]]
            yield f"{place(path, number)}: {text.value}"


def fits(shape: str, text: str) -> bool:
    """Does a text have the words of a shape in their order, and something for each value?"""
    first, *rest = shape.split(ANY)
    if not (text.startswith(first) and text.endswith(rest[-1] if rest else first)):
        return False
    start, end = len(first), len(text) - len(rest[-1] if rest else "")
    for words in rest[:-1]:
        start = text.find(words, start + 1, end) + len(words)
        if start < len(words):
            return False
    return start < end if rest else shape == text


def shapes_outside(known: set[int]) -> dict[str, tuple[Path, int]]:
    """Strings and f-strings but docstrings and these, each value as ``ANY``: where one stands."""
    shapes: dict[str, tuple[Path, int]] = {}
    for path in modules():
        aside = known | {id(part) for node in nodes(path) for part in _parts(node)}
        for node in nodes(path):
            if isinstance(node, (ast.JoinedStr, ast.Constant)) and id(node) not in aside:
                shapes.setdefault(_shape(node), (path, node.lineno))
    return shapes


def _parts(node: ast.AST) -> list[ast.expr]:
    """Strings that are docstrings, or parts of an f-string."""
    if isinstance(node, ast.JoinedStr):
        return node.values
    is_statement = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return [node.value] if is_statement else []


def _shape(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return VALUE.sub(ANY, node.value) if isinstance(node.value, str) else ""
    return "".join(_shape(part) if isinstance(part, ast.Constant) else ANY for part in node.values)


def _letters(shape: str) -> int:
    return sum(map(str.isalpha, shape))
