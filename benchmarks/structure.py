"""How easy the tree is to walk: folders, classes, moves between files, questions about the kind.

Run: ``python -m benchmarks.structure`` (``--verbose`` lists the places, ``--no-traces`` leaves the
two requests out, which need the demonstration's answers). Counted is product code: ``config``,
``surveys``, ``ranking`` and ``analytics`` without migrations, and ``templates`` and ``static``
where a count says so.

- *Modules in a folder*: ``*.py`` in that folder itself, ``__init__.py`` aside.
- *Modules outside the contracts*: modules of ``surveys``, ``ranking`` and ``analytics`` that
  neither stand in a layer of a ``layers`` contract nor lie below one. A contract over whole
  packages (``analytics``, ``ranking``, ``surveys``) says nothing about the modules in them and does
  not count; a layer of a contract with ``containers`` is a child of each. Modules that Django finds
  by their name (``DJANGO``) need no contract.
- *One answer*, *the dashboard*: files and moves as defined in ``benchmarks.traces``.
- *Questions about the kind in Python*: lines, imports aside, that match ``ASKS``, or ask
  ``isinstance`` or ``match`` for a class that is defined in ``questionnaire/kinds/``. Looked at is
  everything outside a folder ``questionnaire/``. A table from kinds to functions asks nothing, so
  it needs no exception. Only attributes count: ``sorted``, ``rated_items`` and the like do not
  match, nor does ``kind`` alone, which numpy's dtypes have, too.
- *Questions about the kind in templates*: outside the folders that have one template for each
  kind, tags (``{% … %}`` or ``{{ … }}``) that match ``ASKS``,
  ``ASKS_ITEM`` or ``.kind ==``. A tag is counted once, so the wrapping of lines changes nothing.
  ``item.number``, ``item.pairs`` and ``item.second`` are there only for one kind each, and so are
  asked for as its name.
- *Kinds compared by name*: ``.kind`` beside ``==``, ``!=``, ``in`` or ``case``. Beside the goal.
- *The largest class*: functions in the body of a class, properties among them.
- *Identical blocks*: as defined in ``benchmarks.repeats``, over Python, templates and scripts.
- *Function length*: lines from ``def`` to the end, nested functions on their own.

A count before this script had looser rules: its 125 questions in Python have eight imports of a
module ``marking`` among them, and its 59 in templates are lines with any ``.number``, that of a
page or an invitation, too. Its rules for the two requests (14 files and 47 returns; 21 files and
911 moves) were not written down.
"""

import argparse
import ast
import re
import statistics
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.repeats import repeated_blocks
from benchmarks.traces import Trace, traces

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("config", "surveys", "ranking", "analytics")
IN_LAYERS = ("surveys", "ranking", "analytics")
DJANGO = {"apps", "templatetags", "migrations"}
KIND_TEMPLATES = ("questions", "own_coin")  # folders with a template for each kind
ASKS = re.compile(r"\.(?:is_text|is_rating|marking|rated|is_grouped|is_compared)\b")
ASKS_ITEM = re.compile(r"\bitem\.(?:number|pairs|second)\b|\.is_number\b|\.kind\s*[!=]=")
COMPARES_NAME = re.compile(r"\.kind\b\s*(?:==|!=|in\b|not in\b)|^\s*match .*\.kind:")
IMPORT = re.compile(r"\s*(?:from|import)\s")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")

Line = tuple[Path, int, str]  # file, number, text


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description="Count what makes the tree hard to walk.")
    parser.add_argument("--verbose", action="store_true", help="list the places")
    parser.add_argument("--no-traces", action="store_true", help="leave the two requests out")
    arguments = parser.parse_args()
    print(f"{'':<58}{'now':>20}  goal")
    for name, now, goal, places in [*static_counts(), *trace_counts(not arguments.no_traces)]:
        print(f"{name:<58}{now:>20}  {goal}")
        for place in places if arguments.verbose else ():
            print(f"    {place}")


Count = tuple[str, str, str, list[str]]  # what, how many, at most, where


def static_counts() -> Iterator[Count]:
    """What the text of the tree says."""
    yield "modules in the fullest folders", *_folders()
    outside = modules_outside_contracts()
    yield "modules outside the layers contracts", str(len(outside)), "0", outside
    asked = [*_places(kind_questions_in_python())], [*_places(kind_questions_in_templates())]
    yield "questions about the kind, Python", str(len(asked[0])), "20 with templates", asked[0]
    yield "questions about the kind, templates", str(len(asked[1])), "20 with Python", asked[1]
    named = [*_places(_matching(COMPARES_NAME))]
    yield "kinds compared by name, Python", str(len(named)), "", named
    classes = methods_of_classes().most_common(10)
    yield "methods of the largest class", str(classes[0][1]), "15", [f"{n} {k}" for k, n in classes]
    blocks = _blocks()
    yield "identical blocks of six and more lines", str(len(blocks)), "5", blocks
    lengths = sorted(function_lengths())
    tenth = lengths[round(0.9 * len(lengths))]
    median = f"{statistics.median(lengths):g}, {tenth}"
    yield "lines of a function: median, 90th percentile", median, "10, 30", []


def trace_counts(is_wanted: bool) -> Iterator[Count]:
    """What two requests enter."""
    if not is_wanted:
        return
    answer, dashboard = traces(ROOT, PRODUCT)
    yield "one stored answer: files", str(len(answer.files)), "9", _entered(answer)
    yield "one stored answer: returns", str(answer.returns), "20", _alternating(answer)
    yield "the dashboard: files", str(len(dashboard.files)), "15", _entered(dashboard)
    yield "the dashboard: moves between files", str(dashboard.moves), "400", _alternating(dashboard)


def modules() -> list[Path]:
    """The product's Python files."""
    paths = (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in paths if "migrations" not in path.parts)


@cache
def parsed(path: Path) -> ast.Module:
    """What a file parses to; several counts look at the same files."""
    return ast.parse(path.read_text())


def templates_of_all_kinds() -> list[Path]:
    """Templates but those of one kind each, which a table names."""
    of_one_kind = [ROOT / "templates/surveys/collecting" / name for name in KIND_TEMPLATES]
    return [path for path in templates() if path.parent not in of_one_kind]


def templates() -> list[Path]:
    return sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())


def scripts() -> list[Path]:
    return sorted((ROOT / "static").rglob("*.js"))


def folder_sizes() -> Counter[str]:
    """Modules by folder."""
    named = [path for path in modules() if path.name != "__init__.py"]
    return Counter(path.parent.relative_to(ROOT).as_posix() for path in named)


def modules_outside_contracts() -> list[str]:
    """Modules that no layers contract puts in order."""
    layers = _layers()
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in modules()
        if path.name != "__init__.py"
    ]
    return [
        name
        for name in names
        if name.startswith(tuple(f"{package}." for package in IN_LAYERS))
        and name.split(".")[1] not in DJANGO
        and not any(f"{name}.".startswith(f"{layer}.") for layer in layers)
    ]


def _layers() -> set[str]:
    """Every module that is a layer; whole packages aside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = set()
    for contract in project["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            for container in contract.get("containers", [""]):
                names = re.findall(r"[\w.]+", " ".join(contract["layers"]))
                found |= {f"{container}.{name}".lstrip(".") for name in names}
    return {name for name in found if "." in name}


def kind_questions_in_python() -> Iterator[Line]:
    """Lines that ask what kind a question is."""
    names = "|".join(kind_classes())
    by_class = rf"|isinstance\([^#]*\b(?:{names})\b|\bcase (?:\w+\.)?(?:{names})\("
    yield from _matching(re.compile(ASKS.pattern + (by_class if names else "")))


def kind_classes() -> list[str]:
    """Names of the classes in ``questionnaire/kinds/``, once there are any."""
    kinds = [path for path in modules() if path.parent.match("questionnaire/kinds")]
    trees = [parsed(path) for path in kinds]
    return [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]


def _matching(pattern: re.Pattern[str]) -> Iterator[Line]:
    for path in modules():
        if "questionnaire" not in path.parent.parts:
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                if pattern.search(line) and not IMPORT.match(line):
                    yield path, number, line


def kind_questions_in_templates() -> Iterator[Line]:
    """Tags that ask what kind a question is."""
    for path in templates_of_all_kinds():
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            for tag in TAG.findall(line):
                if ASKS.search(tag) or ASKS_ITEM.search(tag):
                    yield path, number, tag


def methods_of_classes() -> Counter[str]:
    """Functions in the body of each class."""
    counts: Counter[str] = Counter()
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                name = f"{path.relative_to(ROOT)}: {node.name}"
                counts[name] = sum(isinstance(part, ast.FunctionDef) for part in node.body)
    return counts


def function_lengths() -> Iterator[int]:
    """Lines of each function."""
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                yield node.end_lineno - node.lineno + 1


def _folders() -> tuple[str, str, list[str]]:
    sizes = folder_sizes().most_common()
    top = ", ".join(str(size) for _, size in sizes[:6])
    return top, "15 each", [f"{size} {folder}" for folder, size in sizes if size > 15]


def _blocks() -> list[str]:
    found = repeated_blocks([*modules(), *templates(), *scripts()])
    return [
        f"{len(block)} lines: " + ", ".join(f"{p.relative_to(ROOT)}:{n}" for p, n in places)
        for block, places in found.items()
    ]


def _places(lines: Iterator[Line]) -> Iterator[str]:
    for path, number, text in lines:
        yield f"{path.relative_to(ROOT)}:{number}: {text.strip()}"


def _entered(trace: Trace) -> list[str]:
    entries = Counter(trace.entries)
    return [f"{path}: {entries[path]} calls" for path in trace.files]


def _alternating(trace: Trace) -> list[str]:
    return [f"{n} moves: {one}, {other}" for (one, other), n in trace.pairs.most_common()]


if __name__ == "__main__":
    main()
