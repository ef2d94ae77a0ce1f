"""Store whole batches of a survey again and again, as one more worker would, until told to end."""

import sys
from uuid import UUID

import django

django.setup()

from surveys.collecting.spool import flush  # noqa: E402

print("begun", flush=True)
while sys.stdin.readline():  # a line for every time
    flush(UUID(sys.argv[1]))
