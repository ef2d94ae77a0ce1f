"""How many lines, modules, folders and comments there are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.structure.files import (
    FUNCTIONS,
    Count,
    Line,
    lines_of,
    modules,
    nodes,
    places,
    product_json,
    scripts,
    templates,
    tests,
)

DIRECTIVE = re.compile(r"#\s*(noqa|type:|pragma|fmt:|ruff:|mypy:|!)")


def size_counts() -> Iterator[Count]:
    """How large the tree is."""
    python = modules()
    lines = lines_of(python)
    code = sum(code_lines(path) for path in python)
    yield "lines of product Python without migrations", f"{lines:,}", "80,000", []
    yield "    of these code", f"{code:,}", "", []
    beside = {"templates": templates(), "scripts": scripts(), "JSON": product_json()}
    for name, paths in beside.items():
        yield f"    beside: lines of {name}", f"{lines_of(paths):,}", "", []
    yield "modules", f"{len(python):,}", "600", []
    yield "folders", f"{len({path.parent for path in python}):,}", "70", []
    yield "lines of tests", f"{lines_of(tests()):,}", "75,000", []
    comments = [line for path in python for line in comment_lines(path)]
    share = f"{len(comments):,} = {len(comments) / lines:.2%}"
    yield "comment lines that say why", share, "2.5 % at least", places(iter(comments))


def code_lines(path: Path) -> int:
    """Lines of a file that hold code."""
    lines = path.read_text().splitlines()
    documented = {number for node in nodes(path) for number in _docstring_lines(node)}
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in documented
        for number, line in enumerate(lines, start=1)
    )


def _docstring_lines(node: ast.AST) -> range:
    if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node):
        return range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    return range(0)


def comment_lines(path: Path) -> Iterator[Line]:
    """Comments that have a line of their own; directives and dividers aside."""
    texts = [node for node in nodes(path) if isinstance(node, (ast.Constant, ast.JoinedStr))]
    in_texts = {n for text in texts for n in range(text.lineno + 1, (text.end_lineno or 0) + 1)}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        comment = line.strip()
        is_comment = comment.startswith("#") and number not in in_texts
        if is_comment and not DIRECTIVE.match(comment) and re.search(r"[^\W\d]", comment):
            yield path, number, comment
