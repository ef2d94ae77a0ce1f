"""Debiased columns are those of the oracle: every value as a fraction, means, standard errors.

``tests/oracles/debias_oracles.json`` was written from the derivations alone. Long lists have no
columns.
"""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import Level, LevelQuestion, level_code
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.number.promise import NumberRange, RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion, pair_texts
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion, SecondQuestion
from surveys.questionnaire.facts.routes import Routes
from surveys.questionnaire.kinds.question import Hidden, Question, field_name
from surveys.questionnaire.logic.rules import Rule
from surveys.randomized_response.files import DebiasedColumn
from surveys.results.debiasing.columns import Place, debiased_columns
from tests.oracles.files import HERE

ORACLE = json.loads((HERE / "debias_oracles.json").read_text())
CLOSE = 1e-12
Values = list[Fraction | None]


def cases(beginning: str) -> Any:
    """The cases whose descriptions begin so; both draws of each."""
    found = [case for case in ORACLE["cases"] if case["about"].startswith(beginning)]
    assert len(found) >= 2
    return pytest.mark.parametrize("case", found, ids=[case["about"] for case in found])


def levels(size: int) -> tuple[Level, ...]:
    return tuple(Level(level_code(n), f"level {n}") for n in range(size))


def common(kind: str, size: int) -> dict[str, Any]:
    words: dict[str, Any] = {"id": "q", "text": "?", "help": "", "required": True, "design": "d"}
    return {**words, "kind": kind, "levels": levels(size), "display": tuple(range(size))}


def through(case: dict[str, Any], kind: str = "choice") -> dict[str, Any]:
    weights = tuple(map(tuple, case["weights"]))
    channel = {"weights": weights, "denominator": case["denominator"]}
    return {**common(kind, len(weights)), **channel}


def columns_of(*items: Question, number: int = 1, parts: int = 1) -> dict[str, DebiasedColumn]:
    """The columns of one of these questions; the columns of reports are called r1, r2, …"""
    questionnaire = SimpleNamespace(items=items, routes=Routes(items, ()))
    headings = {n: [f"r{n + part}" for part in range(parts)] for n in range(1, len(items) + 1)}
    place = Place(questionnaire, number, headings)
    found = debiased_columns(items[number - 1], place)
    assert len({column.name for column in found}) == len(found)
    return {column.name.removeprefix(field_name(number - 1) + "_"): column for column in found}


def exact(column: DebiasedColumn, cells: Sequence[str]) -> Fraction | None:
    """The number of one person, without rounding; what files have is the nearest double to it."""
    codes = {f"r{n}": code for n, code in enumerate(cells, start=1)}
    numbers = [one.values[" ".join(codes[name] for name in one.of)] for one in column.look_ups]
    sent = [number for number in numbers if number is not None]
    value = column.start + sum(sent, Fraction()) if sent else None
    shown = column.number(codes)
    assert (shown is None) == (value is None)
    assert shown is None or math.isclose(shown, value, rel_tol=1e-15)
    return value


def values(column: DebiasedColumn, rows: Sequence[Sequence[str]]) -> Values:
    return [exact(column, cells) for cells in rows]


def assert_as_given(found: Values, expected: dict[str, Any]) -> None:
    """Values, their mean, and the standard error of the mean, with n - 1."""
    assert found == [None if value is None else Fraction(value) for value in expected["values"]]
    there = [value for value in found if value is not None]
    assert len(there) == expected["n"]
    assert sum(there) / len(there) == Fraction(expected["mean"])
    error = float(np.std([float(value) for value in there], ddof=1)) / math.sqrt(len(there))
    assert error == pytest.approx(expected["standard_error"], abs=CLOSE)


def ratio(top: Values, bottom: Values) -> tuple[Fraction, float]:
    """A ratio of two means over the rows that have both, and its linearised standard error."""
    pairs = [(t, b) for t, b in zip(top, bottom, strict=True) if t is not None and b is not None]
    value = sum(t for t, _ in pairs) / sum(b for _, b in pairs)
    rest = [float(t - value * b) for t, b in pairs]
    mean = float(sum(b for _, b in pairs)) / len(pairs)
    return value, float(np.std(rest, ddof=1)) / math.sqrt(len(pairs)) / abs(mean)


def assert_ratio(found: tuple[Fraction, float], expected: dict[str, Any]) -> None:
    assert found[0] == Fraction(expected["value"])
    assert found[1] == pytest.approx(expected["standard_error"], abs=CLOSE)


def one_each(case: dict[str, Any]) -> list[list[str]]:
    return [[code] for code in case["reports"]]


@cases("yes or no")
def test_yes_and_no(case):
    columns = columns_of(LevelQuestion(**through(case, "yes_no")))
    assert list(columns) == ["yes"]
    yes = values(columns["yes"], one_each(case))
    assert_as_given(yes, case["columns"]["yes"])
    assert_as_given([1 - value for value in yes], case["columns"]["no"])


@cases("weights, clusters")
def test_yes_with_weights_and_clusters_as_any_other_column(case):
    columns = columns_of(LevelQuestion(**through(case, "yes_no")))
    yes = values(columns["yes"], one_each(case))
    assert_as_given(yes, case["columns"]["yes"])
    weights = [Fraction(weight) for weight in case["sample_weights"]]
    mean = sum(w * y for w, y in zip(weights, yes, strict=True)) / sum(weights)
    assert mean == Fraction(case["weighted"]["mean"])
    rest = [w * (y - mean) / sum(weights) for w, y in zip(weights, yes, strict=True)]
    for clusters, name in (
        (range(len(yes)), "standard_error"),
        (case["clusters"], "standard_error_clusters"),
    ):
        totals = dict.fromkeys(clusters, Fraction())
        for cluster, value in zip(clusters, rest, strict=True):
            totals[cluster] += value
        m = len(totals)
        variance = Fraction(m, m - 1) * sum(total**2 for total in totals.values())
        assert math.sqrt(variance) == pytest.approx(case["weighted"][name], abs=CLOSE)


@cases("k-ary")
def test_answers_of_a_scale_where_people_may_decline(case):
    """The oracle's mean counts declining as the last step; ours is a ratio that leaves it out."""
    fields, size = through(case, "scale"), len(case["weights"])
    declining = (*fields["levels"][:-1], Level(level_code(size - 1), "declined", declines=True))
    plain = columns_of(LevelQuestion(**fields))
    columns = columns_of(LevelQuestion(**{**fields, "levels": declining}))
    ends = [f"upto_{n}" for n in range(1, size - 1)]
    answers = [str(n) for n in range(1, size)]
    assert list(columns) == [*answers, "declined", *ends, "score", "answered"]
    rows = one_each(case)
    for level, name in enumerate([*answers, "declined"]):
        assert_as_given(values(columns[name], rows), case["columns"][f"level {level}"])
    assert_as_given(values(plain["upto_2"], rows), case["columns"]["at most level 1"])
    assert_as_given(values(plain["mean"], rows), case["columns"]["mean of scores 1..k"])
    found = ratio(values(columns["2"], rows), values(columns["answered"], rows))
    assert_ratio(found, case["ratios"]["level 1 among those who answered"])


@cases("channel matrix")
def test_a_channel_of_any_matrix(case):
    columns = columns_of(LevelQuestion(**through(case)))
    assert list(columns) == ["1", "2", "3"]
    for level, column in enumerate(columns.values()):
        assert_as_given(values(column, one_each(case)), case["columns"][f"level {level}"])


@cases("3 levels, 4 reports")
def test_more_reports_than_answers(case):
    columns = columns_of(ScaleQuestion(**through(case, "scale")))
    assert list(columns) == ["1", "2", "3", "upto_1", "upto_2", "mean"]
    for level, name in enumerate("123"):
        assert_as_given(values(columns[name], one_each(case)), case["columns"][f"level {level}"])


@cases("multiple choice")
def test_options_and_their_number_where_some_are_sent(case):
    parts: dict[str, Any] = {"parts": tuple("abcd"), "sent": case["sent"], "most": 4}
    columns = columns_of(TicksQuestion(**through(case, "ticks"), **parts), parts=4)
    assert list(columns) == ["1", "2", "3", "4", "count"]
    for column, expected in zip(columns.values(), case["columns"].values(), strict=True):
        assert_as_given(values(column, case["reports"]), expected)


@cases("table")
def test_rows_of_a_table_and_their_sum_where_one_is_sent(case):
    """The oracle's scores begin with 0, ours with 1: their sum over two rows is 2 larger."""
    parts: dict[str, Any] = {"parts": ("first", "second"), "sent": case["sent"]}
    columns = columns_of(MatrixQuestion(**through(case, "matrix"), **parts), parts=2)
    rows = [f"{row}_{name}" for row in "12" for name in ("1", "2", "3", "mean")]
    assert list(columns) == [*rows, "sum"]
    for row in (1, 2):
        for level in range(3):
            expected = case["columns"][f"row {row} level {level}"]
            assert_as_given(values(columns[f"{row}_{level + 1}"], case["reports"]), expected)
    summed = [value - 2 for value in values(columns["sum"], case["reports"])]
    assert_as_given(summed, case["columns"]["sum of scores 0..2 over both rows"])


@cases("number")
def test_points_of_a_rounded_number(case):
    points, kept = case["points"], Fraction(case["kept"])
    weights = [
        [int(2 * points * (kept * (x == y) + (1 - kept) / points)) for y in range(points)]
        for x in range(points)
    ]
    fields = through({"weights": weights, "denominator": 2 * points}, "number")
    item = RoundedQuestion(**fields, number=NumberRange(case["low"], case["high"], 0))
    columns = columns_of(item)
    assert list(columns) == ["mean"]
    assert_as_given(values(columns["mean"], one_each(case)), case["columns"]["mean"])


@cases("family")
def test_questions_of_a_family(case):
    answers = (Level("00", "No"), Level("01", "Yes"))
    family = FamilyQuestion(
        **through(case, "yes_no"),
        answers=answers,
        members=(1, 2),
        ways=tuple(map(tuple, case["ways"])),
    )
    words: dict[str, Any] = {
        name: value for name, value in common("yes_no", 2).items() if name != "display"
    }
    follow_up = FollowUpQuestion(**{**words, "levels": answers}, family=1)
    columns = columns_of(family, follow_up)
    assert list(columns) == ["yes", "q002_no", "q002_yes", "q002_asked"]
    rows = one_each(case)
    yes, no, second, asked = (values(column, rows) for column in columns.values())
    assert_as_given([1 - value for value in yes], case["columns"]["leaf 0"])
    assert_as_given(no, case["columns"]["leaf 1"])
    assert_as_given(second, case["columns"]["leaf 2"])
    assert yes == asked
    assert_as_given(asked, case["columns"]["filter yes = asked the second"])
    assert_as_given(second, case["columns"]["second yes"])
    assert_ratio(ratio(second, asked), case["ratios"]["second yes among those asked"])


def behind_yes(channel: dict[str, Any]) -> LevelQuestion:
    """A question that is asked of whose true answer to the first is yes; others count as No."""
    rule, hidden = Rule("is", 1, codes=("01",)), Hidden(0, is_own=False)
    return LevelQuestion(**through(channel, "yes_no"), rule=rule, hidden=hidden)


@cases("two questions")
def test_a_question_behind_a_protected_answer_counts_as_a_product(case):
    first = LevelQuestion(**through(case["A"], "yes_no"))
    second = behind_yes(case["B"])
    reports = list(zip(case["A"]["reports"], case["B"]["reports"], strict=True))
    a = values(columns_of(first, second)["yes"], reports)
    columns = columns_of(first, second, number=2)
    assert list(columns) == ["yes", "asked", "yes_asked"]
    b, asked, both = (values(column, reports) for column in columns.values())
    assert a == asked
    assert_as_given(asked, case["columns"]["A yes"])
    assert_as_given(b, case["columns"]["B yes"])
    assert_as_given(both, case["columns"]["A and B: the product"])
    assert_ratio(ratio(both, asked), case["ratios"]["B among A"])


@cases("two questions")
def test_who_misses_one_of_two_reports_is_in_no_column_of_both(case):
    first = LevelQuestion(**through(case["A"], "yes_no"))
    second = behind_yes(case["B"])
    columns = columns_of(first, second, number=2)
    for name in ("asked", "yes_asked"):
        assert values(columns[name], [("--", "01"), ("01", "--"), ("--", "--")]) == [None] * 3
    assert exact(columns["yes"], ("--", "01")) == 2


@cases("two questions")
def test_where_the_rule_reads_a_question_without_a_column_nothing_is_said_of_who_was_asked(case):
    """As of one whose answers come to light as tables alone."""
    items = LevelQuestion(**through(case["A"], "yes_no")), behind_yes(case["B"])
    questionnaire = SimpleNamespace(items=items, routes=Routes(items, ()))
    (column,) = debiased_columns(items[1], Place(questionnaire, 2, {2: ["r2"]}))
    assert column.name == "q002_yes"


@cases("two groups")
def test_two_groups(case):
    p1, p2 = (Fraction(chance) for chance in case["chances"])
    # Half of the people are in each group; who has No and Yes says No if the question counts.
    pairs = [
        [
            int(16 * Fraction(1, 2) * (p * (true == y) + (1 - p) * (second == y)))
            for p in (p1, p2)
            for y in (0, 1)
        ]
        for true in (0, 1)
        for second in (0, 1)
    ]
    item = GroupedQuestion(
        **common("yes_no", 2),
        denominator=16,
        reports=levels(4),
        second=SecondQuestion("?", "0", "1"),
        pairs=tuple(map(tuple, pairs)),
    )
    answered = zip(case["groups"], case["answers"], strict=True)
    reports = [[level_code(2 * (group - 1) + answer)] for group, answer in answered]
    columns = columns_of(item)
    assert list(columns) == ["yes"]
    assert_as_given(values(columns["yes"], reports), case["columns"]["sensitive yes"])


@cases("ranking")
def test_ranks_from_one_pair(case):
    things = ("a", "b", "c")
    parts: dict[str, Any] = {"ranked": things, "parts": pair_texts(things), "sent": 1}
    item = RankedPairQuestion(**through(case, "ranking"), **parts)
    assert [list(pair) for pair in item.pairs] == case["pairs"]
    reports = [
        [code if pair == sent else "" for pair in range(3)]
        for sent, code in zip(case["sent"], case["reports"], strict=True)
    ]
    columns = columns_of(item, parts=3)
    assert list(columns) == ["rank_1", "rank_2", "rank_3"]
    for thing, column in enumerate(columns.values()):
        assert_as_given(values(column, reports), case["columns"][f"rank of {thing}"])
