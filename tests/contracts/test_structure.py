"""The counts of ``benchmarks.structure`` count what its page says, and stay at their goals."""

import sys

from benchmarks.repeats import repeated_blocks
from benchmarks.structure.files import modules, scripts, templates
from benchmarks.structure.walking import (
    ASKS,
    ASKS_ITEM,
    COMPARES_NAME,
    kind_questions_in_python,
    kind_questions_in_templates,
    methods_of_classes,
)
from benchmarks.traces import Trace

MOST_QUESTIONS = 20  # about the kind, outside the questionnaire and the tables
MOST_BLOCKS = 5  # of six and more lines in two places
MOST_FUNCTIONS = 15  # in the body of a class
RUN = [f"line_{number} = {number}" for number in range(8)]


def blocks(tmp_path, first: list[str], second: list[str]) -> list[tuple[int, list[int]]]:
    """The length and the line numbers of each repeated block."""
    paths = [tmp_path / "first.py", tmp_path / "second.py"]
    for path, lines in zip(paths, (first, second), strict=True):
        path.write_text("\n".join(lines))
    found = repeated_blocks(paths)
    return [(len(block), [number for _, number in places]) for block, places in found.items()]


def test_a_run_of_six_lines_in_two_files_is_one_block(tmp_path):
    assert blocks(tmp_path, ["a", *RUN[:6]], ["b", "c", *RUN[:6]]) == [(6, [2, 3])]
    assert blocks(tmp_path, ["a", *RUN[:5]], ["b", *RUN[:5]]) == []


def test_a_longer_run_is_one_block_too(tmp_path):
    assert blocks(tmp_path, RUN, RUN) == [(8, [1, 1])]


def test_blank_lines_comments_and_imports_neither_count_nor_interrupt(tmp_path):
    interrupted = [
        *RUN[:3],
        "",
        "# why",
        "from a import (",
        "    b,",
        ")",
        "   line_3  =  3",
        *RUN[4:],
    ]
    assert blocks(tmp_path, interrupted, RUN) == [(8, [1, 1])]
    imports = [f"import module_{number}" for number in range(9)]
    assert blocks(tmp_path, imports, imports) == []


def test_a_return_is_a_move_into_a_file_that_was_left_before():
    trace = Trace(None, (), entries=["a", "a", "b", "a", "c", "b", "b"])
    assert trace.files == ["a", "b", "c"]
    assert (trace.moves, trace.returns) == (4, 2)


def test_moves_are_counted_for_each_pair_of_files_in_either_direction():
    trace = Trace(None, (), entries=["b", "b", "a", "b", "c", "b"])
    assert trace.pairs == {("a", "b"): 2, ("b", "c"): 2}


def test_a_comprehension_is_no_call_of_its_own(tmp_path):
    (tmp_path / "product").mkdir()
    path = tmp_path / "product" / "module.py"
    source = "def work():\n    return [*map(lambda n: n, (m for m in range(3)))]\nwork()\n"
    trace = Trace(tmp_path, ("product",))
    code = compile(source, str(path), "exec")
    before = sys.getprofile()
    with trace.recorded():
        exec(code, {})
    sys.setprofile(before)
    assert trace.entries == ["product/module.py"]


def test_only_attributes_of_questions_ask_for_the_kind():
    for text in ("item.is_text", "if question.item.rated:", "self.marking,", "x.is_grouped and"):
        assert ASKS.search(text), text
    for text in (
        "sorted(x)",
        "rated_items",
        "item.rated_by",
        "is_text = 1",
        "dtype.kind",
        "marking",
    ):
        assert not ASKS.search(text), text
    assert ASKS_ITEM.search("{% if item.number %}")
    assert not ASKS_ITEM.search("{{ question.number }}")
    assert COMPARES_NAME.search('if item.kind != "yes_no":')


def test_few_places_ask_what_kind_a_question_is():
    """Each room has tables instead; the goal of ``benchmarks.structure`` holds."""
    places = [*kind_questions_in_python(), *kind_questions_in_templates()]
    found = [f"{path}:{number}: {text.strip()}" for path, number, text in places]
    assert len(found) <= MOST_QUESTIONS, "\n".join(found)


def test_few_blocks_of_lines_stand_in_two_places():
    found = repeated_blocks([*modules(), *templates(), *scripts()])
    assert len(found) <= MOST_BLOCKS, [[f"{p}:{n}" for p, n in each] for each in found.values()]


def test_no_class_has_many_functions():
    sizes = methods_of_classes()
    assert len(sizes) > 500
    assert {name: size for name, size in sizes.items() if size > MOST_FUNCTIONS} == {}
