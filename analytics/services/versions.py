"""Which program made a report."""

import hashlib
from functools import lru_cache
from pathlib import Path

import analytics
import surveys

# What a result is computed by; pages may change without changing any number.
PARTS = ("privacy", "text", "topics", "workloads", "kinds")
SOURCES = (
    *(Path(analytics.__path__[0]) / name for name in PARTS),
    Path(surveys.__path__[0]) / "randomized_response",
)
ROOT = Path(analytics.__path__[0]).parent


@lru_cache(maxsize=1)
def code_version() -> str:
    """The version and 16 hexadecimal digits of the SHA-256 of the sources that make reports.

    A commit would not tell what was changed afterwards, and an installation need not have one;
    the digest of a commit's sources is found by checking it out. Read once per process.
    """
    return f"{surveys.VERSION}+{source_digest()[:16]}"


def source_digest() -> str:
    """SHA-256 over the names and contents of those sources, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(_files()):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files() -> list[Path]:
    listed = [source.rglob("*.py") if source.is_dir() else [source] for source in SOURCES]
    return [path for paths in listed for path in paths]
