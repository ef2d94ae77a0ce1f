"""Which tests draw noise that cannot be seeded, and how often chance makes one of them fail.

The runner fails a test that draws it and does not say so (``tests/noise.py``).
"""

import ast
from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from analytics.privacy.mechanisms import VettedNoise
from tests import conftest, noise
from tests.conftest import ROOT
from tests.fake_noise import FakeNoise

MOST_OF_ALL = 1e-5  # of one run of all tests


def stated() -> Iterator[tuple[str, float, str]]:
    """Each mark in the tests: where it stands, with which probability chance fails it, its law."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.noise":
                given = {one.arg: ast.literal_eval(one.value) for one in node.keywords}
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                yield place, float(given["fails"]), given["law"]


def test_all_marks_state_a_law_and_fail_together_less_than_once_in_a_hundred_thousand_runs():
    found = list(stated())
    print(*(f"{place}: {fails:g}, {law}" for place, fails, law in found), sep="\n")
    assert len(found) > 20
    assert all(law.strip() for _, _, law in found)
    assert sum(2 * fails for _, fails, _ in found) < MOST_OF_ALL  # two cases of a test at most


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
@pytest.mark.parametrize("method", noise.METHODS)
def test_the_runner_sees_each_draw_of_the_source_that_cannot_be_seeded(method):
    before = conftest.WATCH.look()
    given = (Fraction(10), 100, 3) if method == "drawn_within" else (np.zeros(3, np.int64), 10.0)
    getattr(VettedNoise(), method)(*given)
    assert conftest.WATCH.look() == before + 1
    if hasattr(FakeNoise, method):
        getattr(FakeNoise(), method)(*given)
    assert conftest.WATCH.look() == before + 1


def a_test(**said: object) -> SimpleNamespace:
    """A test as the runner knows it, with this mark or without one."""
    mark = SimpleNamespace(kwargs=said) if said else None
    return SimpleNamespace(nodeid="tests/test_x.py::test_y", get_closest_marker=lambda name: mark)


def test_a_test_that_draws_and_does_not_say_so_fails():
    assert "test_y drew noise that cannot be seeded" in noise.unsaid(a_test(), 1)
    assert noise.unsaid(a_test(), 0) == ""
    assert noise.unsaid(a_test(fails=0, law="None"), 1) == ""


@pytest.mark.parametrize(
    "said",
    [
        {"fails": 1e-9},
        {"law": "Normal"},
        {"fails": 1e-9, "law": " "},
        {"fails": 0.1, "law": "Normal"},
        {"fails": -1, "law": "Normal"},
        {"fails": "seldom", "law": "Normal"},
        {"fails": float("nan"), "law": "Normal"},
    ],
)
def test_a_mark_without_a_law_or_a_small_probability_is_refused(said):
    assert "write @pytest.mark.noise" in noise.malformed(a_test(**said))
    assert noise.malformed(a_test(fails=1e-9, law="Normal")) == noise.malformed(a_test()) == ""
