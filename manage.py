#!/usr/bin/env python
"""Deniable's command line."""

import atexit
import gc
import os
import sys

from django.core.management import execute_from_command_line

from surveys import PROGRAM

if __name__ == "__main__":
    if sys.argv[1:] in (["version"], ["--version"]):  # Django would say its own
        sys.stdout.write(f"{PROGRAM}\n")
        sys.exit()
    # A command loads hundreds of modules, and none of that is garbage: looking for some, while they
    # load and again at the end, took a third of the time. Django closes its connections itself.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ModuleNotFoundError as missing:
        role = os.environ.get("DENIABLE_ROLE", "all")
        if role not in ("web", "staff", "worker"):
            raise
        sys.exit(
            f"This command needs {missing.name}, which the environment of DENIABLE_ROLE={role} "
            "lacks. Run it with that of another role: docs/operating.md lists what each runs."
        )
