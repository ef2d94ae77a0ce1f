"""How easy the tree is to walk: folders, classes, moves between files, questions about the kind."""

import ast
import re
import statistics
import tomllib
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

from benchmarks.repeats import repeated_blocks
from benchmarks.structure.files import (
    PRODUCT,
    ROOT,
    Count,
    Line,
    modules,
    parsed,
    places,
    scripts,
    templates,
    templates_of_all_kinds,
)
from benchmarks.traces import Trace, traces

IN_LAYERS = ("surveys", "ranking", "analytics")
DJANGO = {"apps", "templatetags", "migrations"}
ASKS = re.compile(r"\.(?:is_text|is_rating|marking|rated|is_grouped|is_compared)\b")
ASKS_ITEM = re.compile(r"\bitem\.(?:number|pairs|second)\b|\.is_number\b|\.kind\s*[!=]=")
COMPARES_NAME = re.compile(r"\.kind\b\s*(?:==|!=|in\b|not in\b)|^\s*match .*\.kind:")
IMPORT = re.compile(r"\s*(?:from|import)\s")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")


def walking_counts() -> Iterator[Count]:
    """What the text of the tree says."""
    yield "modules in the fullest folders", *_folders()
    outside = modules_outside_contracts()
    yield "modules outside the layers contracts", str(len(outside)), "0", outside
    asked = places(kind_questions_in_python()), places(kind_questions_in_templates())
    yield "questions about the kind, Python", str(len(asked[0])), "20 with templates", asked[0]
    yield "questions about the kind, templates", str(len(asked[1])), "20 with Python", asked[1]
    named = places(_matching(COMPARES_NAME))
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
        and not any(fnmatchcase(f"{name}.", f"{layer}.*") for layer in layers)
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
    """Names of the classes that are promised of questions."""
    promises = [path for path in modules() if path.match("surveys/kinds/*/promise.py")]
    kinds = [*promises, *(path for path in modules() if path.parent.match("questionnaire/kinds"))]
    trees = [parsed(path) for path in kinds]
    return [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]


def _matching(pattern: re.Pattern[str]) -> Iterator[Line]:
    for path in modules():
        if "questionnaire" not in path.parent.parts and not path.match("surveys/kinds/*/*.py"):
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
        f"{len(block)} lines: " + ", ".join(f"{p.relative_to(ROOT)}:{n}" for p, n in stands)
        for block, stands in found.items()
    ]


def _entered(trace: Trace) -> list[str]:
    entries = Counter(trace.entries)
    return [f"{path}: {entries[path]} calls" for path in trace.files]


def _alternating(trace: Trace) -> list[str]:
    return [f"{n} moves: {one}, {other}" for (one, other), n in trace.pairs.most_common()]
