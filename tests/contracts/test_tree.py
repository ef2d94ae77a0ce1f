"""The page with every module in one line says what the modules say."""

import ast

from benchmarks.newcomer import statements, tree
from benchmarks.structure import ROOT, modules, parsed


def test_the_page_of_the_tree_is_current():
    written = (ROOT / "docs" / "tree.md").read_text()
    assert written == "\n".join(tree()) + "\n", "python -m benchmarks.newcomer > docs/tree.md"


def test_every_module_and_room_says_what_it_is_for():
    silent = [path.relative_to(ROOT) for path in modules() if not ast.get_docstring(parsed(path))]
    assert [path for path in silent if {"management", "templatetags"}.isdisjoint(path.parts)] == []


def test_lines_are_drawn_from_every_app():
    drawn = {path.partition("/")[0] for path, _, _ in statements()}
    assert drawn == {"config", "surveys", "ranking", "analytics"}
