"""Files that hold keys: written durably, readable by their owner alone, overwritten when spent."""

import contextlib
import os
import secrets
from pathlib import Path


def make_directory(directory: Path) -> None:
    """Make a directory of keys, durably, with those above it."""
    if not directory.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        # The names of the directory and of the one above it: both may have been made just now.
        for parent in directory.parents[:2]:
            make_names_durable(parent)


def write_new(path: Path, content: bytes) -> None:
    """Put a whole file in its place at once, durably. Raises FileExistsError if it is there."""
    draft = path.parent / f".{secrets.token_hex(8)}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        # A rename would take the place of a key that is there; a link to it is refused.
        os.link(draft, path)
    finally:
        draft.unlink()
    make_names_durable(path.parent)


def destroy(path: Path) -> None:
    """Overwrite a file with noise and remove it; nothing happens if it is gone already.

    After a power cut the name may be back, with nothing but noise behind it.
    """
    with contextlib.suppress(FileNotFoundError):
        # The noise is on the disk before the name goes, and over the old bytes, in their own block.
        with path.open("r+b") as file:
            file.write(secrets.token_bytes(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def make_names_durable(directory: Path) -> None:
    """After a power cut its files have the names that they have now, not only their contents."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
