"""Sources and a real Dask cluster on this machine, for the tests of executors."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dask
import numpy as np
from distributed import LocalCluster
from distributed.utils import DequeHandler, get_mp_context

from analytics.kinds.settings import Settings
from analytics.sources.partitions import blocks_of
from analytics.text.bags import Bags

THEMES, WORDS = 4, 20
METHOD = "distributed.worker.multiprocessing-method"
LOADED = ["distributed", "analytics.kinds.making", "analytics.sources.executors", __name__]
SETTINGS = Settings(topics=THEMES, language=None, refine=True)


def themed_texts(respondents: int = 3000, seed: int = 1) -> list[str]:
    """Answers of six words each, five of one of four hidden themes."""
    rng = np.random.default_rng(seed)
    names = [
        [f"{letter}word{chr(97 + word)}" for word in range(WORDS)] for letter in "abcdefg"[:THEMES]
    ]
    texts = []
    for theme in rng.integers(THEMES, size=respondents):
        own = [names[theme][word] for word in rng.choice(WORDS, 5, replace=False)]
        texts.append(" ".join([*own, names[rng.integers(THEMES)][rng.integers(WORDS)]]))
    return texts


@dataclass(frozen=True)
class Given:
    """Texts that a test brings along."""

    texts: tuple[str, ...]

    def read(self) -> Iterator[Bags]:
        yield from blocks_of(self.texts, SETTINGS)


def split(texts: list[str], parts: int) -> list[Given]:
    return [Given(tuple(texts[part::parts])) for part in range(parts)]


@dataclass(frozen=True)
class Deadly:
    """Texts that kill the first worker that reads them, and leave a mark of it."""

    texts: tuple[str, ...]
    mark: Path

    def read(self) -> Iterator[Bags]:
        if not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from Given(self.texts).read()


@dataclass(frozen=True)
class Broken:
    """Texts that are not where they should be."""

    def read(self) -> Iterator[Bags]:
        raise OSError("no such file")


def sum_slowly(bags: Bags) -> int:
    """What any statistic is to the scheduler: something that takes a while."""
    return int(np.linalg.svd(np.ones((400, 400)))[1].sum()) + bags.respondents


@contextmanager
def cluster(
    workers: int, *, spills: bool = False, processes: bool = True
) -> Iterator[LocalCluster]:
    """Workers on the loopback address, in memory alone, without a dashboard.

    Each is a process of its own, or a thread of this one, which starts in no time.
    """
    if processes:
        _prepare_processes()
    limits = {f"distributed.worker.memory.{name}": 0.6 for name in ("target", "spill")}
    memory = limits if spills else dict.fromkeys(limits, False)
    no_pages = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
    with (
        dask.config.set({**memory, **no_pages, METHOD: "forkserver"}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            host="127.0.0.1" if processes else None,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address=None,
            silence_logs=False,
        ) as running,
    ):
        yield running
    _forget_logs()


def _prepare_processes() -> None:
    """Workers are forked from one process that has loaded what all of them need."""
    with dask.config.set({METHOD: "forkserver"}):
        get_mp_context().set_forkserver_preload(LOADED)


def _forget_logs() -> None:
    """What a cluster in this process kept of its logs, in memory; other tests look at handlers."""
    for name in list(logging.Logger.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers = [h for h in logger.handlers if not isinstance(h, DequeHandler)]
