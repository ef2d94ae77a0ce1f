"""Counts are shared by processes, keep no name, and are forgotten with the hour."""

import os

import pytest

from surveys.web.counts import SharedCounts

ADDRESS = "198.51.100.77"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_each_name_has_its_count_within_the_hour():
    clock = Clock()
    counts = SharedCounts(clock)
    assert [counts.count(ADDRESS) for _ in range(3)] == [1, 2, 3]
    assert counts.count("198.51.100.78") == 1
    clock.now += 3600
    assert counts.count(ADDRESS) == 1


def test_processes_count_together():
    """As gunicorn's workers do, which are forked from the process that made the counts."""
    counts = SharedCounts(Clock())
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            for _ in range(250):
                counts.count(ADDRESS)
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert counts.count(ADDRESS) == 1001


def test_no_name_is_kept_and_the_key_is_overwritten_with_the_hour():
    clock = Clock()
    counts = SharedCounts(clock)
    counts.count(ADDRESS)
    before = bytes(counts._memory)
    assert ADDRESS.encode() not in before
    clock.now += 3600
    counts.count("another")
    after = bytes(counts._memory)
    assert before[8:40] not in after
    assert sum(after[40:]) == 4


def test_a_count_in_memory_has_no_name_on_a_disk():
    target = os.readlink(f"/proc/self/fd/{SharedCounts()._file}")
    assert "memfd" in target or "deleted" in target


@pytest.mark.parametrize("names", [2_000])
def test_names_are_rarely_counted_for_each_other_and_never_too_little(names):
    counts = SharedCounts(Clock())
    found = [counts.count(str(name)) for name in range(names)]
    assert min(found) == 1
    assert found.count(1) > 0.999 * names
