"""How fast groups are compared, trees grow and reminders are planned, beside other programs.

Run: ``python -m benchmarks.comparison``. Times are medians of rounds. SciPy is always there; POT
(``ot``) and scikit-learn are printed beside if they are installed, and are needed for nothing else.
"""

import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import wasserstein_distance

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.clouds import cloud_distance, ground_costs
from analytics.comparison.transport import line_distance
from analytics.comparison.trees.growth import Growth, grow
from surveys.fieldwork.reminders.slots import solve_slots

ROUNDS = 5
Task = Callable[[], Any]


def main() -> None:
    rng = np.random.default_rng(1)
    for compare in (print_line, print_cloud, print_assignment, print_tree, print_slots):
        compare(rng)


def print_line(rng: np.random.Generator) -> None:
    for n, m in ((100_000, 100_000), (100_000, 90_000)):
        x, y = rng.normal(size=n), rng.normal(0.1, 1, m)
        printed(
            f"W1 on the line, {n:,} and {m:,}",
            {
                "Deniable": lambda x=x, y=y: line_distance(x, y),
                "SciPy": lambda x=x, y=y: wasserstein_distance(x, y),
            },
            "at most 1.2 times SciPy",
        )


def print_cloud(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(100, 2)), rng.normal(size=(80, 2))
    wx, wy = rng.random(100), rng.random(80)
    wx, wy = wx / wx.sum(), wy / wy.sum()
    tasks: dict[str, Task] = {"Deniable": lambda: cloud_distance(x, y, wx, wy).value}
    if ot := installed("ot"):
        tasks["POT emd2"] = lambda: ot.emd2(wx, wy, ground_costs(x, y))
    printed("weighted cloud, 100 by 80", tasks, "at most 0.15 s")


def print_assignment(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(1_000, 2)), rng.normal(size=(1_000, 2))
    tasks: dict[str, Task] = {"Deniable": lambda: cloud_distance(x, y).value}
    if ot := installed("ot"):
        equal = np.full(1_000, 1e-3)
        tasks["POT emd2"] = lambda: ot.emd2(equal, equal, ground_costs(x, y), numItermax=10**6)
    printed("uniform cloud, 1,000 by 1,000", tasks, "at most 1 s")


def print_tree(rng: np.random.Generator) -> None:
    codes = rng.integers(0, 3, (10_000, 20))
    labels = (codes[:, 0] + codes[:, 1] + (rng.random(10_000) < 0.2) > 2).astype(int)
    features = tuple(TreeQuestion(f"q{place}", ("a", "b", "c")) for place in range(20))
    answers = TreeAnswers(features, TreeQuestion("label", ("no", "yes")), codes, labels)
    tasks: dict[str, Task] = {
        "Deniable": lambda: grow(answers).nodes,
        "Deniable, without a stop": lambda: grow(answers, Growth(alpha=None)).nodes,
    }
    if sklearn := installed("sklearn.tree"):
        hot = np.eye(3)[codes].reshape(10_000, 60)
        tasks["scikit-learn, without a stop"] = lambda: (
            sklearn.DecisionTreeClassifier(criterion="entropy").fit(hot, labels).tree_.node_count
        )
    printed("tree of 10,000 people and 20 features: nodes", tasks, "at most 1 s")


def print_slots(rng: np.random.Generator) -> None:
    line = np.arange(1, 29) / 28
    printed(
        "reminders, 28 slots and 3 sends: exploitability",
        {"Deniable": lambda: solve_slots(line, line**2, 3, 3).exploitability},
        "at most 1 s, below 1e-6",
    )


def installed(name: str) -> Any:
    """A peer, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def printed(title: str, tasks: dict[str, Task], wanted: str) -> None:
    """Median seconds of each task; the rounds go through all of them in turn."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    results = {}
    for _ in range(ROUNDS + 1):
        for name, run in tasks.items():
            start = time.perf_counter()
            results[name] = run()
            taken[name].append(time.perf_counter() - start)
    print(f"{title} ({wanted})")
    for name, times in taken.items():
        # The first round loads and warms up.
        print(f"  {name:30} {1000 * statistics.median(times[1:]):9.2f} ms   {results[name]:.9g}")


if __name__ == "__main__":
    main()
