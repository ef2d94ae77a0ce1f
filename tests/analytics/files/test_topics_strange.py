"""Texts as no survey has them make a whole report all the same."""

import json
from pathlib import Path

import pytest

from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import DEFAULT
from tests.analytics.files.topics_command import (
    PROMISE,
    TEXTS,
    lines,
    parsed,
    report_of,
    topics,
)
from tests.analytics.themes import THEMES
from tests.fake_noise import FakeNoise

pytestmark = pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")

AUDIT = pytest.mark.audit
STRANGE_TEXTS = {
    "all empty": ["", " ", "\t"],
    "all equal": ["rent landlord flat"],
    "all different": None,
    "emoji": ["🙂🚌", "👩‍👩‍👧 🏠", "🇫🇷"],
    "right to left": ["שלום עולם טוב", "\u202eאבג\u202c דהו"],
    "zero width": ["re\u200bnt land\u200dlord", "\ufeff\u200b\u200e"],
    "control characters": ["rent\x00\x07 bus\x1b[31m", "\x00", "\x85\x1f"],
}
# Other signs are read before a kind begins: one kind shows it, the other in `make audit`.
OF_EVERY_KIND = {"all empty", "all equal", "all different"}
STRANGE = [
    pytest.param(kind, case, marks=[] if kind == DEFAULT or case in OF_EVERY_KIND else AUDIT)
    for kind in ("private_topics", "private_svd")
    for case in STRANGE_TEXTS
]


@pytest.mark.parametrize(("kind", "case"), STRANGE)
def test_strange_texts_give_a_whole_report(tmp_path: Path, kind: str, case: str) -> None:
    some = STRANGE_TEXTS[case] or [f"only{number} mine{number}" for number in range(1000)]
    path = lines(tmp_path / "a.jsonl", (some * 1000)[:1000])
    for name in ("report.json", "report.html"):
        topics(path, *PROMISE, "--kind", kind, "--output", tmp_path / name)
    content = json.loads((tmp_path / "report.json").read_text())["report"]
    report = TopicReport.from_document(content)
    assert report.respondents == 1000
    assert report.cost.mu_squared > 0
    parsed(tmp_path / "report.html")


def test_one_respondent_with_a_million_words_among_others_counts_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the promised delta a word of one person may pass the threshold once in 10^5 runs."""
    monkeypatch.setattr("analytics.management.commands.topics.VettedNoise", FakeNoise)
    path = lines(tmp_path / "a.jsonl", [*TEXTS, "shout " * 1_000_000])
    report = report_of(path, *PROMISE)
    assert report.respondents == 2001
    assert "shout" not in [word.word for topic in report.topics for word in topic.words]


@pytest.mark.audit
def test_a_vocabulary_of_a_hundred_thousand_words_is_no_obstacle(tmp_path: Path) -> None:
    rare = [f"{text} rare{number}x odd{number}y" for number, text in enumerate(TEXTS * 25)]
    report = report_of(lines(tmp_path / "a.jsonl", rare), *PROMISE)
    assert report.words_used == sum(len(words.split()) for words in THEMES.values())
