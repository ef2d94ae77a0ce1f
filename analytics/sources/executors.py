"""Executor: counts in this process or with workers of a Dask cluster, which hold bags in memory.

A source is read where it is counted. Between passes bags of words stay there; what travels to the
coordinator are integer sums and counts of words, and noise is added there, once, to their total.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from analytics.text.bags import Bags, limit_words
from analytics.text.tokens import MOST_WORDS
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.files.tables import TableError

T = TypeVar("T")
# Bags of some ten million short answers.
MOST_KEPT = 2**31
_PATIENCE = 60
# Another report's end seldom meets a greeting, and hardly five of them one after the other.
_GREETINGS = 5
_COUNTED_AGAIN = {"lost", "pending"}
_LIBRARIES = ("numpy", "scipy", "regex", "snowballstemmer", "stopwordsiso")


class ExecutorError(StatisticsError):
    """Texts that could not be counted where they were to be; nothing of them was released."""


class PartSource(Protocol):
    """Where texts are. It is small and goes to the process that reads it."""

    def read(self) -> Iterable[Bags]:
        """Blocks of whole respondents: none is in two blocks, or in two sources of a report."""


class Executor(AbstractContextManager["Executor"]):
    """Partitions (``analytics.topics.partitions``) that hold memory, until they are closed."""

    def map(self, function: Callable[[Bags], T]) -> Iterator[T]:
        """Results of the function on every block of bags, in any order.

        Raises ExecutorError, and TableError for a file that cannot be used.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of everything; what still counts is stopped or its result is dropped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def go_on() -> None:
    """Do nothing: no report waits."""


def open_partitions(
    sources: Sequence[PartSource],
    scheduler: str | None = None,
    *,
    most_words: int = MOST_WORDS,
    beat: Callable[[], None] = go_on,
) -> Executor:
    """The sources as partitions: in this process, or with a ``scheduler``'s workers.

    ``most_words`` distinct words of a respondent are kept, by the public rule of ``limit_words``.
    ``beat`` is called after every block, and by the cluster's client at least once a second; what
    it raises stops the pass and frees the cluster. Raises ExecutorError.
    """
    if scheduler is None:
        return StreamedPartitions(sources, most_words=most_words, beat=beat)
    return DaskPartitions(sources, scheduler, most_words=most_words, beat=beat)


class StreamedPartitions(Executor):
    """Sources that this process reads one after the other; all texts are never in memory at once.

    Bags are kept from the first pass to the next as long as all of them take ``most_kept`` bytes or
    less; otherwise none is, and every pass reads again. Then a respondent who came or went between
    two passes makes the report fail instead of being in one half of it: their number is compared.
    """

    def __init__(
        self,
        sources: Sequence[PartSource],
        *,
        most_words: int = MOST_WORDS,
        most_kept: int = MOST_KEPT,
        beat: Callable[[], None] = go_on,
    ) -> None:
        self._sources, self._most_words, self._beat = _some(sources), most_words, beat
        self._most_kept = most_kept
        self._kept: tuple[Bags, ...] | None = None
        self._respondents: int | None = None

    def map(self, function: Callable[[Bags], T]) -> Iterator[T]:
        for bags in self._read() if self._kept is None else self._kept:
            self._beat()
            yield function(bags)

    def close(self) -> None:
        self._kept = None

    def _read(self) -> Iterator[Bags]:
        kept: list[Bags] = []
        room, respondents = self._most_kept, 0
        for source in self._sources:
            for block in source.read():
                bags = limit_words(block, self._most_words)
                room, respondents = room - memory_of(bags), respondents + bags.respondents
                kept = [*kept, bags] if room >= 0 else []
                yield bags
        self._respondents = _unchanged(self._respondents, respondents)
        self._kept = tuple(kept) if room >= 0 else None


class DaskPartitions(Executor):
    """Sources that the workers of a Dask cluster read, each one partition.

    Bags stay in the workers' memory. A lost worker's partitions are read and counted again by
    another; sums of integers do not show who counted. Functions and results travel as pickles.
    """

    def __init__(
        self,
        sources: Sequence[PartSource],
        scheduler: str,
        *,
        most_words: int = MOST_WORDS,
        beat: Callable[[], None] = go_on,
        patience: float = _PATIENCE,
    ) -> None:
        self._sources, self._most_words, self._beat = _some(sources), most_words, beat
        self._scheduler, self._patience = scheduler, patience
        self._client = _connected(scheduler, patience)
        self._held: list[Any] = []
        self._respondents: dict[int, int] = {}

    def map(self, function: Callable[[Bags], T]) -> Iterator[T]:
        # Read once: what workers hold serves every later pass.
        self._held = self._held or [
            self._submitted(_read, source, self._most_words, code_in_use())
            for source in self._sources
        ]
        applied = _Applied(function)
        places = {
            self._submitted(applied, part): position for position, part in enumerate(self._held)
        }
        try:
            for future in self._finished(set(places)):
                counted = self._result(future)
                before = self._respondents.get(places[future])
                self._respondents[places[future]] = _unchanged(before, counted.respondents)
                future.release()
                yield from counted.results
        finally:
            # Stopped on the way: what waits for a worker is taken back.
            self._client.cancel(list(places), force=True)

    def close(self) -> None:
        if self._client.status == "running":
            self._client.cancel(self._held, force=True)
        self._client.close()

    def _submitted(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Impure: a name of its own for every task, and nothing is looked up by what it holds.
        return self._client.submit(function, *arguments, pure=False)

    def _finished(self, waiting: set[Any]) -> Iterator[Any]:
        idle = 0.0
        while waiting:
            self._beat()
            done = self._done_within_a_second(waiting)
            # A cluster may restart its workers: only a minute without any ends the report.
            idle = 0.0 if done or self._client.nthreads() else idle + 1
            if idle >= self._patience:
                raise ExecutorError(
                    "scheduler", self._scheduler, "it has no workers: start some, see operating.md"
                )
            for future in done:
                # A worker that died with results takes them along: they are counted again.
                if future.status not in _COUNTED_AGAIN:
                    waiting.discard(future)
                    yield future

    def _done_within_a_second(self, waiting: set[Any]) -> set[Any]:
        from distributed import wait

        # Not the default client: other code of this process may have one of its own.
        with self._scheduler_is_there(), self._client.as_current():
            try:
                return set(wait(list(waiting), timeout=1, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                return set()

    def _result(self, future: Any) -> "_Counted[Any]":
        if future.status != "error":
            with self._scheduler_is_there():
                counted: _Counted[Any] = future.result()
            return counted
        problem = future.exception()
        if isinstance(problem, StatisticsError | TableError):  # their words say what to do
            raise problem
        reason = " ".join(str(problem).split())
        remedy = f"{type(problem).__name__}: {reason}; the cluster's logs say where"
        raise ExecutorError("partition", future.key, remedy) from problem

    @contextmanager
    def _scheduler_is_there(self) -> Iterator[None]:
        """All tasks of a client that loses its scheduler are cancelled: its waits and results."""
        try:
            yield
        except CancelledError as problem:
            remedy = "it was lost on the way: see that it runs, try again"
            raise ExecutorError("scheduler", self._scheduler, remedy) from problem


@dataclass(frozen=True)
class _Held:
    """Bags in a worker's memory. Dask writes tasks that fail into logs: no word is in this one."""

    blocks: tuple[Bags, ...] = field(repr=False)


@dataclass(frozen=True)
class _Counted(Generic[T]):
    """What a function made of a partition's blocks."""

    respondents: int
    results: tuple[T, ...] = field(repr=False)


@dataclass(frozen=True)
class _Applied(Generic[T]):
    """A function on every block of a partition; without its words when it is printed."""

    function: Callable[[Bags], T] = field(repr=False)

    def __call__(self, part: _Held) -> _Counted[T]:
        respondents = sum(block.respondents for block in part.blocks)
        return _Counted(respondents, tuple(self.function(block) for block in part.blocks))


def _read(source: PartSource, most_words: int, code: str) -> _Held:
    """On a worker: read and count words, under the coordinator's program alone."""
    if code_in_use() != code:
        remedy = "install the coordinator's version on every worker, and restart them"
        raise ExecutorError("version of a worker", code_in_use(), remedy)
    _require_memory_alone()
    return _Held(tuple(limit_words(block, most_words) for block in source.read()))


def _require_memory_alone() -> None:
    """A worker that writes what it holds to its disk leaves answers there, never erased."""
    from distributed import get_worker

    if not isinstance(get_worker().data, dict):
        remedy = (
            "it would write answers to its disk: start it with "
            "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=False and "
            "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False"
        )
        raise ExecutorError("memory of a worker", "spills", remedy)


@cache
def code_in_use() -> str:
    """A digest of what decides on sums: Python, these packages' files, the libraries' versions."""
    digest = blake2b(digest_size=12)
    digest.update(repr((sys.version_info[:2], *map(version, _LIBRARIES))).encode())
    home = Path(__file__).parents[1]
    for directory in (
        "sources/files.py",
        "sources/partitions.py",
        "kinds/making.py",
        "kinds/settings.py",
        "privacy/*.py",
        "text/*.py",
        "topics/**/*.py",
    ):
        for file in sorted(home.glob(directory)):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def memory_of(bags: Bags) -> int:
    """Bytes of the counts and, roughly, of the words."""
    counts = bags.counts
    arrays = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
    return int(arrays) + sum(map(sys.getsizeof, bags.words))


def _connected(scheduler: str, patience: float) -> Any:
    """A client that speaks to the scheduler alone, never to a worker. Raises ExecutorError."""
    try:
        from distributed import Client
    except ImportError as problem:
        remedy = 'it needs libraries: pip install "dask>=2025.1" "distributed>=2025.1"'
        raise ExecutorError("scheduler", scheduler, remedy) from problem
    for _ in range(_GREETINGS):
        try:
            return Client(
                scheduler, timeout=patience, set_as_default=False, direct_to_workers=False
            )
        except AssertionError:
            # Dask says to all clients that one has stopped its tasks. A client to which this comes
            # with its greeting takes it for an error; none of its own tasks is begun yet.
            continue
        except (OSError, ValueError, TypeError) as problem:
            remedy = (
                f"it does not answer ({problem}): see that it runs and that the firewall lets us"
            )
            raise ExecutorError("scheduler", scheduler, remedy) from problem
    raise ExecutorError("scheduler", scheduler, "it is busy with stopping reports: ask again")


def _some(sources: Sequence[PartSource]) -> tuple[PartSource, ...]:
    if not sources:
        raise ExecutorError("sources", 0, "give at least one source of texts")
    return tuple(sources)


def _unchanged(before: int | None, now: int) -> int:
    if before not in {None, now}:
        raise ExecutorError(
            "respondents", now, f"there were {before} a moment ago: answers came or went; try again"
        )
    return now
