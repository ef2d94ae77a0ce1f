"""Makes all copies and writes them; ``make.py`` runs it, since it needs a process of its own."""

import os
from pathlib import Path

from django.db import connection

from tests.golden import stored
from tests.golden.copying import copies
from tests.golden.make import FOLDER
from tests.golden.stillness import standing_still


def test_all_copies_are_written(db, tmp_path):
    with standing_still() as still:
        made = dict(copies(still, tmp_path))
    stored.write(made, connection.vendor, Path(os.environ[FOLDER]))
    assert made
