"""Keep a database of this version: ``python -m tests.versions.make`` when it is released.

Once as it stands for SQLite, once as ``python -m tests.postgresql tests.versions.make``. Each
writes two files below ``tests/versions/``, or below the directory that is named: a backup, and what
is known of it with the keys of the batches that wait, which a backup leaves out.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import django
import numpy as np

HERE = Path(__file__).parent


def main(directory: Path) -> None:
    """Migrate, fill, back up and describe a new database; nothing that is there is replaced."""
    with tempfile.TemporaryDirectory(prefix="deniable-version-") as data:
        os.environ |= {"DENIABLE_DATA_DIR": data, "DENIABLE_HTTPS": "off"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        _make(directory)


def _make(directory: Path) -> None:
    from django.core.management import call_command
    from django.db import connection

    from surveys import VERSION
    from surveys.collecting import spool
    from surveys.collecting.keys import batch_keys
    from surveys.operations.backups import back_up
    from tests.postgresql import path_with_programs
    from tests.versions.facts import facts
    from tests.versions.filling import fill

    if connection.vendor == "postgresql":
        connection.ensure_connection()
        os.environ["PATH"] = path_with_programs(connection.pg_version // 10_000)
    call_command("migrate", interactive=False, verbosity=0)
    fill(np.random.default_rng(1))
    place = directory / VERSION
    place.mkdir(exist_ok=True)
    made, _ = back_up(place / f"{connection.vendor}.zip")
    files = batch_keys.paths(spool.keys_directory())
    keys = {path.name: path.read_bytes().hex() for path in files}
    described = json.dumps({"facts": facts(), "keys": keys}, indent=1, sort_keys=True)
    made.with_suffix(".json").write_text(described + "\n")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]) if sys.argv[1:] else HERE)
