"""The tree, one line a module with its public names; lines of code to guess their files from it.

Run: ``python -m benchmarks.newcomer > docs/tree.md`` writes the tree anew. ``--seed 1`` prints
twenty lines of code, for a person who has seen nothing but the tree; with ``--answers`` it prints
where they stand instead.

Drawn is a simple statement, or the head of a compound one, with at least ``LEAST`` characters on
one line after its white space is collapsed: shorter ones (``return rows``) name no subject. Left
out are imports, docstrings and what stands more than once in the tree. Counted are the folders of
``benchmarks.structure``, without migrations.
"""

import argparse
import ast
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.structure import ROOT, modules, parsed

LEAST = 40
LINES = 20
PREFACE = [
    "# Every module in one line",
    "",
    "What the docstring of each module says first, and the names that it defines for others;",
    "after the name of a class its fields and methods.",
    "`python -m benchmarks.newcomer > docs/tree.md` writes this page anew.",
]
# What Django asks every class of a kind for says nothing of this one.
OF_FRAMEWORKS = {"Meta", "objects", "model", "form", "clean", "save", "media", "help", "handle"}
COMPOUND = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)


def main() -> None:
    """Print the tree, or lines, or where they stand."""
    parser = argparse.ArgumentParser(description="The tree, or lines to guess their files from it.")
    parser.add_argument("--seed", type=int, help="draw lines instead of printing the tree")
    parser.add_argument("--lines", type=int, default=LINES, help="how many")
    parser.add_argument("--answers", action="store_true", help="print where the lines stand")
    arguments = parser.parse_args()
    if arguments.seed is None:
        print("\n".join(tree()))
        return
    drawn = random.Random(arguments.seed).sample(statements(), arguments.lines)
    for number, (path, line, text) in enumerate(drawn, 1):
        print(number, f"{path}:{line}" if arguments.answers else text)


def tree() -> Iterator[str]:
    """Every folder and module with what its docstring says first."""
    yield from PREFACE
    for folder in sorted({path.parent for path in modules()}):
        yield f"\n## {folder.relative_to(ROOT)}/\n"
        for path in sorted(folder.glob("*.py"), key=lambda path: path.stem):
            said = (ast.get_docstring(parsed(path)) or "").partition("\n")[0]
            if path.stem == "__init__":
                yield f"{said}\n" if said else ""
            else:
                yield f"- `{path.stem}`: {said}{_defined(path)}"


def _defined(path: Path) -> str:
    """The names of a module that others may use, in its order, classes with what they have."""
    told = ", ".join(map(_told, _named(parsed(path).body)))
    return f" Defines {told}." if told else ""


def _told(node: ast.stmt) -> str:
    """A name; of a class also its fields and methods, which the lines of others speak of."""
    has = [_name(part) for part in _named(node.body)] if isinstance(node, ast.ClassDef) else []
    has = [name for name in has if name not in OF_FRAMEWORKS]
    return f"`{_name(node)}`" + (f" ({', '.join(has)})" if has else "")


def _named(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that define a public name."""
    return [node for node in body if (name := _name(node)) and not name.startswith("_")]


def _name(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
            return name
        case _:
            return ""


def statements() -> list[tuple[str, int, str]]:
    """File, line number and text of everything that may be drawn."""
    found = [
        (str(path.relative_to(ROOT)), node.lineno, text)
        for path in modules()
        for lines in [path.read_text().splitlines()]
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.stmt) and (text := _text(node, lines))
    ]
    times = Counter(text for _, _, text in found)
    return [one for one in found if times[one[2]] == 1 and len(one[2]) >= LEAST]


def _text(node: ast.stmt, lines: list[str]) -> str:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
        return ""
    last = node.body[0].lineno - 1 if isinstance(node, COMPOUND) else node.end_lineno
    head = lines[node.lineno - 1 : max(node.lineno, last or 0)]
    return " ".join(" ".join(head).partition('"""')[0].split())


if __name__ == "__main__":
    main()
