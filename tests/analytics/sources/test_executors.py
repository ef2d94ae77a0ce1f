"""Whoever counts, the sums are the same; and what is stopped or lost leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster, Scheduler, SchedulerPlugin

from analytics.kinds.making import make_report
from analytics.privacy.accounting import Budget
from analytics.privacy.mechanisms import SeededNoise
from analytics.sources.executors import (
    DaskPartitions,
    ExecutorError,
    PartSource,
    StreamedPartitions,
    code_in_use,
    memory_of,
    open_partitions,
)
from analytics.text.bags import Bags
from analytics.topics.partitions import Partitions, count_respondents, total_word_weights
from tests import patience
from tests.analytics.clusters import (
    SETTINGS,
    Broken,
    Deadly,
    Given,
    cluster,
    split,
    sum_slowly,
    themed_texts,
)

ROOT = Path(__file__).parents[3]
TEXTS = themed_texts()
TERMS = Budget(4, 1e-5, len(TEXTS))


def report_bytes(partitions: Partitions) -> bytes:
    """The whole document of a refined report, under a test's noise."""
    noise = SeededNoise(np.random.default_rng(0))
    made = make_report(
        "private_topics",
        partitions,
        SETTINGS,
        budget_terms=TERMS,
        cost=TERMS.limit,
        noise=noise,
    )
    assert made.topics
    return json.dumps(made.to_document()).encode()


def streamed(parts: int, most_kept: int = 2**30) -> StreamedPartitions:
    return StreamedPartitions(split(TEXTS, parts), most_kept=most_kept)


@pytest.fixture(scope="module")
def expected() -> bytes:
    return report_bytes(streamed(1))


@pytest.fixture(scope="module")
def two() -> Iterator[LocalCluster]:
    with cluster(2) as running:
        yield running


def tasks_of(running: LocalCluster) -> int:
    """How many tasks the scheduler knows: waiting, running, or with a result in memory."""
    return len(running.scheduler.tasks)


@pytest.fixture(scope="module")
def looking(two: LocalCluster) -> Iterator[Client]:
    """A client that was there before the reports."""
    with Client(two, set_as_default=False) as client:
        yield client


def until(condition: Callable[[], bool], looking: Client) -> None:
    """Wait for the scheduler to have done what was asked of it."""
    for _ in range(300):
        if condition():
            return
        looking.submit(int, pure=False).result()
    raise AssertionError("it never happened")


# In this process.


@pytest.mark.parametrize("parts", [2, 7])
def test_the_report_is_the_same_to_the_byte_for_any_partitions(expected: bytes, parts: int) -> None:
    assert report_bytes(streamed(parts)) == expected


def test_texts_that_are_read_again_for_every_pass_give_the_same_bytes(expected: bytes) -> None:
    assert report_bytes(streamed(7, most_kept=0)) == expected


class Counting:
    """Counts how often it is read, and how many blocks are in memory at once."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self) -> Iterator[Bags]:
        self.reads += 1
        yield from Given(tuple(TEXTS[:100])).read()


@pytest.mark.parametrize(("spare", "reads"), [(0, 1), (-1, 3)])
def test_bags_are_kept_while_they_fit_to_the_byte_and_read_again_otherwise(
    spare: int, reads: int
) -> None:
    (bags,) = Given(tuple(TEXTS[:100])).read()
    source = Counting()
    partitions = StreamedPartitions([source], most_kept=memory_of(bags) + spare)
    for _ in range(3):
        assert count_respondents(partitions) == 100
    assert source.reads == reads


def test_a_block_is_read_only_when_the_one_before_was_counted() -> None:
    sources = [Counting(), Counting()]
    results = StreamedPartitions(sources).map(lambda bags: bags.respondents)
    next(results)
    assert [source.reads for source in sources] == [1, 0]


class Growing:
    """A question that is still being answered."""

    def __init__(self) -> None:
        self.texts = TEXTS[:10]

    def read(self) -> Iterator[Bags]:
        yield from Given(tuple(self.texts)).read()
        self.texts = [*self.texts, "one more"]


def test_answers_that_come_between_two_passes_end_the_report_instead_of_being_in_half_of_it() -> (
    None
):
    partitions = StreamedPartitions([Growing()], most_kept=0)
    count_respondents(partitions)
    with pytest.raises(ExecutorError, match=r"respondents = 11 .* there were 10"):
        total_word_weights(partitions)
    kept = StreamedPartitions([Growing()])
    assert count_respondents(kept) == count_respondents(kept) == 10


def test_a_respondent_counts_with_no_more_words_than_the_report_allows() -> None:
    with open_partitions([Given((" ".join(TEXTS[:50]),))], most_words=5) as partitions:
        assert list(partitions.map(lambda bags: bags.counts.nnz)) == [5]


def test_no_source_is_refused() -> None:
    with pytest.raises(ExecutorError, match="at least one source"):
        open_partitions([])


# By the workers of a cluster.


@pytest.mark.parametrize("parts", [pytest.param(1, marks=pytest.mark.audit), 7])
def test_two_workers_give_the_same_bytes(two: LocalCluster, expected: bytes, parts: int) -> None:
    with DaskPartitions(split(TEXTS, parts), two.scheduler_address) as partitions:
        assert report_bytes(partitions) == expected


@pytest.mark.audit
@pytest.mark.parametrize(("workers", "parts"), [(1, 3), (4, 1), (4, 7)])
def test_any_number_of_workers_gives_the_same_bytes(
    expected: bytes, workers: int, parts: int
) -> None:
    with (
        cluster(workers) as some,
        DaskPartitions(split(TEXTS, parts), some.scheduler_address) as partitions,
    ):
        assert report_bytes(partitions) == expected


@pytest.mark.audit
def test_a_worker_that_is_killed_does_not_change_the_result(
    two: LocalCluster, expected: bytes, tmp_path: Path
) -> None:
    first, *others = split(TEXTS, 7)
    mark = tmp_path / "killed"
    sources: list[PartSource] = [*others, Deadly(first.texts, mark)]
    with DaskPartitions(sources, two.scheduler_address) as partitions:
        assert report_bytes(partitions) == expected
    assert mark.exists()


@pytest.mark.audit
def test_results_that_die_with_their_worker_are_counted_again(
    two: LocalCluster, looking: Client
) -> None:
    def beat() -> None:
        # All results are there before the first is asked for.
        until(lambda: {task.state for task in two.scheduler.tasks.values()} == {"memory"}, looking)

    sources = split(TEXTS, 12)
    with DaskPartitions(sources, two.scheduler_address, beat=beat) as partitions:
        counted = partitions.map(sum_slowly)
        sums = [next(counted)]
        victim = two.workers[0]
        address = victim.worker_address
        os.kill(victim.pid, signal.SIGKILL)
        until(lambda: address not in two.scheduler.workers, looking)
        assert len([*sums, *counted]) == 12


@pytest.mark.audit
def test_a_scheduler_that_is_lost_ends_the_report_and_is_named() -> None:
    with (
        cluster(1) as one,
        DaskPartitions(split(TEXTS, 12), one.scheduler_address) as partitions,
    ):
        counted = partitions.map(sum_slowly)
        next(counted)
        one.close()
        with pytest.raises(ExecutorError, match=r"tcp://127.* was lost on the way: see that it"):
            list(counted)


class NotWanted(Exception):
    """Raised by whoever asked for a report and does not want it any more."""


def test_a_report_that_is_stopped_or_done_leaves_nothing_on_the_cluster(
    two: LocalCluster, looking: Client
) -> None:
    beats: list[int] = []
    before = set(two.scheduler.clients)

    def beat() -> None:
        beats.append(tasks_of(two))
        if len(beats) > 5:
            raise NotWanted

    sources = split(TEXTS, 12)
    with (
        pytest.raises(NotWanted),
        open_partitions(sources, two.scheduler_address, beat=beat) as partitions,
    ):
        report_bytes(partitions)
    assert max(beats) >= 12
    # What is left is the task of the client that looks.
    until(lambda: tasks_of(two) <= 1 and {*two.scheduler.clients} == before, looking)


def test_a_pass_that_is_stopped_takes_back_what_waits_at_once(
    two: LocalCluster, looking: Client
) -> None:
    beats: list[int] = []

    def beat() -> None:
        beats.append(0)
        if len(beats) > 2:
            raise NotWanted

    with open_partitions(split(TEXTS, 12), two.scheduler_address, beat=beat) as partitions:
        with pytest.raises(NotWanted) as stopped:
            list(partitions.map(sum_slowly))
        # Whoever writes down why it stopped still holds the error, and so the frames behind it.
        assert stopped.value.__traceback__
        until(lambda: tasks_of(two) <= 12 + 1, looking)


class Stopping(SchedulerPlugin):
    """Lets another report be stopped just when a client is greeted, as often as said."""

    def __init__(self, times: int) -> None:
        self.times = times

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        if self.times:
            self.times -= 1
            scheduler.loop.add_callback(scheduler.report, {"op": "cancelled-keys", "keys": []})


@contextmanager
def others_stop(two: LocalCluster, times: int) -> Iterator[None]:
    two.scheduler.add_plugin(Stopping(times), name="stopping")
    try:
        yield
    finally:
        two.scheduler.remove_plugin("stopping")


def test_a_report_begins_while_others_are_stopped(two: LocalCluster) -> None:
    with others_stop(two, 2), DaskPartitions(split(TEXTS, 2), two.scheduler_address) as partitions:
        assert count_respondents(partitions) == len(TEXTS)


def test_a_scheduler_that_never_greets_is_not_asked_for_ever(two: LocalCluster) -> None:
    with others_stop(two, 100), pytest.raises(ExecutorError, match="busy with stopping reports"):
        DaskPartitions(split(TEXTS, 2), two.scheduler_address)


@pytest.mark.audit
def test_a_worker_that_would_write_answers_to_its_disk_is_refused() -> None:
    with (
        cluster(1, spills=True) as spilling,
        open_partitions(split(TEXTS, 2), spilling.scheduler_address) as partitions,
        pytest.raises(ExecutorError, match=r"disk: start it with DASK_.*SPILL=False"),
    ):
        count_respondents(partitions)


def test_another_version_on_the_workers_is_refused(
    two: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analytics.sources.executors.code_in_use", lambda: "older")
    with (
        open_partitions(split(TEXTS, 2), two.scheduler_address) as partitions,
        pytest.raises(ExecutorError, match="coordinator's version on every worker") as refused,
    ):
        count_respondents(partitions)
    assert refused.value.value == code_in_use()


def test_what_a_worker_cannot_read_is_told_with_its_kind(two: LocalCluster) -> None:
    with (
        open_partitions([Broken()], two.scheduler_address) as partitions,
        pytest.raises(ExecutorError, match="OSError: no such file"),
    ):
        count_respondents(partitions)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    with pytest.raises(ExecutorError, match=r"tcp://127.0.0.1:9' .*does not answer"):
        DaskPartitions([Broken()], "tcp://127.0.0.1:9", patience=1)


def test_a_cluster_without_workers_is_not_waited_for_in_vain() -> None:
    with (
        cluster(0) as empty,
        DaskPartitions(split(TEXTS, 2), empty.scheduler_address, patience=2) as partitions,
        pytest.raises(ExecutorError, match="it has no workers"),
    ):
        count_respondents(partitions)


# What nobody else may see.

FAILING = """
import sys
from functools import partial
from tests.analytics.clusters import Given, cluster
from analytics.sources.executors import ExecutorError, open_partitions

def fail(words, bags):
    raise ValueError("broken statistic")

if __name__ == "__main__":
    with cluster(1, processes=sys.argv[1] == "process") as one:
        with open_partitions([Given(("sentinelword",) * 9)], one.scheduler_address) as partitions:
            try:
                list(partitions.map(partial(fail, "sentinelword")))
            except ExecutorError as refused:
                print(refused)
"""


def run(program: str, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "program.py"
    script.write_text(program)
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        check=True,
    )


@pytest.mark.audit
@pytest.mark.parametrize("worker", ["thread", pytest.param("process", marks=pytest.mark.audit)])
def test_a_task_that_fails_writes_no_word_of_a_respondent_into_a_log(
    tmp_path: Path, worker: str
) -> None:
    result = run(FAILING, tmp_path, worker)
    assert "ValueError: broken statistic" in result.stdout
    assert "Compute Failed" in result.stderr
    assert "sentinelword" not in result.stdout + result.stderr


LISTENING = """
import sys
from analytics.sources.executors import open_partitions
from analytics.topics.partitions import total_word_weights
from tests.analytics.clusters import Given

def hear(event, arguments):
    if event == "socket.getaddrinfo":
        print("LOOKED UP", *arguments[:2])
    if event in {"socket.connect", "socket.sendto"}:
        print(event, arguments[0].type.name, *arguments[-1])

sys.addaudithook(hear)
with open_partitions([Given(("some words",) * 9)], sys.argv[1]) as partitions:
    assert total_word_weights(partitions)
"""


@pytest.mark.audit
def test_the_coordinator_speaks_to_the_scheduler_and_to_nobody_else(
    two: LocalCluster, tmp_path: Path
) -> None:
    heard = set(run(LISTENING, tmp_path, two.scheduler_address).stdout.splitlines())
    port = two.scheduler_address.rpartition(":")[2]
    # A datagram socket is asked which way it would go, and sends nothing.
    heard -= {"LOOKED UP 127.0.0.1 1234", "socket.connect SOCK_DGRAM 127.0.0.1 1234"}
    assert heard == {
        f"LOOKED UP 127.0.0.1 {port}",
        f"socket.connect SOCK_STREAM 127.0.0.1 {port}",
    }
