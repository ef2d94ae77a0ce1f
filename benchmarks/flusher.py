"""Store whole batches of a survey again and again, as one more worker would, until told to end."""

import sys
from uuid import UUID

import django

django.setup()

from surveys import services  # noqa: E402

print("begun", flush=True)
while sys.stdin.readline():  # a line for every time
    services.flush(UUID(sys.argv[1]))
