"""Published files of apps above, which a deposit has too. They hand them over themselves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from surveys.models import Revision


@dataclass(frozen=True)
class PublishedFile:
    """``content`` makes the file, whose ``words`` say what it holds."""

    name: str
    words: str
    content: Callable[[], bytes]


Source = Callable[[Revision], Iterator[PublishedFile]]
_SOURCES: dict[str, Source] = {}


def register(name: str, source: Source) -> None:
    """Have each deposit ask a source for its files; once for each name."""
    _SOURCES[name] = source


def published_files(revision: Revision) -> Iterator[PublishedFile]:
    """The files of all sources, in the order in which these came."""
    for source in _SOURCES.values():
        yield from source(revision)
