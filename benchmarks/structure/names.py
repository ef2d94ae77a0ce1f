"""Private functions with one caller, banned names, names of classes in several files."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.structure.files import FUNCTIONS, Count, Line, modules, nodes, place, places

BANNED = frozenset(
    ["found", "told", "said", "held", "given", "taken", "place", "one", "what", "whole"]
)
OF_DJANGO = {"Command", "Meta"}  # each command and each model has one of this name
SHORT = 3  # lines of a body


def name_counts() -> Iterator[Count]:
    """What is called how, and how often."""
    private = [*private_functions()]
    single = [function for function in private if function[2] == 1]
    yield "private functions", f"{len(private):,}", "", []
    yield "    with one caller", f"{len(single):,}", "", []
    short = [f"{place(path, node.lineno)}: {node.name}" for path, node, _ in single if _short(node)]
    yield f"    with one caller and at most {SHORT} lines", f"{len(short):,}", "200", short
    bound = [*banned_bindings()]
    yield "banned names bound", f"{len(bound):,}", "150", places(iter(bound))
    for name, count in Counter(text for _, _, text in bound).most_common():
        yield f"    {name}", f"{count:,}", "", []
    several = {name: paths for name, paths in classes().items() if len(paths) > 1}
    where = [f"{name}: {', '.join(map(place, paths))}" for name, paths in sorted(several.items())]
    yield "class names in several files", str(len(several)), "12", where


def private_functions() -> Iterator[tuple[Path, ast.FunctionDef, int]]:
    """With the places in its file that name it."""
    for path in modules():
        named = _named(path)
        for node in nodes(path):
            if isinstance(node, FUNCTIONS) and is_private(node.name):
                yield path, node, named[node.name] + 2 * bool(node.decorator_list)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _named(path: Path) -> Counter[str]:
    """How often each name is read, as itself or as an attribute."""
    read = [node for node in nodes(path) if isinstance(getattr(node, "ctx", None), ast.Load)]
    names = [node.id for node in read if isinstance(node, ast.Name)]
    return Counter([*names, *(node.attr for node in read if isinstance(node, ast.Attribute))])


def _short(node: ast.FunctionDef) -> bool:
    body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno < SHORT


def banned_bindings() -> Iterator[Line]:
    """Each place that binds a name which says nothing, with the name."""
    for path in modules():
        for node in nodes(path):
            for name in bound_by(node):
                if name in BANNED:
                    yield path, getattr(node, "lineno", 0), name


def bound_by(node: ast.AST) -> Iterator[str]:
    """Names that a node binds by itself, its children aside."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def classes() -> dict[str, list[Path]]:
    """Files of each name of a class."""
    files: defaultdict[str, list[Path]] = defaultdict(list)
    for path in modules():
        for name in {node.name for node in nodes(path) if isinstance(node, ast.ClassDef)}:
            if name not in OF_DJANGO:
                files[name].append(path)
    return files
