"""A backup: a zip of the database's dump and a Manifest, made, verified and restored.

The keys of batches and the installation's secret are never in it: a person who finds a backup
reads neither what waited nor any session.
"""

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from surveys.models import AuditEntry, Comment, Response, Survey
from surveys.operations import dumps, fallbacks
from surveys.operations.dumps import Unusable
from surveys.staff.audit.services import record

# (table, columns) to the cells of every row.
Rows = Callable[[str, Sequence[str]], Iterator[tuple[str, ...]]]
FORMAT = 1
LARGEST_MANIFEST = 1024 * 1024
BLOCK = 1024 * 1024
MANIFEST, DATABASE = "manifest.json", "database"
COUNTED = {
    "surveys": "surveys_survey",
    "stored answers": "surveys_response",
    "accounts": "auth_user",
}
LEFT_OUT = [
    "the keys of batches",
    "the keys of openings",
    "the keys of vouchers",
    "the secret key",
    "settings",
]
# What unpacking damaged bytes raises, by where the damage is.
NO_BACKUP = "The file is not a backup of Deniable, or it is damaged."
DAMAGED = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError)


@dataclass(frozen=True)
class Manifest:
    """What a backup holds."""

    format: int
    made_at: str
    vendor: str
    migrations: list[str]
    counts: dict[str, int]
    sha256: str
    left_out: list[str]

    def __str__(self) -> str:
        counts = (f"{self.counts.get(table, 0):,} {name}" for name, table in COUNTED.items())
        return ", ".join(counts)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Raises Unusable."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise Unusable(
                    f"The backup has format {data['format']!r}, and this version of Deniable "
                    f"reads format {FORMAT}. Install the version that made the backup."
                )
            manifest = cls(**data)
            datetime.fromisoformat(manifest.made_at)
        except (ValueError, TypeError, KeyError) as problem:
            raise Unusable(
                "The backup's description of itself cannot be read: the backup is damaged."
            ) from problem
        return manifest


@dataclass(frozen=True)
class Restored:
    """What was put back, which migrations it still needs, and whose openings are held."""

    manifest: Manifest
    to_migrate: list[str]
    held_surveys: list[Survey] = field(default_factory=list)


def back_up(destination: Path) -> tuple[Path, Manifest]:
    """Write a backup to a new .zip file, or to a new file in a directory. Raises Unusable, OSError.

    A directory is never made: one that is missing is often a disk that is not mounted.
    """
    name = f"deniable-{timezone.now():%Y%m%d-%H%M%S}.zip"
    target = destination / name if destination.is_dir() else destination
    if target.exists():
        raise Unusable(f"{target} exists already. Name a new file.")
    if target.suffix != ".zip":
        remedy = "Make the directory first, or name a new file that ends in .zip."
        raise Unusable(f"There is no directory {target}. {remedy}")
    if not target.parent.is_dir():
        raise Unusable(f"There is no directory {target.parent}. Make the directory first.")
    # In the same directory, so that the finished file appears at once or not at all.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".deniable-") as room:
        dump, draft = Path(room) / DATABASE, Path(room) / "draft"
        manifest = _describe(dump, dumps.engine().save(dump))
        _pack(draft, dump, manifest)
        os.replace(draft, target)
    return target, manifest


def restore(source: Path, *, replace: bool, hold_drawn: bool = False) -> Restored:
    """Put a backup in place, after looking at all of it.

    Raises Unusable: the file or the database does not allow it, and nothing was changed. It is
    refused, unless ``hold_drawn``, if openings of released tables were drawn since the backup:
    with it their surveys never draw again. A backup of an older version is refused then, even so.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive)
            _require_fitting(manifest)
            if not replace:
                _require_empty()
            drawn = _load(archive, manifest, hold_drawn=hold_drawn)
    except DAMAGED as problem:
        raise Unusable(NO_BACKUP) from problem
    return _finished(manifest, drawn)


def _describe(dump: Path, counts: dict[str, int]) -> Manifest:
    with dump.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Manifest(
        format=FORMAT,
        made_at=timezone.now().isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=_applied(),
        counts=counts,
        sha256=digest,
        left_out=LEFT_OUT,
    )


def _pack(draft: Path, dump: Path, manifest: Manifest) -> None:
    with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
            archive.write(dump, DATABASE)
        file.flush()
        # On the disk before it gets its name: a name never stands for half a backup.
        os.fsync(file.fileno())


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    with archive.open(MANIFEST) as file:
        # A file from elsewhere may unpack to more than memory holds.
        return Manifest.from_json(file.read(LARGEST_MANIFEST))


def _require_fitting(manifest: Manifest) -> None:
    """Raises Unusable unless this program and this database can take it."""
    if manifest.vendor != connection.vendor:
        raise Unusable(
            f"The backup is of a database of the kind {manifest.vendor}, but "
            f"DENIABLE_DATABASE_URL names one of the kind {connection.vendor}. Restore the backup "
            "into a database of its own kind."
        )
    loader = MigrationLoader(None, ignore_no_migrations=True)
    ours = {_named(*key) for key in loader.disk_migrations}
    theirs = {name for name in manifest.migrations if name.split(".")[0] in loader.migrated_apps}
    if newer := sorted(theirs - ours):
        raise Unusable(
            f"The backup was made by a newer version of Deniable ({', '.join(newer)}). Install "
            "that version first."
        )


def _require_empty() -> None:
    """Raises Unusable if anybody's work is in the database."""
    tables = set(connection.introspection.table_names())
    for model in (User, Survey, Response, Comment, AuditEntry):
        if model._meta.db_table in tables and model._default_manager.exists():
            raise Unusable(
                "The database is not empty. Restore into an empty database, or make a backup of "
                "this database first and then add --replace."
            )


@contextmanager
def verified(source: Path) -> Iterator[Rows]:
    """A backup of this database that is whole: the rows of its tables, to be compared with ours.

    Raises Unusable.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive)
            _require_fitting(manifest)
            with _unpacked(archive, manifest) as dump:
                yield partial(dumps.engine().rows, dump)
    except DAMAGED as problem:
        raise Unusable(NO_BACKUP) from problem


def _load(archive: zipfile.ZipFile, manifest: Manifest, *, hold_drawn: bool) -> fallbacks.Drawn:
    """Load it, and return what the database that was there had drawn since."""
    with _unpacked(archive, manifest) as dump:
        drawn = fallbacks.drawn_since(partial(dumps.engine().rows, dump))
        if drawn and _to_migrate(manifest):
            # Nothing there could keep a hold in mind, and it would open as soon as it is migrated.
            raise Unusable(
                f"Openings drew tables of {', '.join(fallbacks.titles_of(drawn))} after this "
                "backup was made. The backup is of an older version of Deniable, so that this "
                "version cannot hold the openings in it. Restore a later backup. Or restore this "
                "backup with --hold-drawn with the version that made it, and install this "
                "version afterwards."
            )
        if drawn and not hold_drawn:
            raise Unusable(
                f"Openings drew tables of {', '.join(fallbacks.titles_of(drawn))} after this "
                "backup was made. If the backup is restored, the tables would be drawn again, "
                "and both draws together would reveal more than was promised. Restore a later "
                "backup. Or add --hold-drawn: these surveys then never draw tables again, and "
                "their owners have to stop the surveys."
            )
        dumps.engine().load(dump)
    return drawn


@contextmanager
def _unpacked(archive: zipfile.ZipFile, manifest: Manifest) -> Iterator[Path]:
    """The dump inside it, once it is the one that it describes. Raises Unusable."""
    with tempfile.TemporaryDirectory(dir=settings.ENVIRONMENT.data_dir) as room:
        dump = Path(room) / DATABASE
        with archive.open(DATABASE) as packed, dump.open("wb") as file:
            digest = _copy(packed, file)
        # Before the database is touched: restoring replaces everything.
        if digest != manifest.sha256:
            raise Unusable(
                "The backup is damaged: the database inside the backup is not the one that the "
                "backup describes."
            )
        dumps.engine().check(dump, manifest.counts)
        yield dump


def _copy(source: IO[bytes], target: IO[bytes]) -> str:
    """Copy, and return the SHA-256 of what was copied."""
    digest = hashlib.sha256()
    while block := source.read(BLOCK):
        digest.update(block)
        target.write(block)
    return digest.hexdigest()


def _finished(manifest: Manifest, drawn: fallbacks.Drawn) -> Restored:
    """Count what is there now, and write it into the audit log if that has its place already."""
    if dumps.count_here() != manifest.counts:
        raise Unusable(
            "The database that was put in place does not have the rows that the backup "
            "describes. Do not start the service. Restore again into an empty database."
        )
    if to_migrate := _to_migrate(manifest):
        return Restored(manifest, to_migrate)
    record("restored a backup", by=None, after={"made_at": manifest.made_at})
    surveys = fallbacks.hold(datetime.fromisoformat(manifest.made_at), drawn)
    return Restored(manifest, [], surveys)


def _to_migrate(manifest: Manifest) -> list[str]:
    """What this version has and the one that made it had not."""
    ours = {_named(*key) for key in MigrationLoader(connection).graph.nodes}
    return sorted(ours - set(manifest.migrations))


def _applied() -> list[str]:
    return sorted(_named(*key) for key in MigrationLoader(connection).applied_migrations)


def _named(app: str, name: str) -> str:
    return f"{app}.{name}"
