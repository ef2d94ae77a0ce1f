#!/usr/bin/env python
"""Deniable's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from surveys import VERSION

if __name__ == "__main__":
    if sys.argv[1:] in (["version"], ["--version"]):  # Django would say its own
        sys.stdout.write(f"Deniable {VERSION}\n")
        sys.exit()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)
