"""Reports as plain values: nothing is lost on the way to JSON and back."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from analytics.kinds.documents import (
    Charge,
    Cluster,
    Clustering,
    DocumentError,
    Guarantee,
    SpectrumShown,
    Topic,
    TopicReport,
    Word,
)
from analytics.privacy.accounting import Adjacency, Cost

WHOLE = TopicReport(
    kind="private_topics",
    is_private=True,
    respondents=1200,
    settings={"topics": 3, "language": None, "stop_words": ["a", "ß"]},
    topics=(
        Topic(
            (Word("שלום", 0.75, 0.1), Word("🙂", 0.1, 0.09, is_within_noise=True)),
            size=312.5,
            low=280.0,
            high=345.0,
            coherence=0.21,
        ),
        Topic((Word("bus", 1.0),), examples=("6f1c", "line 4")),
    ),
    spectrum=SpectrumShown((9.5, 3.25, -1.0), 2.0, 1),
    singular_values=(3.0, 2.0),
    diversity=1.0,
    coherence_source="private",
    charges=(
        Charge("Words", Decimal("0.100000000000000000000001"), Decimal("0.0000001")),
        Charge("Pairs", Decimal("0.4")),
    ),
    mu=0.7,
    epsilon=2.5,
    delta=1e-6,
    adjacency=Adjacency.REPLACE,
    guarantees=(Guarantee(Adjacency.ADD_OR_REMOVE, 0.5, 1.75, 1e-6),),
    words_used=412,
    notes=("A note.",),
    clusterings=(Clustering("words", 0.9, (Cluster(3, ("bus", "rent")),)),),
    energy=0.5,
)


def written(report: TopicReport) -> str:
    return json.dumps(report.to_document(), allow_nan=False)


def test_a_report_comes_back_from_json_as_it_was() -> None:
    assert TopicReport.from_document(json.loads(written(WHOLE))) == WHOLE


def test_a_report_of_almost_nothing_comes_back_too() -> None:
    bare = TopicReport("exact_svd", False, 0, {}, ())
    assert TopicReport.from_document(json.loads(written(bare))) == bare


def test_amounts_of_privacy_are_written_with_every_digit() -> None:
    assert '"0.100000000000000000000001"' in written(WHOLE)


def test_the_cost_of_a_report_is_the_exact_sum_of_its_charges() -> None:
    assert WHOLE.cost == Cost(Decimal("0.500000000000000000000001"), Decimal("0.0000001"))


@pytest.mark.parametrize("version", [0, 2, None, "1"])
def test_a_report_of_another_version_is_refused_and_says_what_to_do(version: object) -> None:
    with pytest.raises(DocumentError, match="create the report again"):
        TopicReport.from_document({**WHOLE.to_document(), "version": version})


@pytest.mark.parametrize(
    "damage",
    [
        {"topics": [{"words": [{"nonsense": 1}], "examples": []}]},
        {"charges": [{"what": "Words", "mu_squared": "much", "threshold_delta": "0"}]},
        {"adjacency": "near"},
        {"spectrum": 7},
    ],
)
def test_a_damaged_document_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises(DocumentError, match="document"):
        TopicReport.from_document({**WHOLE.to_document(), **damage})


def test_a_document_without_a_field_is_refused() -> None:
    document = WHOLE.to_document()
    del document["charges"]
    with pytest.raises(DocumentError, match="charges"):
        TopicReport.from_document(document)


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(DocumentError):
        TopicReport.from_document([])  # type: ignore[arg-type]


def test_two_reports_that_differ_in_a_digit_are_different() -> None:
    assert replace(WHOLE, mu=0.7000001) != WHOLE
