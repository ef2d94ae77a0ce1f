"""The adapter for the cases of system "tree": what each kind computes here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from analytics.comparison.answers import MISSING, TreeAnswers, TreeQuestion, answers_of, codes_of
from analytics.comparison.trees.growth import GrownTree, Growth, grow
from analytics.comparison.trees.splits import NodePeople, SplitTables, chi_square_p, debias_counts
from surveys.randomized_response.designs import Channel, KAry
from tests.oracles.files import Case

VOTES = Path(__file__).parents[1] / "data" / "house-votes-1984.txt"
# No channel: the tree of the classic algorithm, grown until nothing is left.
ID3 = Growth(alpha=None)
VARIANTS = {
    "id3": ID3,
    "gain_ratio": Growth(alpha=None, use_ratio=True),
    "chi_square": Growth(alpha=0.05),
}


def from_rows(rows: list[list[str]]) -> TreeAnswers:
    *columns, labels = ([str(value) for value in column] for column in zip(*rows, strict=True))
    return answers_of(columns, labels)


def encoded(answers: TreeAnswers, queries: list[list[str]]) -> np.ndarray:
    columns = zip(*queries, strict=True)
    codes = [
        codes_of([str(value) for value in column], feature.levels)
        for feature, column in zip(answers.features, columns, strict=True)
    ]
    return np.stack(codes, axis=1)


def gains(case: Case) -> Case:
    answers = from_rows(case["input"]["rows"])
    return {"gain_bits": root_gains(grow(answers, ID3)).tolist()}


def root_gains(tree: GrownTree) -> np.ndarray:
    tables = SplitTables(tree.answers)
    debiased = tables.debiased(tables.of(NodePeople(np.arange(tree.answers.people))))
    return tables.gains(debiased, tree.root.counts)


def predict(case: Case) -> Case:
    answers = from_rows(case["input"]["rows"])
    tree = grow(answers, ID3)
    labels = tree.predict(encoded(answers, case["input"]["queries"]))
    return {
        "root_feature": tree.root.feature,
        "labels": [answers.label.levels[label] for label in labels],
    }


def missing(case: Case) -> Case:
    answers = from_rows(case["input"]["rows"])
    tree = grow(answers, ID3)
    votes = tree.votes(encoded(answers, case["input"]["queries"]))
    named = [dict(zip(answers.label.levels, row.tolist(), strict=True)) for row in votes]
    return {"root_feature": tree.root.feature, "votes": named}


def rr_label(case: Case) -> Case:
    given = case["input"]
    codes = np.array(given["x"])
    classes = given["classes"]
    label = TreeQuestion(
        "label", tuple(map(str, range(classes))), KAry.from_epsilon(classes, given["eps"])
    )
    features = tuple(
        TreeQuestion(str(place), tuple(map(str, range(int(column.max()) + 1))))
        for place, column in enumerate(codes.T)
    )
    answers = TreeAnswers(features, label, codes, np.array(given["y_randomized"]))
    tree = grow(answers, Growth(alpha=case["params"]["alpha"]))
    tables = SplitTables(answers)
    reported = tables.of(NodePeople(np.arange(answers.people)))
    tests = [chi_square_p(tables.block(reported, place)) for place in range(len(features))]
    queries = np.array(given["queries"])
    unseen = queries > [len(feature.levels) - 1 for feature in features]
    return {
        "root_counts_debiased": tree.root.counts.tolist(),
        "gain_bits": root_gains(tree).tolist(),
        "chi2_p": tests,
        "root_feature": tree.root.feature,
        "nodes": tree.nodes,
        "predictions": tree.predict(np.where(unseen, MISSING, queries)).tolist(),
    }


def debias(case: Case) -> Any:
    given = case["input"]
    return debias_counts(given["counts"], Channel.from_matrix(given["channel"])).tolist()


def votes() -> TreeAnswers:
    rows = [line.split(",") for line in VOTES.read_text().split()]
    labels, *columns = map(list, zip(*rows, strict=True))
    return answers_of(columns, labels)


def house_votes(case: Case) -> Case:
    variant = case["input"]["variant"]
    assert variant in VARIANTS, f"no variant {variant}"
    answers = votes()
    train, test = answers.rows(answers.is_complete), answers.rows(~answers.is_complete)
    tree = grow(train, VARIANTS[variant])
    return {
        "train_rows": train.people,
        "test_rows": test.people,
        "root_feature": tree.root.feature,
        "accuracy": float((tree.predict(test.codes) == test.labels).mean()),
    }


KINDS: dict[str, Callable[[Case], Any]] = {
    "gains": gains,
    "predict": predict,
    "missing": missing,
    "rr_label": rr_label,
    "debias": debias,
    "house_votes": house_votes,
}
