"""`manage.py topics`: reports on files, bad input, what a run spends, exit codes.

Nothing here may touch a database: tests without the mark are refused one.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import KINDS
from analytics.privacy.accounting import Adjacency, Budget
from tests import patience
from tests.analytics.files.topics_command import (
    PROMISE,
    TEXTS,
    lines,
    parsed,
    refused,
    report_of,
    topics,
)
from tests.analytics.themes import THEMES, theme_of
from tests.fake_noise import FakeNoise

pytestmark = pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")

ROOT = Path(__file__).resolve().parents[3]
PRIVATE = [name for name, kind in KINDS.items() if kind.is_private]
INTERNAL = [name for name, kind in KINDS.items() if not kind.is_private]
# One kind that is private and one that is not; the others in `make audit`.
QUICK = [
    name if name in ("private_topics", "exact_svd") else pytest.param(name, marks=pytest.mark.audit)
    for name in KINDS
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lines(tmp_path_factory.mktemp("answers") / "answers.jsonl", TEXTS)


@pytest.fixture(scope="module")
def default_run(answers: Path) -> tuple[str, str]:
    """The standard output and the standard error of the default report, with repeatable noise."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("analytics.management.commands.topics.VettedNoise", FakeNoise)
        return topics(answers, *PROMISE)


@pytest.fixture
def _repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which words are found hangs on what is drawn."""
    monkeypatch.setattr("analytics.management.commands.topics.VettedNoise", FakeNoise)


def test_the_default_report_finds_the_themes_and_is_private(default_run: tuple[str, str]) -> None:
    report = TopicReport.from_document(json.loads(default_run[0])["report"])
    assert (report.kind, report.is_private, report.respondents) == ("private_topics", True, 2000)
    assert len(report.topics) >= 2
    for topic in report.topics:
        assert len({theme_of(word.word) for word in topic.words[:3]}) == 1
    assert report.epsilon == pytest.approx(8, rel=1e-6)


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("adjacency", Adjacency)
def test_every_private_kind_runs_under_both_adjacencies(
    answers: Path, kind: str, adjacency: Adjacency
) -> None:
    report = report_of(answers, *PROMISE, "--kind", kind, "--adjacency", adjacency)
    assert (report.kind, report.is_private, report.adjacency) == (kind, True, adjacency)
    assert report.cost <= Budget(8, 1e-5, 2000, adjacency).limit


@pytest.mark.parametrize("kind", INTERNAL)
def test_internal_kinds_run_without_a_budget_and_are_repeatable(answers: Path, kind: str) -> None:
    options = ("--kind", kind, "--topics", "3", "--seed", "5")
    first, second = topics(answers, *options)[0], topics(answers, *options)[0]
    assert first == second
    report = TopicReport.from_document(json.loads(first)["report"])
    assert not report.is_private
    assert {theme_of(topic.words[0].word) for topic in report.topics} == set(THEMES)
    assert "internal eyes only" in first


def test_typical_answers_are_named_by_their_line_or_their_respondent(answers: Path) -> None:
    options = ("--kind", "exact_svd", "--topics", "3")
    for key in report_of(answers, *options).topics[0].examples:
        assert re.fullmatch(r"line [0-9]+", key)
    for key in report_of(answers, *options, "--respondent", "who").topics[0].examples:
        assert key.isdigit()


def test_texts_of_one_respondent_are_one_unit_and_the_output_says_so(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", TEXTS, per_person=2)
    pooled, told = topics(path, *PROMISE, "--respondent", "who")
    assert json.loads(pooled)["report"]["respondents"] == 1000
    assert "“who”" in json.loads(pooled)["unit"]
    assert "“who”" in told
    single, told = topics(path, *PROMISE)
    assert json.loads(single)["report"]["respondents"] == 2000
    assert "one row of the file" in json.loads(single)["unit"]
    assert "one row of the file" in told


def test_progress_is_told_line_by_line_where_there_is_no_terminal(
    default_run: tuple[str, str],
) -> None:
    told = default_run[1]
    shares = [int(one) for one in re.findall(r"^ *([0-9]+) %", told, re.M)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 100)
    assert "Counting pairs" in told
    assert "\r" not in told


def test_progress_is_one_line_that_is_drawn_over_on_a_terminal(answers: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    err = Terminal()
    given = ["--input", str(answers), "--column", "text", *PROMISE]
    call_command("topics", *given, stdout=io.StringIO(), stderr=err, no_color=True)
    bar = err.getvalue().split("\n")[-2]
    assert "[########################] 100 %" in bar
    assert bar.count("\x1b[K") >= 5


def test_a_quiet_run_says_nothing_on_the_error_stream(answers: Path) -> None:
    assert topics(answers, *PROMISE, "--verbosity", "0")[1] == ""


def test_every_run_says_that_it_spends_anew(default_run: tuple[str, str]) -> None:
    out, err = default_run
    for told in (json.loads(out)["spending"], err):
        assert "Every run spends anew: this one epsilon 8 at delta 1e-05" in told
        assert "The account is yours to keep" in told


def test_the_output_file_holds_what_the_standard_output_would(
    answers: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    out, _ = topics(answers, "--kind", "exact_topics", "--output", path)
    assert out == ""
    assert path.read_text() == topics(answers, "--kind", "exact_topics")[0]
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize("kind", QUICK)
def test_the_page_holds_everything_and_fetches_nothing(
    answers: Path, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "report.html"
    topics(answers, *(PROMISE if kind in PRIVATE else ()), "--kind", kind, "--output", path)
    page = parsed(path)
    tags = {tag for tag, _ in page.found}
    assert {"svg", "table", "h1"} <= tags
    assert not tags & {"script", "iframe", "img", "link", "object", "embed", "form"}
    for _, attributes in page.found:
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name == "xmlns" or name.startswith("xmlns:") or "://" not in (value or "")
    text = " ".join(page.text)
    assert ("do not publish" in text) == (kind in INTERNAL)
    assert ("the odds of a guess about a person change at most" in text) == (kind in PRIVATE)


def test_everything_from_the_file_is_escaped(tmp_path: Path) -> None:
    evil = '<script>alert("1")</script>&amp;\u202e'
    path = tmp_path / "<b>answers&.jsonl"
    rows = [{'<i>"text': text, "who": f"{evil}{number}"} for number, text in enumerate(TEXTS[:300])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "report.html"
    given = ("--respondent", "who", "--kind", "exact_topics", "--topics", "3", "--output", output)
    topics(path, *given, column='<i>"text')
    page = parsed(output)
    assert not {tag for tag, _ in page.found} & {"script", "b", "i"}
    text = "".join(page.text)
    assert evil in text
    assert '<i>"text' in text


BAD_OPTIONS = {
    "epsilon of 0": (("--epsilon", "0", "--delta", "1e-6"), "epsilon"),
    "epsilon below 0": (("--epsilon=-1", "--delta", "1e-6"), "epsilon"),
    "epsilon that is no number": (("--epsilon", "nan", "--delta", "1e-6"), "finite"),
    "epsilon without end": (("--epsilon", "inf", "--delta", "1e-6"), "finite"),
    "epsilon of 100": (("--epsilon", "100", "--delta", "1e-6"), "at most 20"),
    "epsilon in words": (("--epsilon", "two", "--delta", "1e-6"), "write a number"),
    "no epsilon": ((), "--epsilon and --delta"),
    "no delta": (("--epsilon", "2"), "--delta"),
    "delta of 0": (("--epsilon", "2", "--delta", "0"), "delta"),
    "delta of 1": (("--epsilon", "2", "--delta", "1"), "delta"),
    "delta of 1/n": (("--epsilon", "2", "--delta", "0.0005"), "less than 1/2000"),
    "share of 0": ((*PROMISE, "--share", "0"), "more than nothing"),
    "share above 1": ((*PROMISE, "--share", "3/2"), "share"),
    "share of 1/0": ((*PROMISE, "--share", "1/0"), "share"),
    "no topics": ((*PROMISE[:4], "--topics", "0"), "from 1 to 50"),
    "topics in words": ((*PROMISE[:4], "--topics", "many"), "whole number"),
    "an unknown language": ((*PROMISE, "--language", "klingon"), "language"),
    "a seed for noise": ((*PROMISE, "--seed", "1"), "can be repeated does not protect"),
    "a seed in words": (("--kind", "exact_svd", "--seed", "x"), "whole number"),
    "a budget for an internal kind": ((*PROMISE, "--kind", "exact_svd"), "not private"),
    "refining what has no refinement": ((*PROMISE, "--refine", "--kind", "published"), "refine"),
    "a share of no promise": (("--kind", "exact_svd", "--share", "1/2"), "part of a promise"),
    "a reading of no promise": (("--adjacency", "replace_one"), "part of a promise"),
    "phrases of 4 words": ((*PROMISE, "--longest-phrase", "4"), "from 1 to 3"),
    "too little signal": (("--epsilon", "0.1", "--delta", "1e-6"), "wait for"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_options_that_cannot_be_used_are_refused_in_one_line(answers: Path, case: str) -> None:
    options, told = BAD_OPTIONS[case]
    refusal = refused(answers, *options)
    assert told in str(refusal)
    assert "\n" not in str(refusal)
    assert refusal.returncode == 1


IN_OPTIONS = {
    (): "Add --epsilon and --delta",
    ("--epsilon", "2"): "Add --delta, such as --delta 1e-6",
    ("--delta", "1e-6"): "Add --epsilon, such as --epsilon 2",
    ("--epsilon", "0", "--delta", "1e-6"): "--epsilon 0 cannot be used: give a number above 0",
    (*PROMISE, "--longest-phrase", "4"): "--longest-phrase 4 cannot be used: ",
    (*PROMISE, "--language", "klingon"): "or none",
    (
        *PROMISE,
        "--seed",
        "1",
    ): "--seed 1 cannot be used: leave the option out: noise that can be repeated",
    (*PROMISE, "--refine", "--kind", "published"): "--refine cannot be used: ",
    (*PROMISE, "--output", "foo"): "--output foo cannot be used: give a file that ends in",
}


@pytest.mark.parametrize("options", IN_OPTIONS)
def test_a_refusal_is_in_the_words_of_the_command_line(
    answers: Path, options: tuple[str, ...]
) -> None:
    words = str(refused(answers, *options))
    assert IN_OPTIONS[options] in words
    assert " = " not in words


BAD_TEXTS = {
    "no rows": ([], 3, "no rows"),
    "no text": ([""] * 50, 1, "respondents"),
    "one respondent": (["rent landlord"], 1, "respondents"),
    "one respondent with many words": (["bus rent " * 50_000], 1, "respondents"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
@pytest.mark.parametrize("kind", KINDS)
def test_texts_without_topics_are_refused(tmp_path: Path, case: str, kind: str) -> None:
    texts, code, told = BAD_TEXTS[case]
    path = lines(tmp_path / "a.jsonl", texts)
    promise = PROMISE if kind in PRIVATE else ()
    refusal = refused(path, *promise, "--kind", kind)
    assert refusal.returncode == code
    assert told in str(refusal) or (kind in INTERNAL and "texts" in str(refusal))


def test_more_topics_than_the_data_supports_are_explained(answers: Path) -> None:
    report = report_of(answers, *PROMISE[:4], "--topics", "50")
    assert len(report.topics) < 50
    assert "50 topics were requested" in report.notes[0]


def test_a_file_with_bad_rows_is_refused_by_line_and_nothing_is_written(
    answers: Path, tmp_path: Path
) -> None:
    path, output, ledger = (tmp_path / name for name in ("a.jsonl", "o.json", "l.json"))
    path.write_text(answers.read_text() + "{\n" + '{"text": 4}\n')
    refusal = refused(path, *PROMISE, "--output", output, "--ledger", ledger)
    assert refusal.returncode == 3
    assert "line 2001: this is no JSON" in str(refusal)
    assert "line 2002: 'text' is no text" in str(refusal)
    assert not output.exists()
    assert not ledger.exists()


def test_an_output_that_exists_or_has_no_place_is_refused_before_anything_is_spent(
    answers: Path, tmp_path: Path
) -> None:
    kept, ledger = tmp_path / "kept.json", tmp_path / "l.json"
    kept.write_text("paid for")
    for path, told in (
        (kept, "give a new name"),
        (tmp_path / "no" / "o.json", "folder"),
        (tmp_path / "o.pdf", ".json or .html"),
        (tmp_path, ".json or .html"),
    ):
        assert told in str(refused(answers, *PROMISE, "--output", path, "--ledger", ledger))
    assert kept.read_text() == "paid for"
    assert not ledger.exists()


def test_words_can_be_left_whole_joined_to_phrases_and_left_out(
    answers: Path, tmp_path: Path
) -> None:
    plain = report_of(answers, "--kind", "exact_topics", "--topics", "3")
    left_out = tmp_path / "words.txt"
    left_out.write_text("nurse\nBuses\n", "utf-8")
    chosen = ("--whole-words", "--longest-phrase", "2", "--stop-words", left_out)
    report = report_of(answers, "--kind", "exact_topics", "--topics", "3", *chosen)
    settings = report.settings
    assert (settings["stems"], settings["longest_phrase"]) == (False, 2)
    assert list(settings["stop_words"]) == ["nurse", "Buses"]
    told, before = ({w.word for t in one.topics for w in t.words} for one in (report, plain))
    assert "nurs" in before
    assert not {"nurs", "nurse"} & told
    assert {"landlord", "medicine"} & told


def test_a_public_vocabulary_costs_nothing(answers: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    listed = [word for words in THEMES.values() for word in words.split()]
    words.write_text("\ufeff" + "\n\n".join(listed) + "\n")
    report = report_of(answers, *PROMISE, "--public-vocabulary", words)
    assert report.words_used == len(listed)
    assert report.cost.threshold_delta == 0


@pytest.mark.parametrize("content", [None, b"", b"\n \n", b"the\nand\n", b"\xff\n"])
def test_a_public_vocabulary_without_words_is_refused(
    answers: Path, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_bytes(content)
    assert refused(answers, *PROMISE, "--public-vocabulary", path).returncode in (1, 3)


@pytest.mark.usefixtures("_repeatable")
def test_texts_in_another_language_lose_its_stop_words(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", ["die Miete ist sehr teuer und der Bus kommt nie"] * 2000)
    report = report_of(path, *PROMISE, "--language", "de", "--kind", "private_svd")
    words = {word.word for topic in report.topics for word in topic.words}
    assert {"miet", "teu", "bus"} <= words | {"teuer"}
    assert not words & {"die", "und", "der"}


def process(*options: Any, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "manage.py", "topics", *map(str, options)],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have let them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.audit
def test_a_database_that_is_out_of_reach_is_no_obstacle(answers: Path) -> None:
    run = process(
        *("--input", answers, "--column", "text", *PROMISE),
        DENIABLE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
    )
    out, err = run.communicate(timeout=patience.SECONDS)
    assert run.returncode == 0, err
    assert json.loads(out)["report"]["respondents"] == 2000


def test_the_exit_code_says_what_kind_of_refusal_it_was(answers: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    assert refused(missing, *PROMISE).returncode == 3
    assert refused(answers).returncode == 1
    run = process("--input", missing, "--column", "text", *PROMISE)
    out, err = run.communicate(timeout=patience.SECONDS)
    assert (run.returncode, out) == (3, "")
    assert "Traceback" not in err


@pytest.mark.audit
@pytest.mark.parametrize(("options", "code"), [(("--column", "text"), 1), ((), 2)])
def test_a_run_without_a_promise_or_a_column_leaves_with_its_code(
    answers: Path, options: tuple[str, ...], code: int
) -> None:
    run = process("--input", answers, *options)
    out, err = run.communicate(timeout=patience.SECONDS)
    assert (run.returncode, out) == (code, "")
    assert "Traceback" not in err


@pytest.mark.audit
def test_an_interrupted_run_writes_nothing_and_spends_nothing(tmp_path: Path) -> None:
    # The reader waits on a pipe that nobody closes, so that the run is surely in the middle.
    pipe, output, ledger = (tmp_path / name for name in ("a.jsonl", "o.json", "l.json"))
    os.mkfifo(pipe)
    run = process(
        *("--input", pipe, "--column", "text", *PROMISE),
        *("--output", output, "--ledger", ledger),
    )
    with pipe.open("w") as stream:
        stream.write('{"text": "bus"}\n')
        stream.flush()
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=patience.SECONDS)
    assert run.returncode == 130
    assert "nothing was written and nothing spent" in err
    assert not output.exists()
    assert not ledger.exists()


DOCUMENTED = re.findall(
    r"^python manage\.py topics (.+)$", (ROOT / "docs/topics.md").read_text(), re.M
)


@pytest.mark.parametrize("command", DOCUMENTED)
def test_every_documented_command_runs_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    lines(tmp_path / "answers.jsonl", TEXTS)
    (tmp_path / "answers.csv").write_text("who,text\n" + "".join(f"a,{text}\n" for text in TEXTS))
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    call_command("topics", *command.split(), stdout=out, stderr=io.StringIO())
    if "--output" in command:
        assert (tmp_path / "topics.html").read_text().startswith("<!doctype html>")
    else:
        assert json.loads(out.getvalue())["report"]["respondents"] == 2000


def test_the_page_documents_every_way_to_use_the_command() -> None:
    assert len(DOCUMENTED) == 4
