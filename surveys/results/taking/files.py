"""The files of exports: written by a worker, readable by its user alone, overwritten when they go.

They lie beside the database, not in it, so no backup has them.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings

BLOCK = 1024 * 1024  # bytes that are read or overwritten at once
DRAFT = ".part"
SCRATCH = ".scratch"


def directory() -> Path:
    """Where they are; several servers share it."""
    return Path(settings.EXPORTS_DIR)


def path_of(key: UUID) -> Path:
    """The file of an export that is whole."""
    return directory() / str(key)


def write(key: UUID, parts: Iterable[bytes]) -> int:
    """Write a file and put it in its place when it is whole; its size in bytes.

    If writing ends early, nothing of it stays. Raises OSError and what ``parts`` raises.
    """
    directory().mkdir(mode=0o700, parents=True, exist_ok=True)
    path = path_of(key)
    draft = path.with_name(f"{path.name}{DRAFT}")
    _destroy(draft)  # of a worker that was killed
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for part in parts:
                file.write(part)
            size = file.tell()
        draft.rename(path)
    finally:
        _destroy(draft)
    return size


def read(key: UUID, first: int, last: int) -> Iterator[bytes]:
    """The bytes from one place to another, both included. Raises FileNotFoundError at once."""
    file = path_of(key).open("rb")

    def parts() -> Iterator[bytes]:
        with file:
            file.seek(first)
            left = last - first + 1
            while left > 0 and (part := file.read(min(BLOCK, left))):
                left -= len(part)
                yield part

    return parts()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A file for a library that writes to a path alone; overwritten and removed at the end."""
    directory().mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory() / f"{uuid4()}{SCRATCH}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield path
    finally:
        _destroy(path)


def destroy_scratch(before: float) -> None:
    """Destroy those of workers that were killed: last written ``before`` this POSIX time."""
    for path in directory().glob(f"*{SCRATCH}"):
        with contextlib.suppress(FileNotFoundError):  # its worker came to the end just now
            if path.stat().st_mtime < before:
                _destroy(path)


def is_there(key: UUID) -> bool:
    """Whether its file is here: another server may have written it, or it was not restored."""
    return path_of(key).is_file()


def destroy(key: UUID) -> None:
    """Overwrite and remove a file, whole or not; nothing happens if it is gone already."""
    path = path_of(key)
    _destroy(path)
    _destroy(path.with_name(f"{path.name}{DRAFT}"))


def keys() -> set[UUID]:
    """The exports that have a file here, whole or not."""
    keys_here: set[UUID] = set()
    for path in directory().glob("*"):
        with contextlib.suppress(ValueError):  # a file that someone else put there
            keys_here.add(UUID(path.name.removesuffix(DRAFT)))
    return keys_here


def _destroy(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        with path.open("r+b") as file:
            for _ in range(0, path.stat().st_size, BLOCK):
                file.write(bytes(BLOCK))
            # On the disk before the name goes: freed blocks would keep the answers.
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
