"""Keys of batches: two slots in one file for each survey, overwritten in place when spent.

The file is made when the survey is launched, with the key of its first batch and that of the next.
A spent key is overwritten by the next but one: no file appears or vanishes while the survey is
open, so that a directory's listing does not tell when batches filled. Which file a batch belongs to
is in the first half of its identifier. Losing a key loses the submissions that wait for its batch;
nothing else can read them either.
"""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from surveys.collecting.keys import key_files

KEY_BYTES = 32
ID_BYTES = 16
POCKET_BYTES = 8  # of an identifier: which file it belongs to
SLOT_BYTES = ID_BYTES + KEY_BYTES
SLOTS = 2
NONCE_BYTES = 12
DAY = 24 * 3600
Slot = tuple[UUID, bytes]


class KeyLost(LookupError):
    """The key of a batch is not there, or is not the one that sealed what waits."""


def read(directory: Path, batch: UUID) -> bytes:
    """The key of a batch. Raises KeyLost."""
    content, name = _content(f"{directory}/{_name_of(batch)}"), batch.bytes
    for at in range(0, len(content), SLOT_BYTES):  # plainly: every submission comes here
        if content[at : at + ID_BYTES] == name:
            return content[at + ID_BYTES : at + SLOT_BYTES]
    return _read_alone(directory, batch)


def create(directory: Path, batch: UUID) -> bytes:
    """The key of a survey's current batch, made durably unless it is there.

    The caller sees to it that this is the current batch: the key of another one may go.
    """
    with contextlib.suppress(KeyLost):
        return read(directory, batch)
    path = path_of(directory, batch)
    key_files.make_directory(directory)
    with contextlib.suppress(FileExistsError):
        key_files.write_new(path, _as_bytes((batch, _new_key())) + _as_bytes(_fresh(batch)))
        _hide_time(path)
    # Another process may have made it since it was read above.
    with _alone(path):
        if all(slot_batch != batch for slot_batch, _ in _slots(path)):
            _write_slot(path, 0, (batch, _new_key()))
    return read(directory, batch)


def following(directory: Path, batch: UUID) -> UUID:
    """The batch whose key stands beside this one's, to be used next; durable already."""
    path = path_of(directory, batch)
    if not _slots(path):  # a survey from before there were slots, or a damaged file
        key_files.destroy(path)
        key_files.make_directory(directory)
        with contextlib.suppress(FileExistsError):
            key_files.write_new(path, _as_bytes(_fresh(batch)) + _as_bytes(_fresh(batch)))
            _hide_time(path)
    return next(slot_batch for slot_batch, _ in _slots(path) if slot_batch != batch)


def is_gone(directory: Path, batch: UUID) -> bool:
    """Whether a batch's key is gone for certain, in a directory that is the right one.

    Then its file has keys of later batches, as ``following`` wants them. A name that this machine
    does not see yet, on a disk that servers share, is there all the same: only the attempt to make
    it asks the disk itself, and a lock makes it read the content anew.
    """
    path = path_of(directory, batch)
    with contextlib.suppress(FileExistsError):
        key_files.write_new(path, _as_bytes(_fresh(batch)) + _as_bytes(_fresh(batch)))
        _hide_time(path)
    with _alone(path):
        return not is_kept(directory, batch)


def keys_in(path: Path) -> dict[UUID, bytes]:
    """The keys in a file that was kept elsewhere, by their batches; none if it holds no keys.

    Raises OSError.
    """
    if path.suffix == ".key":  # of a batch from before there were slots
        with contextlib.suppress(ValueError):
            key = path.read_bytes()
            return {UUID(path.stem): key} if len(key) == KEY_BYTES else {}
    path.stat()  # one that is missing is not an empty one
    return dict(_slots(path))


def destroy(directory: Path, batch: UUID) -> None:
    """Overwrite a spent key by a fresh one for a later batch; nothing happens if it is gone."""
    path = path_of(directory, batch)
    with _alone(path):
        for number, (slot_batch, _) in enumerate(_slots(path)):
            if slot_batch == batch:
                _write_slot(path, number, _fresh(batch))
    key_files.destroy(_path_alone(directory, batch))


def remove(directory: Path, batch: UUID) -> None:
    """Overwrite and remove the file of a survey that is closed; nothing happens if it is gone."""
    for path in paths_of(directory, batch):
        key_files.destroy(path)


def kept(directory: Path) -> set[UUID]:
    """The batches whose keys are there, used or not."""
    slots = {batch for path in directory.glob("*.keys") for batch, _ in _slots(path)}
    return slots | {UUID(path.stem) for path in directory.glob("*.key")}


def beside(directory: Path, batch: UUID) -> list[UUID]:
    """The batches whose keys are in the same file as this one's, or were."""
    return [slot_batch for slot_batch, _ in _slots(path_of(directory, batch))]


def is_kept(directory: Path, batch: UUID) -> bool:
    """Whether the key of a batch is there."""
    try:
        read(directory, batch)
    except KeyLost:
        return False
    return True


def paths(directory: Path) -> Iterator[Path]:
    """All files of keys of batches."""
    yield from directory.glob("*.keys")
    yield from directory.glob("*.key")


def paths_of(directory: Path, batch: UUID) -> tuple[Path, Path]:
    """The files in which a batch's key may be."""
    return path_of(directory, batch), _path_alone(directory, batch)


def path_of(directory: Path, batch: UUID) -> Path:
    """The file that holds a batch's key and that of the next."""
    return directory / _name_of(batch)


def _name_of(batch: UUID) -> str:
    return f"{batch.bytes[:POCKET_BYTES].hex()}.keys"


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


def _slots(path: Path) -> list[Slot]:
    """Both slots; none if there is no whole file."""
    content = _content(path)
    return [
        (UUID(bytes=content[at : at + ID_BYTES]), content[at + ID_BYTES : at + SLOT_BYTES])
        for at in range(0, len(content), SLOT_BYTES)
    ]


def _content(path: Path | str) -> bytes:
    """The whole file; empty if there is no whole one.

    By the system's own calls: every submission reads it, and a file object costs three times that.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    try:
        # One byte more than belongs there, so that a longer file is no whole one either.
        content = os.read(file, SLOTS * SLOT_BYTES + 1)
    finally:
        os.close(file)
    return content if len(content) == SLOTS * SLOT_BYTES else b""


def _as_bytes(slot: Slot) -> bytes:
    batch, key = slot
    return batch.bytes + key


def _fresh(batch: UUID) -> Slot:
    """Another batch of the same survey, with its key."""
    random = secrets.token_bytes(ID_BYTES - POCKET_BYTES)
    return UUID(bytes=batch.bytes[:POCKET_BYTES] + random), _new_key()


def _new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def _write_slot(path: Path, number: int, slot: Slot) -> None:
    """In place, so that the old key is overwritten and not left in a free block."""
    with path.open("r+b") as file:
        file.seek(number * SLOT_BYTES)
        file.write(_as_bytes(slot))
        file.flush()
        os.fsync(file.fileno())
    _hide_time(path)


def _hide_time(path: Path) -> None:
    """Its last change is said to the day; the disk's own note tells the last batch at most."""
    today = time.time() // DAY * DAY
    os.utime(path, (today, today))


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While no other process changes the file; nothing is held if it is not there."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield
        return
    with file:
        # The system takes the lock back from a process that dies.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# The keys of batches that were open before there were slots: a file each.


def _read_alone(directory: Path, batch: UUID) -> bytes:
    try:
        key = _path_alone(directory, batch).read_bytes()
    except FileNotFoundError:
        raise KeyLost(batch) from None
    if len(key) != KEY_BYTES:
        raise KeyLost(batch)
    return key


def _path_alone(directory: Path, batch: UUID) -> Path:
    return directory / f"{batch}.key"
