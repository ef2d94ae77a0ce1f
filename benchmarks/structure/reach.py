"""Lines of product code that no page, command or worker reaches, because nothing there names them.

A *definition* is a function, a method or a class at the top of a module or in a class. It is *live*
if a live line names it: as a name, an attribute, a keyword, a template's word, or in a string that
is a name or a dotted path (``"surveys.web.pages.home"``). Live from the start is what runs when
modules are imported: all lines at their top, definitions, imports and ``__all__`` aside; also what
templates, migrations and ``pyproject.toml`` name, what ``__all__`` publishes in
``surveys/randomized_response`` (with all public methods of its classes), and what Django, gunicorn
or mkdocs find by name (``BY_NAME``). What a decorator registers (``REGISTERS``) is live. A live
class makes its bases, decorators and fields live. A method of a live class is live if a live line
has its name, or if a base of the class, or one above it, comes from outside the product: Django or
a ``Protocol`` may call methods by names of their own. Fields and constants are not looked at.

*Blind spots.* Names are looked at without their module: an unused ``rows`` hides behind any other
``rows`` in use, so the lines are at least so many. A module that nothing imports counts as one that
is; *modules that no other product module imports* are listed beside, those of frameworks
(``BY_FRAMEWORKS``) aside. A name put together at run time (``getattr(form, f"clean_{name}")``) is
not seen. What ``tests/`` or ``benchmarks/`` alone name is listed, so a reader checks each place.
Branches that no caller takes are not counted.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.structure.files import (
    FUNCTIONS,
    PRODUCT,
    ROOT,
    Count,
    modules,
    nodes,
    parsed,
    place,
    templates,
)

PUBLISHED = ROOT / "surveys/randomized_response"
BY_NAME = re.compile(  # commands, Django's forms and admin, gunicorn and mkdocs, sockets
    r"Command|main|\w+Config|clean_\w+|has_\w+_permission|on_\w+|post_worker_init|worker_exit"
    r"|[gs]ettimeout|__\w+__"
)
BY_FRAMEWORKS = {  # folders and files that Django, gunicorn, mkdocs or ``python -m`` look for
    *("__init__", "__main__", "admin", "apps", "models", "urls", "settings", "wsgi", "tasks"),
    *("commands", "templatetags", "server", "documentation_files", "deniable"),
}
REGISTERS = {"register", "receiver", "admin", "task", "check"}
WORDS = re.compile(r"[A-Za-z_]\w*")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
PATH = re.compile(r"[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*")
NOT_OF_PYTHON = {"object", "str", "int", "float", "tuple", "dict", "list", "frozenset", "set"}
SILENT = {"NamedTuple", "Exception", "ValueError", "Generic", "Enum", "IntEnum", "StrEnum", "type"}

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(eq=False)
class Part:
    """A definition, with the names that its own lines have."""

    path: Path
    node: Definition
    owner: "Part | None" = None
    names: set[str] = field(default_factory=set)

    @property
    def lines(self) -> int:
        return (self.node.end_lineno or 0) - self.first + 1

    @property
    def first(self) -> int:
        return min([self.node.lineno, *(mark.lineno for mark in self.node.decorator_list)])

    @property
    def title(self) -> str:
        prefix = f"{self.owner.title}." if self.owner else ""
        return f"{prefix}{self.node.name}"


def reach_counts() -> Iterator[Count]:
    """How many lines nothing in the product names."""
    dead = unreached()
    where = [f"{place(p.path, p.first)}: {p.title}, {p.lines} lines" for p in dead]
    lines = f"{sum(part.lines for part in dead):,}"
    yield "lines reached by no page, command or worker, at least", lines, "0", where

    alone = [*never_imported()]
    yield "    modules that no other product module imports", str(len(alone)), "0", alone


def never_imported() -> Iterator[str]:
    """Modules that no module, setting or dotted path of the product names.

    The files of a kind of question are found by their names (``questionnaire.kinds.folders``).
    """
    named = {name for path in modules() for name in _imported(path)}
    named |= set(PATH.findall((ROOT / "pyproject.toml").read_text()))
    for path in modules():
        dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        is_found = path.stem in BY_FRAMEWORKS or path.match("surveys/kinds/*/*.py")
        if not (BY_FRAMEWORKS & set(path.parts) or is_found or dotted in named):
            yield f"{place(path)}: {len(path.read_text().splitlines())} lines"


def _imported(path: Path) -> Iterator[str]:
    """Dotted names that a file imports, or has in a string; other files' names, not its own."""
    for node in nodes(path):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=level, names=names):
                folder = path.relative_to(ROOT).parts[:-level] if level else ()
                start = ".".join([*folder, module])
                yield start
                yield from (f"{start}.{alias.name}" for alias in names)
            case ast.ImportFrom(level=level, names=names):
                folder = ".".join(path.relative_to(ROOT).parts[:-level])
                yield from (f"{folder}.{alias.name}" for alias in names)
            case ast.Constant(value=str(text)) if PATH.fullmatch(text):
                yield text
                yield text.replace(":", ".").rpartition(".")[0]


def unreached() -> list[Part]:
    """Definitions that no live line names; parts of one that is listed are not listed again."""
    parts, seen = collected()
    live: set[Part] = set()
    classes = {part.node.name: part for part in parts if isinstance(part.node, ast.ClassDef)}
    while fresh := [p for p in parts if p not in live and _is_live(p, live, seen, classes)]:
        for part in fresh:
            live.add(part)
            seen |= part.names
    return [part for part in parts if part not in live and _stands_alone(part, live)]


def _stands_alone(part: Part, live: set[Part]) -> bool:
    return part.owner is None or part.owner in live


def _is_live(part: Part, live: set[Part], seen: set[str], classes: dict[str, Part]) -> bool:
    name = part.node.name
    if part.owner is not None and part.owner not in live:
        return False
    if name in seen or BY_NAME.fullmatch(name) or _is_registered(part.node):
        return True
    is_public = part.path.is_relative_to(PUBLISHED) and not name.startswith("_")
    return part.owner is not None and (is_public or _has_framework(part.owner, classes))


def _is_registered(node: Definition) -> bool:
    words = {word for mark in node.decorator_list for word in _words_of(mark)}
    return not REGISTERS.isdisjoint(words)


def _has_framework(part: Part, classes: dict[str, Part]) -> bool:
    """Is a base, or one above it, none of the product's and one that calls by its own names?"""
    bases = part.node.bases if isinstance(part.node, ast.ClassDef) else []
    names = [re.split(r"\W", ast.unparse(base).split("[")[0])[-1] for base in bases]
    above = [classes[name] for name in names if name in classes and classes[name] is not part]
    foreign = {name for name in names if name not in classes} - NOT_OF_PYTHON - SILENT
    return bool(foreign) or any(_has_framework(one, classes) for one in above)


def collected() -> tuple[list[Part], set[str]]:
    """Every definition, and the names that are live from the start."""
    parts: list[Part] = []
    seen = names_beside()
    for path in modules():
        for statement in parsed(path).body:
            if isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
                parts += _parts(path, statement, None)
            elif _is_published(path, statement) or not _only_names(statement):
                seen |= _words_of(statement)
    return parts, seen


def _only_names(statement: ast.stmt) -> bool:
    """Does it only import, or list ``__all__``? Neither uses what it names."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _is_published(path: Path, statement: ast.stmt) -> bool:
    return path.is_relative_to(PUBLISHED) and not isinstance(
        statement, (ast.Import, ast.ImportFrom)
    )


def _parts(path: Path, node: Definition, owner: Part | None) -> Iterator[Part]:
    part = Part(path, node, owner)
    yield part
    if isinstance(node, ast.ClassDef):
        inner = [one for one in node.body if isinstance(one, (ast.ClassDef, *FUNCTIONS))]
        for one in inner:
            yield from _parts(path, one, part)
        rest = [one for one in node.body if one not in inner]
        own: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list, *rest]
        part.names = set().union(*map(_words_of, own))
    else:
        part.names = _words_of(node)


def _words_of(root: ast.AST) -> set[str]:
    """Names, attributes, keywords and names within strings; docstrings and imports aside."""
    words: set[str] = set()
    rest = [root]
    while rest:
        node = rest.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)) or _is_text_alone(node):
            continue
        words.update(_own_words(node))
        rest += ast.iter_child_nodes(node)
    return words


def _is_text_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _own_words(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            return [name]
        case ast.Constant(value=str(text)) if PATH.fullmatch(text):
            return WORDS.findall(text)
    return []


def names_beside() -> set[str]:
    """Names that templates, ``pyproject.toml`` and migrations have."""
    tags = [word for path in templates() for word in _template_words(path.read_text())]
    beside = [*WORDS.findall((ROOT / "pyproject.toml").read_text()), *tags]
    migrations = [p for folder in PRODUCT for p in (ROOT / folder).rglob("migrations/*.py")]
    return set(beside).union(*(_words_of(ast.parse(path.read_text())) for path in migrations))


def _template_words(text: str) -> Iterator[str]:
    for tag in TAG.findall(text):
        yield from WORDS.findall(tag)
