"""Releases kept as they are drawn: one that was paid for is neither drawn nor paid again.

What is kept is the noisy statistic, in the order of the draws; never the noise, and never a sum
without it that is not public.
"""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

from analytics.privacy.checks import IntArray

Arrays = dict[str, np.ndarray[Any, Any]]


class Drawing(Protocol):
    """A source of noise, as in ``mechanisms.Noise``."""

    @property
    def is_private(self) -> bool: ...

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray: ...


class Record(Protocol):
    """Where the releases of one report are kept, by their number from 0."""

    def find(self, number: int) -> bytes | None:
        """What was kept with this number; None if nothing was."""

    def keep(self, number: int, content: bytes) -> None:
        """Keep it for good, before anybody sees it. May raise to end the report."""


class KeptDraw(Protocol):
    """A release as a header of plain values and arrays of numbers."""

    def parts(self) -> tuple[Mapping[str, Any], Arrays]: ...


R = TypeVar("R", bound=KeptDraw)


class RecordedNoise:
    """Noise whose releases are kept. Reports are deterministic given their releases.

    So the n-th release of a repeat is the n-th of the first try.
    """

    def __init__(self, noise: Drawing, record: Record) -> None:
        self._noise, self._record, self._next = noise, record, 0

    @property
    def is_private(self) -> bool:
        return self._noise.is_private

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        """As the noise itself; kept by ``release`` alone."""
        return self._noise.added_to(values, lattice_sd)

    def release(self, draw: Callable[[Drawing], R], read: Callable[..., R]) -> R:
        """The release kept with the next number, or a new one, kept before it is returned."""
        number, self._next = self._next, self._next + 1
        content = self._record.find(number)
        if content is not None:
            return read(*unpacked(content))
        release = draw(self._noise)
        self._record.keep(number, packed(*release.parts()))
        return release


def released(noise: Any, draw: Callable[[Any], R], read: Callable[..., R]) -> R:
    """What ``draw`` releases with this noise, or what it released before where that is kept.

    ``read`` makes a release of the header and the arrays that its ``parts`` gave.
    """
    return noise.release(draw, read) if isinstance(noise, RecordedNoise) else draw(noise)


def packed(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """A header and arrays as compressed bytes; every bit of a number is kept."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(dict(header)).encode(), dtype=np.uint8)
    np.savez_compressed(file, header=text, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def unpacked(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """What ``packed`` was given."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(arrays.pop("header").tobytes()), arrays
