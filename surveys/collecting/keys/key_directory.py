"""The directory of batch keys, by its mark: is it the one whose keys this database uses?

A key that is not in it is gone, if it is; where it is not mounted, nothing is known of any key. The
mark is a file with a random number, which the database knows too; it is made with the first keys.
"""

import contextlib
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from surveys.collecting.keys import batch_keys, key_files
from surveys.models import KeyDirectory, Spool

MARK = "directory.mark"


def directory() -> Path:
    """Where the keys of batches are."""
    path: Path = settings.BATCH_KEYS_DIR  # as it is: every submission comes here
    return path


def is_another() -> bool:
    """Whether the database knows a directory of keys, and this is not the one. Raises OSError."""
    known = _known()
    return known is not None and mark_in(directory()) != known


def is_known() -> bool:
    """Whether this is the directory of keys of this database, for certain. Raises OSError.

    Installations from before there were marks get theirs as soon as a key of theirs is there.
    """
    known = _known() or mark_once()
    return known is not None and mark_in(directory()) == known


def mark_once() -> UUID | None:
    """Mark the directory unless the database knows one, and return the mark that it knows.

    None where surveys are open and no file of theirs is there: it may be another directory. Raises
    OSError.
    """
    known = _known()
    if known is not None:
        return known
    batches = list(Spool.objects.values_list("batch", flat=True))
    # A batch's file stays when its key is spent: where none is, this may be another disk.
    files = (path for batch in batches for path in batch_keys.paths_of(directory(), batch))
    if batches and not any(path.exists() for path in files):
        return None
    return _remember(_made_mark())


@transaction.atomic
def take_over() -> bool:
    """From now on this is the directory of keys; False if it is already. Raises OSError."""
    mark = _made_mark()
    if KeyDirectory.objects.select_for_update().filter(mark=mark).exists():
        return False
    KeyDirectory.objects.update_or_create(id=KeyDirectory.ONE, defaults={"mark": mark})
    return True


def mark_in(path: Path) -> UUID | None:
    """The mark of a directory; None if it has none. Raises OSError."""
    try:
        return UUID((path / MARK).read_text("ascii").strip())
    except (FileNotFoundError, ValueError):
        return None


def _known() -> UUID | None:
    return KeyDirectory.objects.values_list("mark", flat=True).first()


def _made_mark() -> UUID:
    """The directory's mark, made unless it has one; of several servers' marks the first one."""
    key_files.make_directory(directory())
    with contextlib.suppress(FileExistsError):
        key_files.write_new(directory() / MARK, f"{uuid4()}\n".encode("ascii"))
    # Read back: of two servers that make it at once, one lost, and takes the other's.
    mark = mark_in(directory())
    if mark is None:
        raise OSError(f"{directory() / MARK} is damaged: delete this file")
    return mark


def _remember(mark: UUID) -> UUID | None:
    """Of several servers that mark directories at once, the first one's is the one."""
    KeyDirectory.objects.bulk_create(
        [KeyDirectory(id=KeyDirectory.ONE, mark=mark)], ignore_conflicts=True
    )
    return _known()
