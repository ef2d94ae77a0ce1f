"""Reports on answers as documents, and settings that make no sense."""

import json

import numpy as np
import pytest

from analytics.comparison.groups import KnownGroup, Scale
from analytics.kinds.comparisons import (
    ComparedWords,
    ComparisonReport,
    ComparisonSettings,
    report_comparison,
)
from analytics.kinds.documents import DocumentError
from analytics.kinds.settings import SettingsError, Unwatched
from analytics.kinds.tree_reports import TreeReport, TreeSettings, report_tree
from analytics.reports.registry import ANSWER_KINDS
from tests.analytics.comparison.trees.test_growth import TreeAnswers, TreeQuestion, drawn, features

SETTINGS = ComparisonSettings(1, by=2, draws=100)


def a_comparison() -> ComparisonReport:
    groups = [KnownGroup("a", [30, 20, 5]), KnownGroup("b", [5, 20, 30])]
    scale = Scale(np.arange(2.0), declined=2)
    return report_comparison(
        groups, scale, ComparedWords("Mood?", ("bad", "good")), SETTINGS, Unwatched()
    )


def a_tree() -> TreeReport:
    codes, labels = drawn(300)
    answers = TreeAnswers(features(5), TreeQuestion("label", ("no", "yes")), codes, labels)
    return report_tree(answers, TreeSettings(1, (2, 3, 4, 5, 6)), ("note",), Unwatched())


@pytest.mark.parametrize("made", [a_comparison(), a_tree()], ids=["comparison", "tree"])
def test_a_report_is_read_back_from_json_as_it_was(made):
    document = json.loads(json.dumps(made.to_document(), allow_nan=False))
    assert ANSWER_KINDS[made.kind].read(document).to_document() == made.to_document()


@pytest.mark.parametrize("kind", ANSWER_KINDS.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("document", [None, {}, {"version": 99}, {"version": 1}])
def test_a_document_of_another_version_is_refused(kind, document):
    with pytest.raises(DocumentError):
        kind.read(document)


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": None},
        {"surveys": ("x",)},
        {"by": 1},
        {"level": 0.5},
        {"draws": 5},
        {"seed": -1},
        {"by": None, "surveys": tuple("abcdefghijkl")},
    ],
)
def test_a_comparison_with_impossible_settings_is_refused(wrong):
    with pytest.raises(SettingsError):
        ComparisonSettings(**{"question": 1, "by": 2, **wrong})


@pytest.mark.parametrize(
    "wrong", [{"by": ()}, {"by": (1,)}, {"alpha": 0.5}, {"least": 2}, {"deepest": 9}, {"seed": -1}]
)
def test_a_tree_with_impossible_settings_is_refused(wrong):
    with pytest.raises(SettingsError):
        TreeSettings(**{"question": 1, "by": (2,), **wrong})


def test_settings_are_read_back_and_unknown_ones_refused():
    for settings in (SETTINGS, TreeSettings(1, (2, 3))):
        assert type(settings).from_data(json.loads(json.dumps(settings.to_data()))) == settings
        with pytest.raises(SettingsError):
            type(settings).from_data({"nothing": 1})


def test_too_many_groups_are_refused():
    groups = [KnownGroup(str(place), [5, 5]) for place in range(13)]
    asked = ComparedWords("Mood?", ("bad", "good"))
    with pytest.raises(SettingsError, match="at most 12 groups can be compared"):
        report_comparison(groups, Scale(np.arange(2.0)), asked, SETTINGS, Unwatched())
