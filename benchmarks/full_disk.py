"""Production's settings, on a disk on which SQLite's file may have so many pages and no more."""

import os

from config.settings import *  # noqa: F403
from config.settings import DATABASES

DATABASES["default"]["OPTIONS"]["init_command"] += (
    f"PRAGMA max_page_count={int(os.environ['FAULTS_PAGES'])};"
)
