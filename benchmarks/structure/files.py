"""Which files are counted, and what they parse to."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("config", "surveys", "ranking", "analytics")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Line = tuple[Path, int, str]  # file, number, text
Count = tuple[str, str, str, list[str]]  # what, how many, the goal, where


def modules() -> list[Path]:
    """The product's Python files."""
    paths = (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in paths if "migrations" not in path.parts)


def tests() -> list[Path]:
    return sorted((ROOT / "tests").rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """What a file parses to; several counts look at the same files."""
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file, as ``ast.walk`` orders them."""
    return list(ast.walk(parsed(path)))


def templates_of_all_kinds() -> list[Path]:
    """Templates but those of one kind each, and what these share."""
    shared = [ROOT / "templates/surveys/collecting" / name for name in ("questions", "own_coin")]
    return [path for path in templates() if path.parent not in shared and not _of_one_kind(path)]


def _of_one_kind(path: Path) -> bool:
    return path.is_relative_to(ROOT / "templates/kinds")


def templates() -> list[Path]:
    return sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())


def scripts() -> list[Path]:
    """Ours: bundles of others' cryptography are built, and no files of this tree."""
    files = (ROOT / "static").rglob("*.js")
    return sorted(path for path in files if path.parent.name != "vendor")


def product_json() -> list[Path]:
    """JSON that the product reads; that of tests and oracles is no product."""
    folders = (*PRODUCT, "static", "locale")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.json"))


def lines_of(paths: list[Path]) -> int:
    return sum(len(path.read_text().splitlines()) for path in paths)


def place(path: Path, number: int = 0) -> str:
    """A file, or a line in it, as a list of places says it."""
    name = path.relative_to(ROOT).as_posix()
    return f"{name}:{number}" if number else name


def places(lines: Iterator[Line]) -> list[str]:
    return [f"{place(path, number)}: {text.strip()}" for path, number, text in lines]
