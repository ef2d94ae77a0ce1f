"""Key files of batches: made, read, destroyed; they seal and unseal submissions (AESGCM).

A key is made when the first submission of its batch arrives and is on the disk before that
submission is. Losing it loses the submissions that wait; nothing else can read them either.
"""

import contextlib
import datetime
import os
import secrets
import time
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12
DAY = 24 * 3600


class KeyLost(LookupError):
    """The key of a batch is not there, or is not the one that sealed what waits."""


def read(directory: Path, batch: UUID) -> bytes:
    """The key of a batch. Raises KeyLost."""
    try:
        key = _path(directory, batch).read_bytes()
    except FileNotFoundError:
        raise KeyLost(batch) from None
    if len(key) != KEY_BYTES:
        raise KeyLost(batch)
    return key


def create(directory: Path, batch: UUID) -> bytes:
    """Make the key of a batch, durably, unless another process was first; either way return it."""
    _make(directory)
    draft = directory / f".{secrets.token_hex(8)}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    # The moment of making would be the moment at which the batch's first submission came.
    today = time.time() // DAY * DAY
    os.utime(draft, (today, today))
    with contextlib.suppress(FileExistsError):
        os.link(draft, _path(directory, batch))
    draft.unlink()
    make_names_durable(directory)
    return read(directory, batch)


def destroy(directory: Path, batch: UUID) -> None:
    """Overwrite the key and remove it; nothing happens if it is gone already.

    After a power cut the name may be back, with nothing but noise behind it.
    """
    path = _path(directory, batch)
    with contextlib.suppress(FileNotFoundError):
        with path.open("r+b") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def kept(directory: Path) -> set[UUID]:
    """The batches whose keys are there."""
    return {UUID(path.stem) for path in directory.glob("*.key")}


def is_kept(directory: Path, batch: UUID) -> bool:
    """Whether the key of a batch is there."""
    return _path(directory, batch).is_file()


def made_on(directory: Path, batch: UUID) -> datetime.date | None:
    """The day on which the key of a batch was made; None if it is not there."""
    try:
        made = _path(directory, batch).stat().st_mtime
    except FileNotFoundError:
        return None
    return datetime.datetime.fromtimestamp(made, datetime.UTC).date()


def seal(key: bytes, batch: UUID, plain: bytes) -> bytes:
    """Encrypt (AES-256-GCM) for one batch; 28 bytes longer than what went in."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, batch.bytes)


def unseal(key: bytes, batch: UUID, sealed: bytes) -> bytes:
    """Decrypt what ``seal`` made. Raises KeyLost if this is not its key."""
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], batch.bytes)
    except InvalidTag:
        raise KeyLost(batch) from None


def _path(directory: Path, batch: UUID) -> Path:
    return directory / f"{batch}.key"


def _make(directory: Path) -> None:
    """Make the directory of keys, durably, with those above it."""
    if not directory.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        for parent in directory.parents[:2]:
            make_names_durable(parent)


def make_names_durable(directory: Path) -> None:
    """After a power cut its files have the names that they have now, not only their contents."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
