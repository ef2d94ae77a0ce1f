"""`manage.py topics --cluster`: the file is read and counted by the workers of a Dask cluster."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster
from django.core.management import CommandError, call_command

from analytics.files.promises import Promise
from analytics.files.reports import FileRequest, report_on_file
from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import kind_of
from analytics.kinds.settings import Settings, Unwatched
from analytics.management.options import BAD_FILE
from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import SeededNoise
from analytics.sources import partitions
from analytics.sources.files import FileSource
from tests.analytics.clusters import cluster
from tests.analytics.themes import themed_texts

PEOPLE = 2000
PROMISE = ("--epsilon", "8", "--delta", "1e-5", "--topics", "3")


@pytest.fixture(scope="module")
def one() -> Iterator[LocalCluster]:
    """A process of its own; that several give the same bytes is shown in ``test_executors``."""
    with cluster(1) as running:
        yield running


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "text"])
        writer.writerows((who // 2, text) for who, text in enumerate(themed_texts(PEOPLE)))
    return path


def report(path: Path, respondent: str | None, scheduler: str | None) -> TopicReport:
    source = FileSource(path, "text", respondent)
    promise = Promise(8, 1e-5, Adjacency("add_or_remove_one"))
    request = FileRequest(
        source, kind_of("private_topics"), Settings(topics=3), promise, scheduler=scheduler
    )
    noise = SeededNoise(np.random.default_rng(1))
    return report_on_file(request, noise, Unwatched(), lambda report: None)


@pytest.mark.parametrize(
    ("respondent", "people"),
    [(None, PEOPLE), pytest.param("who", PEOPLE // 2, marks=pytest.mark.audit)],
)
def test_a_cluster_makes_the_same_report(
    answers: Path,
    one: LocalCluster,
    monkeypatch: pytest.MonkeyPatch,
    respondent: str | None,
    people: int,
) -> None:
    monkeypatch.setattr(partitions, "PART", 300)
    there = report(answers, respondent, one.scheduler_address)
    assert there == report(answers, respondent, None)
    assert there.respondents == people


def refused(path: Path, *options: str) -> str:
    return refusal(path, "--cluster", *options)[0]


def refusal(path: Path, *options: str) -> tuple[str, int]:
    """The words and the exit code."""
    given = ["--input", str(path), "--column", "text", *options]
    with pytest.raises(CommandError) as caught:
        call_command("topics", *given, stdout=io.StringIO(), stderr=io.StringIO())
    return str(caught.value), caught.value.returncode


def test_without_a_cluster_in_the_environment_it_says_which_setting_names_one(answers, settings):
    settings.DASK_SCHEDULER = None
    assert "DENIABLE_DASK_SCHEDULER" in refused(answers, *PROMISE)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("answers.jsonl", PROMISE),
        ("answers.csv", (*PROMISE, "--delimiter", "tab")),
        ("answers.csv", ("--kind", "exact_svd")),
    ],
)
def test_what_workers_cannot_read_is_refused_before_anything_is_read(settings, name, options):
    settings.DASK_SCHEDULER = "tcp://127.0.0.1:1"
    assert "leave --cluster out" in refused(Path("/nowhere") / name, *options)


def test_a_file_that_is_not_there_is_refused_as_without_a_cluster(settings, tmp_path):
    settings.DASK_SCHEDULER = "tcp://127.0.0.1:1"
    for name in ("missing.csv", "missing.parquet", "MISSING.CSV"):
        told = refused(tmp_path / name, *PROMISE)
        assert f"{name}' cannot be read: No such file or directory: check the path" in told


SHORT_ROWS = b"who,text\nada,buses\n" + b"bob\n" * 25
BAD_FILES = {
    "rows.csv": SHORT_ROWS,
    "bytes.csv": b"who,text\nada,\xff\nbob,buses\neve,\xff\n",
    "column.csv": b"who,texts\nada,buses\n",
    "nothing.csv": b"",
    "cut.parquet": b"PAR1",
}


@pytest.mark.parametrize("respondent", [(), ("--respondent", "who")])
@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_in_the_words_and_with_the_exit_code_of_reading_here(
    settings, tmp_path, one, name, respondent
):
    settings.DASK_SCHEDULER = one.scheduler_address
    path = tmp_path / name
    path.write_bytes(BAD_FILES[name])
    here = refusal(path, *PROMISE, *respondent)
    assert refusal(path, *PROMISE, *respondent, "--cluster") == here
    assert here[1] == BAD_FILE


def test_rows_that_only_workers_read_are_refused_alike(settings, tmp_path, one):
    settings.DASK_SCHEDULER = one.scheduler_address
    path = tmp_path / "names.csv"
    path.write_bytes(b"who,text\n" + b",buses\n" * 25)
    here = refusal(path, *PROMISE, "--respondent", "who")
    assert refusal(path, *PROMISE, "--respondent", "who", "--cluster") == here
    assert here[0].startswith("25 rows of the file cannot be used")
    assert here[0].endswith("  and 5 more")
