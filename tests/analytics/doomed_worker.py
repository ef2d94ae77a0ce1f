"""A worker that is killed (kill -9, by itself) before or after a statement that holds a text.

Run as ``python -m tests.analytics.doomed_worker before|after TEXT``.
"""

import gc
import os
import signal
import sys

import django
from django.core.management import call_command
from django.db import connection


def main(moment: str, text: str) -> None:
    gc.set_threshold(50_000)  # as in manage.py
    django.setup()

    def doom(execute, sql, params, many, context):
        if text in sql and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = execute(sql, params, many, context)
        if text in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    with connection.execute_wrapper(doom):
        options = ("--queue-name", "*", "--batch", "--interval", "0", "--no-startup-delay")
        call_command("db_worker", *options)


if __name__ == "__main__":
    main(*sys.argv[1:])
