"""The documentation as a site: MkDocs makes it from ``docs/``, with a search and our own theme."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from surveys.web.documentation_search import has_full_text_search

CONFIGURATION = Path(settings.BASE_DIR) / "config" / "documentation.yml"

INDEX = "search/search_index.json"  # every built site has one


class Unbuildable(Exception):
    """The documentation cannot be built; the message says why and what to do."""


def build_documentation(into: Path) -> int:
    """Write the site into the folder ``into``, in place of what stood there; how many pages it has.

    Raises Unbuildable where MkDocs or SQLite's full-text search is missing, where MkDocs has an
    objection, such as a link that leads nowhere, and where the folder holds other things, which
    MkDocs would delete.
    """
    if into.exists() and any(into.iterdir()) and not (into / INDEX).exists():
        raise Unbuildable(
            f"Nothing was built: {into} holds other files, which would be deleted. Name another "
            "folder."
        )
    if not has_full_text_search():
        raise Unbuildable(
            "Nothing was built: the SQLite of this Python has no full-text search (FTS5), which "
            "the search of the documentation needs. Run this command with the Python of Debian "
            "or of python.org, which have full-text search."
        )
    try:
        from mkdocs.commands.build import build
        from mkdocs.config import load_config
        from mkdocs.exceptions import MkDocsException
    except ImportError as problem:
        raise Unbuildable(
            "Nothing was built: MkDocs is missing. "
            'Install it with python3 -m pip install "mkdocs>=1.6,<2"'
        ) from problem
    with _objections() as objections:
        try:
            build(load_config(str(CONFIGURATION), site_dir=str(into), strict=True))
        except (MkDocsException, OSError) as problem:
            reasons = "\n- ".join([str(problem), *objections])
            raise Unbuildable(f"The documentation cannot be built:\n- {reasons}") from problem
    return sum(1 for _ in into.rglob("*.html"))


@contextmanager
def _objections() -> Iterator[list[str]]:
    """What MkDocs warns of meanwhile: it writes that to a log, and our logs withhold such texts."""
    kept = _Kept(logging.WARNING)
    log = logging.getLogger("mkdocs")
    propagated, log.propagate = log.propagate, False
    log.addHandler(kept)
    try:
        yield kept.texts
    finally:
        log.removeHandler(kept)
        log.propagate = propagated


class _Kept(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
