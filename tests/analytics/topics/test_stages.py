"""Whoever watches a report being made sees every stage, and can stop it at each."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from analytics.text.bags import Bags
from analytics.text.weighting import weigh_rows
from analytics.topics import nmf, svd
from analytics.topics.partitions import LocalPartitions
from analytics.topics.private.nmf import TopicsSettings, find_private_topics
from analytics.topics.private.published import find_published_topics
from analytics.topics.private.svd import SvdSettings, find_private_svd
from analytics.topics.stages import Watch
from tests.analytics.topics.private.test_nmf import BAGS, COST, THEMES, noise

PARTS = LocalPartitions(BAGS.split(2))
SOME = BAGS.rows(0, 300).counts
REPORTS: dict[str, Callable[[Watch], Any]] = {
    "private topics": lambda watch: find_private_topics(
        PARTS, COST, noise(), TopicsSettings(THEMES), watch
    ),
    "refined topics": lambda watch: find_private_topics(
        PARTS, COST, noise(), TopicsSettings(THEMES, refine=True), watch
    ),
    "published topics": lambda watch: find_published_topics(
        PARTS, COST, noise(), TopicsSettings(THEMES), watch, 2
    ),
    "private values": lambda watch: find_private_svd(PARTS, COST, noise(), SvdSettings(5), watch),
    "exact values": lambda watch: svd.decompose_log_entropy(SOME, 3, watch),
    "exact topics": lambda watch: nmf.factorise(
        weigh_rows(SOME), THEMES, np.random.default_rng(0), starts=2, watch=watch
    ),
}


class Stopped(Exception):
    """Raised by a watcher who has seen enough."""


def stages_of(make: Callable[[Watch], Any], most: int = 100) -> list[tuple[str, float]]:
    seen: list[tuple[str, float]] = []

    def watch(stage: str, fraction: float) -> None:
        seen.append((stage, fraction))
        if len(seen) == most:
            raise Stopped

    try:
        make(watch)
    except Stopped:
        assert len(seen) == most
    return seen


@pytest.mark.parametrize("name", REPORTS)
def test_stages_come_in_order_from_the_beginning_to_the_end(name: str) -> None:
    seen = stages_of(REPORTS[name])
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert seen[-1] == ("Done", 1.0)
    assert len({stage for stage, _ in seen}) == len(seen) >= 3


@pytest.mark.parametrize("name", REPORTS)
def test_a_watcher_can_stop_at_every_stage(name: str) -> None:
    for most in range(1, len(stages_of(REPORTS[name])) + 1):
        assert len(stages_of(REPORTS[name], most)) == most


def test_refining_is_a_stage_of_its_own() -> None:
    plain, refined = (
        {s for s, _ in stages_of(REPORTS[f"{n} topics"])} for n in ("private", "refined")
    )
    assert refined - plain == {"Refining topics"}


PRIVATE: dict[str, Callable[[LocalPartitions, Watch], Any]] = {
    "private topics": lambda parts, watch: find_private_topics(
        parts, COST, noise(), TopicsSettings(THEMES), watch
    ),
    "refined topics": lambda parts, watch: find_private_topics(
        parts, COST, noise(), TopicsSettings(THEMES, refine=True), watch
    ),
    "published topics": lambda parts, watch: find_published_topics(
        parts, COST, noise(), TopicsSettings(THEMES), watch
    ),
    "private values": lambda parts, watch: find_private_svd(
        parts, COST, noise(), SvdSettings(5), watch
    ),
}


def everybody_writes(words: int) -> LocalPartitions:
    """As many respondents as in the themes, all with the same words."""
    counts = sparse.csr_array(np.ones((BAGS.respondents, words), dtype=np.int64))
    return LocalPartitions([Bags(tuple(f"w{place}" for place in range(words)), counts)])


@pytest.mark.parametrize("name", PRIVATE)
def test_stages_tell_nothing_of_what_was_written(name: str) -> None:
    """Who stops a report at a stage pays nothing: a stage that only comes where words are frequent
    enough would tell that, as often as somebody asks."""
    whole, *others = (
        stages_of(lambda watch, parts=parts: PRIVATE[name](parts, watch))  # type: ignore[misc]
        for parts in (PARTS, everybody_writes(0), everybody_writes(1), everybody_writes(5))
    )
    for other in others:
        assert other == whole
