"""Comparisons keep their word in simulated surveys: coverage, level, power, splits. Printed."""

import math
from itertools import product

import numpy as np
import pytest

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.clouds import (
    DistanceMethod,
    Metric,
    ground_costs,
    metric_distance,
)
from analytics.comparison.grids import Axis, Grid, GridClouds, compare_grids
from analytics.comparison.groups import KnownGroup, Scale
from analytics.comparison.hidden import HiddenGroups, compare_hidden
from analytics.comparison.inference import ALPHA, POWER, compare_pair
from analytics.comparison.people import compare_people
from analytics.comparison.trees.growth import grow
from surveys.fieldwork.reminders.curves import Curve
from surveys.fieldwork.reminders.restrepo import solve_continuous
from surveys.fieldwork.reminders.slots import best_reply, margin, solve_slots
from surveys.randomized_response.designs import Channel, KAry, TwoCoins

pytestmark = pytest.mark.audit

RUNS = 400
DRAWS = 400
SCALE = Scale(np.arange(5.0))
FIRST = np.array([0.1, 0.3, 0.3, 0.2, 0.1])
# W1 to FIRST: 0, 0.25 and 1.38 steps.
SECONDS = {
    "0": FIRST,
    "small": np.array([0.05, 0.25, 0.3, 0.3, 0.1]),
    "large": np.array([0.02, 0.03, 0.1, 0.35, 0.5]),
}


def distance(law: np.ndarray) -> float:
    return float(np.abs(np.cumsum(FIRST - law))[:-1].sum())


def drawn(
    name: str, law: np.ndarray, epsilon: float, n: int, rng: np.random.Generator
) -> KnownGroup:
    design = KAry.from_epsilon(5, epsilon)
    return KnownGroup(name, rng.multinomial(n, design.channel.matrix @ law), design)


@pytest.mark.parametrize(
    ("size", "epsilon", "n"), list(product(SECONDS, (1.0, 2.0, 4.0), (60, 250, 1000)))
)
def test_the_interval_holds_the_true_distance_in_92_percent_of_surveys(size, epsilon, n):
    rng = np.random.default_rng([n, int(epsilon), len(size)])
    law = SECONDS[size]
    true, held = distance(law), 0
    for _ in range(RUNS):
        groups = drawn("a", FIRST, epsilon, n, rng), drawn("b", law, epsilon, n, rng)
        pair = compare_pair(*groups, SCALE, rng, draws=DRAWS)
        held += pair.low <= true <= pair.high
    print(f"\nW1 {true:.2f}, epsilon {epsilon}, n {n}: held in {held / RUNS:.3f} of {RUNS} surveys")
    assert held / RUNS >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / RUNS)


@pytest.mark.parametrize(
    ("epsilons", "n"), [((1.0, 1.0), 60), ((3.0, 3.0), 300), ((1.0, 3.0), 200)]
)
def test_groups_that_do_not_differ_are_told_apart_in_at_most_5_percent(epsilons, n):
    rng = np.random.default_rng([n, 3])
    runs, found = 1_000, 0
    for _ in range(runs):
        groups = [drawn(name, FIRST, e, n, rng) for name, e in zip("ab", epsilons, strict=True)]
        found += compare_pair(*groups, SCALE, rng, draws=199).p_value <= ALPHA
    print(f"\nepsilons {epsilons}, n {n}: {found / runs:.4f} of {runs} surveys differ")
    assert found / runs <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)


ITEMS = 4


def rated(name: str, law: np.ndarray, n: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Ratings of four items by people who mostly rate all alike: correlation about one half."""
    own = rng.choice(5, n, p=law)
    others = rng.choice(5, (n, ITEMS), p=law)
    ratings = np.where(rng.random((n, ITEMS)) < 0.7, own[:, None], others)
    reported = np.where(rng.random(ratings.shape) < 0.8, ratings, rng.integers(0, 5, ratings.shape))
    counts = np.stack([(reported == level).sum(axis=1) for level in range(5)], axis=1)
    return np.unique(counts, axis=0, return_counts=True)


def raters(laws: dict[str, np.ndarray], n: int, rng: np.random.Generator) -> list[KnownGroup]:
    """Groups on common patterns; a report is the rating, or else one of five by chance."""
    found = {name: rated(name, law, n, rng) for name, law in laws.items()}
    patterns = np.unique(np.concatenate([rows for rows, _ in found.values()]), axis=0)
    groups = []
    for name, (rows, people) in found.items():
        counts = np.zeros(len(patterns), dtype=int)
        places = [int(np.flatnonzero((patterns == row).all(axis=1))[0]) for row in rows]
        counts[places] = people
        groups.append(KnownGroup(name, counts, Channel.mixture([0.04] * 5), patterns / ITEMS))
    return groups


@pytest.mark.parametrize(("size", "n"), list(product(SECONDS, (40, 250))))
def test_the_interval_holds_where_people_rate_several_items(size, n):
    rng = np.random.default_rng([n, len(size), 4])
    law = SECONDS[size]
    true, held, runs = distance(law), 0, 200
    for _ in range(runs):
        pair = compare_pair(*raters({"a": FIRST, "b": law}, n, rng), SCALE, rng, draws=DRAWS)
        held += pair.low <= true <= pair.high
    print(f"\nratings, W1 {true:.2f}, n {n}: held in {held / runs:.3f} of {runs} surveys")
    assert held / runs >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / runs)


@pytest.mark.parametrize("n", [40, 250])
def test_people_who_rate_several_items_are_told_apart_in_at_most_5_percent(n):
    rng = np.random.default_rng([n, 5])
    runs, found = 1_000, 0
    for _ in range(runs):
        groups = raters({"a": FIRST, "b": FIRST}, n, rng)
        found += compare_pair(*groups, SCALE, rng, draws=199).p_value <= ALPHA
    print(f"\nratings, n {n}: {found / runs:.4f} of {runs} surveys differ")
    assert found / runs <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)


def hidden(rows: list[np.ndarray], answers: KAry | None, n: int, rng: np.random.Generator):
    """Groups by two coins, of people with this joint law of group and answer."""
    coins = TwoCoins(len(rows))
    channel = np.eye(5) if answers is None else answers.channel.matrix
    law = coins.channel.matrix @ np.stack(rows) @ channel.T
    counts = rng.multinomial(n, law.ravel()).reshape(law.shape)
    return HiddenGroups(tuple(map(str, range(len(rows)))), counts, coins, answers)


@pytest.mark.parametrize(
    ("size", "share", "n", "epsilon"), list(product(SECONDS, (0.3, 0.5), (500, 2000), (None, 2.0)))
)
def test_the_interval_of_groups_known_through_coins_holds(size, share, n, epsilon):
    rng = np.random.default_rng([n, int(10 * share), len(size), 6])
    answers = None if epsilon is None else KAry.from_epsilon(5, epsilon)
    rows = [(1 - share) * FIRST, share * SECONDS[size]]
    true, held, runs = distance(SECONDS[size]), 0, 200
    for _ in range(runs):
        pair = compare_hidden(hidden(rows, answers, n, rng), SCALE, rng, draws=DRAWS).pairs[0]
        held += pair.low <= true <= pair.high
    print(
        f"\n{share:.0%} through coins, epsilon {epsilon}, W1 {true:.2f}, n {n}: {held / runs:.3f}"
    )
    assert held / runs >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / runs)


@pytest.mark.parametrize("rest", [0.0, 0.3])
def test_groups_known_through_coins_that_do_not_differ_are_told_apart_in_at_most_5_percent(rest):
    """Exactly for two groups; beside a third one that differs, by simulated surveys."""
    rng = np.random.default_rng([7, int(10 * rest)])
    rows = [(1 - rest) / 2 * FIRST] * 2 + ([rest * SECONDS["large"]] if rest else [])
    runs, found = 1_000, 0
    for _ in range(runs):
        groups = hidden(rows, KAry.from_epsilon(5, 2.0), 800, rng)
        found += compare_hidden(groups, SCALE, rng, draws=199).pairs[0].p_value <= ALPHA
    print(f"\n{len(rows)} groups through coins: {found / runs:.4f} of {runs} surveys differ")
    assert found / runs <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)


@pytest.mark.parametrize(("shift", "n"), list(product((0.0, 0.5, 1.5), (12, 60))))
def test_the_interval_of_clouds_of_people_holds(shift, n):
    rng = np.random.default_rng([n, int(2 * shift), 8])
    held, runs = 0, 50
    for run in range(runs):
        x, y = rng.normal(size=(2, n, 2))
        moved = y + np.array([shift, 0])
        (pair,) = compare_people({"a": x, "b": moved}, Metric.EUCLIDEAN, run)
        held += pair.low <= shift <= pair.high
    print(f"\nclouds, W1 {shift}, n {n}: held in {held / runs:.2f} of {runs} surveys")
    assert held / runs >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / runs)


@pytest.mark.parametrize(("sizes", "shift"), list(product([(501, 501), (400, 600)], (0.0, 2.0))))
def test_the_interval_of_large_clouds_holds_where_halves_and_groups_have_other_sizes(sizes, shift):
    """Halves of 501 by linear program would be sliced, halves of 400 and 600 would be exact."""
    rng = np.random.default_rng([*sizes, int(shift), 10])
    held, runs = 0, 3
    for run in range(runs):
        x, y = (rng.normal(size=(n, 5)) for n in sizes)
        (pair,) = compare_people({"a": x, "b": y + shift * np.eye(5)[0]}, Metric.EUCLIDEAN, run)
        ways = np.random.default_rng(run).normal(size=(5, 10_000))
        sliced = float((np.abs(ways[0]) / np.linalg.norm(ways, axis=0)).mean())
        true = shift * (sliced if pair.method == DistanceMethod.SLICED.value else 1.0)
        held += pair.low <= true <= pair.high
    print(f"\nclouds of {sizes}, shift {shift}, {pair.method}: held in {held} of {runs} surveys")
    assert held == runs


JOINT = np.array([[0.2, 0.1, 0.1], [0.1, 0.1, 0.1], [0.05, 0.05, 0.2]])


@pytest.mark.parametrize(
    ("epsilon", "n", "rolled"), list(product((1.5, 3.0), (100, 400), (False, True)))
)
def test_the_interval_of_clouds_of_randomized_answers_holds(epsilon, n, rolled):
    rng = np.random.default_rng([n, int(2 * epsilon), 9])
    steps, design = Scale(np.arange(3.0)), KAry.from_epsilon(3, epsilon)
    grid = Grid((Axis(steps, design), Axis(steps, design)))
    laws = {"a": JOINT, "b": np.roll(JOINT, 1, axis=0) if rolled else JOINT}
    costs = ground_costs(grid.points, grid.points)
    true = metric_distance((laws["a"] - laws["b"]).ravel(), costs)
    channel = design.channel.matrix
    held, runs = 0, 100
    for _ in range(runs):
        reports = {name: channel @ law @ channel.T for name, law in laws.items()}
        tables = {k: rng.multinomial(n, v.ravel()).reshape(3, 3) for k, v in reports.items()}
        (pair,) = compare_grids(GridClouds(grid, tables), (1, 1), Metric.EUCLIDEAN, rng)
        held += pair.low <= true <= pair.high
    print(f"\ngrid, epsilon {epsilon}, W1 {true:.2f}, n {n}: held in {held / runs:.3f} of {runs}")
    assert held / runs >= 0.92 - 3 * math.sqrt(0.92 * 0.08 / runs)


@pytest.mark.parametrize(("design", "share"), list(product((None, TwoCoins(2)), (0.5, 0.9))))
def test_the_interval_of_a_small_group_on_a_grid_of_many_combinations_holds(design, share):
    """Six yes/no questions, 10 beside 520 people; ``share`` is that of the small group's yes."""
    rng = np.random.default_rng([int(10 * share), design is None, 11])
    yes_no = Scale(np.arange(2.0))
    grid = Grid((Axis(yes_no, design), *[Axis(yes_no)] * 5))
    channel = np.eye(2) if design is None else design.channel.matrix
    rest = np.full(32, 1 / 32)
    held, runs = 0, 10
    for _ in range(runs):
        tables = {}
        for name, n, yes in (("few", 10, share), ("many", 520, 0.5)):
            reports = np.outer(channel @ [1 - yes, yes], rest).ravel()
            tables[name] = rng.multinomial(n, reports).reshape(grid.reported)
        (pair,) = compare_grids(GridClouds(grid, tables), [1] * 6, Metric.EUCLIDEAN, rng)
        held += pair.low <= share - 0.5 <= pair.high
    print(f"\n10 beside 520 on 64 combinations, W1 {share - 0.5:.1f}: held in {held} of {runs}")
    assert held == runs


def test_the_smallest_detectable_shift_is_found_in_80_percent():
    rng = np.random.default_rng(8)
    n, epsilon = 400, 2.0
    start = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    groups = [drawn(name, start, epsilon, n, rng) for name in "ab"]
    shift = compare_pair(*groups, SCALE, rng, draws=2_000).detectable
    moved = (1 - shift) * start + shift * np.roll(start, 1)
    runs, found = 500, 0
    for _ in range(runs):
        groups = [drawn("a", start, epsilon, n, rng), drawn("b", moved, epsilon, n, rng)]
        found += compare_pair(*groups, SCALE, rng, draws=199).p_value <= ALPHA
    print(f"\na shift of {shift:.2f} steps: found in {found / runs:.3f} of {runs} surveys")
    assert found / runs >= POWER - 3 * math.sqrt(POWER * (1 - POWER) / runs)


@pytest.mark.parametrize("is_randomized", [False, True])
def test_ten_irrelevant_features_split_the_root_in_at_most_5_percent(is_randomized):
    rng = np.random.default_rng(21)
    runs, split = 1_000, 0
    features = tuple(TreeQuestion(f"q{place}", ("a", "b", "c")) for place in range(10))
    label = TreeQuestion("label", ("no", "yes"), TwoCoins(2) if is_randomized else None)
    for _ in range(runs):
        codes, labels = rng.integers(0, 3, (300, 10)), rng.integers(0, 2, 300)
        split += grow(TreeAnswers(features, label, codes, labels)).root.feature is not None
    print(f"\nrandomized {is_randomized}: {split / runs:.4f} of {runs} trees split")
    assert split / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_below_randomized_splits_irrelevant_features_split_in_at_most_5_percent():
    rng = np.random.default_rng(22)
    design = TwoCoins(2)
    features = tuple(TreeQuestion(f"q{place}", ("no", "yes"), design) for place in range(6))
    nodes = split = 0
    for _ in range(500):
        codes = rng.integers(0, 2, (800, 6))
        labels = np.where(rng.random(800) < 0.85, codes[:, 0], 1 - codes[:, 0])
        reports = np.where(rng.random(codes.shape) < 0.75, codes, 1 - codes)
        tree = grow(TreeAnswers(features, TreeQuestion("label", ("no", "yes")), reports, labels))
        if tree.root.feature == 0:
            nodes += len(tree.root.branches)
            split += sum(not branch.is_leaf for branch in tree.root.branches.values())
    print(f"\nbelow a randomized split: {split / nodes:.4f} of {nodes} nodes split")
    assert split / nodes <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / nodes)


def test_no_reply_exploits_a_law_in_slots():
    rng = np.random.default_rng(31)
    worst = 0.0
    for _ in range(100):
        slots = int(rng.integers(2, 41))
        p, q = (np.sort(rng.random(slots)) * rng.uniform(0.05, 1) for _ in range(2))
        n, m = rng.integers(1, min(slots, 6) + 1, 2)
        duel = solve_slots(p, q, int(n), int(m))
        ours, rivals = duel.ours.survival(p), duel.rivals.survival(q)
        value = margin(ours, rivals)
        gains = best_reply(ours, q, int(m))[0] + value, best_reply(rivals, p, int(n))[0] - value
        worst = max(worst, *gains)
    print(f"\nlargest gain against 100 laws in slots: {worst:.2e}")
    assert worst < 1e-6


@pytest.mark.parametrize("sends", range(1, 9))
def test_constants_of_the_continuous_law_are_restrepos(sends):
    """h_n = 1/4, and h_i = (1 - D_i) h_{i+1} with D = 1 / (2 (k + 1)) for k sends after it."""
    law = solve_continuous(Curve.power(1), Curve.power(1), sends, sends).ours
    wanted = [0.25]
    for k in range(1, sends):
        wanted.insert(0, wanted[0] * (1 - 1 / (2 * (k + 1))))
    assert law.constants == pytest.approx(wanted, abs=1e-6)
    assert law.times[:-1] == pytest.approx([1 / (2 * k + 3) for k in range(sends)][::-1], abs=1e-6)


def test_both_senders_find_the_same_continuous_duel():
    rng = np.random.default_rng(32)
    worst = 0.0
    for _ in range(40):
        p, q = (Curve.power(float(power)) for power in rng.uniform(0.5, 3, 2))
        n, m = (int(sends) for sends in rng.integers(1, 6, 2))
        one, other = solve_continuous(p, q, n, m), solve_continuous(q, p, m, n)
        gaps = [one.value + other.value, one.ours.mass - other.rivals.mass]
        gaps += np.subtract(one.ours.constants, other.rivals.constants).tolist()
        gaps += np.subtract(one.ours.times, other.rivals.times).tolist()
        worst = max(worst, *map(abs, gaps))
    print(f"\nlargest difference between both senders' laws: {worst:.2e}")
    assert worst < 1e-6
